"""How sure a number is: confidence intervals by resampling queries, and the difference that so many can show.

One number gets the percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), a
difference between two systems that of `difference_intervals.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import Sums, times_drawn
from assay.core.errors import PolicyError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.measure import AGGREGATES
from assay.core.policies import check_whole
from assay.core.progress import Report
from assay.core.text import show
from assay.engine.kernel import count_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

POWER = 0.8
# Points at which the distribution of a standard deviation is taken.
POINTS = 4000
# Samples for the interval of one number.
SAMPLES = 1000
# An interval needs this many queries.
FEWEST = 2
# Draws held at a time, which bounds the memory for any number of queries.
DRAWS = 4_000_000
# Up to this many columns are summed draw by draw.
GATHERED = 16
# The same number, computed in two ways, differs by less than this share of its size.
ROUNDING = 1e-9


class Interval(NamedTuple):
    """A lower and an upper bound."""

    low: float
    high: float


def bootstrap(
    scores: FloatArray, aggregate: str = "mean", *, level: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """The percentile interval, at `level`, of the aggregate over resampled queries.

    NaN scores are left out. With fewer than two scores the interval is NaN: one query says nothing about others.

    >>> bootstrap(np.array([0.0, 1.0, 1.0, 1.0]))
    Interval(low=0.25, high=1.0)
    """
    return bootstrap_all({"": scores}, {"": aggregate}, level=level, samples=samples, seed=seed)[""]


def bootstrap_all(
    scores: Mapping[str, FloatArray],
    aggregates: Mapping[str, str],
    *,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """The interval of each measure. Measures defined for the same queries share their samples."""
    check_level(level)
    check_whole("seed", seed, 0)
    names = list(scores)
    intervals: dict[str, Interval] = {}
    for defined, numbers in alike(np.stack(list(scores.values()), axis=1)):
        group = [names[number] for number in numbers]
        prepared = np.stack([AGGREGATES[aggregates[name]].prepare(scores[name][defined]) for name in group], axis=1)
        # An infinite score has no interval.
        with np.errstate(invalid="ignore"):
            totals = resampled_totals(prepared if len(prepared) >= FEWEST else prepared[:0], samples, seed)
        for name, column in zip(group, totals.T, strict=True):
            intervals[name] = percentiles(AGGREGATES[aggregates[name]].finish(column, len(prepared)), level)
    return {name: intervals[name] for name in scores}


def check_level(level: float) -> None:
    """Raises unless it is the level of an interval."""
    if not (isinstance(level, Real) and 0 < level < 1):
        raise PolicyError(f"level must be a number between 0 and 1, such as 0.95, not {show(level)}")


def widened(
    interval: Interval, scores: FloatArray, noise: FloatArray, bounds: tuple[float, float], level: float
) -> Interval:
    """An interval that also allows for the noise of each score, given as variances; it stays within the bounds.

    >>> widened(Interval(0.25, 0.75), np.array([0.0, 1.0]), np.array([0.5, 0.5]), (0, 1), 0.95)
    Interval(low=0.1464466094067262, high=0.8535533905932737)
    """
    defined = ~np.isnan(scores)
    values, extra = scores[defined], float(np.mean(noise[defined])) if defined.any() else 0.0
    if len(values) < FEWEST or not extra:
        return interval
    mean, spread = float(values.mean()), float(values.var(ddof=1))
    if spread:
        factor = float(np.sqrt(1 + extra / spread))
        low, high = mean - (mean - interval.low) * factor, mean + (interval.high - mean) * factor
    else:
        from statistics import NormalDist

        half = NormalDist().inv_cdf((1 + level) / 2) * float(np.sqrt(extra / len(values)))
        low, high = mean - half, mean + half
    return Interval(max(low, bounds[0]), min(high, bounds[1]))


def alike(columns: FloatArray) -> Iterator[tuple[BoolArray, IntArray]]:
    """Groups of columns that are defined for the same queries: which queries, and the indices of the columns."""
    groups: dict[bytes, list[int]] = {}
    undefined = np.isnan(columns)
    for number, column in enumerate(undefined.T):
        groups.setdefault(column.tobytes(), []).append(number)
    for numbers in groups.values():
        yield ~undefined[:, numbers[0]], np.array(numbers)


def resampled_totals(values: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """The sum of each column over queries drawn with replacement, one row per sample."""
    count, columns = values.shape
    if not count:
        return np.full((samples, columns), np.nan)
    if columns > GATHERED or not is_summable(values):
        return weighted_totals(values, samples, seed, report)
    table, threads = Sums(summable(values).tobytes(), columns), count_threads(None)
    totals, done = np.empty((columns, samples)), 0
    for draws in drawn_queries(count, samples, seed):
        sums = np.frombuffer(table.drawn(draws.tobytes(), threads)).reshape(columns, -1)
        totals[:, done : done + len(draws)] = sums
        done += len(draws)
        if report is not None:
            report(done / samples)
    return totals.T


def drawn_queries(count: int, samples: int, seed: int) -> Iterator[NDArray[np.int32]]:
    """The numbers of the queries that each sample draws, one row per sample; some samples at a time."""
    generator, rows = np.random.default_rng(seed), max(1, DRAWS // count)
    for start in range(0, samples, rows):
        yield generator.integers(count, size=(min(rows, samples - start), count), dtype=np.int32)


def weighted_totals(values: FloatArray, samples: int, seed: int, report: Report | None) -> FloatArray:
    """The same as a product of matrices, which is faster for many columns and right for infinite values."""
    exact, totals = summable(values), []
    for times in resampled_times(len(values), samples, seed):
        totals.append(times @ exact)
        if report is not None:
            report(min(1.0, sum(map(len, totals)) / samples))
    return np.concatenate(totals)


def resampled_times(count: int, samples: int, seed: int) -> Iterator[FloatArray]:
    """How often each query is drawn, one row per sample; some samples at a time."""
    for draws in drawn_queries(count, samples, seed):
        yield np.frombuffer(times_drawn(draws.tobytes(), count)).reshape(draws.shape)


def is_summable(values: FloatArray) -> bool:
    """Whether all sums of this many of the values are finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.abs(values).max(initial=0.0) * len(values)))


def summable(values: FloatArray) -> FloatArray:
    """The values, rounded in their last digits so that sums of this many of them are exact, column by column.

    Such a sum is the same in any order, and so with any number of threads.
    """
    _, exponent = np.frexp(np.abs(values).max(axis=0, initial=0.0) * len(values))
    unit = np.maximum(np.ldexp(1.0, exponent - 52), np.finfo(np.float64).tiny)
    return np.asarray(np.round(values / unit) * unit, dtype=np.float64)


def percentiles(estimates: FloatArray, level: float) -> Interval:
    """The bounds that cut off the same share on each side."""
    if np.isnan(estimates).all():
        return Interval(float("nan"), float("nan"))
    tail = (1 - level) / 2
    # As np.quantile does; that would import numpy.ma, which takes a tenth of the start of `assay eval`.
    places = np.array((tail, 1 - tail)) * (len(estimates) - 1)
    low, high = np.interp(places, np.arange(len(estimates)), np.sort(estimates))
    return Interval(float(low), float(high))


def deviation(differences: FloatArray) -> float:
    """The standard deviation of a sample; exactly 0 if the values differ only by rounding."""
    if len(differences) < 2:  # noqa: PLR2004 - one value has no spread
        return 0.0
    low, high = differences.min(), differences.max()
    if high - low <= ROUNDING * max(high, -low):
        return 0.0
    return float(differences.std(ddof=1))


def detectable(differences: FloatArray, alpha: float) -> float:
    """The smallest mean difference that a paired t test on this many queries detects with 80 % power.

    NaN if the differences do not vary, since their spread on other queries is then unknown.
    """
    return detectable_difference(len(differences), alpha, deviation(differences))


def detectable_difference(count: int, alpha: float, spread: float) -> float:
    """The same, from the number of differences and their standard deviation."""
    return detectable_effect(count, alpha) * spread if spread else float("nan")


@lru_cache(maxsize=256)
def detectable_effect(count: int, alpha: float, power: float = POWER) -> float:
    """The same in standard deviations: the effect at which the two-sided test reaches `power`."""
    from scipy.special import gammaincinv, ndtr, stdtrit

    freedom = count - 1
    # Quantiles, densest at both ends, where the distribution bends most, and the probability mass of each.
    place = (np.arange(POINTS) + 0.5) / POINTS
    quantiles, shares = place**3 * (10 - 15 * place + 6 * place**2), 30 * place**2 * (1 - place) ** 2 / POINTS
    deviations = np.sqrt(gammaincinv(freedom / 2, quantiles) * 2 / freedom)
    needed = -stdtrit(freedom, alpha / 2) * deviations

    def power_at(shift: float) -> float:
        return float((shares * (ndtr(shift - needed) + ndtr(-shift - needed))).sum())

    low, high = 0.0, 1.0
    while power_at(high) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power_at(middle) < power else (low, middle)
    return high / float(np.sqrt(count))
