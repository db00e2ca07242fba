"""Bootstrap intervals: what they are made of, and whether they hold what they promise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.stats.intervals import GATHERED, bootstrap_all, resampled_totals, summable
from tables import for_each

nan = math.nan


def bootstrap(scores, aggregate="mean", **how):
    return bootstrap_all({"": scores}, {"": aggregate}, **how)[""]


TABLE = [
    ([0.5], "mean", (nan, nan)),
    ([0.25, 0.25, 0.25], "mean", (0.25, 0.25)),
    ([2, 2, 2], "sum", (6, 6)),
    ([0, 0], "geometric", (0.00001, 0.00001)),
    ([0.75, nan, nan], "mean", (nan, nan)),
    ([0.75, nan, 0.75], "mean", (0.75, 0.75)),
    ([], "mean", (nan, nan)),
    # Two queries: a quarter of the resamples hold only the first and a quarter only the second.
    ([0, 1], "mean", (0, 1)),
    ([0, 1], "sum", (0, 2)),
    ([0.01, 1], "geometric", (0.01, 1)),
]


@for_each("scores, aggregate, expected", TABLE)
def test_values(scores, aggregate, expected):
    assert bootstrap(np.array(scores, dtype=np.float64), aggregate) == pytest.approx(expected, nan_ok=True)


SCORES = np.random.default_rng(1).beta(2, 3, size=60)


def test_same_seed_same_interval():
    assert bootstrap(SCORES, seed=7) == bootstrap(SCORES.copy(), seed=7)
    assert bootstrap(SCORES, seed=7) != bootstrap(SCORES, seed=8)


def test_ends_are_the_quantiles_of_the_resampled_means():
    draws = np.random.default_rng(3).integers(len(SCORES), size=(1000, len(SCORES)))
    expected = np.quantile(SCORES[draws].mean(axis=1), [0.05, 0.95])
    assert bootstrap(SCORES, level=0.9, seed=3) == pytest.approx(expected)


def test_resamples_that_are_drawn_in_parts_are_those_drawn_at_once(monkeypatch):
    whole = bootstrap(SCORES)
    monkeypatch.setattr("assay.stats.intervals.DRAWS", 7 * len(SCORES))
    assert bootstrap(SCORES) == pytest.approx(whole, rel=1e-12)


@settings(max_examples=settings.default.max_examples // 4)
@given(scores=st.lists(st.floats(0, 1), min_size=2, max_size=20), level=st.floats(0.01, 0.99), seed=st.integers(0, 9))
def test_stays_within_the_scores_and_in_order(scores, level, seed):
    low, high = bootstrap(np.array(scores), level=level, seed=seed, samples=50)
    assert min(scores) - 1e-12 <= low <= high <= max(scores) + 1e-12


@settings(max_examples=settings.default.max_examples // 4)
@given(scores=st.lists(st.floats(0, 1) | st.just(nan), max_size=20), aggregate=st.sampled_from(["mean", "geometric"]))
def test_undefined_scores_are_left_out(scores, aggregate):
    known = np.array([score for score in scores if not math.isnan(score)])
    found = bootstrap(np.array(scores, dtype=np.float64), aggregate, samples=50)
    assert found == bootstrap(known, aggregate, samples=50) or (len(known) < 2 and math.isnan(found.low))


@pytest.mark.parametrize("draw", ["beta", "binary"])
def test_holds_the_true_mean_as_often_as_it_says(draw):
    generator = np.random.default_rng(2)
    trials, queries, mean = 1500, 100, 0.4
    held = 0
    for trial in range(trials):
        is_beta = draw == "beta"
        scores = generator.beta(2, 3, size=queries) if is_beta else (generator.random(queries) < mean).astype(float)
        low, high = bootstrap(scores, samples=400, seed=trial)
        held += low <= mean <= high
    assert held / trials == pytest.approx(0.95, abs=0.03)


@for_each("level", [0, 1, -0.5, 95, nan, "95%", None])
def test_a_level_is_a_share(level):
    with pytest.raises(assay.errors.PolicyError, match=r"level must be a number between 0 and 1, such as 0\.95, not"):
        bootstrap(SCORES, level=level)


def test_numbers_of_numpy_are_numbers():
    scores = np.array([0.0, 1.0, 1.0, 0.5])
    assert bootstrap(scores, level=np.float64(0.9), seed=np.int64(3)) == bootstrap(scores, level=0.9, seed=3)


@for_each("columns", [1, 5, GATHERED, GATHERED + 1])
def test_totals_are_the_sums_of_what_is_drawn(columns):
    values = np.random.default_rng(1).normal(size=(30, columns))
    draws = np.random.default_rng(7).integers(30, size=(50, 30), dtype=np.int32)
    shares = []
    found = resampled_totals(values, 50, 7, shares.append)
    assert np.array_equal(found, summable(values)[draws].sum(axis=1))
    assert shares[-1] == 1


def test_totals_of_infinite_values_are_no_numbers_where_these_are_not_drawn():
    with np.errstate(invalid="ignore"):
        totals = resampled_totals(np.array([[1.0, 1.0], [np.inf, 2.0], [3.0, 3.0]]), 60, 0)
    is_drawn = (np.random.default_rng(0).integers(3, size=(60, 3), dtype=np.int32) == 1).any(axis=1)
    assert np.array_equal(np.isnan(totals[:, 0]), ~is_drawn)
    assert np.isfinite(totals[:, 1]).all()
