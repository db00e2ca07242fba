"""One-sided tests of a drop."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from assay.stats.paired import TESTS_OF_MEANS
from assay.tasks.gate.checks import drop_p_values, smallest_p
from tables import for_each


def p_of(values, test="randomization", samples=20_000):
    return drop_p_values(np.array(values)[:, None], test, samples, 0)[0]


def test_randomization_is_all_sign_patterns_with_a_sum_as_low():
    values = np.array([-0.5, 0.25, -0.125, -0.75, 0.0625, -0.3])
    sums = [float(np.dot(signs, np.abs(values))) for signs in product((-1, 1), repeat=6)]
    assert p_of(values) == np.mean([each <= values.sum() + 1e-12 for each in sums])
    assert p_of(-values) == 1 - p_of(values)


@for_each("shift", [-0.3, 0.0, 0.4])
def test_t_is_scipys_one_sided_test(shift):
    values = np.random.default_rng(3).normal(shift, 1, 40)
    assert p_of(values, "t") == pytest.approx(stats.ttest_1samp(values, 0, alternative="less").pvalue, abs=1e-12)


def test_bootstrap_counts_the_samples_with_a_t_as_low():
    """The skew of the values decides: a few large losses are drawn often enough to explain a low mean."""
    values = np.where(np.arange(40) < 3, -0.6, 0.02)
    centred, generator = values - values.mean(), np.random.default_rng(9)
    drawn = centred[generator.integers(40, size=(20_000, 40))]
    with np.errstate(divide="ignore"):
        statistics = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1)
    for each in (values, -values):
        lowest = statistics if each is values else -statistics
        expected = np.mean(lowest <= each.mean() / each.std(ddof=1) + 1e-9)
        assert p_of(each, "bootstrap") == pytest.approx(expected, abs=0.01)
    both = p_of(values, "bootstrap"), p_of(-values, "bootstrap")
    assert sum(both) == pytest.approx(1, abs=0.02)


def test_bootstrap_keeps_alpha_where_a_few_queries_lose_a_lot():
    generator = np.random.default_rng(0)
    for gained in (False, True):
        changes = 0.2 - generator.exponential(0.2, size=(50, 400))
        p_values = drop_p_values(-changes if gained else changes, "bootstrap", 500, 0)
        assert 0.02 < (p_values < 0.05).mean() < 0.09


@for_each("test", TESTS_OF_MEANS)
def test_no_change_says_nothing_and_a_sure_drop_all(test):
    assert p_of([0.0] * 20, test) == 0.5
    assert p_of([-0.25] * 20, test) < 1e-4
    assert p_of([0.25] * 20, test) > 1 - 1e-4


@for_each("test", TESTS_OF_MEANS)
def test_a_query_without_a_value_does_not_count(test):
    values = [-0.5, -0.25, 0.125, -0.5, -0.1]
    assert p_of([np.nan, *values], test, 500) == pytest.approx(p_of(values, test, 500), abs=0.05)


def test_columns_are_tested_as_if_alone():
    both = np.random.default_rng(1).normal(0, 1, (12, 2))
    np.testing.assert_array_equal(drop_p_values(both, "randomization", 20_000, 0), [p_of(both[:, 0]), p_of(both[:, 1])])


@for_each(
    "count, test, samples, expected",
    [(1, "randomization", 99, 0.5), (4, "randomization", 99, 0.0625), (50, "randomization", 99, 0.005),
     (1, "t", 0, 0.5), (2, "t", 0, 0.0), (1, "bootstrap", 99, 0.5), (9, "bootstrap", 99, 0.01)],
)  # fmt: skip
def test_the_smallest_p_value_there_can_be(count, test, samples, expected):
    assert smallest_p(count, test, samples) == expected


@for_each("test", ["randomization", "t"])
def test_chance_alone_is_called_a_drop_no_more_often_than_it_may(test):
    """Queries lose just what is allowed: most nothing, a few a lot, some gain."""
    generator = np.random.default_rng(7)
    alarms = 0
    for _ in range(400):
        lost = np.where(generator.random(80) < 0.1, -generator.uniform(0.2, 1.0, 80), 0.0)
        gained = np.where(generator.random(80) < 0.25, generator.uniform(0.0, 0.4, 80), 0.0)
        alarms += p_of(lost + gained + 0.01, test, 500) < 0.05
    assert alarms / 400 < 0.08
