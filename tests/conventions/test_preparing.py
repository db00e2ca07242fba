"""Data that a tool can make nothing of: it has no value there, and other tools read what they can."""

import math

import numpy as np
import pytest

import assay
from assay.conventions.preparing import usable_part

nan = math.nan
MIXED = ["autorag:retrieval_map", "ranx:map", "ap"]

# The judgments and the ranking of a query, and what the three measures say of it.
QUERIES = [
    ([["a"], []], ["a"], (nan, 1, 1)),
    ([["a"], [""]], ["x", "a"], (nan, 1 / 2, 1 / 2)),
    ([["a", None], ["b"]], ["a", "b"], (nan, 1, 1)),
    ([[], []], ["a"], (nan, 0, 0)),
    (None, ["a"], (nan, 0, 0)),
    ([["a"]], None, (nan, 0, 0)),
    ([["a"]], [None, "a"], (nan, 1, 1)),
    ([["a"]], ["x", " ", "a"], (nan, 1 / 2, 1 / 2)),
    ([["a"]], {"x": 2.0, "": 1.5, "a": 1.0}, (nan, 1 / 2, 1 / 2)),
    ([["a"]], [("x", 2.0), ("", 1.5), ("a", 1.0)], (nan, 1 / 2, 1 / 2)),
    ([["a"]], np.array(["x", "", "a"]), (nan, 1 / 2, 1 / 2)),
    ([["a"]], ["x", "a"], (1 / 2, 1 / 2, 1 / 2)),
    ([[1.0], [2.5]], [1, 2.5], (3 / 4, 1, 1)),
    ([["a", 1]], ["x", 1], (1 / 2, 1 / 4, 1 / 4)),
]


@pytest.mark.parametrize(("judgments", "ranking", "expected"), QUERIES)
def test_each_tool_has_its_own_way(judgments, ranking, expected):
    result = assay.evaluate({"good": [["a"]], "q": judgments}, {"good": ["a"], "q": ranking}, MIXED)
    assert list(result.per_query()["q"].values()) == pytest.approx(list(expected), nan_ok=True)
    assert list(result.per_query()["good"].values()) == [1, 1, 1]
    means = [1 if math.isnan(value) else (1 + value) / 2 for value in expected]
    assert list(result.mean.values()) == pytest.approx(means)


def test_what_was_done_is_said():
    qrels = {"q1": [["a"], []], "q2": [["a"]], "q3": [["a"]]}
    run = {"q1": ["a"], "q2": None, "q3": ["a"]}
    result = assay.evaluate(qrels, run, [*MIXED, "llama_index:ap"])
    said = [str(note) for note in result.notes if note.kind == "prepared"]
    assert said == [
        "autorag cannot use the judgments of 1 query, without a value: 'q1'",
        "the judgments of 1 query are read without what is no id, for the other tools: 'q1'",
        "autorag cannot use the rankings of 1 query, without a value: 'q2'",
        "llama_index cannot use the rankings of 1 query, without a value: 'q2'",
        "the rankings of 1 query are read without what is no id, for the other tools: 'q2'",
    ]
    assert result.scores["autorag:retrieval_map"] == pytest.approx([nan, nan, 1], nan_ok=True)
    assert result.scores["llama_index:ap"] == pytest.approx([1, nan, 1], nan_ok=True)
    assert result.scores["ranx:map"].tolist() == [1, 0, 1]


def test_the_convention_is_one_of_the_tools():
    qrels, run = {"q1": [["a"], []], "q2": [["a"]]}, {"q1": ["a"], "q2": ["a"]}
    result = assay.evaluate(qrels, run, ["retrieval_map", "ranx:map"], convention="autorag")
    assert result.scores["retrieval_map"] == pytest.approx([nan, 1], nan_ok=True)
    assert result.scores["ranx:map"].tolist() == [1, 1]


def test_lists_and_one_query_at_a_time():
    result = assay.evaluate([[["a"]], [["a"]]], [["a"], ["a", None]], MIXED)
    assert result.scores["autorag:retrieval_map"] == pytest.approx([1, nan], nan_ok=True)
    evaluator = assay.Evaluator({"q1": [["a"]], "q2": [["a"]]}, MIXED)
    evaluator.add("q1", ["a"])
    evaluator.add("q2", ["a", None])
    added = evaluator.result()
    assert added.scores["autorag:retrieval_map"] == pytest.approx([1, nan], nan_ok=True)
    assert added.scores["ranx:map"].tolist() == [1, 1]
    assert "autorag cannot use the rankings of 1 query, without a value: 'q2'" in map(str, added.notes)
    evaluator.reset()
    evaluator.add("q2", ["a"])
    assert not [note for note in evaluator.result().notes if note.kind == "prepared"]


def test_the_same_measure_of_two_tools_is_not_confused():
    qrels, run = {"q1": ["a"], "q2": ["a"]}, {"q1": ["a"], "q2": None}
    result = assay.evaluate(qrels, run, ["llama_index:hit_rate", "hit_rate"], order="given", duplicates="count")
    assert result.scores["llama_index:hit_rate"] == pytest.approx([1, nan], nan_ok=True)
    assert result.scores["hit_rate"].tolist() == [1, 0]


def test_what_no_tool_of_the_call_can_clean_is_an_error():
    with pytest.raises(assay.DataError, match="group 1 is empty"):
        assay.evaluate({"q": [["a"], []]}, {"q": ["a"]}, ["ranx:map", "ap"])


UNTOUCHED = [["a", "b"], [["a"], ["b"]], {"a": 1, 2: 0}, [("a", 0.5), ("b", 1)], [1, 2], [], "text"]


@pytest.mark.parametrize("value", UNTOUCHED, ids=repr)
def test_what_is_usable_stays_the_same_object(value):
    assert usable_part(value) is value
