"""The differences between two systems, query by query, what they come to, and how sure that is, for many pairs at once.

Intervals are those of the bias-corrected and accelerated bootstrap, BCa (Efron, Better bootstrap confidence intervals,
JASA 82, 1987). The kernel works out all pairs on all cores; each array is passed to it once for many pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import Lists
from assay.core.measure import AGGREGATES
from assay.engine.kernel import count_threads
from assay.stats.intervals import FEWEST, ROUNDING, Interval, resampled_totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assay.core.judged import BoolArray, FloatArray

    Arrays = tuple[FloatArray, FloatArray]

# Bytes of arrays that are passed to the kernel at a time; they bound the memory for any number of queries and pairs.
PASSED = 32_000_000
# Samples for the interval of a difference.
DIFFERENCE_SAMPLES = 2000


class Figures(NamedTuple):
    """What some differences come to: `counted` of them are not NaN, `squares` is of their distances to the mean."""

    counted: float
    higher: float
    lower: float
    least: float
    largest: float
    total: float
    squares: float


class Rounded(NamedTuple):
    """Differences rounded as `summable` does: their sum without signs, which is NaN if it may be too large, and with.

    `gap` is how far they are from the differences of other arrays, together.
    """

    counted: float
    size: float
    total: float
    gap: float


class PairBatch(NamedTuple):
    """Pairs of arrays of one length: the arrays, each once, and for each pair the numbers of its two."""

    arrays: list[FloatArray]
    pairs: list[tuple[int, int]]


def differences_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """`b` minus `a` per query; exactly 0 if the difference is only rounding, NaN if a value is not finite.

    >>> differences_of(np.array([0.3, 0.5]), np.array([0.1 + 0.2, 1.0]))
    array([0. , 0.5])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        moved = b - a
    if not np.isfinite(moved).all():
        moved = np.where(np.isfinite(a) & np.isfinite(b), moved, np.nan)
    moved[np.abs(moved) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    return moved


def figures_of(pairs: Iterable[Arrays]) -> list[Figures]:
    """The figures of `differences_of` each pair.

    >>> figures_of([(np.array([1.0, 2.0, np.nan]), np.array([2.0, 0.0, np.nan]))])[0]._asdict()
    {'counted': 2.0, 'higher': 1.0, 'lower': 1.0, 'least': -2.0, 'largest': 1.0, 'total': -1.0, 'squares': 4.5}
    """
    found: list[Figures] = []
    for arrays, numbers in batches_of(pairs):
        lists = Lists(join_arrays(arrays), len(arrays[0]))
        figures = lists.figures(pack_pairs(numbers), ROUNDING, count_threads(None))
        found += map(Figures._make, np.frombuffer(figures).reshape(-1, len(Figures._fields)).tolist())
    return found


def rounded_of(pairs: Sequence[Arrays], others: Sequence[Arrays]) -> list[Rounded]:
    """`differences_of` each pair, rounded, next to the plain differences of another pair; the pairs share their arrays.

    >>> rounded_of([(np.array([0.25]), np.array([1.0]))], [(np.array([0.25]), np.array([0.5]))])
    [Rounded(counted=1.0, size=0.75, total=0.75, gap=0.5)]
    """
    found: list[Rounded] = []
    for batch, other in zip(batches_of(pairs), batches_of(others), strict=True):
        lists, systems = Lists(join_arrays(batch.arrays), len(batch.arrays[0])), join_arrays(other.arrays)
        rounded = lists.rounded(pack_pairs(batch.pairs), ROUNDING, systems, count_threads(None))
        found += map(Rounded._make, np.frombuffer(rounded).reshape(-1, len(Rounded._fields)).tolist())
    return found


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


def join_arrays(arrays: Sequence[FloatArray]) -> bytes:
    """The arrays one after the other."""
    return b"".join(np.ascontiguousarray(each).data for each in arrays)


def pack_pairs(pairs: Sequence[tuple[int, int]]) -> bytes:
    """The numbers of pairs, for the kernel."""
    return np.array(pairs, dtype=np.uint32).tobytes()


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
    """The interval of each pair. Pairs defined for the same queries share their samples, and arrays their sums."""
    intervals: dict[int, Interval] = {}
    for undefined, numbers in groups_of(a, b).items():
        defined = ~np.frombuffer(undefined, dtype=np.bool_)
        sides = {(id(side[each]), aggregates[each]): side[each] for each in numbers for side in (a, b)}
        drawn = resample_systems({key: scores[defined] for key, scores in sides.items()}, samples, seed)
        systems = [(drawn[id(a[each]), aggregates[each]], drawn[id(b[each]), aggregates[each]]) for each in numbers]
        intervals.update(zip(numbers, intervals_between(systems, level), strict=True))
    return [intervals[number] for number in range(len(a))]


def groups_of(a: Sequence[FloatArray], b: Sequence[FloatArray]) -> dict[bytes, list[int]]:
    """The numbers of the pairs by the queries that have no value in both, a byte each."""
    groups: dict[bytes, list[int]] = {}
    distinct = {id(each): each for each in (*a, *b)}
    without = {number: np.isnan(each).tobytes() for number, each in distinct.items()}
    for number, (before, after) in enumerate(zip(a, b, strict=True)):
        undefined = without[id(before)]
        if undefined != without[id(after)]:
            undefined = np.isnan(before + after).tobytes()
        groups.setdefault(undefined, []).append(number)
    return groups


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
    observed = np.array([b.number - a.number for a, b in systems])
    largest = np.array([np.maximum(np.abs(a.number), np.abs(b.number)) for a, b in systems])
    skewness = np.concatenate([skewness_of(*each) for each in batches_of((a.left_out, b.left_out) for a, b in systems)])
    found: list[Interval] = []
    for arrays, pairs in batches_of((a.drawn, b.drawn) for a, b in systems):
        part = slice(len(found), len(found) + len(pairs))
        lists, numbers = Lists(join_arrays(arrays), len(arrays[0])), pack_pairs(pairs)
        spans = lists.spans(numbers, observed[part].tobytes(), ROUNDING, count_threads(None))
        least, most, below = np.frombuffer(spans).reshape(-1, 3).T
        places = accelerated_places(below, len(arrays[0]), skewness[part], level)
        is_known = np.isfinite(most - least) & np.isfinite(places).all(axis=1) & are_finite(arrays, pairs)
        is_one = is_known & (most - least <= ROUNDING * largest[part])
        between = interpolate(lists, numbers, np.where(is_known[:, None], places, 0.0))
        bounds = np.where(is_one[:, None], observed[part][:, None], between)
        found += map(Interval._make, np.where(is_known[:, None], bounds, np.nan).tolist())
    return found


def are_finite(arrays: Sequence[FloatArray], pairs: Sequence[tuple[int, int]]) -> BoolArray:
    """Whether all numbers of both arrays of each pair are finite."""
    finite = np.array([np.isfinite(each).all() for each in arrays])
    return np.asarray(finite[np.array(pairs)].all(axis=1))


def skewness_of(arrays: list[FloatArray], pairs: list[tuple[int, int]]) -> list[float]:
    """How skewed the numbers of each pair are that the jackknife gives."""
    moments = Lists(join_arrays(arrays), len(arrays[0])).moments(pack_pairs(pairs), count_threads(None))
    return [skewness(*each) for each in np.frombuffer(moments).reshape(-1, 2).tolist()]


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


def interpolate(lists: Lists, pairs: bytes, places: FloatArray) -> FloatArray:
    """The estimates at places between two of them, as `np.interp` gives them."""
    whole = np.floor(places)
    found = lists.quantiles(pairs, whole.astype(np.uint32).tobytes(), count_threads(None))
    low, high = np.moveaxis(np.frombuffer(found).reshape(*places.shape, 2), 2, 0)
    return np.asarray(np.where(places == whole, low, (high - low) * (places - whole) + low))


@np.errstate(over="ignore", invalid="ignore")
def interval_of(
    both: FloatArray, drawn: FloatArray, finish: Callable[[FloatArray, int], FloatArray], level: float
) -> Interval:
    """The interval of one pair: `both` has one row per query, `drawn` the totals of one sample per row.

    `finish` turns totals over a number of queries into the numbers of the two systems.
    """
    count = len(both)
    if count < FEWEST:
        return Interval(float("nan"), float("nan"))

    total = both.sum(axis=0)
    numbers, estimates, left_out = finish(total, count), finish(drawn, count), finish(total - both, count - 1)
    a, b = (Resampled(float(numbers[side]), estimates[:, side], left_out[:, side]) for side in (0, 1))
    return intervals_between([(a, b)], level)[0]
