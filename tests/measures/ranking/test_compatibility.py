"""Compatibility, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

# The sum of 0.95^(i - 1) / i over all depths; nothing counts beyond 1000.
ALL = -math.log(0.05) / 0.95

# Of one document at depths 1 and 2 with p = 1/2: 1 and 1/2 · 1/2. Of two: 1 and 1/2 · 2/2.
COMPATIBILITY = [
    ("compat(p=0.5,limit=2)", [0, 1], [], (1 / 4) / (5 / 4)),
    ("compat(p=0.5,limit=2)", [1, 0], [1], (1 + 1 / 4) / (3 / 2)),
    ("compat(p=0.5,limit=2)", [1, 2], [], (0 + 1 / 2) / (3 / 2)),
    # Of equal grades the ideal has those retrieved first, in their order.
    ("compat(p=0.5,limit=2)", [1, 1], [1, 1], 1),
    ("compat(p=0.5,limit=2)", [1], [2], (1 / 4) / (3 / 2)),
    ("compat(p=0.5,limit=2,normalize=false)", [1, 0], [], (5 / 4) / (3 / 2)),
    ("compat(p=0.5,limit=0)", [0, 1], [], (1 / 4) / (5 / 4)),
    ("compat(p=0.5,limit=2)", [-1, 0.5], [], (1 / 4) / (5 / 4)),
    # Two documents overlap from depth 2 on, in the ideal one of them from depth 1.
    ("compat", [1, 2, 0], [], (2 * ALL - 2) / (2 * ALL - 1)),
    ("compat(limit=0)", [], [], 0),
]


@for_each(("name", "grades", "unseen", "expected"), COMPATIBILITY)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_a_document_listed_again_takes_up_a_rank_and_no_more():
    result = assay.evaluate({"q": {"a": 1}}, {"q": ["x", "a", "a"]}, "compat(p=0.5,limit=2)", duplicates="count")
    assert result["compat(p=0.5,limit=2)"] == pytest.approx(1 / 5)


# Scores of a and b; b comes first in the ranking, and c was not retrieved.
BY_SCORE = [
    # Above 0 the ideal is b a c: {b}/1, {b, a}/2, {b, a}/3.
    ({"a": 1, "b": 2}, 1 + 1 / 2 + 1 / 4 * 2 / 3),
    # Below 0 what was not retrieved comes first: c b a.
    ({"a": -2, "b": -1}, 0 + 1 / 2 * 1 / 2 + 1 / 4 * 2 / 3),
    # What is 0 is as good as what was not retrieved, in the order of the judgments: a c b.
    ({"a": 0, "b": 0}, 0 + 1 / 2 * 1 / 2 + 1 / 4 * 2 / 3),
]


@for_each(("ranking", "expected"), BY_SCORE)
def test_the_ideal_may_go_by_score(ranking, expected):
    name = "compat(p=0.5,limit=3,ideal=score)"
    result = assay.evaluate({"q": {"a": 1, "c": 1, "b": 1}}, {"q": ranking}, name)
    assert result[name] == pytest.approx(expected / 1.75)
