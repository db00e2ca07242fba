"""Agreement of grades and of scores: by hand, against scikit-learn, krippendorff and SciPy, and brute force."""

from itertools import pairwise, permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from assay.stats.agreement import (
    MOST_SQUARED,
    SCALES,
    alpha,
    ap_correlation,
    correlate,
    estimate,
    kappa,
    kind_of,
    pair_grades,
    weighted_correlations,
)
from assay.stats.intervals import resampled_times
from tables import for_each

NAN = float("nan")
BINARY = [[20, 5], [10, 15]]
THREE = [[11, 3, 0], [1, 8, 2], [0, 1, 9]]
# A table of pairs, its grades, kappa, linear and quadratic kappa; by hand.
KAPPAS = [
    (BINARY, [0, 1], 0.4, 0.4, 0.4),
    ([[5, 0], [0, 5]], [0, 1], 1, 1, 1),
    # Every grade is the same: chance agrees always.
    ([[7]], [1], NAN, NAN, NAN),
    # One side knows one grade only: no better than chance.
    ([[4, 3], [0, 0]], [0, 1], 0, 0, 0),
    # Rows sum to 14, 11, 10, columns to 12, 12, 11: 35² - 410 = 815 by chance, of which 14·11 + 10·12 two apart.
    (THREE, [0, 1, 2], 1 - 7 * 35 / 815, 1 - 7 * 35 / (815 + 274), 1 - 7 * 35 / (815 + 3 * 274)),
    # What counts is how far the grades are apart, not how many there are: 1 and 3 are twice as far as 0 and 1.
    ([[2, 1, 0], [0, 2, 1], [0, 0, 2]], [0, 1, 3], 1 - 2 * 8 / 43, 1 - 3 * 8 / 84, 1 - 5 * 8 / 192),
]


@for_each("table, grades, plain, linear, quadratic", KAPPAS)
def test_kappa_by_hand(table, grades, plain, linear, quadratic):
    table, grades = np.array(table, float), np.array(grades, float)
    found = [float(kappa(table, grades, weights)) for weights in ("none", "linear", "quadratic")]
    assert found == pytest.approx([plain, linear, quadratic], nan_ok=True)


grades = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(grades)
def test_kappa_is_that_of_scikit_learn(pairs):
    first, second = np.array(pairs, float).T
    if len({*first, *second}) < 2:
        return
    found = pair_grades(np.arange(len(first)), first, second)
    for weights in ("none", "linear", "quadratic"):
        labels = None if weights == "none" else [0, 1, 2, 3]
        known = cohen_kappa_score(first, second, labels=labels, weights=None if weights == "none" else weights)
        assert float(kappa(found.table(), found.grades, weights)) == pytest.approx(known, abs=1e-12)


@given(grades)
def test_alpha_is_that_of_the_package(pairs):
    first, second = np.array(pairs, float).T
    found = pair_grades(np.arange(len(first)), first, second)
    table = found.table()
    for scale in SCALES:
        value = float(alpha(table + table.T, found.grades, scale))
        if len(found.grades) < 2:
            assert np.isnan(value)
        else:
            known = krippendorff.alpha(np.stack([first, second]), level_of_measurement=scale)
            assert value == pytest.approx(known, abs=1e-12)


def test_tables_are_resampled_by_query(monkeypatch):
    generator = np.random.default_rng(5)
    query = np.repeat([7, 3, 5, 9], 6)
    found = pair_grades(query, generator.integers(0, 3, 24).astype(float), generator.integers(0, 3, 24).astype(float))
    drawn = found.resampled_tables(50, 1)
    own = np.array([pair_table(found, number) for number in range(4)])
    times = np.concatenate(list(resampled_times(4, 50, 1)))
    assert np.array_equal(drawn, np.einsum("sq,qij->sij", times, own))
    monkeypatch.setattr("assay.stats.agreement.DRAWS", 8)
    assert np.array_equal(found.resampled_tables(50, 1), drawn)


def pair_table(found, number):
    """The table of one query."""
    chosen = found.query == number
    return found._replace(first=found.first[chosen], second=found.second[chosen]).table()


def test_an_interval_leaves_out_resamples_without_a_value():
    found = pair_grades(np.array([0, 0, 1]), np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    drawn = found.resampled_tables(1000, 0)
    value, interval, undefined = estimate(found, lambda tables: kappa(tables, found.grades), drawn, 0.95)
    # A quarter of the samples has the first query twice, a quarter the second.
    assert (value, interval) == (1.0, (1.0, 1.0))
    assert undefined == pytest.approx(500, abs=60)


def test_no_interval_without_a_value():
    found = pair_grades(np.array([0, 1]), np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    drawn = found.resampled_tables(10, 0)
    value, interval, _ = estimate(found, lambda tables: kappa(tables, found.grades), drawn, 0.95)
    assert np.isnan([value, *interval]).all()


def every_order(truth, values):
    """τ_AP from its definition, averaged over all orders of ties."""
    count, found = len(truth), []
    for order in permutations(range(count)):
        if all(values[one] >= values[other] for one, other in pairwise(order)):
            shares = [
                sum((np.sign(truth[order[above]] - truth[order[place]]) + 1) / 2 for above in range(place)) / place
                for place in range(1, count)
            ]
            found.append(2 * sum(shares) / (count - 1) - 1)
    return np.mean(found)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5))
def test_ap_correlation_takes_ties_in_every_order(pairs):
    truth, values = np.array(pairs, float).T
    assert ap_correlation(truth, values) == pytest.approx(every_order(truth, values), abs=1e-12)


SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)


@pytest.mark.parametrize("squared", [MOST_SQUARED, 0])
@given(SCORES)
def test_correlations_are_those_of_scipy(squared, pairs):
    first, second = np.array(pairs, float).T / 5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.stats.agreement.MOST_SQUARED", squared)
        found = correlate(first, second, level=0.95, samples=3, seed=0)
        times = np.concatenate(list(resampled_times(len(first), 3, 0)))
        drawn = weighted_correlations(first, second, times)
    check_scipy({name: each.value for name, each in found.items()}, first, second)
    for place, row in enumerate(times.astype(int)):
        check_scipy({name: each[place] for name, each in drawn.items()}, np.repeat(first, row), np.repeat(second, row))


def check_scipy(found, first, second):
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert np.isnan(list(found.values())).all()
        return
    known = [each(first, second).statistic for each in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]
    assert list(found.values()) == pytest.approx(known, abs=1e-12)


def test_one_score_has_no_correlation():
    found = correlate(np.array([1.0]), np.array([1.0]), level=0.95, samples=3, seed=0)
    assert np.isnan([each.value for each in found.values()]).all()


# The ends of each kind of agreement, as Landis and Koch print them.
KINDS = {-0.01: "poor", 0.0: "slight", 0.2: "slight", 0.21: "fair", 0.4: "fair", 0.41: "moderate", 0.6: "moderate"}
KINDS |= {0.61: "substantial", 0.8: "substantial", 0.81: "almost perfect", 1.0: "almost perfect"}


@for_each("value, kind", KINDS.items())
def test_the_scale_of_landis_and_koch(value, kind):
    assert kind_of(value) == kind
