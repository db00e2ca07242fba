"""Utility, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

UTILITY = [
    ("utility", [1, 0, 1, None], [1], 2 - 2),
    ("utility", [0, 0], [1], -2),
    ("utility", [], [1], 0),
    ("utility(weights=2;-1;0;0)", [1, 0, 0], [], 4 - 2 - 2),
    ("utility(weights=1;-0.5;-3;0)", [1, 0, -1], [1, 1], 1 - 0.5 * 2 - 3 * 2),
    # Of 100 documents 3 were retrieved, and one more is relevant: 96 are neither.
    ("utility(weights=0;0;0;0.5,documents=100)", [1, 0, None], [1], 48),
    ("utility(weights=0;0;0;1)", [1, 0, None], [1], -4),
    ("utility(rel=2)", [1, 2], [2], 1 - 1),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), UTILITY)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
