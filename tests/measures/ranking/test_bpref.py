"""Bpref, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

BPREF = [
    # R = 2, N = 1
    ("bpref", [1, 0, 1], [], (1 + (1 - 1 / 1)) / 2),
    # R = 2, N = 2
    ("bpref", [0, 1], [1, 0], (1 - 1 / 2) / 2),
    ("bpref", [0, 0, 1], [1], 0),
    ("bpref", [1, 0, 1, 0, 1, 0], [], (1 + 2 / 3 + 1 / 3) / 3),
    # More than R non-relevant documents before a hit count as R.
    ("bpref", [0, 0, 0, 1], [], 0),
    ("bpref", [], [1], 0),
    ("bpref", [0, 0], [], 0),
    ("bpref", [1, 1], [], 1),
    ("bpref", [None, 1, None, 1], [], 1),
    ("bpref", [None, 1, 0, 1], [], 1 / 2),
    # A negative grade is not a judgment: it neither counts as non-relevant nor comes before anything.
    ("bpref", [-1, 1], [0], 1),
    ("bpref", [-1, 1, 0, 1], [-1], 1 / 2),
    ("bpref(rel=2)", [1, 2], [], 0),
    ("bpref(rel=2)", [2, 1, 2], [3], (1 + 0) / 3),
    ("bpref(rel=0.5)", [0.25, 0.5], [0.5], 0),
    ("bpref(denominator=min)", [1, 0, 1], [], 1 / 2),
    ("bpref(denominator=relevant)", [1, 0, 1], [], (1 + (1 - 1 / 2)) / 2),
    ("bpref(denominator=relevant)", [0, 1], [], 0),
    ("bpref(denominator=relevant)", [0, 0, 0, 1], [1], 0),
    ("bpref(denominator=relevant)", [1, 1], [], 1),
    ("bpref(denominator=relevant)", [0], [], 0),
    ("gm_bpref", [1, 0, 1], [], 1 / 2),
    ("gm_bpref", [0, 1], [], 0),
    ("gm_bpref(rel=2)", [2, 1, 2], [3], 1 / 3),
    ("bpref(unopposed=one)", [1], [], 1),
    ("bpref(unopposed=nan)", [1, None], [1], math.nan),
    ("bpref(unopposed=nan)", [1, 1], [0], 1),
    # Nothing found is nothing, whatever could have come before it.
    ("bpref(unopposed=nan)", [None], [1], 0),
    ("bpref(unopposed=nan)", [None], [], 0),
]


@for_each(("name", "grades", "unseen", "expected"), BPREF)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_the_geometric_mean_takes_the_least_for_0():
    result = assay.evaluate_labels([[1, 0, 1], [0, 1]], "gm_bpref")
    assert result["gm_bpref"] == pytest.approx((0.5 * 0.00001) ** 0.5)


def test_negative_grades_can_count_as_not_relevant(score):
    assert score("bpref", [-1, 1], negative="nonrelevant") == 0
