"""Two systems by one measure: everything that is said of them, from the scores of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.aggregate import AGGREGATES
from assay.core.text import count
from assay.stats.bootstrap import Interval, Report, unheard
from assay.stats.correction import correct
from assay.stats.couples import Couple, Measured, complete, couple, scaled
from assay.stats.difference import difference_intervals
from assay.stats.effect import cliff_delta, cohen_d, detectable, differences_of
from assay.stats.paired import DIRECTIONS, PAIRED_TESTS
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
    intervals = difference_intervals(
        [each.first for each in couples],
        [each.second for each in couples],
        [each.aggregate for each in couples],
        level=1 - settings.alpha,
        seed=settings.seed,
    )
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


def tested(
    measured: Mapping[str, Measured], couples: Sequence[Couple], settings: Settings, report: Report
) -> FloatArray:
    """The p-value of each couple; NaN where there is no query to compare."""
    differences = np.stack([each.moved for each in couples], axis=1)
    if settings.test in PAIRED_TESTS:
        p_values = PAIRED_TESTS[settings.test](differences, settings.samples or 0, settings.seed, report)
    else:
        squares = {}
        for place, (measure, each) in enumerate(measured.items()):

            def report_part(share: float, place: int = place) -> None:
                report((place + share) / len(measured))

            squares[measure] = tukey_square(each, settings, report_part)
        p_values = np.array([squares[each.measure][each.a, each.b] for each in couples])
    return np.where(np.isnan(differences).all(axis=0), np.nan, p_values)


def all_complete(measured: Mapping[str, Measured]) -> tuple[dict[str, Measured], list[Finding]]:
    """The scores of the queries that all runs have a value for, by measure, and how many queries are left out."""
    found, findings = {}, []
    for measure, each in measured.items():
        found[measure], left_out = complete(each)
        if left_out:
            said = f"{count(left_out, 'query', 'queries')} left out, without a finite value in every run"
            findings.append(Finding("undefined", measure, (), said))
    return found, findings


def tukey_square(measured: Measured, settings: Settings, report: Report) -> dict[tuple[str, str], float]:
    """Tukey's p-value of each two runs."""
    names = list(measured.scores)
    scores, _ = scaled(np.stack(list(measured.scores.values()), axis=1), measured.aggregate)
    square = np.full((len(names), len(names)), np.nan)
    if len(scores):
        prepared = AGGREGATES[measured.aggregate].prepare(scores)
        square = TUKEY_TESTS[settings.test](prepared, settings.samples or 0, settings.seed, report)
    return {(a, b): square[row, column] for row, a in enumerate(names) for column, b in enumerate(names)}


def correct_families(couples: Sequence[Couple], p_values: FloatArray, settings: Settings) -> FloatArray:
    """The p-values corrected over their family: the pairs of a measure, or all of them."""
    corrected = np.empty_like(p_values)
    families = np.array([each.measure if settings.family == "measure" else "" for each in couples])
    for family in np.unique(families):
        corrected[families == family] = correct(p_values[families == family], settings.correction)
    return corrected


def describe(couple: Couple, p: float, p_corrected: float, interval: Interval, alpha: float) -> Pair:
    """All that is said of two runs."""
    both = ~np.isnan(couple.moved)
    first, second, moved = couple.first[both], couple.second[both], couple.moved[both]
    aggregation = AGGREGATES[couple.aggregate]
    mean_a, mean_b = aggregation(first), aggregation(second)
    better = couple.sign * differences_of(first, second)
    seen = in_its_units(detectable(moved, alpha), mean_a, couple.aggregate, len(moved))
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
        cohen_d=cohen_d(moved),
        cliff_delta=cliff_delta(first, second),
        wins=int((better > 0).sum()),
        ties=int((better == 0).sum()),
        losses=int((better < 0).sum()),
        detectable=seen * couple.scale,
    )


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
    elif not moved.any():
        found.append(("equal", "the same score on every query"))
    elif not np.isfinite(cohen_d(moved)):
        found.append(("constant", "the difference is the same on every query, so its spread is not known"))
    return found
