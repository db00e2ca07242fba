"""Intervals of differences: against scipy's, by simulation, and where there is little to resample."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.intervals import difference_intervals
from tables import for_each

nan = math.nan


def difference_interval(a, b, aggregate="mean", **how):
    return difference_intervals([a], [b], [aggregate], **how)[0]


TABLE = {
    "no query": ([], [], "mean", (nan, nan)),
    "no query with both": ([nan, 0.5], [0.5, nan], "mean", (nan, nan)),
    "one query with both": ([0.25, nan], [0.75, 0.1], "mean", (nan, nan)),
    "four queries": ([0, 0.5, 0.25, 0.5], [0.5, 0.5, 0.5, 1], "mean", (0.0625, 0.5)),
    "no difference": ([0.1, 0.7, 0.3], [0.1, 0.7, 0.3], "mean", (0, 0)),
    "a constant difference": ([0.1, 0.7, 0.3], [0.2, 0.8, 0.4], "mean", (0.1, 0.1)),
    "a constant difference, in all": ([1, 2, 3], [2, 3, 4], "sum", (3, 3)),
    "numbers too large for their sums": ([1e308, -1e308, 1e308], [4, 1, 2], "mean", (nan, nan)),
    "numbers too large for their cubes": ([1e120, 2e120, -5e120], [4, 1, 2], "mean", (nan, nan)),
    "numbers too small for their squares": ([1e-120, 2e-120, 7e-120], [0, 0, 0], "mean", (nan, nan)),
    "infinite scores": ([math.inf, 1, 2], [1, 2, 4], "mean", (nan, nan)),
    "constant scores": ([0.5, 0.5], [0.25, 0.25], "geometric", (-0.25, -0.25)),
}


@for_each("a, b, aggregate, expected", TABLE.values())
def test_values(a, b, aggregate, expected):
    found = difference_interval(np.array(a, dtype=np.float64), np.array(b, dtype=np.float64), aggregate)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


A, B = np.random.default_rng(1).beta([[2], [3]], 3, size=(2, 60))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_it_is_scipys_bca(level):
    skewed = B**4
    expected = scipy.stats.bootstrap(
        (skewed - A,), np.mean, confidence_level=level, n_resamples=40_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    found = difference_interval(A, skewed, level=level, samples=40_000)
    assert found == pytest.approx(tuple(expected), abs=0.003)


def test_scores_that_are_few_numbers_are_not_moved_by_rounding():
    """Many resamples have the observed difference exactly; sevenths are not told from it by their last digit."""
    generator = np.random.default_rng(3)
    a, b = generator.integers(0, 3, size=(2, 20))
    whole = difference_interval(a.astype(float), b.astype(float), samples=5000)
    sevenths = difference_interval(a / 7, b / 7, samples=5000)
    assert sevenths == pytest.approx((whole.low / 7, whole.high / 7), rel=1e-9)


def test_geometric_means_and_sums_have_their_own_units():
    low, high = difference_interval(A, B, "geometric")
    difference = np.exp(np.log(B).mean()) - np.exp(np.log(A).mean())
    assert low < difference < high
    mean, total = difference_interval(A, B), difference_interval(A, B, "sum")
    assert total == pytest.approx((60 * mean.low, 60 * mean.high))


def test_pairs_that_share_samples_are_as_they_are_alone():
    gaps = A.copy()
    gaps[[3, 9]] = nan
    a, b, aggregates = [A, gaps, B, A, gaps], [B, B, A, B, A], ["mean", "mean", "sum", "geometric", "mean"]
    together = difference_intervals(a, b, aggregates, seed=4)
    alone = [difference_interval(*each, seed=4) for each in zip(a, b, aggregates, strict=True)]
    assert together == alone


def test_same_seed_same_interval():
    assert difference_interval(A, B, seed=7) == difference_interval(A.copy(), B.copy(), seed=7)
    assert difference_interval(A, B, seed=7) != difference_interval(A, B, seed=8)


@settings(max_examples=settings.default.max_examples // 4)
@given(
    scores=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1) | st.just(nan)), min_size=1, max_size=12),
    level=st.floats(0.01, 0.9999999),
)
def test_ends_are_in_order_and_between_the_differences(scores, level):
    a, b = np.array(scores).T
    low, high = difference_interval(a, b, level=level, samples=60)
    moved = (b - a)[~np.isnan(b)]
    if len(moved) > 1:
        assert moved.min() - 1e-9 <= low <= high <= moved.max() + 1e-9
    else:
        assert np.isnan([low, high]).all()


def one_far_out(generator, size):
    """Most queries do not change, some gain much: the shape that recall and reciprocal rank have."""
    return np.where(generator.random(size) < 0.3, generator.exponential(size=size), 0.0)


SHAPES = {
    "normal": (lambda generator, size: generator.normal(0.1, 0.3, size=size), 0.1),
    "skewed": (lambda generator, size: generator.gamma(2, 0.1, size=size), 0.2),
    "many ties": (one_far_out, 0.3),
}


@pytest.mark.parametrize(("draw", "mean"), SHAPES.values(), ids=SHAPES)
def test_holds_the_true_difference_as_often_as_it_says(draw, mean):
    """95 % within 2 points, on three times 1,000 draws of 200 queries."""
    held = []
    for seed in range(3):
        moved = draw(np.random.default_rng(seed), (200, 1000))
        intervals = difference_intervals([np.zeros(200)] * 1000, list(moved.T), ["mean"] * 1000, seed=seed)
        held += [low <= mean <= high for low, high in intervals]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)
