"""The p-values of couples of systems, their corrections, and the intervals of their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.measure import AGGREGATES
from assay.core.progress import Report, part_of
from assay.stats.bootstrap import Interval
from assay.stats.correction import correct
from assay.stats.couples import Couple, Measured, scaled
from assay.stats.difference import difference_intervals
from assay.stats.paired import PAIRED_TESTS
from assay.stats.pooled import Sums, pooled_interval, swapped_p
from assay.stats.tukey import TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.stats.settings import Settings


def tested(
    measured: Mapping[str, Measured], couples: Sequence[Couple], settings: Settings, report: Report
) -> FloatArray:
    """The p-value of each couple; NaN where there is no query to compare."""
    differences = np.stack([each.moved for each in couples], axis=1)
    if settings.test in PAIRED_TESTS:
        p_values = paired_p_values(couples, differences, settings, report)
    else:
        squares = {
            measure: tukey_square(each, settings, part_of(report, place, len(measured)))
            for place, (measure, each) in enumerate(measured.items())
        }
        p_values = np.array([squares[each.measure][each.a, each.b] for each in couples])
    return np.where(np.isnan(differences).all(axis=0), np.nan, p_values)


def paired_p_values(
    couples: Sequence[Couple], differences: FloatArray, settings: Settings, report: Report
) -> FloatArray:
    """The p-value of each couple by a paired test: of the mean, or of the score of summed statistics."""
    samples, seed = settings.samples or 0, settings.seed
    plain, pooled = split(couples)
    parts = bool(plain) + len(pooled)
    p_values = np.empty(len(couples))
    for part, place in enumerate(pooled):
        p_values[place] = swapped_p(pooled[place], samples, seed, part_of(report, part, parts))
    if plain:
        own = part_of(report, len(pooled), parts)
        p_values[plain] = PAIRED_TESTS[settings.test](differences[:, plain], samples, seed, own)
    return p_values


def split(couples: Sequence[Couple]) -> tuple[list[int], dict[int, Sums]]:
    """The numbers of the couples that are compared by means, and the statistics of the others by their numbers."""
    pooled = {number: each.sums for number, each in enumerate(couples) if each.sums is not None}
    return [number for number in range(len(couples)) if number not in pooled], pooled


def bounded(couples: Sequence[Couple], settings: Settings) -> list[Interval]:
    """The interval of each couple's difference."""
    level, seed = 1 - settings.alpha, settings.seed
    plain, pooled = split(couples)
    intervals = {place: pooled_interval(sums, level=level, seed=seed) for place, sums in pooled.items()}
    if plain:
        first, second, aggregates = zip(
            *((couples[place].first, couples[place].second, couples[place].aggregate) for place in plain), strict=True
        )
        found = difference_intervals(first, second, aggregates, level=level, seed=seed)
        intervals.update(zip(plain, found, strict=True))
    return [intervals[place] for place in range(len(couples))]


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
