"""Scores of summed statistics: the test against every way to swap, the interval against scipy's."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.intervals import pooled_interval
from assay.stats.pairs import PooledSums
from assay.stats.randomization import swapped_p


def share(sums):
    """Hits of tries, as precision is over all questions; 0 where nothing was tried."""
    hits, tries = sums[..., 0], sums[..., 1]
    return np.divide(hits, tries, out=np.zeros_like(hits), where=tries > 0)


def beside(first, second):
    return PooledSums(np.concatenate([np.array(first, float), np.array(second, float)], axis=1), share)


def interval(sums, level=0.95):
    return pooled_interval(sums.both, sums.scores, level=level, seed=0)


def obvious_p(first, second):
    """The share of all ways to swap questions between two systems that move the scores as far apart."""

    def apart(one, other):
        one, other = (np.sum(each, axis=0).astype(float) for each in (one, other))
        return abs(share(one) - share(other))

    observed, reached = apart(first, second), 0
    for swaps in itertools.product([False, True], repeat=len(first)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(first, second, swaps, strict=True)]
        reached += apart([a for a, _ in pairs], [b for _, b in pairs]) >= observed - 1e-12
    return reached / 2 ** len(first)


counts = st.tuples(st.integers(0, 6), st.integers(0, 9))


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=7))
def test_every_way_to_swap_is_tried(rows):
    first, second = ([row[side] for row in rows] for side in (0, 1))
    assert swapped_p(beside(first, second), 1000, 0) == pytest.approx(obvious_p(first, second))


def some_rows(seed, number):
    generator = np.random.default_rng(seed)
    tries = generator.integers(1, 30, size=number)
    first, second = generator.binomial(tries, 0.4), generator.binomial(tries, 0.47)
    return np.stack([first, tries], axis=1), np.stack([second, tries], axis=1)


def test_samples_come_near_to_every_way():
    sums = beside(*some_rows(1, 12))
    exact = swapped_p(sums, 5000, 0)
    assert 0.01 < exact < 0.9
    assert swapped_p(sums, 4000, 0) == pytest.approx(exact, abs=0.03)
    assert swapped_p(sums, 4000, 0) == swapped_p(sums, 4000, 0) != swapped_p(sums, 4000, 1)


def test_the_work_is_told():
    shares = []
    swapped_p(beside(*some_rows(2, 5000)), 2000, 0, shares.append)
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_is_scipys(level):
    sums = beside(*some_rows(3, 60))

    def difference(places):
        first, second = sums.scores(sums.both[places].sum(axis=0))
        return second - first

    expected = scipy.stats.bootstrap(
        (np.arange(60),), difference, confidence_level=level, n_resamples=4000, method="BCa", vectorized=False, rng=1
    ).confidence_interval
    assert interval(sums, level) == pytest.approx(tuple(expected), abs=0.004)


def test_an_interval_of_nothing_and_of_no_spread():
    assert np.isnan(interval(beside(np.empty((0, 2)), np.empty((0, 2))))).all()
    assert np.isnan(interval(beside([(1, 2)], [(2, 2)]))).all()
    assert interval(beside([(1, 2)] * 2, [(2, 2)] * 2)) == (0.5, 0.5)
