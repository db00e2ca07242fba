"""Two systems by one measure: their scores side by side, how large the difference is, and what limits it.

Effect sizes: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; Cliff, Psychological Bulletin 114,
1993.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay._kernel import balances
from assay.core.judged import FloatArray
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind
from assay.engine.kernel import count_threads
from assay.stats.intervals import FEWEST, ROUNDING, Arrays, Interval, RunPairs, batches_of, detectable_difference

# Numbers of this many binary digits before or after the point can be squared and summed.
SAFE_EXPONENT = 300


class Pair(NamedTuple):
    """Two runs compared by one measure. `difference` is `b` minus `a`; a win is a query where `b` is better.

    All numbers are over the queries with a finite value in both runs; for Tukey's tests, in all runs. `low` and `high`
    bound the difference; `detectable` is the smallest difference that this many queries detect with 80 % power, in one
    comparison on its own.

    For a score of summed statistics, such as corpus BLEU, the two means are that score; `cohen_d` and `detectable`,
    which are about means over queries, are NaN, and the rest is computed from the values per query.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float
    cohen_d: float
    cliff_delta: float
    wins: int
    ties: int
    losses: int
    detectable: float


class Caution(NamedTuple):
    """Why the comparison of two runs by a measure says less than it seems to; `runs` is empty if it is about all."""

    note: Note
    runs: tuple[str, ...]


class Pool(NamedTuple):
    """The statistics of each run, one row per query, and the function that scores sums of them, one value per row."""

    statistics: Mapping[str, FloatArray]
    combine: Callable[[FloatArray], FloatArray]


class PooledSums(NamedTuple):
    """The statistics of two runs on the queries with a value in both, side by side, and the function that scores sums.

    >>> sums = PooledSums(np.array([[1.0, 2, 2, 2], [0, 2, 1, 2]]), lambda each: each[..., 0] / each[..., 1])
    >>> sums.scores(sums.both.sum(axis=0))
    array([0.25, 0.75])
    """

    both: FloatArray
    combine: Callable[[FloatArray], FloatArray]

    def scores(self, totals: FloatArray) -> FloatArray:
        """The scores of both runs for these totals; the last axis has the first and the second run."""
        return np.stack([self.combine(each) for each in np.split(totals, 2, axis=-1)], axis=-1)

    @property
    def is_equal(self) -> bool:
        """Whether the runs have the same statistics on every query."""
        first, second = np.split(self.both, 2, axis=1)
        return np.array_equal(first, second)


class Measured(NamedTuple):
    """The scores of each run by one measure, how they are aggregated, and the sign: -1 if lower is better.

    `pool` has the statistics of a measure that scores their sums.
    """

    scores: Mapping[str, FloatArray]
    aggregate: str = "mean"
    sign: int = 1
    pool: Pool | None = None


@dataclass(frozen=True, eq=False)
class Couple:
    """Two runs to compare by one measure: the scores of all queries, NaN in both where a run has no value.

    `averaged` is what is averaged of each run, its logarithms for a geometric mean; `means` are the aggregates, or the
    scores of `sums`, which is set if the measure is a score of summed statistics. Very large or small scores are
    divided by `scale`. `is_shared` says that other couples share both arrays.
    """

    measure: str
    a: str
    b: str
    first: FloatArray
    second: FloatArray
    averaged: Arrays
    means: tuple[float, float]
    cliff_delta: float
    aggregate: str
    sign: int
    scale: float = 1.0
    sums: PooledSums | None = None
    is_shared: bool = False

    def moved(self) -> FloatArray:
        """The differences of what is averaged; NaN where there is none."""
        return differences_of(*self.averaged)


class Differences(NamedTuple):
    """What the differences of a couple come to.

    `counted` of the queries have one. Scores are higher in `higher` of them and lower in `lower`. The other fields are
    about what is averaged of the scores; `is_equal` says that it does not differ.
    """

    queries: int
    counted: int
    higher: int
    lower: int
    spread: float
    cohen_d: float
    is_equal: bool


def differences_between(couples: Sequence[Couple]) -> list[Differences]:
    averaged = figures_of(each.averaged for each in couples)
    geometric = [each for each in couples if each.aggregate == "geometric"]
    scores = iter(figures_of((each.first, each.second) for each in geometric))
    found = []
    for couple, each in zip(couples, averaged, strict=True):
        counted = next(scores) if couple.aggregate == "geometric" else each
        higher, lower = int(counted.higher), int(counted.lower)
        # As `deviation`, exactly 0 if they differ only by rounding; one value has no spread.
        is_constant = each.largest - each.least <= ROUNDING * max(each.largest, -each.least)
        has_spread = each.counted >= FEWEST and not is_constant
        spread = math.sqrt(each.squares / (each.counted - 1)) if has_spread else 0.0
        is_equal = not each.higher + each.lower
        effect = cohen_d(each.total, spread, int(each.counted))
        found.append(Differences(len(couple.first), int(each.counted), higher, lower, spread, effect, is_equal))
    return found


def couples_of(measure: str, measured: Measured, names: RunPairs) -> list[Couple]:
    """The pairs of runs, each prepared for comparison on the queries with a finite value in both.

    Runs that have no value for the same queries share their arrays, and what is made of them, among all pairs.
    """
    if measured.pool is not None:
        return [couple_of(measure, measured, a, b) for a, b in names]
    scores = {run: np.where(np.isfinite(each), each, np.nan) for run, each in measured.scores.items()}
    undefined = {run: np.isnan(each) for run, each in scores.items()}
    largest = {run: np.nanmax(np.abs(each), initial=0.0) for run, each in scores.items()}
    aggregation, places = AGGREGATES[measured.aggregate], {run: place for place, run in enumerate(scores)}
    alike = ((a, b) for a, b in names if np.array_equal(undefined[a], undefined[b]))
    shared = [(a, b) for a, b in alike if is_safe(max(largest[a], largest[b]))]
    used = dict.fromkeys(run for pair in shared for run in pair)
    averaged = {run: aggregation.prepare(scores[run]) for run in used}
    means = {run: aggregation(scores[run]) for run in used}
    deltas = cliff_deltas([each[~undefined[run]] for run, each in scores.items()]) if shared else np.empty((0, 0))
    couples, common = [], set(shared)
    for a, b in names:
        if (a, b) in common:
            delta = float(deltas[places[a], places[b]])
            about = ((averaged[a], averaged[b]), (means[a], means[b]), delta, measured.aggregate, measured.sign)
            couples.append(Couple(measure, a, b, scores[a], scores[b], *about, is_shared=True))
        else:
            couples.append(couple_of(measure, measured, a, b))
    return couples


def couple_of(measure: str, measured: Measured, a: str, b: str) -> Couple:
    """Two runs, prepared for comparison on the queries with a finite value in both."""
    both = np.stack([measured.scores[a], measured.scores[b]], axis=1)
    counts, pool, aggregation = np.isfinite(both).all(axis=1), measured.pool, AGGREGATES[measured.aggregate]
    both[~counts] = np.nan
    both, scale = (both, 1.0) if pool is not None else scaled(both, measured.aggregate)
    first, second = np.ascontiguousarray(both.T)
    sums, means = None, (aggregation(first), aggregation(second))
    if pool is not None:
        statistics = np.concatenate([pool.statistics[run][counts] for run in (a, b)], axis=1)
        sums = PooledSums(statistics, pool.combine)
        means = tuple(sums.scores(statistics.sum(axis=0)).tolist()) if counts.any() else (math.nan, math.nan)
    averaged = (aggregation.prepare(first), aggregation.prepare(second))
    delta = cliff_delta(first[counts], second[counts])
    about = (averaged, means, delta, measured.aggregate, measured.sign, scale, sums)
    return Couple(measure, a, b, first, second, *about)


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


def differences_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """`b` minus `a` per query; exactly 0 if the difference is only rounding, NaN if a value is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved = b - a
    if not np.isfinite(moved).all():
        moved = np.where(np.isfinite(a) & np.isfinite(b), moved, np.nan)
    moved[np.abs(moved) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    return moved


def figures_of(pairs: Iterable[Arrays]) -> list[Figures]:
    """The figures of `differences_of` each pair."""
    found: list[Figures] = []
    for batch in batches_of(pairs):
        figures = batch.lists().figures(batch.numbers(), ROUNDING, count_threads(None))
        found += map(Figures._make, np.frombuffer(figures).reshape(-1, len(Figures._fields)).tolist())
    return found


def rounded_of(pairs: Sequence[Arrays], others: Sequence[Arrays]) -> list[Rounded]:
    """`differences_of` each pair, rounded, next to the plain differences of another; the pairs share their arrays."""
    found: list[Rounded] = []
    for batch, other in zip(batches_of(pairs), batches_of(others), strict=True):
        rounded = batch.lists().rounded(batch.numbers(), ROUNDING, other.joined(), count_threads(None))
        found += map(Rounded._make, np.frombuffer(rounded).reshape(-1, len(Rounded._fields)).tolist())
    return found


def scaled(scores: FloatArray, aggregate: str) -> tuple[FloatArray, float]:
    """Scores whose squares neither overflow nor underflow, and the power of two that they were divided by."""
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    if is_safe(largest) or aggregate == "geometric":
        return scores, 1.0
    # The largest power of two that a float can hold is 2^1023; dividing by it is enough.
    exponent = min(int(np.frexp(largest)[1]), 1023)
    return np.ldexp(scores, -exponent), float(np.ldexp(1.0, exponent))


def is_safe(largest: float) -> bool:
    """Whether the squares of numbers up to this one can be summed."""
    return bool(abs(np.frexp(largest)[1]) <= SAFE_EXPONENT)


def pair_of(
    couple: Couple, differences: Differences, p: float, p_corrected: float, interval: Interval, *, alpha: float
) -> Pair:
    (mean_a, mean_b), scale, is_mean = couple.means, couple.scale, couple.sums is None
    wins, losses = (differences.higher, differences.lower)[:: couple.sign]
    seen = detectable_difference(differences.counted, alpha, differences.spread)
    if couple.aggregate == "geometric":
        with np.errstate(over="ignore"):
            seen = mean_a * float(np.expm1(seen))
    elif couple.aggregate == "sum":
        seen *= differences.counted
    means = (mean_a * scale, mean_b * scale, (mean_b - mean_a) * scale, interval.low * scale, interval.high * scale)
    effects = (differences.cohen_d if is_mean else math.nan, couple.cliff_delta)
    counts = (wins, differences.counted - wins - losses, losses)
    seen = seen * scale if is_mean else math.nan
    return Pair(couple.measure, couple.a, couple.b, *means, p, p_corrected, *effects, *counts, seen)


def cohen_d(total: float, spread: float, count: int) -> float:
    """The mean of differences, given their sum, divided by their standard deviation; 0 if nothing differs."""
    if count < FEWEST:
        return float("nan")
    mean = total / count
    if spread == 0:
        return 0.0 if mean == 0 else math.copysign(math.inf, mean)
    return mean / spread


def cliff_delta(a: FloatArray, b: FloatArray) -> float:
    """How much more often a value of `b` is above one of `a` than below it, over all pairs; from -1 to 1."""
    return float(cliff_deltas([a, b])[0, 1])


def cliff_deltas(samples: Sequence[FloatArray]) -> FloatArray:
    """`cliff_delta` of each sample, by row, and each other one."""
    numbers = np.frombuffer(balances([each.tobytes() for each in samples]), dtype=np.int64)
    sizes = np.array([len(each) for each in samples])
    with np.errstate(invalid="ignore"):
        return np.asarray(numbers.reshape(len(samples), -1) / (sizes[:, None] * sizes))


def cautions(couple: Couple, differences: Differences) -> list[Caution]:
    """Why the comparison says less than it seems to."""
    notes = []
    if left_out := differences.queries - differences.counted:
        notes.append(Note.of(NoteKind.UNDEFINED, about="pair", count=left_out, measures=[couple.measure]))
    kind, about = None, ""
    if differences.counted <= 1:
        kind, about = NoteKind.FEW, "one" if differences.counted else ""
    elif differences.is_equal if couple.sums is None else couple.sums.is_equal:
        kind = NoteKind.EQUAL
    elif couple.sums is None and not math.isfinite(differences.cohen_d):
        kind = NoteKind.CONSTANT
    if kind is not None:
        notes.append(Note.of(kind, about=about, measures=[couple.measure]))
    return [Caution(note, (couple.a, couple.b)) for note in notes]
