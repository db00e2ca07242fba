"""Counts, shares of judged documents and utility, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay
from tables import for_each

COUNTS = [
    ("judged", [1, 0, None, None], [1], 1 / 2),
    ("judged@3", [1, 0, None, None], [], 2 / 3),
    # Over what was retrieved where that is less than k.
    ("judged@10", [1, 0, None, None], [], 1 / 2),
    ("judged", [-1, 0], [], 1 / 2),
    ("unjudged@2", [1, None, None], [], 1 / 2),
    # Ranks that were not filled are not unjudged.
    ("unjudged@10", [1, None, -1], [], 2 / 10),
    ("unjudged@5", [], [1], 0),
    ("num_nonrel_judged_ret", [1, 0, None, -1, 0], [0], 2),
    ("num_ret", [1, None, -1], [1], 3),
    ("num_rel", [1, 0, 2], [1, -1], 3),
    ("num_rel(rel=2)", [1, 0, 2], [3], 2),
    ("num_rel(rel=0)", [1, 0, -1], [0], 3),
    ("num_rel_ret", [1, 0, 2], [1], 2),
    ("num_q", [], [], 1),
]


def test_counts_are_summed_over_queries_and_shares_are_not():
    labels = [[1, 0, None], [1, 1], [0]]
    result = assay.evaluate_labels(labels, ["num_ret", "num_rel", "num_rel_ret", "num_q", "judged"], relevant=[2, 2, 0])
    assert result.mean == {"num_ret": 6, "num_rel": 4, "num_rel_ret": 3, "num_q": 3, "judged": (2 / 3 + 1 + 1) / 3}


HOLE = [
    ("hole@2", [1, None], [], 1 / 2),
    ("hole@4", [None, 1], [], 1 / 4),
    ("hole", [None, None, 1, 0], [], 1 / 2),
    ("hole", [], [1], 0),
    # A document with a negative grade was looked at.
    ("hole", [-1, None], [], 1 / 2),
]


def test_what_another_query_judged_is_no_hole():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    run = {"q1": ["x", "b", "a", "y"], "q2": ["a", "b", "x"]}
    result = assay.evaluate(qrels, run, ["hole@1", "hole@2", "hole"])
    assert result.per_query() == {
        "q1": {"hole@1": 1, "hole@2": 1 / 2, "hole": 1 / 2},
        "q2": {"hole@1": 0, "hole@2": 0, "hole": 1 / 3},
    }


def test_depth_cuts_what_others_judged_too():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 0}}, {"q1": ["x", "b", "a"], "q2": ["b"]}
    assert assay.evaluate(qrels, run, "hole", depth=2).scores["hole"].tolist() == [1 / 2, 0]
    assert assay.evaluate(qrels, run, "hole", judged_only=True).scores["hole"].tolist() == [0, 0]


UTILITY = [
    ("utility", [1, 0, 1, None], [1], 2 - 2),
    ("utility", [], [1], 0),
    ("utility(weights=2;-1;0;0)", [1, 0, 0], [], 4 - 2 - 2),
    ("utility(weights=1;-0.5;-3;0)", [1, 0, -1], [1, 1], 1 - 0.5 * 2 - 3 * 2),
    # Of 100 documents 3 were retrieved, and one more is relevant: 96 are neither.
    ("utility(weights=0;0;0;0.5,documents=100)", [1, 0, None], [1], 48),
    ("utility(weights=0;0;0;1)", [1, 0, None], [1], -4),
]


VALUES = COUNTS + HOLE + UTILITY


@for_each(("name", "grades", "unseen", "expected"), VALUES)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
