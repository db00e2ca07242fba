"""Hits, precision, recall and F, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay
from tables import for_each

HITS = [
    ("hits", [], [1], 0),
    ("hits", [1, 0, 2, 0], [1, 1], 2),
    ("hits@2", [0, 1, 1], [], 1),
    ("hits(rel=2)", [1, 2, 3], [], 2),
    ("hits(rel=0)", [0, 1, None, -1], [], 2),
    # A negative grade is not a judgment, so it is not relevant however low `rel` goes.
    ("hits(rel=-2)", [-1, 0, 1], [], 2),
]

HIT_RATE = [("hit_rate", [], [1], 0), ("hit_rate@2", [0, 0, 1], [], 0), ("hit_rate(rel=2)", [1, 1], [2], 0)]


PRECISION = [
    ("precision", [1, 0, 1], [1, 1], 2 / 3),
    ("precision", [], [1], 0),
    ("precision", [None, 1, -1, 0], [], 1 / 4),
    ("precision@2", [1, 0, 1], [], 1 / 2),
    # Ranks that were not filled count as misses.
    ("precision@10", [1, 0, 1], [], 2 / 10),
    ("precision(over=retrieved)@10", [1, 0, 1], [], 2 / 3),
    ("precision(rel=2)@3", [1, 2, 3], [], 2 / 3),
]

R_PRECISION = [
    ("r_precision", [1, 0, 1, 0, 1], [], 2 / 3),
    # Fewer documents than there are relevant ones: still over R.
    ("r_precision", [1], [1, 1, 1], 1 / 4),
    ("r_precision", [], [1], 0),
    ("r_precision", [None, 1], [1], 1 / 2),
    ("r_precision(rel=2)", [1, 2, 3], [1], 1 / 2),
    # R = 3, so that 0.2 · 3 = 0.6 looks at one document and 0.4 · 3 = 1.2 at two; below a tenth nothing is added.
    ("r_precision_multiple@0.2", [1, 0, 1], [1], 1),
    ("r_precision_multiple@0.4", [1, 0, 1], [1], 1 / 2),
    ("r_precision_multiple@2", [1, 0, 1], [1], 2 / 6),
    ("r_precision_multiple@0.01", [1, 0, 1], [1], 0),
    ("r_precision_multiple(rel=2)@2", [1, 2, 2], [], 2 / 4),
]


RECALL = [
    ("recall", [1, 0, 1], [1, 2], 2 / 4),
    ("recall", [], [1], 0),
    ("recall", [0, 0], [], 0),
    ("recall@2", [1, 0, 1], [], 1 / 2),
    ("recall@10", [1, 0, 1], [1], 2 / 3),
    ("recall(rel=2)", [1, 2, 3], [3], 2 / 3),
    ("recall(cap=true)@2", [1, 0, 1], [1, 1], 1 / 2),
    # Without a cutoff there is room for what was retrieved.
    ("recall(cap=true)", [1, 0], [1, 1], 1 / 2),
    ("recall(total=listed)", [1, 0, -1], [1, 0, -1], 1 / 2),
    ("recall(total=listed,rel=2)", [1, 2], [3, 1], 1 / 2),
    ("recall(total=listed,cap=true)@1", [1, 1], [1], 1),
]

# Judgments, where a document may be listed twice and be in several groups; ranking; value.
REPEATED = [
    ("recall", ["a", "a", "b"], ["a"], 1 / 2),
    ("recall(total=listed)", ["a", "a", "b"], ["a"], 1 / 3),
    ("recall(total=listed)", [["a", "b"], ["a"]], ["a"], 1 / 3),
]


def test_recall_of_nothing_can_be_undefined(score):
    assert str(score("recall@2", [0, 0], no_relevant="nan")) == "nan"


@for_each(("name", "judgments", "ranking", "expected"), REPEATED)
def test_repeats(name, judgments, ranking, expected):
    found = assay.evaluate({"q": judgments}, {"q": ranking}, name, duplicates="count")[name]
    assert found == pytest.approx(expected, rel=1e-15)


F_SCORE = [
    # P = 1/2, R = 1/3
    ("f", [1, 0], [1, 1], 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)),
    ("f(beta=2)", [1, 0], [1, 1], 5 * (1 / 6) / (4 / 2 + 1 / 3)),
    # Nothing but recall, and nothing but precision, in the end.
    ("f(beta=1e200)", [1, 0], [1, 1], 1 / 3),
    ("f(beta=1e-200)", [1, 0], [1, 1], 1 / 2),
    ("f(beta=2,squared=true)", [1, 0], [1, 1], 3 * (1 / 6) / (2 / 2 + 1 / 3)),
    ("f(beta=1e300,squared=true)", [1, 0], [1, 1], 1 / 3),
    ("f", [], [1], 0),
    # P = 2/10 because precision@k is over k, R = 1
    ("f@10", [1, 0, 1], [], 2 * 0.2 / 1.2),
    ("f(rel=2)@2", [2, 1, 2], [], 0.5),
]


VALUES = HITS + HIT_RATE + PRECISION + R_PRECISION + RECALL + F_SCORE


@for_each(("name", "grades", "unseen", "expected"), VALUES)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
