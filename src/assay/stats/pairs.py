"""Two systems by one measure: everything that is said of them, from the scores of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.measure import AGGREGATES
from assay.core.progress import Report, unheard
from assay.core.text import count
from assay.stats.bootstrap import Interval
from assay.stats.couples import Couple, Measured, complete, couple
from assay.stats.effect import cliff_delta, cohen_d, detectable, differences_of
from assay.stats.paired import DIRECTIONS
from assay.stats.testing import bounded, correct_families, tested
from assay.stats.tukey import TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.stats.settings import Settings


class Pair(NamedTuple):
    """Two runs by one measure. `difference` is what `b` has more; a win is a query that `b` does better.

    Everything is of the queries that both have a finite value for; for Tukey's tests, of those that all runs have one
    for. `low` and `high` bound the difference; `detectable` is the smallest one that so many queries show in four of
    five cases.

    For a score of summed statistics, such as corpus BLEU, the two means are that score; cohen_d and detectable, which
    are about means of queries, are NaN, and the rest is of the values that the queries have by themselves.
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


class Finding(NamedTuple):
    """What makes a comparison say less than it seems to."""

    kind: str
    measure: str
    runs: tuple[str, ...]
    text: str


def compare_pairs(
    measured: Mapping[str, Measured],
    names: Sequence[tuple[str, str]],
    settings: Settings,
    report: Report = unheard,
) -> tuple[list[Pair], list[Finding]]:
    """The comparison of each two runs by each measure, and what there is to say about it."""
    findings: list[Finding] = []
    if settings.test in TUKEY_TESTS:
        measured, findings = all_complete(measured)
    couples = [couple(measure, each, a, b) for measure, each in measured.items() for a, b in names]
    p_values = tested(measured, couples, settings, report)
    intervals = bounded(couples, settings)
    corrected = correct_families(couples, p_values, settings)
    pairs = []
    for each, p, p_corrected, interval in zip(couples, p_values, corrected, intervals, strict=True):
        pair = describe(each, float(p), float(p_corrected), interval, settings.alpha)
        pairs.append(pair)
        findings += [Finding(kind, each.measure, (each.a, each.b), text) for kind, text in cautions(each)]
        if pair.p_corrected < settings.alpha and is_split(each, pair.difference, settings.test):
            text = "the means point one way and the test the other, so neither is called better"
            findings.append(Finding("split", each.measure, (each.a, each.b), text))
    return pairs, findings


def all_complete(measured: Mapping[str, Measured]) -> tuple[dict[str, Measured], list[Finding]]:
    """The scores of the queries that all runs have a value for, by measure, and how many queries are left out."""
    found, findings = {}, []
    for measure, each in measured.items():
        found[measure], left_out = complete(each)
        if left_out:
            said = f"{count(left_out, 'query', 'queries')} left out, without a finite value in every run"
            findings.append(Finding("undefined", measure, (), said))
    return found, findings


def describe(couple: Couple, p: float, p_corrected: float, interval: Interval, alpha: float) -> Pair:
    """All that is said of two runs."""
    both = ~np.isnan(couple.moved)
    first, second, moved = couple.first[both], couple.second[both], couple.moved[both]
    mean_a, mean_b = numbers_of(couple, first, second)
    better = couple.sign * differences_of(first, second)
    seen = in_its_units(detectable(moved, alpha), mean_a, couple.aggregate, len(moved))
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
        cohen_d=cohen_d(moved) if is_mean else float("nan"),
        cliff_delta=cliff_delta(first, second),
        wins=int((better > 0).sum()),
        ties=int((better == 0).sum()),
        losses=int((better < 0).sum()),
        detectable=seen * couple.scale if is_mean else float("nan"),
    )


def numbers_of(couple: Couple, first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """The number of each run: the mean of its values or what else is made of them, or the score of its statistics."""
    if couple.sums is None:
        aggregation = AGGREGATES[couple.aggregate]
        return aggregation(first), aggregation(second)
    if not len(first):
        return float("nan"), float("nan")
    mean_a, mean_b = couple.sums.scores(couple.sums.both.sum(axis=0)).tolist()
    return mean_a, mean_b


def in_its_units(step: float, start: float, aggregate: str, queries: int) -> float:
    """How far a step in what is averaged moves the number that is made of it."""
    if aggregate == "geometric":
        with np.errstate(over="ignore"):
            return start * float(np.expm1(step))
    return step * queries if aggregate == "sum" else step


def is_split(couple: Couple, difference: float, test: str) -> bool:
    """Whether a test that is not about the mean points another way than the mean does."""
    if test not in DIRECTIONS:
        return False
    return DIRECTIONS[test](couple.moved[~np.isnan(couple.moved)]) != int(np.sign(difference))


def cautions(couple: Couple) -> list[tuple[str, str]]:
    """What makes a comparison say less than it seems to: a kind and a sentence each."""
    moved = couple.moved[~np.isnan(couple.moved)]
    found = []
    if left_out := len(couple.moved) - len(moved):
        found.append(
            ("undefined", f"{count(left_out, 'query', 'queries')} left out, without a finite value in both runs")
        )
    if not len(moved):
        found.append(("few", "no query to compare"))
    elif len(moved) == 1:
        found.append(("few", "one query tells nothing about others"))
    elif not moved.any() if couple.sums is None else couple.sums.is_equal:
        found.append(("equal", "the same score on every query"))
    elif couple.sums is None and not np.isfinite(cohen_d(moved)):
        found.append(("constant", "the difference is the same on every query, so its spread is not known"))
    return found
