"""Precision and R-precision, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

PRECISION = [
    ("precision", [1, 0, 1], [1, 1], 2 / 3),
    ("precision", [], [1], 0),
    ("precision", [0, 0], [1], 0),
    ("precision", [1, 2], [], 1),
    ("precision", [None, 1, -1, 0], [], 1 / 4),
    ("precision@2", [1, 0, 1], [], 1 / 2),
    # Ranks that were not filled count as misses.
    ("precision@10", [1, 0, 1], [], 2 / 10),
    ("precision@10", [], [1], 0),
    ("precision(over=retrieved)@10", [1, 0, 1], [], 2 / 3),
    ("precision(over=retrieved)@2", [1, 0, 1], [], 1 / 2),
    ("precision(over=retrieved)@10", [], [1], 0),
    ("precision(over=retrieved)", [1, 0, 1], [], 2 / 3),
    ("precision(over=k)", [1, 0, 1], [], 2 / 3),
    ("precision(rel=2)@3", [1, 2, 3], [], 2 / 3),
    ("precision(rel=0)@4", [0, -1, None, 1], [], 2 / 4),
    ("precision(rel=1.5)@2", [1.25, 1.5], [], 1 / 2),
]

R_PRECISION = [
    ("r_precision", [1, 0, 1, 0, 1], [], 2 / 3),
    ("r_precision", [1, 1, 0], [], 1),
    ("r_precision", [0, 0, 1, 1], [], 0),
    # Fewer documents than there are relevant ones: still over R.
    ("r_precision", [1], [1, 1, 1], 1 / 4),
    ("r_precision", [], [1], 0),
    ("r_precision", [0, 0], [0], 0),
    ("r_precision", [-1, 1], [1], 1 / 2),
    ("r_precision", [None, 1], [1], 1 / 2),
    ("r_precision(rel=2)", [1, 2, 3], [1], 1 / 2),
    ("r_precision(rel=0.5)", [0.5, 0.25, 1], [], 1 / 2),
    # R = 3, so that 0.2 · 3 = 0.6 looks at one document and 0.4 · 3 = 1.2 at two; below a tenth nothing is added.
    ("r_precision_multiple@0.2", [1, 0, 1], [1], 1),
    ("r_precision_multiple@0.4", [1, 0, 1], [1], 1 / 2),
    ("r_precision_multiple@1", [1, 0, 1], [1], 2 / 3),
    ("r_precision_multiple@2", [1, 0, 1], [1], 2 / 6),
    ("r_precision_multiple@0.01", [1, 0, 1], [1], 0),
    ("r_precision_multiple@1.01", [1, 0, 1], [1], 2 / 3),
    ("r_precision_multiple(rel=2)@2", [1, 2, 2], [], 2 / 4),
    ("r_precision_multiple@1", [0], [], 0),
    ("r_precision_multiple@1", [], [1], 0),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), PRECISION + R_PRECISION)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
