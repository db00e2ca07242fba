"""Agreement of rankings: values from the definition, and SciPy's tau."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import kendalltau

from assay.stats.agreement import common_tau, rank_biased_overlap
from tables import for_each

RANKINGS = some.lists(some.sampled_from("abcdefghij"), unique=True)

# Of ab and ba A_1 = 0 and A_2 = 1: 1 · 0.25 + 0.5/0.5 · (0 · 0.5 + 1 · 0.25)
OVERLAPS = [
    ("", "", 0.9, math.nan),
    ("a", "", 0.9, 0),
    ("ab", "cd", 0.9, 0),
    ("abc", "abc", 0.5, 1),
    ("ab", "ba", 0.5, 0.5),
]


@for_each("a, b, p, expected", OVERLAPS)
def test_rank_biased_overlap(a, b, p, expected):
    assert rank_biased_overlap(a, b, p) == pytest.approx(expected, nan_ok=True)


@given(RANKINGS, RANKINGS, some.sampled_from([0.5, 0.9]))
def test_rank_biased_overlap_by_its_definition(a, b, p):
    depth = min(len(a), len(b))
    if depth:
        agreed = [len({*a[:each]} & {*b[:each]}) / each for each in range(1, depth + 1)]
        expected = agreed[-1] * p**depth + (1 - p) / p * sum(each * p ** (at + 1) for at, each in enumerate(agreed))
        assert rank_biased_overlap(a, b, p) == pytest.approx(expected)
        assert rank_biased_overlap(b, a, p) == pytest.approx(expected)


@given(RANKINGS, RANKINGS)
def test_tau_is_that_of_the_common_documents(a, b):
    both = [each for each in a if each in b]
    if len(both) < 2:
        assert math.isnan(common_tau(a, b))
    else:
        expected = kendalltau(range(len(both)), [b.index(each) for each in both]).statistic
        assert common_tau(a, b) == pytest.approx(expected)
