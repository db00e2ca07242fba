"""Measures that add up over ranks, and when a comparison of two runs by one is settled.

The value of a query by such a measure is Σ weight(rank) · gain(grade) over the judged documents that were retrieved. A
judgment then moves the difference of two runs, b - a, by (weight in b - weight in a) · gain, whatever the other
judgments are. `Definition.additive` says which measures these are. Weights and gains come from the measure itself: it
is computed for rankings in which one document is judged.

An unjudged document may still gain anything between the lowest and the highest gain, so all that further judgments can
lead to is the interval from D - Σ down to D + Σ up, where D is the difference, and down and up are how far each
unjudged document can move it. It is settled if 0 is outside: only moves against the present sign matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.core.errors import DataError, PolicyError
from assay.core.judged import FloatArray, Hits, IntArray, Judged
from assay.core.measure import Measure
from assay.core.policies import Policies
from assay.core.text import Option, count

# Sums of so many floats are right to this share of what is added up.
ROUNDING = 1e-13
# Grades that a document may get are tried one by one, up to so many.
MOST_GRADES = 1000
# What to use in place of a measure that does not add up; of the others, precision.
INSTEAD = {
    **dict.fromkeys(("ndcg", "ideal_dcg", "ndcg_rel", "rndcg"), "dcg"),
    **dict.fromkeys(("err", "nerr8", "nerr9", "nerr10"), "rbp"),
    **dict.fromkeys(("inst", "nerr11"), "insq"),
}


def cutoff_of(measure: Measure) -> int | None:
    """How many of the first documents count; None if all do."""
    cutoff: int | None = measure.values.get("k") if measure.definition.at == "k" else None
    return cutoff


def own_gains(measure: Measure) -> list[float]:
    """The grades that have a gain of their own."""
    gain = measure.values.get("gain")
    return [float(grade) for grade in gain] if isinstance(gain, Mapping) else []


@dataclass(frozen=True)
class Additive:
    """An additive measure under policies, and the grades that a document may get: from `lowest` to `top`."""

    measure: Measure
    policies: Policies
    lowest: float
    top: float

    def values(self, rank: IntArray, retrieved: IntArray, grade: FloatArray) -> FloatArray:
        """The measure of rankings with one judged document each: its rank, how many were retrieved, its grade."""
        size, number = len(rank), np.arange(len(rank))
        grades = np.trunc(grade) if self.policies.grades == "whole" else grade
        hits = Hits(size, number, grades, rank, -rank.astype(np.float64), rank - 1, np.zeros_like(rank), number)
        floor = 0.0 if self.policies.negative == "unjudged" else -np.inf
        return self.measure(Judged(size, retrieved, owner=number, grades=grades, hits=hits, floor=floor))

    def gains(self, grades: FloatArray) -> FloatArray:
        """What each grade gains: the value of a ranking of one document."""
        first = np.ones(len(grades), dtype=np.int64)
        return self.values(first, first, np.asarray(grades, dtype=np.float64))

    @cached_property
    def possible(self) -> FloatArray:
        """The grades that bound the gains of all that a document may get."""
        named = own_gains(self.measure)
        level = self.measure.values.get("rel")
        steps = np.arange(math.ceil(self.lowest), min(math.floor(self.top), MOST_GRADES) + 1.0)
        # Beside a grade that has a gain of its own are others that gain themselves.
        beside = [np.nextafter(grade, way) for grade in named for way in (-np.inf, np.inf)]
        special = [0.0, self.lowest, self.top, *named, *beside, *([] if level is None else [float(level)])]
        grades = np.unique(np.concatenate((steps, special)))
        return grades[(grades >= self.lowest) & (grades <= self.top)]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest gain of a document; one that stays unjudged gains 0."""
        gains = self.gains(self.possible)
        return min(0.0, float(gains.min())), max(0.0, float(gains.max()))

    def weights(self, rank: IntArray, retrieved: IntArray) -> FloatArray:
        """What a gain counts at each rank of a ranking with so many documents, as a share of what it counts alone."""
        gains = self.gains(self.possible)
        largest = int(np.argmax(np.abs(gains)))
        if not gains[largest]:
            return np.zeros(len(rank))
        width = int(retrieved.max(initial=0)) + 1
        cells, place = np.unique(rank * width + retrieved, return_inverse=True)
        grade = np.full(len(cells), self.possible[largest])
        weights: FloatArray = (self.values(cells // width, cells % width, grade) / gains[largest])[place]
        return weights

    def check_gains(self, grades: FloatArray) -> FloatArray:
        """What grades gain; raises if one is not among those that a document may get."""
        gains = self.gains(grades)
        low, high = self.bounds
        outside = np.flatnonzero((gains < low) | (gains > high) | ~np.isfinite(gains))
        if len(outside):
            grade = float(grades[outside[0]])
            whole = int(grade) if grade.is_integer() else grade
            limit = Option("top_grade" if grade > self.top else "lowest_grade", whole)
            raise DataError(f"grade {grade:g} is not from {self.lowest:g} to {self.top:g}; set {limit}")
        return gains


def make_additive(
    measure: Measure, policies: Policies, grades: FloatArray, lowest: float | None, top: float | None
) -> Additive:
    """The measure with the range of grades, given or known so far, with all that the measure's parameters name."""
    named = own_gains(measure)
    wanted = [float(measure.values.get("rel", 1.0)), float(measure.values.get("max") or 0.0), *named]
    high = check_grade("top_grade", max(1.0, grades.max(initial=0.0), *wanted) if top is None else top)
    low = check_grade("lowest_grade", min(0.0, grades.min(initial=0.0), *named) if lowest is None else lowest)
    if low > min(0.0, high):
        raise PolicyError(f"lowest_grade must be at most 0 and top_grade above it, not {low:g} and {high:g}")
    return Additive(measure, policies, low, high)


def check_grade(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
        raise PolicyError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def not_additive(measure: Measure, policies: Policies) -> str:
    """Why no judgment can be told to settle a comparison by this measure, and what to use; empty if one can."""
    definition = measure.definition
    if not measure.is_additive:
        cutoff = cutoff_of(measure)
        name = INSTEAD.get(definition.name, definition.name if definition.additive is not None else "precision")
        at = f"@{cutoff}" if cutoff is not None else "" if name in ("dcg", "rbp", "insq") else "@10"
        how = " with these parameters" if definition.additive is not None else ""
        instead = {"sdcg": "sdcg(max=3)", "insq": "insq(max=3)"}.get(name, name) + ("" if name == "insq" else at)
        why = f"{measure} is not a sum over ranks{how}: what a judgment changes depends on the other judgments"
        return f"{why}; use {instead}"
    if policies.no_relevant in ("skip", "nan_all"):
        skipped = Option("no_relevant", policies.no_relevant)
        return f"{skipped} leaves out queries until a relevant document is judged; use {Option('no_relevant', 'zero')}"
    return ""


@dataclass(frozen=True)
class Settlement:
    """How far judgments can still move the difference of two runs, b - a, by a measure.

    `difference`, `lowest` and `highest` are per query, over `queries` of them; a document that is not judged gains
    nothing, as everywhere. `opposing` unjudged documents can still move the difference against its sign (any way if it
    is 0), and `needed` judgments settle it if each finds a document that gains nothing; those that can move it most
    come first.
    """

    measure: str
    a: str
    b: str
    difference: float
    lowest: float
    highest: float
    queries: int
    is_settled: bool
    opposing: int
    needed: int

    @property
    def better(self) -> str | None:
        """The run that is better by the judgments so far; None if neither is."""
        return None if self.difference == 0 else self.b if self.difference > 0 else self.a

    def __str__(self) -> str:
        where = f"{self.measure}, {self.b} - {self.a}: {self.difference:+.4f}"
        range_ = f"further judgments can lead to {self.lowest:+.4f} to {self.highest:+.4f}"
        where += f" over {count(self.queries, 'query', 'queries')}"
        if self.is_settled:
            end = "" if self.lowest == self.highest else f"; {range_}"
            return f"settled: no further judgment can change the sign ({where}{end})"
        moves = "it" if self.better is None else "it the other way"
        still = f"{count(self.opposing, 'unjudged document')} can still move {moves}"
        settle = "settles" if self.needed == 1 else "settle"
        more = f"{count(self.needed, 'more judgment')} {settle} it if none finds a relevant document"
        return f"not settled: {where}; {range_}; {still}" + ("" if self.better is None else f"; {more}")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"better": self.better, "sentence": str(self)}


def settle(
    difference: float, down: FloatArray, up: FloatArray, *, rounding: float, queries: int, per: int, **named: str
) -> Settlement:
    """The settlement of a sum that documents move `down` and `up`, divided by `per`; within `rounding` it is 0."""
    if is_even := abs(difference) <= rounding:
        difference = 0.0
    # The moves against the present sign, each way if there is none; the largest first.
    against = np.maximum(down, up) if is_even else down if difference > 0 else up
    against = against[against > 0]
    if not (against[1:] <= against[:-1]).all():
        against = np.sort(against)[::-1]
    # The moves that must go for the rest to be smaller than the difference.
    excess = float(against.sum()) - abs(difference) + rounding
    needed = len(against)
    if not is_even:
        needed = 0 if excess < 0 else min(needed, int(np.searchsorted(np.cumsum(against), excess, side="right")) + 1)
    return Settlement(
        difference=difference / per,
        lowest=(difference - float(down.sum())) / per,
        highest=(difference + float(up.sum())) / per,
        queries=queries,
        is_settled=needed == 0,
        opposing=len(against),
        needed=needed,
        **named,
    )
