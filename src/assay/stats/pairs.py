"""Two systems by one measure: their scores side by side, how large the difference is, and what limits it.

Effect sizes: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; Cliff, Psychological Bulletin 114,
1993.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import balance
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind
from assay.stats.intervals import ROUNDING, detectable, deviation
from assay.stats.pooled import Pool, Sums, sums_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.core.judged import BoolArray, FloatArray
    from assay.core.measure import Aggregation
    from assay.stats.intervals import Interval

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


class Measured(NamedTuple):
    """The scores of each run by one measure, how they are aggregated, and the sign: -1 if lower is better.

    `pool` has the statistics of a measure that scores their sums.
    """

    scores: Mapping[str, FloatArray]
    aggregate: str = "mean"
    sign: int = 1
    pool: Pool | None = None


@dataclass(frozen=True)
class Couple:
    """Two runs to compare by one measure: the scores of all queries.

    A query without a value in both runs is NaN in both arrays. Very large or small scores are divided by `scale`.
    `sums` is set if the measure is a score of summed statistics. `shared` is set if other couples share both arrays.
    """

    measure: str
    a: str
    b: str
    first: FloatArray
    second: FloatArray
    aggregate: str
    sign: int
    scale: float
    sums: Sums | None = None
    shared: Shared | None = None

    def differences(self) -> Differences:
        """The differences of what is averaged: of logarithms for a geometric mean."""
        moved = differences_between(self.first, self.second, self.aggregate)
        undefined = np.isnan(moved)
        counted = moved[~undefined] if undefined.any() else moved
        spread = deviation(counted)
        return Differences(moved, counted, spread, cohen_d(counted, spread))


class Differences(NamedTuple):
    """The differences of all queries, and of those that count, with their standard deviation and effect size."""

    moved: FloatArray
    counted: FloatArray
    spread: float
    cohen_d: float


def differences_between(first: FloatArray, second: FloatArray, aggregate: str) -> FloatArray:
    """The differences of what the aggregate is taken of."""
    prepare = AGGREGATES[aggregate].prepare
    return differences_of(prepare(first), prepare(second))


def couples_of(measure: str, measured: Measured, names: Iterable[tuple[str, str]]) -> Iterator[Couple]:
    """The pairs of runs, each prepared for comparison on the queries with a finite value in both.

    Runs that have no value for the same queries share their arrays among all pairs.
    """
    scores = {run: np.where(np.isfinite(each), each, np.nan) for run, each in measured.scores.items()}
    undefined = {run: np.isnan(each) for run, each in scores.items()}
    largest = {run: np.nanmax(np.abs(each), initial=0.0) for run, each in scores.items()}
    shared = Shared(scores)
    for a, b in names:
        is_shared = is_safe(max(largest[a], largest[b])) and np.array_equal(undefined[a], undefined[b])
        if is_shared and measured.pool is None:
            yield Couple(measure, a, b, scores[a], scores[b], measured.aggregate, measured.sign, 1.0, None, shared)
        else:
            yield couple_of(measure, measured, a, b)


def couple_of(measure: str, measured: Measured, a: str, b: str) -> Couple:
    """Two runs, prepared for comparison on the queries with a finite value in both."""
    both = np.stack([measured.scores[a], measured.scores[b]], axis=1)
    both[~is_complete(both)] = np.nan
    sums = None if measured.pool is None else sums_of(measured.pool, a, b, is_complete(both))
    both, scale = scaled(both, measured.aggregate) if sums is None else (both, 1.0)
    first, second = np.ascontiguousarray(both.T)
    return Couple(measure, a, b, first, second, measured.aggregate, measured.sign, scale, sums)


def complete_queries(measured: Measured) -> tuple[Measured, int]:
    """The scores of the queries with a finite value in all runs, and the number of other queries."""
    whole = is_complete(np.stack(list(measured.scores.values()), axis=1))
    scores = {name: each[whole] for name, each in measured.scores.items()}
    return measured._replace(scores=scores), int((~whole).sum())


def is_complete(scores: FloatArray) -> BoolArray:
    """The rows in which every value is finite."""
    return np.asarray(np.isfinite(scores).all(axis=1))


def scaled(scores: FloatArray, aggregate: str) -> tuple[FloatArray, float]:
    """Scores whose squares neither overflow nor underflow, and the power of two that they were divided by.

    >>> scaled(np.array([0.5, 2.0]), "mean")
    (array([0.5, 2. ]), 1.0)
    """
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    if is_safe(largest) or aggregate == "geometric":
        return scores, 1.0
    exponent = int(np.frexp(largest)[1])
    # The largest power of two that a float can hold; dividing by it is enough.
    exponent = min(exponent, 1023)
    return np.ldexp(scores, -exponent), float(np.ldexp(1.0, exponent))


def is_safe(largest: float) -> bool:
    """Whether the squares of numbers up to this one can be summed."""
    return bool(abs(np.frexp(largest)[1]) <= SAFE_EXPONENT)


def pair_of(
    couple: Couple, differences: Differences, p: float, p_corrected: float, interval: Interval, *, alpha: float
) -> Pair:
    """The comparison of two runs as a record."""
    first, second = scores_of(couple, differences)
    mean_a, mean_b = numbers_of(couple, first, second)
    moved = differences_of(first, second) if couple.aggregate == "geometric" else differences.counted
    higher, lower = int(np.count_nonzero(moved > 0)), int(np.count_nonzero(moved < 0))
    wins, losses = (higher, lower) if couple.sign > 0 else (lower, higher)
    seen = detectable(differences.counted, alpha, differences.spread)
    seen = in_its_units(seen, mean_a, couple.aggregate, len(first))
    is_mean = couple.sums is None
    return Pair(
        measure=couple.measure,
        a=couple.a,
        b=couple.b,
        mean_a=mean_a * couple.scale,
        mean_b=mean_b * couple.scale,
        difference=(mean_b - mean_a) * couple.scale,
        low=interval.low * couple.scale,
        high=interval.high * couple.scale,
        p=p,
        p_corrected=p_corrected,
        cohen_d=differences.cohen_d if is_mean else float("nan"),
        cliff_delta=cliff_delta(first, second) if couple.shared is None else couple.shared.delta(couple.a, couple.b),
        wins=wins,
        ties=len(moved) - wins - losses,
        losses=losses,
        detectable=seen * couple.scale if is_mean else float("nan"),
    )


def scores_of(couple: Couple, differences: Differences) -> tuple[FloatArray, FloatArray]:
    """The scores of the queries that count."""
    if len(differences.counted) == len(differences.moved):
        return couple.first, couple.second
    both = ~np.isnan(differences.moved)
    return couple.first[both], couple.second[both]


def numbers_of(couple: Couple, first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """The number of each run: the aggregate of its values, or the score of its summed statistics."""
    aggregation = AGGREGATES[couple.aggregate]
    if couple.shared is not None:
        return couple.shared.number(couple.a, aggregation), couple.shared.number(couple.b, aggregation)
    if couple.sums is None:
        return aggregation(first), aggregation(second)
    if not len(first):
        return float("nan"), float("nan")
    mean_a, mean_b = couple.sums.scores(couple.sums.both.sum(axis=0)).tolist()
    return mean_a, mean_b


def in_its_units(step: float, start: float, aggregate: str, queries: int) -> float:
    """How far a step in the values that are averaged moves the aggregate."""
    if aggregate == "geometric":
        with np.errstate(over="ignore"):
            return start * float(np.expm1(step))
    return step * queries if aggregate == "sum" else step


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


def cohen_d(differences: FloatArray, spread: float | None = None) -> float:
    """The mean difference divided by the standard deviation of the differences, if not given; 0 if nothing differs.

    >>> cohen_d(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    if len(differences) < 2:  # noqa: PLR2004 - one value has no spread
        return float("nan")
    mean, spread = float(differences.mean()), deviation(differences) if spread is None else spread
    if spread == 0:
        return 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return mean / spread


def cliff_delta(a: FloatArray, b: FloatArray) -> float:
    """How much more often a value of `b` is above one of `a` than below it, over all pairs; from -1 to 1.

    >>> cliff_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.75
    """
    return ordered_delta(np.sort(a), np.sort(b))


def ordered_delta(a: FloatArray, b: FloatArray) -> float:
    """The same for ascending values."""
    size = len(a) * len(b)
    return balance(a.tobytes(), b.tobytes()) / size if size else float("nan")


class Shared:
    """What all pairs of some runs share: each run's number, and its scores in ascending order, worked out once."""

    def __init__(self, scores: Mapping[str, FloatArray]) -> None:
        self._scores = {run: each[~np.isnan(each)] for run, each in scores.items()}
        self._ordered: dict[str, FloatArray] = {}
        self._numbers: dict[str, float] = {}

    def number(self, run: str, aggregate: Aggregation) -> float:
        """The number of a run."""
        if run not in self._numbers:
            self._numbers[run] = aggregate(self._scores[run])
        return self._numbers[run]

    def delta(self, a: str, b: str) -> float:
        """`cliff_delta` of two runs."""
        return ordered_delta(self._in_order(a), self._in_order(b))

    def _in_order(self, run: str) -> FloatArray:
        if run not in self._ordered:
            self._ordered[run] = np.sort(self._scores[run])
        return self._ordered[run]


def cautions(couple: Couple, differences: Differences) -> list[Caution]:
    """Why the comparison says less than it seems to."""
    moved = differences.counted
    notes = []
    if left_out := len(differences.moved) - len(moved):
        notes.append(Note.of(NoteKind.UNDEFINED, about="pair", count=left_out, measures=[couple.measure]))
    kind, about = None, ""
    if len(moved) <= 1:
        kind, about = NoteKind.FEW, "one" if len(moved) else ""
    elif not moved.any() if couple.sums is None else couple.sums.is_equal:
        kind = NoteKind.EQUAL
    elif couple.sums is None and not np.isfinite(differences.cohen_d):
        kind = NoteKind.CONSTANT
    if kind is not None:
        notes.append(Note.of(kind, about=about, measures=[couple.measure]))
    return [Caution(note, (couple.a, couple.b)) for note in notes]
