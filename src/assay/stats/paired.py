"""Paired tests: two-sided of the difference between two systems, one-sided of a drop, and what they can detect.

Each test takes the differences of all pairs of systems at once, one row per query and one column per pair, so that
random draws are shared. NaN marks a query that does not count.
Smucker et al., A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007;
Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.core.judged import FloatArray
from assay.core.progress import Report
from assay.stats.intervals import ROUNDING, alike, deviation, resampled_totals
from assay.stats.randomization import randomization

# Differences whose sizes differ by less than this share of the largest are tied.
NEAR = 1e-10

# Takes differences, samples, seed and a progress report; returns one p-value per column.
PairedTest = Callable[[FloatArray, int, int, Report | None], FloatArray]


def bootstrap_test(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """Sakai's shifted bootstrap: how often queries resampled under no difference give a t statistic as large.

    p = (c + 1) / (samples + 1), as for the randomization test.
    """
    p_values, spreads = per_column(differences, constant_p), per_column(differences, deviation)
    p_values = np.maximum(p_values, 1.0 / (samples + 1.0))
    vary = np.flatnonzero(spreads)
    for defined, places in alike(differences[:, vary]):
        numbers = vary[places]
        hits = shifted_hits(differences[np.ix_(defined, numbers)], spreads[numbers], samples, seed, report)
        p_values[numbers] = (hits + 1.0) / (samples + 1.0)
    return p_values


def shifted_hits(values: FloatArray, spreads: FloatArray, samples: int, seed: int, report: Report | None) -> FloatArray:
    """How many resamples of the centred values have a t statistic as large as the observed one."""
    drawn_means, drawn_spreads = shifted_samples(values, samples, seed, report)
    reached = np.abs(values.mean(axis=0)) / spreads * drawn_spreads * (1 - ROUNDING)
    return np.asarray((np.abs(drawn_means) >= reached).sum(axis=0), dtype=np.float64)


def shifted_samples(
    values: FloatArray, samples: int, seed: int, report: Report | None = None
) -> tuple[FloatArray, FloatArray]:
    """The means and standard deviations of resamples of the centred values."""
    count = len(values)
    centred = values - values.mean(axis=0)
    totals = resampled_totals(np.concatenate([centred, centred**2], axis=1), samples, seed, report)
    means, squares = np.split(totals / count, 2, axis=1)
    return means, np.sqrt(np.maximum(squares - means**2, 0.0) * count / (count - 1))


def t_test(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """Student's paired t test."""
    from scipy.special import stdtr

    def p_value(values: FloatArray) -> float:
        spread = deviation(values)
        if spread == 0:
            return constant_p(values)
        statistic = abs(float(values.mean())) / (spread / np.sqrt(len(values)))
        return float(2 * stdtr(len(values) - 1, -statistic))

    return per_column(differences, p_value)


def wilcoxon(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """Wilcoxon's signed rank test with scipy's defaults: zeros are left out."""
    from scipy import stats

    def p_value(values: FloatArray) -> float:
        return float(stats.wilcoxon(signed_places(values)).pvalue) if values.any() else 1.0

    return per_column(differences, p_value)


def signed_places(values: FloatArray) -> FloatArray:
    """The place of each value by its size, with its sign; values that differ only by rounding share a place.

    >>> signed_places(np.array([0.3 - 0.2, 0.1 - 0.2, -0.5]))
    array([ 1., -1., -2.])
    """
    sizes = np.abs(values)
    order = np.argsort(sizes, kind="stable")
    steps = np.diff(sizes[order], prepend=sizes[order][:1]) > NEAR * sizes.max(initial=0.0)
    places = np.empty_like(values)
    places[order] = np.cumsum(steps) + 1
    return places * np.sign(values)


def rank_direction(values: FloatArray) -> int:
    """Which way Wilcoxon's test points: 1 if values above zero have the larger sum of ranks, -1 if those below."""
    from scipy.stats import rankdata

    places = signed_places(values)
    places = places[places != 0]
    return int(np.sign(rankdata(np.abs(places)) @ np.sign(places)))


def sign_direction(values: FloatArray) -> int:
    """Which way the sign test points: 1 if more values are above zero, -1 if more are below."""
    return int(np.sign(np.sign(values).sum()))


def sign_test(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """The sign test: wins against losses, regardless of their size."""
    from scipy.special import bdtr

    def p_value(values: FloatArray) -> float:
        wins, losses = int((values > 0).sum()), int((values < 0).sum())
        return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))

    return per_column(differences, p_value)


def per_column(differences: FloatArray, figure: Callable[[FloatArray], float]) -> FloatArray:
    """A figure per column, computed from its values without NaN."""
    return np.array([figure(column[~np.isnan(column)]) for column in differences.T])


def constant_p(values: FloatArray) -> float:
    """The p-value of differences that are all the same, so that their spread is unknown: that of random signs.

    >>> constant_p(np.array([0.25, 0.25, 0.25, 0.25]))
    0.125
    """
    return float(2 * 0.5 ** len(values)) if values.any() else 1.0


# The tests that are not about the mean, with the direction that they point in.
DIRECTIONS: dict[str, Callable[[FloatArray], int]] = {"wilcoxon": rank_direction, "sign": sign_direction}
PAIRED_TESTS: dict[str, PairedTest] = {
    "randomization": randomization,
    "t": t_test,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "bootstrap": bootstrap_test,
}
# A gate tests the mean. If most queries do not change and a few drop a lot, tests of the median notice nothing.
TESTS_OF_MEANS = ("randomization", "t", "bootstrap")
