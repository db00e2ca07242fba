"""How functions and other libraries' retrievers are called, and how what they return becomes a ranking."""

from functools import partial, wraps
from types import SimpleNamespace as Namespace

import pytest

import assay
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError
from assay.tasks.probe.response import LiveRanking, RankingReader, at_path, find_list
from assay.tasks.probe.retrievers import as_retriever, own_name
from tables import for_each

QRELS = {"q1": ["d2"]}


def document(name, **more):
    """As LangChain has it; haystack's has `content`, and a score."""
    return Namespace(**{"id": name, "page_content": "text", "metadata": {}} | more)


class LangChain:
    name = None

    def invoke(self, input, config=None, **kwargs):  # noqa: ARG002 - LangChain's signature
        return [document("d1"), document("d2")]

    async def ainvoke(self, input, config=None, **kwargs):
        raise NotImplementedError


def nodes(_question):
    found = (("d1", "whole", 0.9), ("d2", "d2", 0.8))
    return [Namespace(node=Namespace(node_id=name, ref_doc_id=whole), score=score) for name, whole, score in found]


def haystack(query, filters=None, top_k=None):  # noqa: ARG001 - haystack's signature
    documents = (Namespace(id=f"d{place}", content=query, score=-place) for place in range(1, top_k + 1))
    return {"documents": list(documents)}


def later(search):
    """The same search, asynchronous."""

    @wraps(search)
    async def search_later(*arguments, **options):
        return search(*arguments, **options)

    return search_later


BY_SOURCE = [document(None, metadata={"source": each}) for each in ("d1", "d2")]
LANGCHAIN_BY_SOURCE = Namespace(invoke=lambda *_, **__: BY_SOURCE)
LLAMA_INDEX = Namespace(retrieve=nodes)
HAYSTACK = Namespace(run=haystack)
HAYSTACK_BY_EMBEDDING = Namespace(run=lambda query_embedding, top_k=None: None)  # noqa: ARG005 - takes no text


def with_k(question, k):  # noqa: ARG001 - what a search is called with
    return [f"d{place}" for place in range(1, k + 1)]


def with_top_k(question, *, top_k=99):
    return with_k(question, top_k)


async def asynchronous(question, k=99):
    return with_k(question, k)


def of_one_name(k):
    assert k == "a question"
    return ["d1", "d2"]


def mapping(question):  # noqa: ARG001 - what a search is called with
    return {"d1": 2.0, "d2": 1.0, "d3": 0.5}


SEARCHES = {
    "langchain": (LangChain(), 2),
    "langchain, async only": (Namespace(ainvoke=later(LangChain().invoke)), 2),
    "langchain's ainvoke": (later(LangChain().invoke), 2),
    "llama index": (LLAMA_INDEX, 2),
    "llama index, async only": (Namespace(aretrieve=later(nodes)), 2),
    "haystack": (HAYSTACK, 3),
    "haystack, async only": (Namespace(run_async=later(haystack)), 3),
    "haystack 1": (Namespace(retrieve=lambda query, top_k=None: haystack(query, None, top_k)["documents"]), 3),
    "k": (with_k, 3),
    "top_k": (with_top_k, 3),
    "async with k": (asynchronous, 3),
    "partial": (partial(with_k, k=7), 3),
    "k is the question": (of_one_name, 2),
    "a dict": (mapping, 3),
    "a built-in": ({"a question": ["d1", "d2"]}.get, 2),
    "more than asked for": (lambda _: with_k("", 50), 3),
}


@for_each("case", SEARCHES)
def test_each_is_asked_in_its_way(case):
    search, length = SEARCHES[case]
    probe = assay.probe(search, {"q1": "a question"}, QRELS, "rr", k=3, retries=0)
    assert probe.failures == {}
    assert probe["rr"] == 0.5
    ranking = probe.run["q1"]
    assert len(ranking) == length
    assert (ranking[1] if isinstance(ranking[1], str) else ranking[1][0]) == "d2"


def test_the_place_of_an_id_can_be_said():
    for search, doc_id, rank in ((LANGCHAIN_BY_SOURCE, "metadata.source", 0.5), (LLAMA_INDEX, "node.ref_doc_id", 0.5)):
        assert assay.probe(search, {"q1": "x"}, QRELS, "rr", doc_id=doc_id)["rr"] == rank
    with pytest.raises(DataError, match="say where the id is with doc_id"):
        assay.probe(lambda _: [document(None)], {"q1": "x"}, QRELS, "rr")


REFUSED = [
    ("http://localhost", "for a URL use assay.live.HttpSearch"),
    (None, "'None' cannot be searched"),
    (LangChain, "'LangChain' is a class; pass an instance of it"),
    (HAYSTACK_BY_EMBEDDING, "this retriever's run takes query_embedding, top_k, not query"),
]


@for_each("search, message", REFUSED)
def test_what_cannot_be_searched_is_refused_before_anything_is_asked(search, message):
    with pytest.raises(DataError) as caught:
        assay.probe(search, {"q1": "x"}, QRELS)
    assert message in str(caught.value)


NAMES = [
    (with_k, "with_k"),
    (lambda _: [], None),
    (partial(with_k, k=1), None),
    (LangChain(), "LangChain"),
    (HAYSTACK.run, "haystack"),
]


@for_each("search, name", NAMES)
def test_names(search, name):
    assert own_name(search) == name
    assert as_retriever(search, 3).name == (name or "search")
    assert as_retriever(search, 3, "mine").name == "mine"


@for_each("search, kind", [(lambda _: ["d1"], "a lambda"), (partial(with_k, k=1), "a partial")])
def test_a_checkpoint_needs_a_name(search, kind, tmp_path):
    file = tmp_path / "checkpoint.jsonl"
    with pytest.raises(DataError) as caught:
        assay.probe(search, {"q1": "x"}, QRELS, "rr", checkpoint=file)
    said = f"a checkpoint identifies a retriever by its name, and {kind} has none; pass name="
    assert (str(caught.value), file.exists()) == (said, False)
    assert assay.probe(search, {"q1": "x"}, QRELS, "rr", checkpoint=file, name="mine").run.tag == "mine"
    with pytest.raises(assay.errors.MismatchError, match="belongs to 'mine', not to 'other'"):
        assay.probe(search, {"q1": "x"}, QRELS, "rr", checkpoint=file, name="other")


RESPONSES = [
    (["a", "b"], LiveRanking(["a", "b"])),
    ([], LiveRanking([])),
    ({}, LiveRanking([], [])),
    ([1, 2], LiveRanking(["1", "2"])),
    ({"a": 2, "b": 1}, LiveRanking(["a", "b"], [2.0, 1.0])),
    ({"a": 1, "b": 3, "c": 2, "d": 0}, LiveRanking(["b", "c", "a"], [3.0, 2.0, 1.0])),
    ({"b": 1, "a": 1}, LiveRanking(["b", "a"], [1.0, 1.0])),
    ([("b", 1.0), ("a", 1.0)], LiveRanking(["b", "a"], [1.0, 1.0], is_ordered=True)),
    ([("d", 4), ("c", 3), ("b", 2), ("a", 2)], LiveRanking(["d", "c", "b"], [4.0, 3.0, 2.0])),
    ([("a", 0.1), ("b", 0.2)], LiveRanking(["a", "b"], [0.1, 0.2], is_rising=True, is_ordered=True)),
    (["a", "b", "a", "c", "b", "d"], LiveRanking(["a", "b", "c"], duplicates=2)),
    ([("a", 3), ("a", 2), ("b", 1)], LiveRanking(["a", "b"], [3.0, 1.0], duplicates=1)),
    (["a", "b", "c", "d"], LiveRanking(["a", "b", "c"])),
    ({"documents": [{"id": "a"}]}, LiveRanking(["a"])),
    ({"results": []}, LiveRanking([])),
    ({"hits": {"hits": [{"_id": "a", "_score": 3}]}}, LiveRanking(["a"])),
    ({"ids": ["a"]}, LiveRanking(["a"])),
    ({"response": {"docs": [{"id": "a"}]}}, LiveRanking(["a"])),
    ({"result": {"points": [{"id": "a", "score": 0.5}]}}, LiveRanking(["a"], [0.5])),
    ({"matches": [{"id": "a", "score": 0.5}]}, LiveRanking(["a"], [0.5])),
    ([["a", 0.5]], LiveRanking(["a"], [0.5])),
    # A document may have the name of a status beside others.
    ({"total": 1, "d1": 2}, LiveRanking(["d1", "total"], [2.0, 1.0])),
    ({"took": 1, "data": {"items": [{"id": 7, "score": 0.5}]}}, LiveRanking(["7"], [0.5])),
]


@for_each("response, ranking", RESPONSES)
def test_responses(response, ranking):
    assert RankingReader(3).read(response) == ranking


def test_a_reader_may_count_documents_again_and_have_a_path_to_ids():
    assert RankingReader(3, once=False).read(["a", "a", "b", "c"]) == LiveRanking(["a", "a", "b"])
    found = [{"id": "x", "meta": {"url": "a"}}, {"id": "y", "meta": {"url": "b"}}]
    assert RankingReader(3, DocIdRule.parse("meta.url")).read(found).ids == ["a", "b"]


@for_each("found", [None, 7, "d1", {"message": "no"}, {"results": "d1"}, [None], [{"id": ""}], [{"id": 1.5}]])
def test_a_response_without_documents_is_an_error(found):
    with pytest.raises(DataError, match=r"^the response"):
        RankingReader(3).read(found)


@for_each("found", [{"code": 503}, {"total": 0}, {"took": 3, "count": 0}, {"status": 1}, {"error": 7}])
def test_a_status_report_is_not_a_ranking(found):
    with pytest.raises(DataError) as caught:
        RankingReader(3).read(found)
    names = ", ".join(f"'{name}'" for name in found)
    assert str(caught.value) == f"the response has no list of documents; its keys are {names}"


def test_many_names_are_not_all_shown():
    with pytest.raises(DataError, match=r"its keys are 'n0', .*'n7' …$"):
        find_list({f"n{number}": "x" for number in range(20)})


PATHS = [({"a": [{"b": ["x"]}]}, "a.0.b", ["x"]), ([["x"]], "0", ["x"]), ({"a": 1}, ".", {"a": 1})]


@for_each("response, path, found", PATHS)
def test_a_path_goes_through_names_and_places(response, path, found):
    assert at_path(response, path) == found
