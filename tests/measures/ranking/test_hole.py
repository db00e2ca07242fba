"""Hole, by hand: what no query's judgments hold. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay

HOLE = [
    ("hole@2", [1, None], [], 1 / 2),
    ("hole@2", [None, None, 1], [1], 1),
    ("hole@4", [None, 1], [], 1 / 4),
    ("hole", [None, 1], [], 1 / 2),
    ("hole", [None, None, 1, 0], [], 1 / 2),
    ("hole@1", [0], [], 0),
    ("hole", [], [1], 0),
    ("hole@3", [], [1], 0),
    # A document with a negative grade was looked at.
    ("hole", [-1, None], [], 1 / 2),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), HOLE)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)


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
