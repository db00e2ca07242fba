"""Paired tests: against scipy's own functions, against every sign pattern, and where there is little to test."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.paired import DIRECTIONS, PAIRED_TESTS, bootstrap_test, randomization, signed_places
from tables import for_each

nan = math.nan
differences = st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=2, max_size=9)


def one(test, values, samples=100_000, seed=0):
    """The p-value of one pair."""
    return test(np.array(values, dtype=np.float64)[:, None], samples, seed)[0]


def by_enumeration(values):
    observed = abs(sum(values))
    patterns = list(itertools.product((1, -1), repeat=len(values)))
    sums = [abs(sum(sign * value for sign, value in zip(pattern, values, strict=True))) for pattern in patterns]
    return sum(each >= observed - 1e-9 for each in sums) / len(patterns)


@settings(max_examples=settings.default.max_examples // 4)
@given(values=differences)
def test_randomization_is_the_share_of_all_patterns(values):
    assert one(randomization, values) == by_enumeration(values)


@for_each("samples, is_exact", [(1023, False), (1024, True), (1025, True)])
def test_patterns_are_tried_where_there_are_no_more_than_samples(samples, is_exact):
    values = np.random.default_rng(2).normal(0.4, 1, size=10)
    p = one(randomization, values, samples)
    times = p * 1024 if is_exact else p * (samples + 1)
    assert times == pytest.approx(round(times), abs=1e-9)
    assert (p == by_enumeration(values)) == is_exact


def test_sampled_randomization_counts_equal_sums():
    # Sums of 0.1 and 0.2 that are equal but for rounding: p would be too small if they did not count.
    values = np.tile([0.1, 0.2, -0.3, 0.1 + 0.2], 10)
    whole = np.tile([1.0, 2.0, -3.0, 3.0], 10)
    assert one(randomization, values, 5000) == one(randomization, whole, 5000)


def test_signs_that_are_drawn_in_parts_are_checked_alike(monkeypatch):
    values = np.random.default_rng(4).normal(0.2, 1, size=(40, 3))
    shares = []
    monkeypatch.setattr("assay.stats.randomization.SUMMED", 64)
    randomization(values, 1000, 0, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) == 16


def test_pairs_do_not_depend_on_the_pairs_beside_them():
    values = np.random.default_rng(5).normal(0.2, 1, size=(30, 4))
    for test in PAIRED_TESTS.values():
        alone = [test(values[:, [column]], 2000, 7)[0] for column in range(4)]
        np.testing.assert_array_equal(test(values, 2000, 7), alone)


@settings(max_examples=settings.default.max_examples // 4)
@given(values=differences.filter(lambda values: np.ptp(values) > 0))
def test_t_is_scipys(values):
    expected = scipy.stats.ttest_1samp(values, 0).pvalue
    assert one(PAIRED_TESTS["t"], values) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@settings(max_examples=settings.default.max_examples // 8)
@given(values=differences.filter(any))
def test_wilcoxon_is_scipys(values):
    assert one(PAIRED_TESTS["wilcoxon"], values) == scipy.stats.wilcoxon(values).pvalue


def test_wilcoxon_does_not_rank_rounding():
    values = [0.3 - 0.2, 0.1 - 0.2, 0.5 - 0.4, 0.7, -0.2, 0.9 - 0.7, 1e-14, 0.0]
    assert one(PAIRED_TESTS["wilcoxon"], values) == scipy.stats.wilcoxon([2, -2, 2, 7, -3, 3, 1, 0]).pvalue
    np.testing.assert_array_equal(signed_places(np.array(values)), [2, -2, 2, 4, -3, 3, 1, 0])


DIRECTED = [([], 0, 0), ([0, 0], 0, 0), ([1, 2, -4], 0, 1), ([1, 2, -3, -2.5], -1, 0), ([5, 4, -1, -2, -3], 1, -1)]


@for_each("values, ranks, signs", DIRECTED)
def test_which_way_a_test_points(values, ranks, signs):
    assert [DIRECTIONS[name](np.array(values, float)) for name in ("wilcoxon", "sign")] == [ranks, signs]


@for_each("wins, losses, ties", [(5, 0, 0), (7, 3, 2), (4, 4, 1), (0, 9, 0), (1, 0, 5), (3000, 3500, 480)])
def test_sign_is_scipys_binomial_test(wins, losses, ties):
    values = [0.5] * wins + [-0.1] * losses + [0.0] * ties
    expected = scipy.stats.binomtest(wins, wins + losses).pvalue
    assert one(PAIRED_TESTS["sign"], values) == pytest.approx(expected, rel=1e-9)


def test_bootstrap_is_the_share_of_shifted_samples():
    values = np.random.default_rng(7).gamma(1, size=25) - 0.8
    draws = np.random.default_rng(3).integers(25, size=(2000, 25), dtype=np.int32)
    drawn = (values - values.mean())[draws]
    statistics = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1)
    observed = values.mean() / values.std(ddof=1)
    expected = ((np.abs(statistics) >= abs(observed)).sum() + 1) / 2001
    assert one(bootstrap_test, values, 2000, 3) == pytest.approx(expected, abs=1e-15)


@for_each("name", PAIRED_TESTS)
def test_queries_without_a_value_do_not_count(name):
    values = np.random.default_rng(9).normal(0.4, 1, size=(12, 2))
    gaps = values.copy()
    gaps[3, 0] = gaps[7, 0] = gaps[0, 1] = nan
    found = PAIRED_TESTS[name](gaps, 5000, 0)
    assert found[0] == pytest.approx(one(PAIRED_TESTS[name], np.delete(values[:, 0], [3, 7]), 5000), abs=1e-12)
    assert found[1] == pytest.approx(one(PAIRED_TESTS[name], np.delete(values[:, 1], [0]), 5000), abs=1e-12)


# What each test says where there is little to test: randomization, t, wilcoxon, sign, bootstrap.
LITTLE = [
    ("no query", [], (1, 1, 1, 1, 1)),
    ("one query", [0.5], (1, 1, 1, 1, 1)),
    ("one query that is the same", [0.0], (1, 1, 1, 1, 1)),
    ("no query with a value", [nan, nan], (1, 1, 1, 1, 1)),
    ("no difference", [0.0] * 4, (1, 1, 1, 1, 1)),
    ("two queries, one difference", [0.5, 0.5], (0.5, 0.5, 0.5, 0.5, 0.5)),
    ("one difference", [0.25] * 5, (1 / 16, 1 / 16, 1 / 16, 1 / 16, 1 / 16)),
    # The bootstrap has no smaller p-value than one of its samples; scipy's Wilcoxon test has a formula for many ties.
    ("one difference of many queries", [0.25] * 15, (1 / 1001, 2**-14, 0.00010751117672950055, 2**-14, 1 / 1001)),
    ("one difference but for rounding", [0.3, 0.1 + 0.2, 0.3], (1 / 4, 1 / 4, 1 / 4, 1 / 4, 1 / 4)),
    ("two that cancel out", [0.5, -0.5], (1, 1, 1, 1, 1)),
]


@for_each("values, expected", [row[1:] for row in LITTLE])
def test_little_to_test(values, expected):
    assert [one(test, values, 1000) for test in PAIRED_TESTS.values()] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PAIRED_TESTS)
@settings(max_examples=settings.default.max_examples // 10)
@given(values=st.lists(st.sampled_from([0.0, 0.1, 0.2, -0.3, 0.1 + 0.2, 1e-12, 1.0, nan]), max_size=15))
def test_any_few_differences_have_a_p_value(name, values):
    assert 0 <= one(PAIRED_TESTS[name], values, 100) <= 1


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_systems_without_a_difference_are_told_apart_as_often_as_alpha_says(name):
    generator = np.random.default_rng(10)
    values = generator.normal(size=(40, 1000))
    share = (PAIRED_TESTS[name](values, 2000, 0) < 0.05).mean()
    # The sign test is coarse: with 40 queries the nearest it can come from below is 3.8 %.
    assert share == pytest.approx(0.038 if name == "sign" else 0.05, abs=0.02)
