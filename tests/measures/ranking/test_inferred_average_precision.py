"""Inferred average precision, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

# What the smoothing adds where one non-relevant and no relevant document stands above.
SMOOTH = 0.00001 / 1.00002

INFERRED = [
    ("infap", [1], [], 1),
    ("infap", [1, 1], [], (1 + (1 / 2 + 1 / 2 * 1.00001 / 1.00002)) / 2),
    ("infap", [0, 1], [], 1 / 2 + 1 / 2 * SMOOTH),
    # Above rank 2 stands a document outside the pool: nothing is inferred from it.
    ("infap", [None, 1], [], 1 / 2),
    # In the pool, but not judged: as likely relevant as not.
    ("infap", [-1, 1], [], 1 / 2 + 1 / 2 * 1 / 2),
    # One of two documents above is in the pool, and it is not relevant.
    ("infap", [None, 0, 1], [], 1 / 3 + 2 / 3 * 1 / 2 * SMOOTH),
    ("infap", [1, 0, 1], [], (1 + 1 / 3 + 2 / 3 * 1 / 2) / 2),
    ("infap", [1], [1, 1, 0], 1 / 3),
    ("infap", [], [1], 0),
    ("infap", [0, 0], [], 0),
    ("infap(rel=2)", [1, 2], [], 1 / 2 + 1 / 2 * SMOOTH),
    ("infap(rel=-1)", [-1, 0], [], 1 / 2 + 1 / 2 * 1 / 2),
    ("infap(rel=0.5)", [0.25, 0.5], [], 1 / 2 + 1 / 2 * SMOOTH),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), INFERRED)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)


def test_negative_grades_can_count_as_not_relevant(score):
    assert score("infap", [-1, 1], negative="nonrelevant") == pytest.approx(1 / 2 + 1 / 2 * SMOOTH, rel=1e-14)
