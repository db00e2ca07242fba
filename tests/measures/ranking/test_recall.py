"""Recall, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay

RECALL = [
    ("recall", [1, 0, 1], [], 1),
    ("recall", [1, 0, 1], [1, 2], 2 / 4),
    ("recall", [], [1], 0),
    ("recall", [0, 0], [], 0),
    ("recall", [0, 0], [1], 0),
    ("recall@1", [1, 1, 1], [], 1 / 3),
    ("recall@2", [1, 0, 1], [], 1 / 2),
    ("recall@10", [1, 0, 1], [1], 2 / 3),
    ("recall", [-1, 1], [-1, 1], 1 / 2),
    ("recall", [None, 1], [1], 1 / 2),
    ("recall(rel=2)", [1, 2, 3], [3], 2 / 3),
    ("recall(rel=0)", [0, 1, -1], [0, -1], 2 / 3),
    ("recall(rel=0.5)", [0.5, 0.4], [0.6, 0.1], 1 / 2),
    ("recall(cap=true)@2", [1, 0, 1], [1, 1], 1 / 2),
    ("recall(cap=true)@2", [1, 1, 1], [1], 1),
    ("recall(cap=true)@10", [1, 0, 1], [1], 2 / 3),
    ("recall(cap=true)@10", [0], [], 0),
    ("recall(cap=true)", [1, 0], [1], 1 / 2),
    # Without a cutoff there is room for what was retrieved.
    ("recall(cap=true)", [1, 0], [1, 1], 1 / 2),
    ("recall(cap=true)", [], [1], 0),
    ("recall(cap=false)@2", [1, 0, 1], [1, 1], 1 / 4),
    ("r_cap@2", [1, 0, 1], [1, 1], 1 / 2),
    ("recall(total=relevant)", [1, 0], [1], 1 / 2),
    ("recall(total=listed)", [1, 0, -1], [1, 0, -1], 1 / 2),
    ("recall(total=listed,rel=2)", [1, 2], [3, 1], 1 / 2),
    ("recall(total=listed,cap=true)@1", [1, 1], [1], 1),
    ("recall(total=listed)", [0], [], 0),
]

# Judgments, where a document may be listed twice and stand in several groups; ranking; value.
REPEATED = [
    ("recall", ["a", "a", "b"], ["a"], 1 / 2),
    ("recall(total=listed)", ["a", "a", "b"], ["a"], 1 / 3),
    ("recall(total=listed)", ["a", "a", "b"], ["a", "a"], 2 / 3),
    ("recall(total=listed)", [["a", "b"], ["a"]], ["a"], 1 / 3),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), RECALL)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)


def test_recall_of_nothing_can_be_undefined(score):
    assert str(score("recall@2", [0, 0], no_relevant="nan")) == "nan"


@pytest.mark.parametrize(("name", "judgments", "ranking", "expected"), REPEATED)
def test_repeats(name, judgments, ranking, expected):
    found = assay.evaluate({"q": judgments}, {"q": ranking}, name, duplicates="count")[name]
    assert found == pytest.approx(expected, rel=1e-15)
