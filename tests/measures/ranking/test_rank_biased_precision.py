"""Rank-biased precision, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

from tables import for_each

RANK_BIASED_PRECISION = [
    ("rbp", [1, 0, 1], [], 0.2 * (1 + 0.64)),
    ("rbp(p=0.8)", [1, 0, 1], [1, 1], 0.2 * (1 + 0.64)),
    ("rbp(p=0.5)", [1, 0, 1], [], 0.5 * (1 + 0.25)),
    ("rbp(p=0.95)", [0, 1], [], 0.05 * 0.95),
    ("rbp", [], [1], 0),
    ("rbp", [0, 0], [1], 0),
    ("rbp(p=0.5)", [1, 1, 1], [], 0.875),
    ("rbp(p=0.5)", [-1, None, 1], [], 0.125),
    ("rbp(p=0.5)@2", [1, 0, 1], [], 0.5),
    ("rbp(p=0.5)@9", [1, 0, 1], [], 0.625),
    ("rbp(p=0.5,rel=2)", [1, 2, 3], [], 0.5 * (0.5 + 0.25)),
    ("rbp(p=0.5,rel=0.5)", [0.25, 0.5], [], 0.25),
    ("rbp(p=0.5,gain=binary)", [3, 0, 2], [], 0.625),
    ("rbp(p=0.5,gain=grade)", [3, 0, 2], [], 0.5 * (3 + 2 * 0.25)),
    ("rbp(p=0.5,gain=grade)", [1, 0.5], [], 0.5),
    ("rbp(p=0.5,gain=grade,rel=0.5)", [1, 0.5], [], 0.5 * (1 + 0.5 * 0.5)),
    ("rbp(p=0.5,gain=grade,rel=2)@2", [1, 3, 3], [], 0.5 * 3 * 0.5),
    ("rbp(p=0.5,gain=max)", [3, 0, 2], [], 0.5 * (1 + 2 / 3 * 0.25)),
    # The query's highest grade counts even if nothing with it was retrieved.
    ("rbp(p=0.5,gain=max)", [3, 0, 2], [4], 0.5 * (3 / 4 + 2 / 4 * 0.25)),
    ("rbp(p=0.5,gain=max)@1", [3, 0, 2], [4], 0.5 * 3 / 4),
    ("rbp(p=0.5,gain=max)", [0, 0], [], 0),
    ("rbp(p=0.5,gain=max,rel=0)", [0, 0], [], 0),
    # Gains between 0 and 1 stay; wider ones are brought there, from the lowest to the highest of the query's scale.
    ("rbp(p=0.5,gain=1:0.5;2:1)", [1, 0, 2], [], 0.5 * (0.5 + 1 * 0.25)),
    ("rbp(p=0.5,gain=1:3;2:9)", [1, 0, 2], [], 0.5 * (3 / 9 + 1 * 0.25)),
    ("rbp(p=0.5,gain=1:0.5)", [1, 2], [3], 0.5 * (0.5 / 3 + 2 / 3 * 0.5)),
    ("rbp(p=0.5,gain=1:-1,rel=0)", [1, 0, 2], [], 0.5 * (0 + 1 / 3 * 0.5 + 1 * 0.25)),
    ("rbp(p=0.5,gain=0:1,rel=0)@1", [0, 0], [], 0.5),
    ("rbp_residual(p=0.5)", [1, 0], [1], 0.25),
    ("rbp_residual(p=0.5)", [None, 1, -1], [], 0.5 + 0.125 + 0.125),
    ("rbp_residual(p=0.5,complete=zero)", [None, 1, -1], [], 0.5 + 0.125 + 0.125),
    ("rbp_residual(p=0.5,complete=zero)", [1, 0], [1], 0),
    ("rbp_residual(complete=zero)", [], [1], 0),
    ("rbp_residual", [], [1], 1),
    # A reader who sees two documents: their weights 1 and 1/2 are made to add up to 1.
    ("rbp(p=0.5,limit=2)", [1, 0, 1], [], 2 / 3),
    ("rbp(p=0.5,limit=2)", [0, 1, 1], [], 1 / 3),
    ("rbp(p=0.5,limit=2)@1", [0, 1, 1], [], 0),
    ("rbp(p=0.5,limit=1)", [1], [], 1),
    ("rbp(p=0.5,limit=2,gain=grade)", [3, 2], [], 8 / 3),
]


@for_each(("name", "grades", "unseen", "expected"), RANK_BIASED_PRECISION)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)
