"""The area under the ROC curve, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

AREA = [
    ("auc", [1, 0, 1, 0], [], 3 / 4),
    ("auc", [1, 1, 0], [], 1),
    ("auc", [0, 0, 1], [], 0),
    # What was not retrieved has no place in the ranking.
    ("auc", [1, 0], [1, 0, 1], 1),
    ("auc", [], [1], math.nan),
    ("auc", [0, 0], [1], math.nan),
    ("auc", [1, 1], [0], math.nan),
    ("auc", [None, 1], [], 0),
    ("auc", [None, 1, -1, 0], [], 2 / 3),
    ("auc(over=retrieved)", [None, 1, -1, 0], [], 2 / 3),
    ("auc(over=judged)", [None, 1, -1, 0], [], 1),
    ("auc(over=judged)", [0, None, 1, None, 0, 1], [], 1 / 4),
    ("auc(over=judged)", [None, 1, None], [], math.nan),
    ("auc(rel=2)", [1, 2, 3], [], 0),
    ("auc(rel=2)", [2, 1, 3], [], 1 / 2),
    ("auc(rel=0.5)", [0.5, 0.25], [], 1),
    # A negative grade is not a judgment, so it is not relevant however low `rel` goes.
    ("auc(rel=-1)", [-1, 0], [], 0),
    ("auc@3", [1, 0, 1, 0], [], 1 / 2),
    ("auc@1", [1, 0], [], math.nan),
    ("auc@9", [1, 0, 1, 0], [], 3 / 4),
    ("auc(over=judged)@3", [0, None, 1, 0], [], 0),
    ("auc(tied=rank)", [1, 0, 1, 0], [], 3 / 4),
    ("auc(tied=rank)@3", [1, 0, 1, 0], [], 1 / 2),
]


@for_each(("name", "grades", "unseen", "expected"), AREA)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15, nan_ok=True)


TIED = [
    ("auc", {"a": 1, "b": 0}, {"a": 2, "b": 2}, 1 / 2),
    ("auc", {"a": 1, "b": 1}, {"a": 2, "b": 2, "x": 2, "y": 1}, 3 / 4),
    ("auc(over=judged)", {"a": 1, "b": 0}, {"a": 2, "b": 2, "x": 2, "y": 3}, 1 / 2),
    ("auc@2", {"a": 1, "c": 0}, {"a": 3, "b": 2, "c": 2}, 1),
    ("auc(over=judged)", {"a": 1, "b": 0, "c": 0}, {"a": 2, "b": 2, "c": 3, "y": 3}, 1 / 4),
]


@for_each("ties", ["docid_desc", "docid_asc", "input"])
@for_each(("name", "judgments", "ranking", "expected"), TIED)
def test_tied_scores_are_half_whatever_the_rule_for_ties(name, judgments, ranking, expected, ties):
    assert assay.evaluate({"q": judgments}, {"q": ranking}, name, ties=ties)[name] == expected


def test_an_order_has_no_ties():
    ranking = [("a", 1.0), ("b", 1.0), ("c", 1.0)]
    result = assay.evaluate({"q": {"a": 1, "b": 0}}, {"q": ranking}, ["auc", "auc(over=judged)"], order="given")
    assert result.mean == {"auc": 1, "auc(over=judged)": 1}


def test_undefined_queries_are_left_out_of_the_mean_and_noted():
    result = assay.evaluate_labels([[1, 0], [0, 1, 0], [1], [0]], "auc")
    assert result["auc"] == pytest.approx((1 + 1 / 2) / 2)
    assert result.counted("auc") == 2
    assert [str(note) for note in result.notes if note.kind == "undefined"] == [
        "auc: 2 queries left out of the mean; the ranking has no relevant documents, or only relevant ones"
    ]


BY_RANK = [("docid_desc", 0), ("docid_asc", 1), ("input", 1)]


@for_each(("ties", "expected"), BY_RANK)
def test_ties_may_count_by_rank(ties, expected):
    result = assay.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 2, "b": 2}}, "auc(tied=rank)", ties=ties)
    assert result["auc(tied=rank)"] == expected
