"""Hits and hit rate, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

HITS = [
    ("hits", [], [1], 0),
    ("hits", [0, 0], [], 0),
    ("hits", [1, 2, 3], [], 3),
    ("hits", [1, 0, 2, 0], [1, 1], 2),
    ("hits@1", [0, 1, 1], [], 0),
    ("hits@2", [0, 1, 1], [], 1),
    ("hits@10", [0, 1, 1], [], 2),
    ("hits", [-1, 1, None], [], 1),
    ("hits(rel=2)", [1, 2, 3], [], 2),
    ("hits(rel=2)@2", [1, 2, 3], [], 1),
    ("hits(rel=0)", [0, 1, None, -1], [], 2),
    ("hits(rel=0.5)", [0.4, 0.5, 0.9], [], 2),
    # A negative grade is no judgment, so it is not relevant however low `rel` goes.
    ("hits(rel=-2)", [-1, 0, 1], [], 2),
]

HIT_RATE = [
    ("hit_rate", [], [1], 0),
    ("hit_rate", [0, None, 0], [1], 0),
    ("hit_rate", [0, 0, 1], [], 1),
    ("hit_rate", [1, 1, 1], [], 1),
    ("hit_rate@2", [0, 0, 1], [], 0),
    ("hit_rate@3", [0, 0, 1], [], 1),
    ("hit_rate@9", [0, 0, 1], [], 1),
    ("hit_rate", [-1], [1], 0),
    ("hit_rate(rel=2)", [1, 1], [2], 0),
    ("hit_rate(rel=2)@2", [1, 2], [], 1),
    ("hit_rate(rel=0.5)", [0.25, 0.75], [], 1),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), HITS + HIT_RATE)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == expected
