"""Data that a tool can make nothing of: an error or no value, the same alone and in company."""

import math

import numpy as np
import pytest

import assay
from assay.conventions.prepare import usable_part
from tables import for_each

nan = math.nan
AUTORAG = "autorag:retrieval_map"
LENIENT = ["llama_index:mrr", "haystack:DocumentMRREvaluator", "ragas:IDBasedContextRecall", "ranx:mrr"]
STRICT = ["ap", "trec_eval:map", "trec_eval_9:map", "ir_measures:AP", "beir:MAP@10", "gdeval:err@20"]

# The judgments and the ranking of a query, and what AutoRAG's average precision and ranx's reciprocal rank say of it.
QUERIES = [
    ([["a"], []], ["a"], (nan, nan)),
    # The empty string is an id to all but AutoRAG.
    ([["a"], [""]], ["x", "a"], (nan, 1 / 2)),
    ([["a", None], ["b"]], ["a", "b"], (nan, nan)),
    ([[], []], ["a"], (nan, nan)),
    (None, ["a"], (nan, nan)),
    ([["a"]], None, (nan, nan)),
    ([["a"]], [None, "a"], (nan, nan)),
    ([["a"]], {"x": 2.0, "": 1.5, "a": 1.0}, (nan, 1 / 3)),
    ([["a"]], [("x", 2.0), ("", 1.5), ("a", 1.0)], (nan, 1 / 3)),
    ([["a"]], np.array(["x", "", "a"]), (nan, 1 / 3)),
    # A blank id is one to all but AutoRAG.
    ([["a"]], ["x", " ", "a"], (nan, 1 / 3)),
    ([["a"]], {"x": math.inf, " ": 1.5, "a": 1.0}, (nan, 1 / 3)),
    # Only AutoRAG takes floats for ids, and texts beside numbers in a group.
    ([[1.0], [2.5]], [1, 2.5], (3 / 4, nan)),
    ([["a", 1]], ["x", 1], (1 / 2, nan)),
    ([["a"]], ["x", "a"], (1 / 2, 1 / 2)),
    ([["a"]], [1, "a"], (1 / 2, 1 / 2)),
    # Empty is not None.
    ([["a"]], [], (nan, 0)),
    ([], ["a"], (nan, 0)),
]


@for_each(("judgments", "ranking", "expected"), QUERIES)
def test_each_tool_has_its_own_way(judgments, ranking, expected):
    result = assay.evaluate({"good": [["a"]], "q": judgments}, {"good": ["a"], "q": ranking}, [AUTORAG, "ranx:mrr"])
    assert list(result.per_query()["q"].values()) == pytest.approx(list(expected), nan_ok=True)
    assert list(result.per_query()["good"].values()) == [1, 1]
    means = [1 if math.isnan(value) else (1 + value) / 2 for value in expected]
    assert list(result.mean.values()) == pytest.approx(means)


@for_each("names", [LENIENT, LENIENT[::-1], [AUTORAG, *LENIENT], [*LENIENT, AUTORAG]])
@for_each(("judgments", "ranking", "expected"), QUERIES)
def test_no_tool_depends_on_the_others(judgments, ranking, expected, names):  # noqa: ARG001
    qrels, run = {"good": [["a"]], "q": judgments}, {"good": ["a"], "q": ranking}
    together = assay.evaluate(qrels, run, names)
    for name in names:
        alone = assay.evaluate(qrels, run, name)
        np.testing.assert_array_equal(together.scores[name], alone.scores[name])
        tool, _, rest = name.partition(":")
        own = assay.evaluate(qrels, run, rest, convention=tool)
        np.testing.assert_array_equal(own.scores[rest], alone.scores[name])


@for_each("name", STRICT)
@for_each(
    ("judgments", "ranking", "message"),
    [
        (None, ["a"], "judgments of query 'q' must be a dict of grades or a list of documents, not None"),
        ([["a"]], None, "ranking of query 'q' must be a dict of scores"),
        ([["a"], []], ["a"], "group 1 is empty"),
        ([["a"]], ["a", None], "an id must be a string or an integer, not None"),
    ],
)
def test_what_is_an_error_to_one_tool_is_one_in_company(name, judgments, ranking, message):
    qrels, run = {"good": [["a"]], "q": judgments}, {"good": ["a"], "q": ranking}
    for names in ([name], [name, AUTORAG], [AUTORAG, name], [name, *LENIENT], [*LENIENT, name]):
        with pytest.raises(assay.errors.DataError, match=message):
            assay.evaluate(qrels, run, names)


def test_what_was_done_is_said():
    qrels = {"q1": [["a"], []], "q2": [["a"]], "q3": [["a"]], "q4": [["a"]]}
    run = {"q1": ["a"], "q2": None, "q3": ["a"], "q4": ["x", " ", "a"]}
    result = assay.evaluate(qrels, run, [AUTORAG, "ranx:map", "haystack:DocumentMRREvaluator"])
    assert [str(note) for note in result.notes if note.kind != "policies"] == [
        "autorag cannot use the judgments of 1 query; left out of the mean: 'q1'",
        "ranx cannot use the judgments of 1 query; left out of the mean: 'q1'",
        "haystack cannot use the judgments of 1 query; left out of the mean: 'q1'",
        "autorag cannot use the rankings of 2 queries; left out of the mean: 'q2', 'q4'",
        "ranx cannot use the rankings of 1 query; left out of the mean: 'q2'",
        "haystack cannot use the rankings of 1 query; left out of the mean: 'q2'",
    ]
    assert result.scores[AUTORAG] == pytest.approx([nan, nan, 1, nan], nan_ok=True)
    assert result.scores["ranx:map"] == pytest.approx([nan, nan, 1, 1 / 3], nan_ok=True)


def test_what_is_no_ranking_at_all_is_an_error():
    for ranking, message in (("text", "must be a dict of scores"), ({"a": nan}, "must be finite"), (7, "must be")):
        with pytest.raises(assay.errors.DataError, match=message):
            assay.evaluate({"q": ["a"]}, {"q": ranking}, [AUTORAG, *LENIENT])


def as_objects(queries):
    array = np.empty(len(queries), dtype=object)
    array[:] = queries
    return array


@for_each("form", [list, tuple, as_objects])
@for_each("name", [AUTORAG, *LENIENT])
def test_forms_of_many_queries(form, name):
    result = assay.evaluate(form([[["a"]], [["a"]], None]), form([["a"], None, ["a"]]), name)
    assert result.scores[name] == pytest.approx([1, nan, nan], nan_ok=True)
    with pytest.raises(assay.errors.MismatchError, match="the judgments have 2 queries and the run has 1"):
        assay.evaluate((["a"], ["b"]), (["a"],), name)


def test_one_query_at_a_time():
    evaluator = assay.Evaluator({"q1": [["a"]], "q2": [["a"]]}, [AUTORAG, "ranx:map"])
    evaluator.add("q1", ["a"])
    evaluator.add("q2", ["a", None])
    added = evaluator.result()
    for name in (AUTORAG, "ranx:map"):
        assert added.scores[name] == pytest.approx([1, nan], nan_ok=True)
    assert "autorag cannot use the rankings of 1 query; left out of the mean: 'q2'" in map(str, added.notes)
    evaluator.reset()
    evaluator.add("q2", ["a"])
    assert not [note for note in evaluator.result().notes if note.kind == "prepared"]


RANK_INFINITE = ["trec_eval:map", "trec_eval_9:map", "ranx:map", "ir_measures:AP", "beir:MAP@10", "mteb:map_at_10"]


@for_each("name", RANK_INFINITE)
@for_each("form", [dict, lambda pairs: pairs])
def test_infinite_scores_are_the_highest_and_the_lowest(name, form):
    run = {"q": form([("x", 1e300), ("a", math.inf), ("b", -math.inf), ("y", -1e300)])}
    # In 32 bits 1e300 is infinite too, and of tied documents the higher id stands first.
    first, last = (1, 4) if "trec_eval:" in name or "ranx" in name else (2, 4)
    found = assay.evaluate({"q": ["a", "b"]}, run, name)
    assert found[name] == pytest.approx((1 / first + 2 / last) / 2)
    evaluator = assay.Evaluator({"q": ["a", "b"]}, name)
    evaluator.add("q", run["q"])
    assert evaluator.result()[name] == found[name]


@for_each("name", [AUTORAG, "llama_index:mrr", "haystack:DocumentMRREvaluator"])
def test_where_scores_do_not_count_they_may_be_infinite(name):
    assert assay.evaluate({"q": ["a"]}, {"q": {"x": 1.0, "a": math.inf}}, name)[name] == 1 / 2


SCORE, GRADE = ("the score is inf; every score must be finite", "the grade is inf; every grade must be finite")
INFINITE = [
    ({"q": {"a": 1}}, math.inf, names, SCORE)
    for names in (["ap"], ["ap", "ranx:map"], ["ranx:map", "sklearn:roc_auc_score"])
]
INFINITE += [({"q": {"a": math.inf}}, 1.0, [name], GRADE) for name in (AUTORAG, *LENIENT, *RANK_INFINITE)]


@for_each(("qrels", "score", "names", "message"), INFINITE)
def test_infinite_numbers_are_an_error_elsewhere(qrels, score, names, message):
    with pytest.raises(assay.errors.DataError, match=message):
        assay.evaluate(qrels, {"q": {"a": score}}, names)


@for_each("value", [["a", "b"], [["a"], ["b"]], {"a": 1, 2: 0}, [("a", 0.5), ("b", 1)], [1, 2], [], "text"])
def test_what_is_usable_stays_the_same_object(value):
    assert usable_part(value) is value


@for_each("name", ["trec_eval_9:map", "ir_measures:AP", "beir:MAP@9", "mteb:map_at_9", "ranx:map"])
def test_tools_of_scored_documents_take_the_empty_string_as_an_id(name):
    qrels = {"q1": {"a": 1, "": 1}, "q2": {"b": 1}}
    run = {"q1": {"x": 3.0, "": 2.0, "a": 1.0}, "q2": {"": 1.0, "b": 1.0}}
    # Of ties, the greater id is first for all but ranx, and the empty one is the least.
    second = 1 / 2 if name == "ranx:map" else 1
    assert assay.evaluate(qrels, run, name).scores[name].tolist() == [(1 / 2 + 2 / 3) / 2, second]


@for_each("convention", ["assay", "trec_eval", "sklearn"])
def test_elsewhere_an_empty_id_is_an_error(convention):
    with pytest.raises(assay.errors.DataError, match="an id is the empty string"):
        assay.evaluate({"q1": {"a": 1, "": 1}}, {"q1": {"a": 1.0}}, "ndcg@3", convention=convention)
