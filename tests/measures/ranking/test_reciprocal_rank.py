"""Reciprocal rank, and the rank of the first relevant document, by hand.

A row: measure, grades in rank order, grades not retrieved, value.
"""

import math

import pytest

import assay
from tables import for_each

RECIPROCAL_RANK = [
    ("rr", [1, 0], [], 1),
    ("rr", [0, 0, 1, 1], [], 1 / 3),
    ("rr", [], [1], 0),
    ("rr", [0, 0], [1], 0),
    ("rr", [-1, None, 1], [], 1 / 3),
    ("rr@2", [0, 0, 1], [], 0),
    ("rr@3", [0, 0, 1], [], 1 / 3),
    ("rr@10", [0, 1], [], 1 / 2),
    ("rr(rel=2)", [1, 1, 2], [], 1 / 3),
    ("rr(rel=0.5)", [0.25, 0.5], [], 1 / 2),
    ("rr(credit=first)", [0, 1, 1], [], 1 / 2),
    ("rr(credit=sum)", [0, 1, 1], [], 1 / 2 + 1 / 3),
    ("rr(credit=sum)", [1, 1, 1], [], 1 + 1 / 2 + 1 / 3),
    ("rr(credit=sum)@2", [0, 1, 1], [], 1 / 2),
    ("rr(credit=sum)", [0], [1], 0),
    ("rr(credit=found)", [0, 1, 1], [1], (1 / 2 + 1 / 3) / 2),
    ("rr(credit=found)@2", [0, 1, 1], [1], 1 / 2),
    ("rr(credit=found)", [0], [1], 0),
]

FIRST_RANK = [
    ("first_rank", [1, 0], [], 1),
    ("first_rank", [0, None, -1, 2], [], 4),
    ("first_rank", [0, 0], [1], math.nan),
    ("first_rank", [], [1], math.nan),
    ("first_rank@2", [0, 0, 1], [], math.nan),
    ("first_rank@3", [0, 0, 1], [], 3),
    ("first_rank(missing=skip)", [0, 0], [1], math.nan),
    ("first_rank(missing=end)", [0, 0], [1], 3),
    ("first_rank(missing=end)", [], [1], 1),
    ("first_rank(missing=end)", [0, 1], [], 2),
    ("first_rank(missing=end)@2", [0, 0, 0, 1], [], 3),
    ("first_rank(missing=end)@9", [0, 0], [1], 3),
    ("first_rank(rel=2)", [1, 2], [], 2),
    ("first_rank(rel=0.5)", [0.25, 0.5], [], 2),
]


@for_each(("name", "grades", "unseen", "expected"), RECIPROCAL_RANK + FIRST_RANK)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_queries_without_a_hit_are_left_out_of_the_mean_rank_and_counted_in_a_note():
    result = assay.evaluate_labels([[0, 1], [0, 0], [0, 0, 0, 1]], ["first_rank", "mrr"])
    assert result["mean_rank"] == 3
    assert result.counted("first_rank") == 2
    assert result["mrr"] == pytest.approx((1 / 2 + 1 / 4) / 3)
    note = "first_rank: 1 query left out of the mean; no relevant document was retrieved"
    assert [str(each) for each in result.notes if each.kind == "undefined"] == [note]
