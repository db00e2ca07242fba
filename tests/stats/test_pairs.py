"""Effect sizes by hand, and the smallest difference that could have been seen against simulation."""

import math

import numpy as np
import pytest
import scipy.stats

from assay.stats.intervals import detectable_difference, detectable_effect, deviation
from assay.stats.pairs import cliff_delta, cohen_d, differences_of
from tables import for_each

nan, inf = math.nan, math.inf
COHEN = [
    ([1, 2, 3], 2),
    # A mean of 0.2, and squares around it of 0.25, 0.01 and 0.16: 0.2 / √0.21.
    ([0.7, 0.1, -0.2], 0.2 / math.sqrt(0.21)),
    ([0, 0, 0], 0),
    ([1, -1], 0),
    ([0.5, 0.5], inf),
    ([-0.3, -0.1 - 0.2], -inf),
    ([], nan),
]
CLIFF = [
    ([1, 2], [2, 3], 0.75),
    ([0, 0], [1, 1], 1),
    ([1, 2, 3], [1, 2, 3], 0),
    # Of nine pairs b is above in five and below in three.
    ([1, 2, 5], [3, 4, 2], 2 / 9),
    ([], [], nan),
]


@for_each("values, expected", COHEN)
def test_cohen_d(values, expected):
    array = np.array(values, dtype=np.float64)
    found = cohen_d(float(array.sum()), deviation(array), len(array))
    assert found == pytest.approx(expected, nan_ok=True)


@for_each("a, b, expected", CLIFF)
def test_cliff_delta(a, b, expected):
    assert cliff_delta(np.array(a, float), np.array(b, float)) == pytest.approx(expected, nan_ok=True)


def test_cliff_delta_is_the_balance_of_all_pairs():
    a, b = np.random.default_rng(1).integers(0, 9, size=(2, 40)).astype(float)
    assert cliff_delta(a, b) == pytest.approx(np.sign(b[:, None] - a[None, :]).mean())


def test_differences_that_are_rounding_are_none():
    a = np.array([0.3, 0.5, nan, 0.0, 1e-20])
    b = np.array([0.1 + 0.2, 0.50001, 1.0, 0.0, 2e-20])
    np.testing.assert_allclose(differences_of(a, b), [0, 0.00001, nan, 0, 1e-20], rtol=1e-9)
    assert differences_of(a, b)[0] == 0


@for_each("count", [2, 3, 10, 50, 1000, 6980])
@for_each("alpha", [0.2, 0.05, 0.001])
def test_the_power_at_the_detectable_effect_is_four_fifths(count, alpha):
    """Against the power that scipy's own quadrature gives."""
    critical = scipy.stats.t.isf(alpha / 2, count - 1)
    shift = detectable_effect(count, alpha) * math.sqrt(count)

    def tail(variance):
        needed = critical * math.sqrt(variance / (count - 1))
        return scipy.stats.norm.cdf(shift - needed) + scipy.stats.norm.cdf(-shift - needed)

    power = scipy.stats.chi2(count - 1).expect(tail, epsabs=1e-10, limit=500)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_detectable_is_in_the_units_of_the_differences():
    values = np.random.default_rng(3).normal(size=30)
    assert detectable_difference(30, 0.05, deviation(values)) == detectable_effect(30, 0.05) * values.std(ddof=1)


@for_each("values", [[], [0.5], [0.5, 0.5], [0, 0, 0]])
def test_detectable_of_little(values):
    assert math.isnan(detectable_difference(len(values), 0.05, deviation(np.array(values, float))))
