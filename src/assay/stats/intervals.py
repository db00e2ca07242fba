"""How sure a number is: confidence intervals by resampling queries, and the difference that so many can show.

One number gets the percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), a
difference between two systems the bias-corrected and accelerated one, BCa (Efron, JASA 82, 1987).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from typing import NamedTuple

import numpy as np

from assay._kernel import Draws, Sums
from assay.core.errors import PolicyError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.measure import AGGREGATES
from assay.core.policies import check_whole
from assay.core.progress import Report
from assay.core.text import show
from assay.engine.local import count_threads, map_in_threads

POWER = 0.8
# Points at which the distribution of a standard deviation is taken.
POINTS = 4000
# Samples for the interval of one number, and for that of a difference.
SAMPLES = 1000
DIFFERENCE_SAMPLES = 2000
# An interval needs this many queries.
FEWEST = 2
# Draws held at a time, which bounds the memory for any number of queries.
DRAWS = 4_000_000
# Those whose sums the kernel takes at a time, which need less room.
SUMMED_DRAWS = 1_000_000
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
    table, draws, threads = Sums(summable(values).tobytes(), columns), draws_of(seed), count_threads(None)
    totals, rows = np.empty((columns, samples)), max(1, SUMMED_DRAWS // count)
    for start in range(0, samples, rows):
        number = min(rows, samples - start)
        sums = np.frombuffer(table.resampled(draws, number, threads))
        totals[:, start : start + number] = sums.reshape(columns, number)
        if report is not None:
            report((start + number) / samples)
    return totals.T


def draws_of(seed: int) -> Draws:
    """What draws as NumPy does, whose own generators take long to load."""
    return Draws([int(seed) >> shift & 0xFFFFFFFF for shift in range(0, max(1, int(seed).bit_length()), 32)])


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
    draws, rows = draws_of(seed), max(1, DRAWS // count)
    for start in range(0, samples, rows):
        number = min(rows, samples - start)
        drawn = np.frombuffer(draws.many(count, number * count), dtype=np.int32).reshape(number, count)
        times = np.empty((number, count))
        for row, place in zip(drawn, times, strict=True):
            place[:] = np.bincount(row, minlength=count)
        yield times


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


def difference_interval(
    a: FloatArray,
    b: FloatArray,
    aggregate: str = "mean",
    *,
    level: float = 0.95,
    samples: int = DIFFERENCE_SAMPLES,
    seed: int = 0,
) -> Interval:
    """The interval of `b` minus `a`, over the queries with a value in both.

    >>> difference_interval(np.array([0.0, 0.5, 0.25, 0.5]), np.array([0.5, 0.5, 0.5, 1.0]))
    Interval(low=0.0625, high=0.5)
    """
    return difference_intervals([a], [b], [aggregate], level=level, samples=samples, seed=seed)[0]


def difference_intervals(
    a: Sequence[FloatArray],
    b: Sequence[FloatArray],
    aggregates: Sequence[str],
    *,
    level: float = 0.95,
    samples: int = DIFFERENCE_SAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The interval of each pair. Pairs defined for the same queries share their samples, and arrays their sums."""
    groups: dict[bytes, list[int]] = {}
    for number, (before, after) in enumerate(zip(a, b, strict=True)):
        groups.setdefault(np.isnan(before + after).tobytes(), []).append(number)
    intervals: dict[int, Interval] = {}
    for undefined, numbers in groups.items():
        defined = ~np.frombuffer(undefined, dtype=np.bool_)
        sides = {(id(side[number]), aggregates[number]): side[number][defined] for number in numbers for side in (a, b)}
        drawn = resampled_systems(sides, samples, seed)
        systems = [[drawn[id(side[number]), aggregates[number]] for side in (a, b)] for number in numbers]
        found = map_in_threads(lambda both: interval_between(both[0], both[1], level), systems)
        intervals.update(zip(numbers, found, strict=True))
    return [intervals[number] for number in range(len(a))]


class Resampled(NamedTuple):
    """The number of a system, and what it is on resampled queries and on all queries but one."""

    number: float
    drawn: FloatArray
    left_out: FloatArray


def resampled_systems(
    sides: Mapping[tuple[int, str], FloatArray], samples: int, seed: int
) -> dict[tuple[int, str], Resampled]:
    """Each system's scores resampled, by the same keys, of which the second part is the aggregate."""
    prepared = np.stack([AGGREGATES[key[1]].prepare(scores) for key, scores in sides.items()], axis=1)
    totals, count = resampled_totals(prepared, samples, seed), len(prepared)
    found = {}
    for place, key in enumerate(sides):
        finish, column = AGGREGATES[key[1]].finish, np.ascontiguousarray(prepared[:, place])
        if count < FEWEST:
            found[key] = Resampled(float("nan"), column, column)
            continue
        # Added one by one.
        total = np.cumsum(column)[-1]
        found[key] = Resampled(finish(total, count), finish(totals[:, place], count), finish(total - column, count - 1))
    return found


def interval_between(a: Resampled, b: Resampled, level: float) -> Interval:
    """The interval of the difference between two systems."""
    if len(a.left_out) < FEWEST:
        return Interval(float("nan"), float("nan"))
    largest = np.maximum(np.abs(a.number), np.abs(b.number))
    return bounds_of(b.drawn - a.drawn, float(b.number - a.number), b.left_out - a.left_out, largest, level)


def interval_of(
    both: FloatArray, drawn: FloatArray, finish: Callable[[FloatArray, int], FloatArray], level: float
) -> Interval:
    """The interval of one pair: `both` has one row per query, `drawn` the totals of one sample per row.

    `finish` turns totals over a number of queries into the numbers of the two systems.
    """
    count = len(both)
    if count < FEWEST:
        return Interval(float("nan"), float("nan"))

    def difference(totals: FloatArray, number: int) -> FloatArray:
        numbers = finish(totals, number)
        return np.asarray(numbers[..., 1] - numbers[..., 0])

    total = both.sum(axis=0)
    largest = np.abs(finish(total, count)).max()
    left_out = difference(total - both, count - 1)
    return bounds_of(difference(drawn, count), float(difference(total, count)), left_out, largest, level)


def bounds_of(estimates: FloatArray, observed: float, left_out: FloatArray, largest: float, level: float) -> Interval:
    """The interval of a difference, from its value on resampled queries; `largest` is the larger number of the two."""
    estimates = np.sort(estimates)
    if estimates[-1] - estimates[0] <= ROUNDING * largest:
        return Interval(observed, observed)
    return accelerated(estimates, observed, left_out, level)


def accelerated(estimates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """The quantiles of the sorted estimates, corrected for bias and skewness; `left_out` is the jackknife."""
    from scipy.special import ndtr, ndtri

    count = len(estimates)
    # Estimates that equal the observed difference up to rounding count half.
    near = ROUNDING * max(abs(float(estimates[0])), abs(float(estimates[-1])))
    below = (estimates.searchsorted(observed - near) + estimates.searchsorted(observed + near)) / 2
    bias = ndtri(min(max(below / count, 0.5 / count), 1 - 0.5 / count))
    centred = left_out.mean() - left_out
    # Powers of negative numbers are slow, and their last bit depends on the processor.
    squared = centred * centred
    squares = float(squared.sum())
    skewness = float((squared * centred).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    moved = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    # With a level near 1 and large skewness the formula has a pole; beyond it the bound is the outermost estimate.
    shares = ndtr(bias + moved / np.maximum(1 - skewness * moved, 1e-9))
    low, high = np.interp(shares * (count - 1), np.arange(count), estimates)
    return Interval(float(low), float(high))


def deviation(differences: FloatArray) -> float:
    """The standard deviation of a sample; exactly 0 if the values differ only by rounding."""
    if len(differences) < 2:  # noqa: PLR2004 - one value has no spread
        return 0.0
    low, high = differences.min(), differences.max()
    if high - low <= ROUNDING * max(high, -low):
        return 0.0
    return float(differences.std(ddof=1))


def detectable(differences: FloatArray, alpha: float, spread: float | None = None) -> float:
    """The smallest mean difference that a paired t test on this many queries detects with 80 % power.

    NaN if the differences do not vary, since their spread on other queries is then unknown. `spread` is their standard
    deviation, if it is known.
    """
    spread = deviation(differences) if spread is None else spread
    return detectable_effect(len(differences), alpha) * spread if spread else float("nan")


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
