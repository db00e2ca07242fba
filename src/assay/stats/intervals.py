"""How sure a number is: confidence intervals by resampling queries, and the difference that so many can show.

One number gets the percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), a
difference between two systems the bias-corrected and accelerated one, BCa (Efron, Better bootstrap confidence
intervals, JASA 82, 1987). The kernel works out all pairs on all cores; each array is passed to it once for many pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from assay._kernel import Lists, Sums, times_drawn
from assay.core.errors import PolicyError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.measure import AGGREGATES
from assay.core.policies import check_whole
from assay.core.progress import Report
from assay.core.text import show
from assay.engine.kernel import count_threads

Arrays = tuple[FloatArray, FloatArray]
Span = tuple[float, float]
# The names of the two runs of each pair.
RunPairs = Sequence[tuple[str, str]]
Score = Callable[[FloatArray], FloatArray]

POWER = 0.8
# Points at which the distribution of a standard deviation is taken.
POINTS = 4000
# Samples for the interval of one number, and for that of a difference.
SAMPLES = 1000
DIFFERENCE_SAMPLES = 2000
# An interval needs this many queries.
FEWEST = 2
# Draws held at a time, which bounds the memory for any number of queries; fewer where they are counted and multiplied,
# so that all stays in the processor's cache.
DRAWS, COUNTED = 4_000_000, 125_000
# Bytes of arrays that are passed to the kernel at a time; they bound the memory for any number of queries and pairs.
PASSED = 32_000_000
# Up to this many columns are summed draw by draw.
GATHERED = 16
# The same number, computed in two ways, differs by less than this share of its size.
ROUNDING = 1e-9


class Interval(NamedTuple):
    low: float
    high: float


def bootstrap_all(
    scores: Mapping[str, FloatArray],
    aggregates: Mapping[str, str],
    *,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """The percentile interval of each measure at `level`. Measures defined for the same queries share their samples.

    NaN scores are left out. With fewer than two scores the interval is NaN: one query says nothing about others.

    >>> bootstrap_all({"rr": np.array([0.0, 1.0, 1.0, 1.0])}, {"rr": "mean"})
    {'rr': Interval(low=0.25, high=1.0)}
    """
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
    if not (isinstance(level, Real) and 0 < level < 1):
        raise PolicyError(f"level must be a number between 0 and 1, such as 0.95, not {show(level)}")


def widened(interval: Interval, scores: FloatArray, noise: FloatArray, bounds: Span, level: float) -> Interval:
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
    exact, threads = summable(values), count_threads(None)
    # A product of matrices is faster for many columns and right for infinite values.
    is_product = columns > GATHERED or not is_summable(values)
    table = None if is_product else Sums(exact.tobytes(), columns)
    totals, done = np.empty((samples, columns), order="C" if is_product else "F"), 0
    for draws in drawn_queries(count, samples, seed, COUNTED if is_product else DRAWS):
        if table is None:
            sums = np.frombuffer(times_drawn(draws.tobytes(), count)).reshape(draws.shape) @ exact
        else:
            sums = np.frombuffer(table.drawn(draws.tobytes(), threads)).reshape(columns, -1).T
        totals[done : done + len(draws)] = sums
        done += len(draws)
        if report is not None:
            report(done / samples)
    return totals


def drawn_queries(count: int, samples: int, seed: int, held: int) -> Iterator[np.ndarray[Any, np.dtype[np.int32]]]:
    """The numbers of the queries that each sample draws, one row per sample; some samples at a time."""
    generator, rows = np.random.default_rng(seed), max(1, held // count)
    for start in range(0, samples, rows):
        yield generator.integers(count, size=(min(rows, samples - start), count), dtype=np.int32)


def resampled_times(count: int, samples: int, seed: int) -> Iterator[FloatArray]:
    """How often each query is drawn, one row per sample."""
    for draws in drawn_queries(count, samples, seed, COUNTED):
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


def variance(values: FloatArray) -> float:
    """The variance of a sample; exactly 0 if the values differ only by rounding, NaN for fewer than two."""
    if len(values) < FEWEST:
        return float("nan")
    is_constant = np.ptp(values) <= ROUNDING * np.abs(values).max()
    return 0.0 if is_constant else float(values.var(ddof=1))


def deviation(values: FloatArray) -> float:
    """The standard deviation of a sample; 0 for one value, which has no spread."""
    return math.sqrt(variance(values)) if len(values) >= FEWEST else 0.0


# Numbers too large for their sums have no interval.
@np.errstate(over="ignore", invalid="ignore")
def difference_intervals(
    a: Sequence[FloatArray],
    b: Sequence[FloatArray],
    aggregates: Sequence[str],
    *,
    level: float = 0.95,
    samples: int = DIFFERENCE_SAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The intervals of `b` minus `a`, over the queries with a value in both.

    Pairs defined for the same queries share their samples, and arrays their sums.
    """
    intervals: dict[int, Interval] = {}
    groups: dict[bytes, list[int]] = {}
    without = {id(each): np.isnan(each).tobytes() for each in (*a, *b)}
    for number, (before, after) in enumerate(zip(a, b, strict=True)):
        undefined = without[id(before)]
        if undefined != without[id(after)]:
            undefined = np.isnan(before + after).tobytes()
        groups.setdefault(undefined, []).append(number)
    for undefined, numbers in groups.items():
        defined = ~np.frombuffer(undefined, dtype=np.bool_)
        sides = {(id(side[each]), aggregates[each]): side[each] for each in numbers for side in (a, b)}
        drawn = resample_systems({key: scores[defined] for key, scores in sides.items()}, samples, seed)
        systems = [(drawn[id(a[each]), aggregates[each]], drawn[id(b[each]), aggregates[each]]) for each in numbers]
        intervals.update(zip(numbers, intervals_between(systems, level), strict=True))
    return [intervals[number] for number in range(len(a))]


class Resampled(NamedTuple):
    """The number of a system, and what it is on resampled queries and on all queries but one."""

    number: float
    drawn: FloatArray
    left_out: FloatArray


def resample_systems(
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


def intervals_between(systems: Sequence[tuple[Resampled, Resampled]], level: float) -> list[Interval]:
    """The interval of the difference between the two systems of each pair, all on the same queries."""
    if len(systems[0][0].left_out) < FEWEST:
        return [Interval(float("nan"), float("nan"))] * len(systems)
    threads = count_threads(None)
    observed = np.array([b.number - a.number for a, b in systems])
    largest = np.array([np.maximum(np.abs(a.number), np.abs(b.number)) for a, b in systems])
    skewed: list[float] = []
    for batch in batches_of((a.left_out, b.left_out) for a, b in systems):
        moments = batch.lists().moments(batch.numbers(), threads)
        skewed += [skewness(*each) for each in np.frombuffer(moments).reshape(-1, 2).tolist()]
    found: list[Interval] = []
    for batch in batches_of((a.drawn, b.drawn) for a, b in systems):
        part = slice(len(found), len(found) + len(batch.pairs))
        lists, numbers = batch.lists(), batch.numbers()
        spans = lists.spans(numbers, observed[part].tobytes(), ROUNDING, threads)
        least, most, below = np.frombuffer(spans).reshape(-1, 3).T
        places = accelerated_places(below, len(batch.arrays[0]), np.array(skewed[part]), level)
        are_finite = np.array([np.isfinite(each).all() for each in batch.arrays])[np.array(batch.pairs)].all(axis=1)
        is_known = np.isfinite(most - least) & np.isfinite(places).all(axis=1) & are_finite
        is_one = is_known & (most - least <= ROUNDING * largest[part])
        # Between two estimates, as `np.interp` gives them.
        places = np.where(is_known[:, None], places, 0.0)
        whole = np.floor(places)
        quantiles = lists.quantiles(numbers, whole.astype(np.uint32).tobytes(), threads)
        low, high = np.moveaxis(np.frombuffer(quantiles).reshape(*places.shape, 2), 2, 0)
        between = np.where(places == whole, low, (high - low) * (places - whole) + low)
        bounds = np.where(is_one[:, None], observed[part][:, None], between)
        found += map(Interval._make, np.where(is_known[:, None], bounds, np.nan).tolist())
    return found


def skewness(squares: float, cubes: float) -> float:
    """The acceleration, from the sums of squares and cubes of what the jackknife gives; NaN if they are too large."""
    try:
        return cubes / (6 * squares**1.5) if squares else 0.0
    except ArithmeticError:
        return float("nan")


def accelerated_places(below: FloatArray, count: int, skewness: FloatArray, level: float) -> FloatArray:
    """The places of the two bounds of each pair among its ascending estimates, corrected for bias and skewness.

    `below` is how many of the estimates are below the observed difference.
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(np.minimum(np.maximum(below / count, 0.5 / count), 1 - 0.5 / count))[:, None]
    moved = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    # With a level near 1 and large skewness the formula has a pole; beyond it the bound is the outermost estimate.
    shares = ndtr(bias + moved / np.maximum(1 - skewness[:, None] * moved, 1e-9))
    return np.asarray(shares * (count - 1))


@np.errstate(over="ignore", invalid="ignore")
def pooled_interval(both: FloatArray, score: Score, *, level: float, seed: int) -> Interval:
    """The interval of the second run's score of summed statistics minus the first's, by resampling queries.

    `both` has a row of the statistics of both runs for each query; `score` gives both scores of their totals.
    """
    if len(both) < FEWEST:
        return Interval(float("nan"), float("nan"))
    total = both.sum(axis=0)
    numbers, drawn = score(total), score(resampled_totals(both, DIFFERENCE_SAMPLES, seed))
    left_out = score(total - both)
    a, b = (Resampled(float(numbers[side]), drawn[:, side], left_out[:, side]) for side in (0, 1))
    return intervals_between([(a, b)], level)[0]


class PairBatch(NamedTuple):
    """Pairs of arrays of one length: the arrays, each once, and for each pair the numbers of its two."""

    arrays: list[FloatArray]
    pairs: list[tuple[int, int]]

    def lists(self) -> Lists:
        return Lists(self.joined(), len(self.arrays[0]))

    def joined(self) -> bytes:
        return b"".join(np.ascontiguousarray(each).data for each in self.arrays)

    def numbers(self) -> bytes:
        return np.array(self.pairs, dtype=np.uint32).tobytes()


def batches_of(pairs: Iterable[Arrays]) -> Iterator[PairBatch]:
    """The pairs in batches, in order."""
    batch, places = PairBatch([], []), dict[int, int]()
    for pair in pairs:
        held = (len(batch.arrays) + 2) * pair[0].nbytes
        if batch.arrays and (len(pair[0]) != len(batch.arrays[0]) or held > PASSED):
            yield batch
            batch, places = PairBatch([], []), {}
        for each in pair:
            # The batch keeps the array, so that no other gets its identity.
            if places.setdefault(id(each), len(batch.arrays)) == len(batch.arrays):
                batch.arrays.append(each)
        batch.pairs.append((places[id(pair[0])], places[id(pair[1])]))
    if batch.pairs:
        yield batch


def detectable_difference(count: int, alpha: float, spread: float) -> float:
    """The smallest mean difference that a paired t test on this many queries detects with 80 % power.

    NaN if the differences do not vary, since their spread on other queries is then unknown.
    """
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
