"""Means and differences that human labels anchor: what a judge says of every query, corrected by people on some.

Prediction-powered inference, PPI++: n queries have a human value Y and the judge's value f, N others the judge's only.

    mean = λ·mean(f of the N) + mean(Y − λf of the n)
    variance = λ²·Var(f of the N) / N + Var(Y − λf) / n
    λ = Cov(Y, f) / ((1 + n/N)·Var(f of all)), from 0, the human labels alone, to 1

A judge that errs does not bias the mean; a useless one leaves the interval of the human labels. The queries with human
labels must be a random sample of all. Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference,
2023. Quantiles are those of Student's t with Welch's degrees of freedom: normal ones are too narrow for few labels.

A judge's share of positive verdicts is corrected by its sensitivity and specificity: Rogan and Gladen, American Journal
of Epidemiology 107, 1978.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray
from assay.core.note import Note, NoteKind
from assay.stats.intervals import FEWEST, POWER, ROUNDING, Interval, RunPairs, check_level, variance
from assay.stats.pairs import Caution, Measured, Pair, cautions, couple_of, differences_between, pair_of
from assay.stats.significance import ComparisonSettings, correct_families


class Anchored(NamedTuple):
    """A mean that human labels anchor, with its standard error.

    `human` is the number of queries with a human value, `weight` is λ, how much the judge counts, from 0 to 1, and
    `gain` how many times as wide the interval of the human labels alone is.
    """

    value: float
    low: float
    high: float
    human: int
    weight: float
    gain: float
    error: float
    freedom: float

    @property
    def interval(self) -> Interval:
        return Interval(self.low, self.high)

    @property
    def p(self) -> float:
        """The two-sided p-value of a mean of zero."""
        from scipy.special import stdtr

        if self.error > 0:
            return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))
        # Without spread all that is known is that so many signs are the same.
        return 1.0 if self.value == 0 else min(1.0, 2 * 0.5**self.human)

    def above(self, limit: float) -> float:
        """The one-sided p-value of a mean that is no lower than minus the limit."""
        from scipy.special import stdtr

        if self.error > 0:
            return float(stdtr(self.freedom, (self.value + limit) / self.error))
        return 0.5**self.human if self.value < -limit else 1.0

    def detectable(self, alpha: float) -> float:
        """The smallest mean that would be told from zero with 80 % power."""
        return self.error * (quantile(self.freedom, 1 - alpha / 2) + quantile(self.freedom, POWER))


def anchored_mean(judge: FloatArray, human: FloatArray, level: float = 0.95) -> Anchored:
    """The mean over queries of what people would say, from the judge's values and some human ones; NaN for the others.

    Queries without a finite value of the judge do not count. It takes two queries with both values.

    >>> judge = np.array([0.9, 0.4, 0.8, 0.1, 0.7, 0.6, 0.2, 0.5])
    >>> found = anchored_mean(judge, np.array([1.0, 0.5, 0.9, 0.1] + [np.nan] * 4))
    >>> round(found.value, 3), found.human, round(found.weight, 2), round(found.gain, 1)
    (0.577, 4, 0.96, 2.1)
    """
    check_level(level)
    known = np.isfinite(judge)
    both = known & np.isfinite(human)
    y, f, others = human[both], judge[both], judge[known & ~both]
    n, count = len(y), len(others)
    # The judge counts nothing if it says the same of every query, or if no query lacks a human value.
    spread, weight = variance(np.concatenate([f, others])), 0.0
    if n >= FEWEST and count >= FEWEST and spread != 0:
        together = float(((y - y.mean()) * (f - f.mean())).sum()) / (n - 1)
        weight = min(max(together / ((1 + n / count) * spread), 0.0), 1.0)
    rest, value = y - weight * f, mean_at(weight, y, f, others)
    parts = (weight**2 * variance(others) / count if weight else 0.0, variance(rest) / n if n else math.nan)
    error = math.sqrt(sum(parts))
    # Welch's degrees of freedom, of a sum of two variances.
    squares = [part**2 / (size - 1) for part, size in zip(parts, (count, n), strict=True) if part > 0]
    freedom = sum(parts) ** 2 / sum(squares) if squares else float(n - 1)
    radius = error * quantile(freedom, (1 + level) / 2)
    alone = math.sqrt(variance(y) / n) * quantile(n - 1, (1 + level) / 2) if n >= FEWEST else math.nan
    gain = alone / radius if radius > 0 else 1.0 if alone == 0 else math.nan
    return Anchored(value, value - radius, value + radius, n, weight, gain, error, freedom)


def mean_at(weight: float, y: FloatArray, f: FloatArray, others: FloatArray) -> float:
    """The mean where the judge counts so much."""
    if not len(y):
        return math.nan
    return float((y - weight * f).mean()) + (weight * float(others.mean()) if weight else 0.0)


def quantile(freedom: float, share: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share)) if freedom > 0 else math.nan


def sample_p(judge: FloatArray, human: FloatArray) -> float:
    """How likely a random sample's values from the judge differ as much from the others' as those with labels."""
    from scipy.special import ndtr

    known = np.isfinite(judge)
    f, others = judge[known & np.isfinite(human)], judge[known & ~np.isfinite(human)]
    if len(f) < FEWEST or len(others) < FEWEST or not (variance(f) + variance(others)):
        return 1.0
    error = math.sqrt(variance(f) / len(f) + variance(others) / len(others))
    return float(2 * ndtr(-abs(f.mean() - others.mean()) / error))


def compare_anchored(
    measured: Mapping[str, Measured],
    human: Mapping[str, Mapping[str, FloatArray]],
    names: RunPairs,
    settings: ComparisonSettings,
) -> tuple[list[Pair], list[Anchored], list[Caution]]:
    """The comparison of each pair of runs by each measure, anchored by the human values of each measure and run.

    The mean difference is anchored as a mean is, by the differences per query of both kinds. Wins, ties, losses
    and effect sizes are those of the judge's values.
    """
    couples = [couple_of(measure, each, a, b) for measure, each in measured.items() for a, b in names]
    differences, anchors = differences_between(couples), []
    for couple in couples:
        # A query has a human value if both runs have one.
        people = human[couple.measure][couple.b] - human[couple.measure][couple.a]
        anchors.append(anchored_mean(couple.moved() * couple.scale, people, 1 - settings.alpha))
    p_values = np.array([each.p if each.human else math.nan for each in anchors])
    corrected = correct_families([each.measure for each in couples], p_values, settings)
    pairs, notices = [], []
    for couple, each, anchor, p, p_corrected in zip(couples, differences, anchors, p_values, corrected, strict=True):
        pair = pair_of(couple, each, float(p), float(p_corrected), anchor.interval, alpha=settings.alpha)
        # The means of two runs over the known queries, which differ by the anchored difference.
        known, values = ~np.isnan(couple.first), (human[couple.measure][couple.a], human[couple.measure][couple.b])
        both = known & np.isfinite(values[0] + values[1])
        mean_a, mean_b = (
            mean_at(anchor.weight, each[both], side[both] * couple.scale, side[known & ~both] * couple.scale)
            for each, side in zip(values, (couple.first, couple.second), strict=True)
        )
        seen = anchor.detectable(settings.alpha)
        pairs.append(pair._replace(mean_a=mean_a, mean_b=mean_b, difference=anchor.value, detectable=seen))
        notices += [caution for caution in cautions(couple, each) if caution.note.kind is not NoteKind.CONSTANT]
        if anchor.error == 0 and anchor.value != 0:
            notices.append(Caution(Note.of(NoteKind.CONSTANT, measures=[couple.measure]), (couple.a, couple.b)))
    return pairs, anchors, notices


def corrected_shares(share: FloatArray, sensitivity: FloatArray, specificity: FloatArray) -> FloatArray:
    """The shares of positives behind a judge's shares of positive verdicts, from 0 to 1 (Rogan and Gladen, 1978).

    `sensitivity` is the share of true positives that the judge calls positive, `specificity` that of true negatives
    that it calls negative, both found on human labels: (share + specificity − 1) / (sensitivity + specificity − 1). It
    is NaN if the judge does no better than chance.
    """
    better = sensitivity + specificity - 1
    is_better = better > ROUNDING
    return np.where(is_better, np.clip((share + specificity - 1) / np.where(is_better, better, 1.0), 0, 1), np.nan)
