"""The F score, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

F_SCORE = [
    # P = 1/2, R = 1/3
    ("f", [1, 0], [1, 1], 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)),
    ("f1", [1, 0], [1, 1], 0.4),
    ("f(beta=1)", [1, 0], [1, 1], 0.4),
    ("f(beta=2)", [1, 0], [1, 1], 5 * (1 / 6) / (4 / 2 + 1 / 3)),
    ("f(beta=0.5)", [1, 0], [1, 1], 1.25 * (1 / 6) / (0.25 / 2 + 1 / 3)),
    # Nothing but recall, and nothing but precision, in the end.
    ("f(beta=1e200)", [1, 0], [1, 1], 1 / 3),
    ("f(beta=1e-200)", [1, 0], [1, 1], 1 / 2),
    ("f(beta=0)", [1, 0], [1, 1], 1 / 2),
    ("f(beta=2,squared=true)", [1, 0], [1, 1], 3 * (1 / 6) / (2 / 2 + 1 / 3)),
    ("f(beta=1e300,squared=true)", [1, 0], [1, 1], 1 / 3),
    ("f", [], [1], 0),
    ("f", [0, 0], [1], 0),
    ("f", [0, 0], [], 0),
    ("f", [1, 1], [], 1),
    ("f@2", [1, 0, 1], [], 0.5),
    # P = 2/10 because precision@k is over k, R = 1
    ("f@10", [1, 0, 1], [], 2 * 0.2 / 1.2),
    ("f", [-1, 1], [], 2 * 0.5 / 1.5),
    ("f", [None, 1], [], 2 * 0.5 / 1.5),
    ("f(rel=2)@2", [2, 1, 2], [], 0.5),
    ("f(rel=0.5)", [0.5, 0.25], [], 2 * 0.5 / 1.5),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), F_SCORE)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
