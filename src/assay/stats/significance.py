"""Compares systems pair by pair: the test, the correction for many comparisons, and the interval of each difference.

The more pairs one looks at, the more differences one finds by chance. Corrections: Holm, Scandinavian Journal of
Statistics 6, 1979; Benjamini and Hochberg, JRSS B 57, 1995; Benjamini and Yekutieli, Annals of Statistics 29, 2001.
"""

from __future__ import annotations

from itertools import groupby
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import PolicyError
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.progress import Report, part_of
from assay.core.text import show
from assay.engine.kernel import map_in_threads
from assay.stats.differences import DIFFERENCE_SAMPLES, difference_intervals
from assay.stats.intervals import Interval
from assay.stats.paired import DIRECTIONS, PAIRED_TESTS
from assay.stats.pairs import (
    Caution,
    Couple,
    Measured,
    Pair,
    cautions,
    complete_queries,
    couples_of,
    differences_between,
    pair_of,
    scaled,
)
from assay.stats.pooled import Sums, pooled_interval, swapped_p
from assay.stats.randomization import Between, Randomization
from assay.stats.tukey import TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.core.judged import FloatArray

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
        if self.test in TUKEY_TESTS:
            corrected = "which covers all pairs of a measure"
        elif self.correction == "none":
            corrected = CORRECTION_WORDS["none"]
        else:
            over = "the pairs of each measure" if self.family == "measure" else "all pairs and measures"
            corrected = f"{CORRECTION_WORDS[self.correction]} over {over}"
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
    if samples is not None and settings.samples is not None:
        samples = int(settings.samples)
    correction = "none" if settings.test in TUKEY_TESTS else settings.correction
    return settings._replace(
        alpha=float(settings.alpha), samples=samples, seed=int(settings.seed), correction=correction
    )


def compare_pairs(
    measured: Mapping[str, Measured],
    names: Sequence[tuple[str, str]],
    settings: ComparisonSettings,
    report: Report | None = None,
) -> tuple[list[Pair], list[Caution]]:
    """The comparison of each pair of runs by each measure, and the cautions about it."""
    notices: list[Caution] = []
    if settings.test in TUKEY_TESTS:
        measured, notices = all_complete(measured)
    couples = [couple for measure, each in measured.items() for couple in couples_of(measure, each, names)]
    sketches = sketches_of(couples, settings)
    p_values = p_values_of(measured, sketches, settings, report)
    intervals = intervals_of(sketches, settings)
    corrected = correct_families([each.pair.measure for each in sketches], p_values, settings)
    pairs = []
    for each, p, p_corrected, (low, high) in zip(sketches, p_values, corrected, intervals, strict=True):
        scale = each.couple.scale
        pair = each.pair._replace(p=float(p), p_corrected=float(p_corrected), low=low * scale, high=high * scale)
        pairs.append(pair)
        notices += each.cautions
        if pair.p_corrected < settings.alpha and is_split(each, pair.difference):
            notices.append(Caution(Note.of(NoteKind.SPLIT, measures=[pair.measure]), (pair.a, pair.b)))
    return pairs, notices


def all_complete(measured: Mapping[str, Measured]) -> tuple[dict[str, Measured], list[Caution]]:
    """The scores of the queries with a value in all runs, by measure, and cautions about the queries left out."""
    found, notices = {}, []
    for measure, each in measured.items():
        found[measure], left_out = complete_queries(each)
        if left_out:
            note = Note.of(NoteKind.UNDEFINED, about="runs", count=left_out, measures=[measure])
            notices.append(Caution(note, ()))
    return found, notices


class Sketch(NamedTuple):
    """A pair before it is tested: its figures, the cautions about it, and which way a test of the median points."""

    couple: Couple
    pair: Pair
    cautions: list[Caution]
    direction: int | None


def sketches_of(couples: Sequence[Couple], settings: ComparisonSettings) -> list[Sketch]:
    """The figures of each couple."""
    shared = {id(each.shared): each.shared for each in couples if each.shared is not None}
    map_in_threads(lambda each: each.deltas, shared.values())
    points = DIRECTIONS.get(settings.test)
    directions: Sequence[int | None] = [None] * len(couples)
    if points is not None:
        directions = map_in_threads(lambda each: points(counted_differences(each)), couples)
    unknown = float("nan")
    sketches = []
    for couple, each, direction in zip(couples, differences_between(couples), directions, strict=True):
        pair = pair_of(couple, each, unknown, unknown, Interval(unknown, unknown), alpha=settings.alpha)
        sketches.append(Sketch(couple, pair, cautions(couple, each), direction))
    return sketches


def counted_differences(couple: Couple) -> FloatArray:
    """The differences of the queries that count."""
    moved = couple.moved()
    return moved[~np.isnan(moved)]


def is_split(sketch: Sketch, difference: float) -> bool:
    """Whether a test that is not about the mean points the other way than the mean."""
    return sketch.direction is not None and sketch.direction != int(np.sign(difference))


def p_values_of(
    measured: Mapping[str, Measured], sketches: Sequence[Sketch], settings: ComparisonSettings, report: Report | None
) -> FloatArray:
    """The p-value of each pair; NaN if there is no query to compare."""
    if settings.test in PAIRED_TESTS:
        p_values = paired_p_values(sketches, settings, report)
    else:
        squares = {
            measure: tukey_square(each, settings, part_of(report, place, len(measured)))
            for place, (measure, each) in enumerate(measured.items())
        }
        p_values = np.array([squares[each.measure][each.a, each.b] for each, *_ in sketches])
    return np.where([not each.wins + each.ties + each.losses for _, each, *_ in sketches], np.nan, p_values)


def paired_p_values(sketches: Sequence[Sketch], settings: ComparisonSettings, report: Report | None) -> FloatArray:
    """The p-value of each pair by a paired test of the mean, or of the score of summed statistics."""
    samples, seed = settings.samples or 0, settings.seed
    plain, pooled = pooled_apart(sketches)
    parts = bool(plain) + len(pooled)
    p_values = np.empty(len(sketches))
    for part, place in enumerate(pooled):
        p_values[place] = swapped_p(pooled[place], samples, seed, part_of(report, part, parts))
    if plain:
        own = part_of(report, len(pooled), parts) if pooled else report
        tested = [sketches[place] for place in plain]
        if settings.test == "randomization":
            p_values[plain] = randomized_p(tested, samples, seed, own)
        else:
            p_values[plain] = PAIRED_TESTS[settings.test](differences_in(tested), samples, seed, own)
    return p_values


def differences_in(sketches: Sequence[Sketch]) -> FloatArray:
    """The differences of all pairs, one column each."""
    return np.stack([each.couple.moved() for each in sketches], axis=1)


def randomized_p(sketches: Sequence[Sketch], samples: int, seed: int, report: Report | None) -> FloatArray:
    """The p-values by the randomization test, from the systems' own sums if there are fewer systems than pairs."""
    test = Randomization(samples, seed)
    shared = [each.couple for each in sketches if each.couple.shared is not None]
    is_fewer = len({id(side) for each in shared for side in (each.first, each.second)}) < len(shared)
    for is_by_system, group in groupby(sketches, key=lambda each: is_fewer and each.couple.shared is not None):
        couples = [each.couple for each in group]
        if is_by_system:
            test.add_between([Between(*each.averaged()) for each in couples])
        else:
            for each in couples:
                test.add(each.moved())
    return test.p_values(report)


def pooled_apart(sketches: Sequence[Sketch]) -> tuple[list[int], dict[int, Sums]]:
    """The indices of the pairs that are compared by their means, and the statistics of the others by index."""
    pooled = {number: each.couple.sums for number, each in enumerate(sketches) if each.couple.sums is not None}
    return [number for number in range(len(sketches)) if number not in pooled], pooled


def intervals_of(sketches: Sequence[Sketch], settings: ComparisonSettings) -> list[Interval]:
    """The confidence interval of each pair's difference."""
    level, seed = 1 - settings.alpha, settings.seed
    plain, pooled = pooled_apart(sketches)
    intervals = {place: pooled_interval(sums, level=level, seed=seed) for place, sums in pooled.items()}
    if plain:
        couples = [sketches[place].couple for place in plain]
        first, second, aggregates = zip(*((each.first, each.second, each.aggregate) for each in couples), strict=True)
        found = difference_intervals(first, second, aggregates, level=level, seed=seed)
        intervals.update(zip(plain, found, strict=True))
    return [intervals[place] for place in range(len(sketches))]


def tukey_square(
    measured: Measured, settings: ComparisonSettings, report: Report | None
) -> dict[tuple[str, str], float]:
    """Tukey's p-value of each pair of runs."""
    names = list(measured.scores)
    scores, _ = scaled(np.stack(list(measured.scores.values()), axis=1), measured.aggregate)
    square = np.full((len(names), len(names)), np.nan)
    if len(scores):
        prepared = AGGREGATES[measured.aggregate].prepare(scores)
        square = TUKEY_TESTS[settings.test](prepared, settings.samples or 0, settings.seed, report)
    return {(a, b): square[row, column] for row, a in enumerate(names) for column, b in enumerate(names)}


def correct_families(measures: Sequence[str], p_values: FloatArray, settings: ComparisonSettings) -> FloatArray:
    """The p-values of pairs by these measures, corrected over their family: the pairs of a measure, or all pairs."""
    corrected = np.empty_like(p_values)
    families = np.array([measure if settings.family == "measure" else "" for measure in measures])
    for family in np.unique(families):
        corrected[families == family] = correct(p_values[families == family], settings.correction)
    return corrected


def widened_interval(pair: Pair, comparisons: int, alpha: float) -> Interval:
    """The interval of a pair, widened as Bonferroni does for so many comparisons.

    Each side is as many times longer as the normal quantile of alpha / comparisons exceeds that of alpha, so that the
    interval keeps its skewness. All intervals of a family together then hold with 1 - alpha.
    """
    from statistics import NormalDist

    normal = NormalDist()
    factor = normal.inv_cdf(1 - alpha / comparisons / 2) / normal.inv_cdf(1 - alpha / 2)
    low, high = ((bound - pair.difference) * factor for bound in (pair.low, pair.high))
    return Interval(pair.difference + low, pair.difference + high)


def correct(p: FloatArray, method: str) -> FloatArray:
    """The p-values of one family, corrected; NaN is left out of the family.

    >>> correct(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    if method not in CORRECTIONS:
        raise PolicyError(f"unknown correction {show(method)}; choose one of {', '.join(CORRECTIONS)}")
    corrected = np.full(len(p), np.nan)
    counted = np.flatnonzero(~np.isnan(p))
    order = counted[np.argsort(p[counted], kind="stable")]
    if len(order):
        corrected[order] = np.minimum(CORRECTIONS[method](p[order]), 1.0)
    return corrected


def none(ascending: FloatArray) -> FloatArray:
    return ascending


def bonferroni(ascending: FloatArray) -> FloatArray:
    """Each p-value times the number of comparisons."""
    return ascending * len(ascending)


def holm(ascending: FloatArray) -> FloatArray:
    """The smallest p-value times the number of comparisons, the next times one less, and so on; never decreasing."""
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def bh(ascending: FloatArray) -> FloatArray:
    """Controls the false discovery rate."""
    raised = ascending * len(ascending) / np.arange(1, len(ascending) + 1)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1], dtype=np.float64)


def by(ascending: FloatArray) -> FloatArray:
    """Controls the false discovery rate under any dependence between the comparisons."""
    return bh(ascending) * float((1.0 / np.arange(1, len(ascending) + 1)).sum())


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": bh,
    "by": by,
    "none": none,
}
