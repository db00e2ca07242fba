"""Paired tests of the difference between two systems, and Tukey's honestly significant difference of all at once.

A paired test takes the differences of all pairs of systems at once, one row per query and one column per pair, so that
random draws are shared. NaN marks a query that does not count. Tukey's tests take the scores of all systems, with the
queries as blocks; their p-values hold for all pairs together and need no correction.
Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, ACM TOIS 30(1),
2012; Smucker et al., A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007;
Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.core.judged import FloatArray
from assay.core.progress import Report
from assay.stats.intervals import ROUNDING, Arrays, alike, deviation, resampled_totals
from assay.stats.randomization import randomization

# Differences whose sizes differ by less than this share of the largest are tied.
NEAR = 1e-10
# Values that Tukey's randomized test shuffles at a time.
VALUES = 1_000_000

# Takes differences, samples, seed and a progress report; returns one p-value per column.
PairedTest = Callable[[FloatArray, int, int, Report | None], FloatArray]


def bootstrap_test(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """Sakai's shifted bootstrap: how often queries resampled under no difference give a t statistic as large."""
    p_values, spreads = per_column(differences, constant_p), per_column(differences, deviation)
    p_values = np.maximum(p_values, 1.0 / (samples + 1.0))
    vary = np.flatnonzero(spreads)
    for defined, places in alike(differences[:, vary]):
        numbers = vary[places]
        values = differences[np.ix_(defined, numbers)]
        drawn_means, drawn_spreads = shifted_samples(values, samples, seed, report)
        reached = np.abs(values.mean(axis=0)) / spreads[numbers] * drawn_spreads * (1 - ROUNDING)
        hits = (np.abs(drawn_means) >= reached).sum(axis=0)
        p_values[numbers] = (hits + 1.0) / (samples + 1.0)
    return p_values


def shifted_samples(values: FloatArray, samples: int, seed: int, report: Report | None = None) -> Arrays:
    """The means and standard deviations of resamples of the centred values."""
    count = len(values)
    centred = values - values.mean(axis=0)
    totals = resampled_totals(np.concatenate([centred, centred**2], axis=1), samples, seed, report)
    means, squares = np.split(totals / count, 2, axis=1)
    return means, np.sqrt(np.maximum(squares - means**2, 0.0) * count / (count - 1))


def t_test(values: FloatArray) -> float:
    from scipy.special import stdtr

    spread = deviation(values)
    if spread == 0:
        return constant_p(values)
    statistic = abs(float(values.mean())) / (spread / np.sqrt(len(values)))
    return float(2 * stdtr(len(values) - 1, -statistic))


def wilcoxon(values: FloatArray) -> float:
    """Wilcoxon's signed rank test with scipy's defaults: zeros are left out."""
    from scipy import stats

    return float(stats.wilcoxon(signed_places(values)).pvalue) if values.any() else 1.0


def sign_test(values: FloatArray) -> float:
    """The sign test: wins against losses, regardless of their size."""
    from scipy.special import bdtr

    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def signed_places(values: FloatArray) -> FloatArray:
    """The place of each value by its size, with its sign; values that differ only by rounding share a place."""
    sizes = np.abs(values)
    order = np.argsort(sizes, kind="stable")
    steps = np.diff(sizes[order], prepend=sizes[order][:1]) > NEAR * sizes.max(initial=0.0)
    places = np.empty_like(values)
    places[order] = np.cumsum(steps) + 1
    return places * np.sign(values)


def rank_direction(values: FloatArray) -> int:
    """Which way Wilcoxon's test points: 1 if values above zero have the larger sum of ranks, -1 if those below."""
    from scipy.stats import rankdata

    places = signed_places(values[values != 0])
    return int(np.sign(rankdata(np.abs(places)) @ np.sign(places)))


def per_column(differences: FloatArray, figure: Callable[[FloatArray], float]) -> FloatArray:
    """A figure per column, computed from its values without NaN."""
    return np.array([figure(column[~np.isnan(column)]) for column in differences.T])


def without_draws(p_value: Callable[[FloatArray], float]) -> PairedTest:
    """The test of many pairs that a p-value of one pair's differences makes."""

    def test(differences: FloatArray, _samples: int, _seed: int, _report: Report | None = None) -> FloatArray:
        return per_column(differences, p_value)

    return test


def constant_p(values: FloatArray) -> float:
    """The p-value of differences that are all the same, so that their spread is unknown: that of random signs."""
    return float(2 * 0.5 ** len(values)) if values.any() else 1.0


def tukey(scores: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """The p-value of each pair of columns, as a square matrix; scores have one row per query, one column per system."""
    from scipy.stats import studentized_range

    queries, systems = scores.shape
    differences = gaps(scores)
    freedom = (queries - 1) * (systems - 1)
    error = residual(scores)
    p_values = np.ones_like(differences)
    rows, columns = np.nonzero(np.triu(differences, 1))
    if error:
        statistics = differences[rows, columns] / np.sqrt(error / freedom / queries)
        found = np.clip(studentized_range.sf(statistics, systems, freedom), 0.0, 1.0)
    else:
        # All differences are constant, so their spread is unknown; the p-value of random signs is the best available.
        found = np.full(len(rows), 2 * 0.5**queries)
    p_values[rows, columns] = p_values[columns, rows] = found
    return p_values


def gaps(scores: FloatArray) -> FloatArray:
    """The absolute difference of each pair's means; exactly 0 if it is only rounding."""
    means = scores.mean(axis=0)
    found = np.abs(means[:, None] - means[None, :])
    return np.where(found > ROUNDING * np.abs(scores).mean(), found, 0.0)


def residual(scores: FloatArray) -> float:
    """The residual sum of squares after system and query effects; exactly 0 if it is only rounding."""
    left = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    total = float((left**2).sum())
    return total if total > ROUNDING**2 * float((scores**2).sum()) else 0.0


def tukey_randomized(scores: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """The randomized version: how often the largest gap is as large if systems are shuffled within each query."""
    queries, systems = scores.shape
    generator = np.random.default_rng(seed)
    reached = gaps(scores) - ROUNDING * np.abs(scores).mean()
    hits = np.zeros(reached.shape)
    rows = max(1, VALUES // scores.size)
    for start in range(0, samples, rows):
        number = min(rows, samples - start)
        shuffled = generator.permuted(np.broadcast_to(scores, (number, queries, systems)), axis=2)
        means = shuffled.mean(axis=1)
        largest = np.sort(means.max(axis=1) - means.min(axis=1))
        hits += number - np.searchsorted(largest, reached)
        if report is not None:
            report((start + number) / samples)
    return (hits + 1.0) / (samples + 1.0)


# The tests that are not about the mean, with the direction that they point in: 1 if more values are above zero.
DIRECTIONS: dict[str, Callable[[FloatArray], int]] = {
    "wilcoxon": rank_direction,
    "sign": lambda values: int(np.sign(np.sign(values).sum())),
}
PAIRED_TESTS: dict[str, PairedTest] = {
    "randomization": randomization,
    "t": without_draws(t_test),
    "wilcoxon": without_draws(wilcoxon),
    "sign": without_draws(sign_test),
    "bootstrap": bootstrap_test,
}
TUKEY_TESTS: dict[str, PairedTest] = {"tukey": tukey, "tukey_randomized": tukey_randomized}
# A gate tests the mean. If most queries do not change and a few drop a lot, tests of the median notice nothing.
TESTS_OF_MEANS = ("randomization", "t", "bootstrap")
