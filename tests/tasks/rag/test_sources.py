"""Data as AutoRAG, LlamaIndex, ragas and BEIR write it, with a system's outputs."""

import json
from types import SimpleNamespace
from typing import NamedTuple

import polars
import pytest

import assay
from assay.tasks.rag.sources import collect
from tables import for_each

GOLD = {"retrieval_gt": [[["d1", "d2"], ["d3"]], [["d4"]]], "generation_gt": [["Paris"], ["Ada", "Ada Lovelace"]]}
QA = polars.DataFrame({"qid": ["a", "b"], "query": ["where?", "who?"], **GOLD})
FOUND = {"retrieved_ids": [["d1", "d3"], ["d9"]], "retrieve_scores": [[0.9, 0.8], [0.7]]}
FOUND |= {"retrieved_contents": [["one", "three"], ["nine"]], "generated_texts": ["Paris", "Grace"]}
RESULT = polars.DataFrame(FOUND)
MEASURES = ["autorag:retrieval_recall", "recall", "em"]


@pytest.fixture
def folder(tmp_path):
    QA.write_parquet(tmp_path / "qa.parquet")
    RESULT.write_parquet(tmp_path / "0.parquet")
    RESULT.with_columns(QA["qid"]).reverse().write_parquet(tmp_path / "best_0.parquet")
    return tmp_path


class TestAutoRAG:
    def test_a_result_is_put_to_the_questions_by_ids_or_in_order(self, folder):
        for name, is_in_order in (("0.parquet", True), ("best_0.parquet", False)):
            result = assay.evaluate_rag(folder / "qa.parquet", MEASURES, outputs=folder / name)
            assert result.mean == {"autorag:retrieval_recall": 0.5, "recall": pytest.approx(1 / 3), "em": 0.5}
            assert result.queries == ["a", "b"]
            said = [str(note) for note in result.notes if note.kind == "outputs"]
            assert ["matched to the questions in order" in each for each in said] == [True] * is_in_order

    def test_its_own_convention(self, folder):
        how = {"outputs": RESULT, "convention": "autorag"}
        result = assay.evaluate_rag(folder / "qa.parquet", ["retrieval_f1", "retrieval_map"], **how)
        assert result.convention == "autorag"
        # a finds both of its groups with nothing besides, b finds nothing.
        assert result.per_query()["a"]["retrieval_f1"] == pytest.approx(1)
        assert result.per_query()["b"] == {"retrieval_f1": 0, "retrieval_map": 0}

    def test_every_group_must_be_found(self, folder):
        half = RESULT.with_columns(retrieved_ids=polars.Series([["d1", "d2"], ["d4"]]))
        result = assay.evaluate_rag(folder / "qa.parquet", MEASURES, outputs=half)
        assert result.found.tolist() == [False, True]

    def test_passages_from_the_corpus(self):
        corpus = {"d1": "x", "d2": "y", "d3": "z", "d4": "w", "d9": "v"}
        how = {"measures": "retrieval_token_recall", "outputs": RESULT.drop("retrieved_contents")}
        frame = polars.DataFrame({"doc_id": list(corpus), "contents": list(corpus.values())})
        assert assay.evaluate_rag(QA, **how, corpus=frame).scores["retrieval_token_recall"].tolist() == [1, 0]
        corpus.pop("d9")
        result = assay.evaluate_rag(QA, **how, corpus=corpus)
        assert result.counted("retrieval_token_recall") == 1
        assert any("1 document not in the corpus" in str(note) and "'d9'" in str(note) for note in result.notes)


DATASET = {"queries": {"a": "where?", "b": "who?"}, "corpus": {"n1": "one", "n2": "two"}, "mode": "text"}
DATASET["relevant_docs"] = {"a": ["n1"], "b": ["n2"]}
RUN = {"a": {"n1": 0.9, "n2": 0.1}, "b": {"n1": 0.8, "n2": 0.3}}


class TestLlamaIndex:
    @pytest.mark.parametrize("form", ["dict", "object", "file"])
    def test_a_dataset_with_a_run(self, form, tmp_path):
        (tmp_path / "qa.json").write_text(json.dumps(DATASET))
        data = {"dict": DATASET, "object": SimpleNamespace(**DATASET), "file": tmp_path / "qa.json"}[form]
        result = assay.evaluate_rag(data, ["rr", "retrieval_token_f1"], outputs=RUN)
        assert result.scores["rr"].tolist() == [1, 0.5]
        assert result.scores["retrieval_token_f1"].tolist() == [0.5, 0.5]
        assert result.records[0].question == "where?"

    def test_a_list_of_its_results(self, tmp_path):
        result = {"query": "where?", "expected_ids": ["n1"], "expected_texts": None, "mode": "text"}
        result |= {"retrieved_ids": ["n2", "n1"], "retrieved_texts": ["two", "one"]}
        result |= {"metric_dict": {"mrr": {"score": 0.5, "metadata": {}}}}
        (tmp_path / "results.json").write_text(json.dumps([result]))
        assert assay.evaluate_rag(tmp_path / "results.json", ["mrr"], convention="llama_index")["mrr"] == 0.5

    def test_an_id_that_is_no_query_is_an_error(self):
        with pytest.raises(assay.errors.DataError, match="relevant_docs has ids that are not in queries: 'z'"):
            collect({**DATASET, "relevant_docs": {"z": ["n1"]}}, RUN)


SAMPLE = {"user_input": "where?", "response": "Paris", "reference": "Paris", "multi_responses": None, "rubrics": None}
SAMPLE |= {"retrieved_contexts": ["one", "two"], "reference_contexts": ["one"]}
SAMPLE |= {"retrieved_context_ids": ["c1", "c2"], "reference_context_ids": ["c1", "c3"]}
OLDER = {"question": "where?", "contexts": ["one"], "answer": "Paris", "ground_truth": "Paris"}
RAGAS = [
    (SAMPLE, {}, {"precision": 0.5, "recall": 0.5, "em": 1, "retrieval_token_recall": 0.5}),
    (SAMPLE, {"convention": "ragas"}, {"IDBasedContextPrecision": 0.5, "IDBasedContextRecall": 0.5}),
    (OLDER, {}, {"em": 1}),
]


@for_each("row, how, means", RAGAS)
def test_samples_of_ragas(row, how, means):
    assert list(assay.evaluate_rag([row], list(means), **how).mean.values()) == list(means.values())


class TestBEIR:
    @pytest.fixture
    def beir(self, tmp_path):
        texts = {"d1": "first", "d2": "second"}
        corpus = [{"_id": each, "title": "One" if each == "d1" else "", "text": text} for each, text in texts.items()]
        queries = [{"_id": f"q{n}", "text": text} for n, text in ((1, "where?"), (2, "who?"), (9, "?"))]
        for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
            (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "qrels").mkdir()
        (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td2\t1\n")
        (tmp_path / "bm25.run").write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq2 Q0 d1 1 1.0 x\nq9 Q0 d1 1 1 x\n")
        return tmp_path

    def test_a_folder_with_a_run(self, beir):
        result = assay.evaluate_rag(beir, ["recall", "ndcg@10", "retrieval_token_f1"], outputs=beir / "bm25.run")
        assert result.queries == ["q1", "q2"]
        assert [record.question for record in result.records] == ["where?", "who?"]
        assert result.scores["recall"].tolist() == [1, 0]
        assert result.scores["retrieval_token_f1"].tolist() == [0.5, 0]
        assert any("1 output matches no question; left out: 'q9'" in str(note) for note in result.notes)

    def test_the_test_split_or_the_only_one_is_taken(self, beir, tmp_path):
        (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "dev.tsv")
        assert len(collect(beir, beir / "bm25.run")[0]) == 2
        (beir / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n")
        with pytest.raises(assay.errors.FileError, match=r"no qrels/test\.tsv; qrels/ contains 'dev\.tsv', 'train\.t"):
            collect(beir)
        with pytest.raises(assay.errors.FileError, match="is not a BEIR folder"):
            collect(tmp_path / "qrels")


class Retrieved(NamedTuple):
    query_id: str
    doc_id: str
    score: float


ASKED = [{"query_id": "a", "gold": ["d1"], "references": ["x"]}, {"query_id": "b", "gold": ["d2"], "references": ["y"]}]
OUTPUTS = {
    "run": {"a": ["d1"], "b": ["d2"]},
    "Run": assay.Run({"a": ["d1"], "b": ["d2"]}),
    "frame of a run": polars.DataFrame({"query_id": ["a", "b"], "doc_id": ["d1", "d2"], "score": [1.0, 1.0]}),
    "rankings in order": [["d1"], ["d2"]],
    "records": [{"query_id": "b", "retrieved": ["d2"]}, {"query_id": "a", "retrieved": ["d1"]}],
    "named tuples": [Retrieved("a", "d1", 1.0), Retrieved("b", "d2", 1.0)],
    "records with more": {"a": {"retrieved": ["d1"], "model": "m"}, "b": {"retrieved": ["d2"], "model": "m"}},
    "records by id": {"a": {"retrieved": ["d1"]}, "b": {"retrieved": ["d2"]}},
}


@for_each("form", OUTPUTS)
def test_outputs_in_every_form(form):
    assert assay.evaluate_rag(ASKED, ["recall"], outputs=OUTPUTS[form])["recall"] == 1


FILES = {
    "o.run": "a Q0 d1 1 1 x\nb Q0 d2 1 1 x\n",
    "o.json": '{"a": {"d1": 1}, "b": {"d2": 1}}',
    "run.csv": "query_id,doc_id,score\na,d1,1\nb,d2,1\n",
    "o.csv": 'query_id,retrieved,answer\na,"[""d1""]",x\nb,"[""d2""]",y\n',
    "o.jsonl": '{"query_id": "a", "retrieved": ["d1"]}\n{"query_id": "b", "retrieved": ["d2"]}\n',
}


@for_each("name", FILES)
def test_outputs_in_files(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    assert assay.evaluate_rag(ASKED, ["recall"], outputs=tmp_path / name)["recall"] == 1
    with (tmp_path / name).open("rb") as file:
        assert assay.evaluate_rag(ASKED, ["recall"], outputs=file)["recall"] == 1


LACKING = {"measures": "retrieval_token_f1", "outputs": OUTPUTS["run"]}
ERRORS = [
    ({"outputs": {"x": ["d1"]}}, "no id in common: questions 'a', 'b'; outputs 'x'"),
    ({"outputs": [{"answer": "x"}]}, "2 questions but 1 output without ids"),
    (LACKING | {"corpus": [{"x": 1}]}, "documents need an id"),
    (LACKING | {"corpus": []}, "no documents found"),
    ({"outputs": OUTPUTS["run"], "columns": {"answer": "lost"}}, "columns names the field 'lost'"),
]


@for_each("how, message", ERRORS)
def test_outputs_and_corpora_that_do_not_fit(how, message):
    with pytest.raises(assay.errors.DataError, match=message):
        assay.evaluate_rag(ASKED, **how)


def test_documents_may_be_called_like_parts():
    asked = [{"query_id": "a", "gold": ["answer"]}]
    assert assay.evaluate_rag(asked, ["rr"], outputs={"a": {"answer": 0.5}})["rr"] == 1


def test_each_name_of_columns_may_stand_in_one_of_two_files():
    asked, outputs = [{"id": "a", "truth": "x"}], [{"id": "a", "said": "x"}]
    columns = {"references": "truth", "answer": "said"}
    assert assay.evaluate_rag(asked, ["em"], outputs=outputs, columns=columns)["em"] == 1


SAME = {"gold": ["d1"], "retrieved": ["d1"], "references": "x", "answer": "x", "retrieved_texts": ["t"]}
OLD = [{"query_id": "a", **SAME}, {"query_id": "b", **SAME, "gold": ["d2"], "references": "y", "answer": "y"}]
NO_TEXTS = [{**row, "gold_texts": ["t"]} for row in OLD]
OTHER_GOLD = [{"query_id": "a", "gold": ["d9"], "retrieved": ["d9"]}, {"query_id": "b", "retrieved": ["d2"]}]
IGNORED = "retrieved, retrieved_texts, answer in the records ignored; the outputs count"
# Records of an older system, outputs, measures, the values of those that are left, and what is said.
ANSWERED = [{"query_id": "a", "answer": "x"}]
SYSTEMS = [
    (OLD, ANSWERED, ["em"], {"em": [1, 0]}, IGNORED),
    (OLD, ANSWERED, ["em"], {"em": [1, 0]}, "1 question has no answer; counted as empty: 'b'"),
    (NO_TEXTS, {"a": ["d9"], "b": ["d2"]}, ["recall", "retrieval_token_f1"], {"recall": [0, 1]}, IGNORED),
    (OLD, OTHER_GOLD, ["recall"], {"recall": [0, 1]}, "another question, gold or references for 1 question"),
]


@for_each("records, outputs, measures, scores, said", SYSTEMS)
def test_nothing_of_an_older_system_is_left(records, outputs, measures, scores, said):
    result = assay.evaluate_rag(records, measures, outputs=outputs)
    assert {name: result.scores[name].tolist() for name in result} == scores
    assert any(said in str(note) for note in result.notes)
