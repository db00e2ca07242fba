"""Compares systems pair by pair: the test, the correction for many comparisons, and the interval of each difference.

The more pairs one looks at, the more differences one finds by chance. Corrections: Holm, Scandinavian Journal of
Statistics 6, 1979; Benjamini and Hochberg, JRSS B 57, 1995; Benjamini and Yekutieli, Annals of Statistics 29, 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, product
from numbers import Real
from typing import NamedTuple

import numpy as np

from assay.core.errors import PolicyError
from assay.core.judged import FloatArray
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.progress import Report, part_of
from assay.core.text import show
from assay.engine.kernel import map_in_threads
from assay.stats.intervals import DIFFERENCE_SAMPLES, Interval, RunPairs, difference_intervals, pooled_interval
from assay.stats.paired import DIRECTIONS, PAIRED_TESTS, TUKEY_TESTS
from assay.stats.pairs import (
    Caution,
    Couple,
    Measured,
    Pair,
    cautions,
    couples_of,
    differences_between,
    pair_of,
    scaled,
)
from assay.stats.randomization import Randomization, swapped_p

TESTS = (*PAIRED_TESTS, *TUKEY_TESTS)
FAMILIES = ("measure", "all")
# The test of differences that human labels anchor: `stats/anchored.py`.
PPI = "ppi"
# For the tests that draw random samples.
DEFAULT_SAMPLES = {"randomization": 100_000, "bootstrap": 10_000, "tukey_randomized": 10_000}
TEST_WORDS = {
    "randomization": "randomization test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
    "sign": "sign test",
    "bootstrap": "shifted bootstrap test",
    "tukey": "Tukey HSD test with queries as blocks",
    "tukey_randomized": "randomized Tukey HSD test",
    PPI: "prediction-powered t test",
}
CORRECTION_WORDS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
    "none": "no correction",
}


class ComparisonSettings(NamedTuple):
    """How systems are compared. `samples` is None if the test draws none, or tries all patterns."""

    test: str = "randomization"
    correction: str = "holm"
    family: str = "measure"
    alpha: float = 0.05
    samples: int | None = None
    seed: int = 0
    baseline: str | None = None

    def __str__(self) -> str:
        drawn = "all" if self.samples is None else self.samples
        samples = f" samples={drawn}" if self.test in DEFAULT_SAMPLES else ""
        baseline = "" if self.baseline is None else f" baseline={show(self.baseline)}"
        interval = PPI if self.test == PPI else f"bca resamples={DIFFERENCE_SAMPLES} seed={self.seed}"
        return (
            f"test={self.test}{samples} correction={self.correction} family={self.family} alpha={self.alpha:g} "
            f"interval={interval}{baseline}"
        )

    @property
    def words(self) -> str:
        """The test and its correction, as in a caption."""
        over = "the pairs of each measure" if self.family == "measure" else "all pairs and measures"
        corrected = CORRECTION_WORDS[self.correction] + ("" if self.correction == "none" else f" over {over}")
        if self.test in TUKEY_TESTS:
            corrected = "which covers all pairs of a measure"
        return f"{TEST_WORDS[self.test]}, {corrected}, alpha = {self.alpha:g}"


def check_settings(settings: ComparisonSettings) -> ComparisonSettings:
    """The settings, checked, with the defaults of the test filled in."""
    for name, allowed in (("test", TESTS), ("correction", tuple(CORRECTIONS)), ("family", FAMILIES)):
        value = getattr(settings, name)
        if value not in allowed:
            raise PolicyError(f"{name} must be {' or '.join(map(repr, allowed))}, not {show(value)}")
    if not (isinstance(settings.alpha, Real) and 0 < settings.alpha < 1):
        raise PolicyError(f"alpha must be a number between 0 and 1, such as 0.05, not {show(settings.alpha)}")
    check_whole("seed", settings.seed, 0)
    if settings.samples is not None:
        check_whole("samples", settings.samples, 1)
    samples = DEFAULT_SAMPLES.get(settings.test)
    samples = samples if samples is None or settings.samples is None else int(settings.samples)
    correction = "none" if settings.test in TUKEY_TESTS else settings.correction
    return settings._replace(
        alpha=float(settings.alpha), samples=samples, seed=int(settings.seed), correction=correction
    )


def compare_pairs(
    measured: Mapping[str, Measured], names: RunPairs, settings: ComparisonSettings, report: Report | None = None
) -> tuple[list[Pair], list[Caution]]:
    """The comparison of each pair of runs by each measure, and the cautions about it."""
    notices: list[Caution] = []
    if settings.test in TUKEY_TESTS:
        # Only queries with a value in all runs.
        for measure, scored in measured.items():
            whole = np.isfinite(list(scored.scores.values())).all(axis=0)
            complete = {name: values[whole] for name, values in scored.scores.items()}
            measured = {**measured, measure: scored._replace(scores=complete)}
            if left_out := int((~whole).sum()):
                note = Note.of(NoteKind.UNDEFINED, about="runs", count=left_out, measures=[measure])
                notices.append(Caution(note, ()))
    by_measure = map_in_threads(lambda item: couples_of(*item, names), measured.items())
    couples = [couple for each in by_measure for couple in each]
    points, directions = DIRECTIONS.get(settings.test), [0] * len(couples)
    if points is not None:
        directions = map_in_threads(lambda each: points((moved := each.moved())[~np.isnan(moved)]), couples)
    differences = differences_between(couples)
    if settings.test in PAIRED_TESTS:
        p_values = paired_p_values(couples, settings, report)
    else:
        p_values = tukey_p_values(couples, measured, settings, report)
    p_values = np.where([not each.counted for each in differences], np.nan, p_values)
    corrected = correct_families([each.measure for each in couples], p_values, settings)
    intervals = intervals_of(couples, settings)
    figures, pairs = zip(p_values.tolist(), corrected.tolist(), intervals, strict=True), []
    for couple, each, direction, figure in zip(couples, differences, directions, figures, strict=True):
        pair = pair_of(couple, each, *figure, alpha=settings.alpha)
        pairs.append(pair)
        notices += cautions(couple, each)
        # A test that is not about the mean can point the other way than the mean.
        is_told = points is not None and pair.p_corrected < settings.alpha
        if is_told and direction != int(np.sign(pair.difference)):
            notices.append(Caution(Note.of(NoteKind.SPLIT, measures=[pair.measure]), (pair.a, pair.b)))
    return pairs, notices


def paired_p_values(couples: Sequence[Couple], settings: ComparisonSettings, report: Report | None) -> FloatArray:
    """The p-value of each pair by a paired test of the mean, or of the score of summed statistics."""
    samples, seed = settings.samples or 0, settings.seed
    plain = [place for place, each in enumerate(couples) if each.sums is None]
    pooled = {place: each.sums for place, each in enumerate(couples) if each.sums is not None}
    parts = bool(plain) + len(pooled)
    p_values = np.empty(len(couples))
    for part, (place, sums) in enumerate(pooled.items()):
        p_values[place] = swapped_p(sums, samples, seed, part_of(report, part, parts))
    if plain:
        own = part_of(report, len(pooled), parts) if pooled else report
        tested = [couples[place] for place in plain]
        if settings.test == "randomization":
            p_values[plain] = randomized_p(tested, samples, seed, own)
        else:
            differences = np.stack([each.moved() for each in tested], axis=1)
            p_values[plain] = PAIRED_TESTS[settings.test](differences, samples, seed, own)
    return p_values


def randomized_p(couples: Sequence[Couple], samples: int, seed: int, report: Report | None) -> FloatArray:
    """The p-values by the randomization test, from the systems' own sums if there are fewer systems than pairs."""
    test = Randomization(samples, seed)
    shared = [each for each in couples if each.is_shared]
    is_fewer = len({id(side) for each in shared for side in (each.first, each.second)}) < len(shared)
    for is_by_system, group in groupby(couples, key=lambda each: is_fewer and each.is_shared):
        if is_by_system:
            test.add_between([each.averaged for each in group])
        else:
            for each in group:
                test.add(each.moved())
    return test.p_values(report)


def intervals_of(couples: Sequence[Couple], settings: ComparisonSettings) -> list[Interval]:
    level, seed = 1 - settings.alpha, settings.seed
    plain = [each for each in couples if each.sums is None]
    first, second = [each.first for each in plain], [each.second for each in plain]
    found = iter(difference_intervals(first, second, [each.aggregate for each in plain], level=level, seed=seed))
    return [
        next(found) if each.sums is None else pooled_interval(each.sums.both, each.sums.scores, level=level, seed=seed)
        for each in couples
    ]


def tukey_p_values(
    couples: Sequence[Couple], measured: Mapping[str, Measured], settings: ComparisonSettings, report: Report | None
) -> FloatArray:
    found: dict[tuple[str, ...], float] = {}
    for place, (measure, each) in enumerate(measured.items()):
        scores, _ = scaled(np.stack(list(each.scores.values()), axis=1), each.aggregate)
        square = np.full((len(each.scores), len(each.scores)), np.nan)
        if len(scores):
            prepared, part = AGGREGATES[each.aggregate].prepare(scores), part_of(report, place, len(measured))
            square = TUKEY_TESTS[settings.test](prepared, settings.samples or 0, settings.seed, part)
        pairs = product(each.scores, repeat=2)
        found |= {(measure, *pair): p for pair, p in zip(pairs, square.flat, strict=True)}
    return np.array([found[each.measure, each.a, each.b] for each in couples])


def correct_families(measures: Sequence[str], p_values: FloatArray, settings: ComparisonSettings) -> FloatArray:
    """The p-values of pairs by these measures, corrected over their family: the pairs of a measure, or all pairs."""
    corrected = np.empty_like(p_values)
    families = np.array([measure if settings.family == "measure" else "" for measure in measures])
    for family in np.unique(families):
        corrected[families == family] = correct(p_values[families == family], settings.correction)
    return corrected


def widened_interval(pair: Pair, comparisons: int, alpha: float) -> Interval:
    """The interval of a pair, widened as Bonferroni does for so many comparisons: all together hold with 1 - alpha.

    Each side is as many times longer as the normal quantile of alpha / comparisons exceeds that of alpha, so that the
    interval keeps its skewness.
    """
    from statistics import NormalDist

    factor = NormalDist().inv_cdf(1 - alpha / comparisons / 2) / NormalDist().inv_cdf(1 - alpha / 2)
    low, high = ((bound - pair.difference) * factor for bound in (pair.low, pair.high))
    return Interval(pair.difference + low, pair.difference + high)


def correct(p: FloatArray, method: str) -> FloatArray:
    """The p-values of one family, corrected; NaN is left out of the family."""
    if method not in CORRECTIONS:
        raise PolicyError(f"unknown correction {show(method)}; choose one of {', '.join(CORRECTIONS)}")
    corrected = np.full(len(p), np.nan)
    counted = np.flatnonzero(~np.isnan(p))
    order = counted[np.argsort(p[counted], kind="stable")]
    if len(order):
        corrected[order] = np.minimum(CORRECTIONS[method](p[order]), 1.0)
    return corrected


def bh(ascending: FloatArray) -> FloatArray:
    """Controls the false discovery rate."""
    raised = ascending * len(ascending) / np.arange(1, len(ascending) + 1)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1], dtype=np.float64)


# Of the p-values of a family, from the smallest to the largest.
CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    # The smallest times the number of comparisons, the next times one less, and so on; never decreasing.
    "holm": lambda ascending: np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)),
    "bonferroni": lambda ascending: ascending * len(ascending),
    "bh": bh,
    # The false discovery rate under any dependence between the comparisons.
    "by": lambda ascending: bh(ascending) * float((1.0 / np.arange(1, len(ascending) + 1)).sum()),
    "none": lambda ascending: ascending,
}
