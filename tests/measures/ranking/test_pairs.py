"""Bpref and the area under the ROC curve, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

BPREF = [
    # R = 2, N = 1
    ("bpref", [1, 0, 1], [], (1 + (1 - 1 / 1)) / 2),
    # R = 2, N = 2
    ("bpref", [0, 1], [1, 0], (1 - 1 / 2) / 2),
    # More than R non-relevant documents before a hit count as R.
    ("bpref", [0, 0, 0, 1], [], 0),
    ("bpref", [], [1], 0),
    ("bpref", [0, 0], [], 0),
    ("bpref", [None, 1, 0, 1], [], 1 / 2),
    # A negative grade is not a judgment: it neither counts as non-relevant nor comes before anything.
    ("bpref", [-1, 1], [0], 1),
    ("bpref(rel=2)", [2, 1, 2], [3], (1 + 0) / 3),
    ("bpref(denominator=relevant)", [1, 0, 1], [], (1 + (1 - 1 / 2)) / 2),
    ("gm_bpref", [1, 0, 1], [], 1 / 2),
    ("bpref(unopposed=nan)", [1, None], [1], math.nan),
    ("bpref(unopposed=nan)", [1, 1], [0], 1),
    # Nothing found is nothing, whatever could have come before it.
    ("bpref(unopposed=nan)", [None], [1], 0),
]

AREA = [
    ("auc", [1, 0, 1, 0], [], 3 / 4),
    # What was not retrieved has no place in the ranking.
    ("auc", [1, 0], [1, 0, 1], 1),
    ("auc", [], [1], math.nan),
    ("auc", [0, 0], [1], math.nan),
    ("auc", [1, 1], [0], math.nan),
    ("auc", [None, 1, -1, 0], [], 2 / 3),
    ("auc(over=judged)", [0, None, 1, None, 0, 1], [], 1 / 4),
    ("auc(rel=2)", [2, 1, 3], [], 1 / 2),
    # A negative grade is not a judgment, so it is not relevant however low `rel` goes.
    ("auc(rel=-1)", [-1, 0], [], 0),
    ("auc@3", [1, 0, 1, 0], [], 1 / 2),
    ("auc(over=judged)@3", [0, None, 1, 0], [], 0),
    ("auc(tied=rank)@3", [1, 0, 1, 0], [], 1 / 2),
]


@for_each(("name", "grades", "unseen", "expected"), BPREF + AREA)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_the_geometric_mean_takes_the_least_for_0():
    result = assay.evaluate_labels([[1, 0, 1], [0, 1]], "gm_bpref")
    assert result["gm_bpref"] == pytest.approx((0.5 * 0.00001) ** 0.5)


def test_negative_grades_can_count_as_not_relevant(score):
    assert score("bpref", [-1, 1], negative="nonrelevant") == 0


TIED = [
    ("auc", {"a": 1, "b": 0}, {"a": 2, "b": 2}, 1 / 2),
    ("auc", {"a": 1, "b": 1}, {"a": 2, "b": 2, "x": 2, "y": 1}, 3 / 4),
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
