"""Two systems by one measure: their scores side by side, how large the difference is, and what limits it.

Effect sizes: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; Cliff, Psychological Bulletin 114,
1993.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import balances
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind
from assay.stats.differences import Figures, differences_of, figures_of
from assay.stats.intervals import ROUNDING, detectable_difference
from assay.stats.pooled import Pool, Sums, sums_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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

    def moved(self) -> FloatArray:
        """The differences of what is averaged, of logarithms for a geometric mean; NaN where there is none."""
        return differences_of(*self.averaged())

    def averaged(self) -> tuple[FloatArray, FloatArray]:
        """What is averaged of each run."""
        prepare = AGGREGATES[self.aggregate].prepare
        if self.shared is not None:
            return self.shared.prepared(self.a, prepare), self.shared.prepared(self.b, prepare)
        return prepare(self.first), prepare(self.second)


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
    """What the differences of each couple come to."""
    averaged = figures_of(each.averaged() for each in couples)
    geometric = [each for each in couples if each.aggregate == "geometric"]
    scores = iter(figures_of((each.first, each.second) for each in geometric))
    found = []
    for couple, each in zip(couples, averaged, strict=True):
        counted = next(scores) if couple.aggregate == "geometric" else each
        higher, lower = int(counted.higher), int(counted.lower)
        spread, is_equal = spread_of(each), not each.higher + each.lower
        effect = cohen_d(each.total, spread, int(each.counted))
        found.append(Differences(len(couple.first), int(each.counted), higher, lower, spread, effect, is_equal))
    return found


def spread_of(figures: Figures) -> float:
    """The standard deviation of differences; as `deviation`, exactly 0 if they differ only by rounding."""
    if figures.counted < 2:  # noqa: PLR2004 - one value has no spread
        return 0.0
    if figures.largest - figures.least <= ROUNDING * max(figures.largest, -figures.least):
        return 0.0
    return math.sqrt(figures.squares / (figures.counted - 1))


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
    mean_a, mean_b = numbers_of(couple, differences.counted)
    higher, lower = differences.higher, differences.lower
    wins, losses = (higher, lower) if couple.sign > 0 else (lower, higher)
    seen = detectable_difference(differences.counted, alpha, differences.spread)
    seen = in_its_units(seen, mean_a, couple.aggregate, differences.counted)
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
        cliff_delta=delta_of(couple),
        wins=wins,
        ties=differences.counted - wins - losses,
        losses=losses,
        detectable=seen * couple.scale if is_mean else float("nan"),
    )


def numbers_of(couple: Couple, count: int) -> tuple[float, float]:
    """The number of each run: the aggregate of its values, or the score of its summed statistics."""
    aggregation = AGGREGATES[couple.aggregate]
    if couple.shared is not None:
        return couple.shared.number(couple.a, aggregation), couple.shared.number(couple.b, aggregation)
    if couple.sums is None:
        return aggregation(couple.first), aggregation(couple.second)
    if not count:
        return float("nan"), float("nan")
    mean_a, mean_b = couple.sums.scores(couple.sums.both.sum(axis=0)).tolist()
    return mean_a, mean_b


def in_its_units(step: float, start: float, aggregate: str, queries: int) -> float:
    """How far a step in the values that are averaged moves the aggregate."""
    if aggregate == "geometric":
        with np.errstate(over="ignore"):
            return start * float(np.expm1(step))
    return step * queries if aggregate == "sum" else step


def cohen_d(total: float, spread: float, count: int) -> float:
    """The mean of differences, given their sum, divided by their standard deviation; 0 if nothing differs.

    >>> cohen_d(6.0, 1.0, 3)
    2.0
    """
    if count < 2:  # noqa: PLR2004 - one value has no spread
        return float("nan")
    mean = total / count
    if spread == 0:
        return 0.0 if mean == 0 else math.copysign(math.inf, mean)
    return mean / spread


def delta_of(couple: Couple) -> float:
    """`cliff_delta` of the queries of a couple that count."""
    if couple.shared is not None:
        return couple.shared.delta(couple.a, couple.b)
    return cliff_delta(couple.first[~np.isnan(couple.first)], couple.second[~np.isnan(couple.second)])


def cliff_delta(a: FloatArray, b: FloatArray) -> float:
    """How much more often a value of `b` is above one of `a` than below it, over all pairs; from -1 to 1.

    >>> cliff_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.75
    """
    return float(cliff_deltas([a, b])[0, 1])


def cliff_deltas(samples: Sequence[FloatArray]) -> FloatArray:
    """`cliff_delta` of each sample, by row, and each other one."""
    numbers = np.frombuffer(balances([each.tobytes() for each in samples]), dtype=np.int64)
    sizes = np.array([len(each) for each in samples])
    with np.errstate(invalid="ignore"):
        return np.asarray(numbers.reshape(len(samples), -1) / (sizes[:, None] * sizes))


class Shared:
    """What all pairs of some runs share, worked out once: each run's number, what is averaged of it, and the deltas."""

    def __init__(self, scores: Mapping[str, FloatArray]) -> None:
        self._scores = dict(scores)
        self._places = {run: place for place, run in enumerate(scores)}
        self._prepared: dict[str, FloatArray] = {}
        self._numbers: dict[str, float] = {}

    def number(self, run: str, aggregate: Aggregation) -> float:
        """The number of a run."""
        if run not in self._numbers:
            self._numbers[run] = aggregate(self._scores[run])
        return self._numbers[run]

    def prepared(self, run: str, prepare: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """What is averaged of a run."""
        if run not in self._prepared:
            self._prepared[run] = prepare(self._scores[run])
        return self._prepared[run]

    def delta(self, a: str, b: str) -> float:
        """`cliff_delta` of two runs."""
        return self.deltas[self._places[a]][self._places[b]]

    @cached_property
    def deltas(self) -> list[list[float]]:
        """`cliff_delta` of each run, by row, and each other one."""
        found: list[list[float]] = cliff_deltas([each[~np.isnan(each)] for each in self._scores.values()]).tolist()
        return found


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
