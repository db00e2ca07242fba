"""Systems that answer: the answer and the contexts of a response, and the records that `evaluate_rag` reads."""

from types import SimpleNamespace

import pytest

import assay
from assay.errors import DataError, MismatchError
from assay.tasks.probe.response import RankingReader, split_answer
from search_server import INDEX, QRELS, QUESTIONS, Reply, SearchServer
from tables import for_each

TEXTS = [{"id": "d1", "text": "one"}, {"id": "d2", "text": "two"}]
DOCUMENTS = [SimpleNamespace(page_content=each["text"], metadata={"id": each["id"]}) for each in TEXTS]
INNER = [SimpleNamespace(node_id=each["id"], text=each["text"]) for each in TEXTS]
NODES = [SimpleNamespace(node=node, score=score) for node, score in zip(INNER, (0.9, 0.8), strict=True)]
RESPONSES = {
    "a dict": {"answer": "yes", "contexts": TEXTS},
    "retrieved": {"answer": "yes", "retrieved": TEXTS},
    "a pair": ("yes", TEXTS),
    "LangChain's retrieval chain": {"input": "who", "context": DOCUMENTS, "answer": "yes"},
    "LangChain's RetrievalQA": {"query": "who", "result": "yes", "source_documents": DOCUMENTS},
    "LlamaIndex's response": SimpleNamespace(response="yes", source_nodes=NODES, metadata={}),
    "ids beside texts": {"answer": "yes", "ids": ["d1", "d2"], "contexts": ["one", "two"]},
    "a usual list": {"answer": "yes", "results": TEXTS},
}


@for_each("name", RESPONSES)
def test_answer_and_contexts(name):
    ranking = RankingReader(10).read(RESPONSES[name])
    assert (ranking.answer, ranking.ids, ranking.texts) == ("yes", ["d1", "d2"], ["one", "two"])


RETRIEVED = [["d1"], {"d1": 0.5}, [("d1", 0.5)], {"results": ["d1"]}, ("d1", "d2"), {"response": ["d1"]}, "d1", None]


@for_each("response", RETRIEVED)
def test_what_a_retriever_returns_has_no_answer(response):
    assert split_answer(response) is None


BAD = [
    ({"answer": "yes"}, "an answer, but no contexts"),
    ({"answer": "yes", "ids": ["d1"], "contexts": ["one", "two"]}, "1 ids but 2 contexts"),
    ({"answer": "yes", "note": "x"}, "no list of documents"),
]


@for_each("response, said", BAD)
def test_an_answer_without_contexts_is_refused(response, said):
    with pytest.raises(DataError, match=said):
        RankingReader(10).read(response)


def answer(question):
    if question == "fails":
        raise ConnectionError("gone")
    return {"answer": f"about {question}", "contexts": [{"id": "d1", "text": "one", "score": 0.5}]}


def test_records_hold_everything_that_rag_needs():
    questions, qrels, right = {"q1": "who", "q2": "fails"}, {"q1": {"d1": 2}, "q2": {"d2": 1}}, ["about who", "him"]
    probe = assay.probe(answer, questions, qrels, "rr", retries=0, references={"q1": right})
    first, second = probe.records
    found = {"retrieved": ["d1"], "retrieved_scores": [0.5], "retrieved_texts": ["one"], "answer": "about who"}
    asked = {"query_id": "q1", "question": "who", "gold": {"d1": 2.0}, "references": right}
    assert first == asked | found | {"latency": probe.seconds["q1"]}
    assert (second["failure"], second["retrieved"], second["answer"]) == ("ConnectionError: gone", [], "")
    result = assay.evaluate_rag(probe.records, measures=["rr", "answer_f1"])
    assert result["rr"] == probe["rr"] == 0.5
    assert result["answer_f1"] == 1


def test_records_of_a_retriever_have_no_answer():
    (record,) = assay.probe(lambda _: ["d1"], {"q1": "who"}, {"q1": ["d1"]}, "rr").records
    assert record.keys() == {"query_id", "question", "gold", "retrieved", "latency"}
    assert assay.evaluate_rag([record], measures="rr")["rr"] == 1


def test_references_from_a_file_and_for_other_questions(tmp_path):
    (tmp_path / "right.jsonl").write_text('{"query_id": "q1", "ground_truth": "him"}\n')
    probe = assay.probe(answer, {"q1": "who"}, {"q1": ["d1"]}, "rr", references=tmp_path / "right.jsonl")
    assert probe.records[0]["references"] == ["him"]
    with pytest.raises(MismatchError, match="no question has a reference answer"):
        assay.probe(answer, {"q1": "who"}, {"q1": ["d1"]}, "rr", references={"q7": "him"})


def replied(question, _times):
    hits = [{"id": each, "text": f"text of {each}"} for each in INDEX[question]]
    return Reply({"data": {"reply": f"about {question}", "hits": hits}})


def usual_names(question, _times):
    return Reply({"answer": f"about {question}", "contexts": INDEX[question]})


def test_an_endpoint_that_answers():
    with SearchServer(usual_names) as server:
        probe = assay.probe(assay.live.HttpSearch(server.url), QUESTIONS, QRELS, "rr")
    assert (probe["rr"], probe.records[0]["answer"]) == (1, "about question 0")
    with SearchServer(replied) as server:
        search = assay.live.HttpSearch(server.url, path="data.hits", answer_path="data.reply")
        probe = assay.probe(search, QUESTIONS, QRELS, "rr")
        wrong = assay.live.HttpSearch(server.url, path="data.hits", answer_path="data.hits")
        with pytest.raises(DataError, match=r"no answer at 'data\.hits': expected a text"):
            assay.probe(wrong, QUESTIONS, QRELS, "rr")
    texts = ["text of d3", "text of e3"]
    record = probe.records[3]
    assert (probe["rr"], record["answer"], record["retrieved_texts"]) == (1, "about question 3", texts)
