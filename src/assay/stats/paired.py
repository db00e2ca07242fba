"""Paired tests: whether the difference between two systems is larger than chance would make it.

Each takes the differences of all pairs of systems at once, one column a pair, so that random draws are shared.
Smucker et al., A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007;
Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.stats.effect import deviation

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.judged import FloatArray

SIGN_FLIPS = 100_000
RESAMPLES = 10_000
# Numbers drawn at a time; bounds the memory whatever the number of queries and samples.
DRAWS = 4_000_000
# Two sums of the same numbers in another order differ by less than this share of their size.
ROUNDING = 1e-9


def randomization(differences: FloatArray, samples: int | None, seed: int) -> FloatArray:
    """Fisher's randomization test: how often random signs give a mean difference as large.

    Every sign pattern is tried where there are no more of them than samples; else p = (c + 1) / (samples + 1).
    A NaN is a query that does not count.
    """
    samples = SIGN_FLIPS if samples is None else samples
    values = np.nan_to_num(differences)
    count = len(values)
    reached = np.abs(values.sum(axis=0)) - ROUNDING * np.abs(values).sum(axis=0)
    if count < 63 and 2**count <= samples:  # noqa: PLR2004 - a shift must fit in 64 bits
        patterns = np.arange(2**count)[:, None] >> np.arange(count) & 1
        share: FloatArray = at_least(values, patterns.astype(np.float64), reached) / 2**count
        return share
    generator = np.random.default_rng(seed)
    hits = np.zeros(values.shape[1])
    rows = max(1, DRAWS // count)
    for start in range(0, samples, rows):
        hits += at_least(values, random_bits(generator, min(rows, samples - start), count), reached)
    return (hits + 1.0) / (samples + 1.0)


def random_bits(generator: np.random.Generator, rows: int, count: int) -> FloatArray:
    """Zeros and ones, so many to a row."""
    packed = np.frombuffer(generator.bytes(rows * -(-count // 8)), dtype=np.uint8)
    return np.unpackbits(packed.reshape(rows, -1), axis=1, count=count).astype(np.float64)


def at_least(values: FloatArray, keeps: FloatArray, reached: FloatArray) -> FloatArray:
    """How many of the sign patterns, 1 where a sign is kept, give a sum at least as large, one a column."""
    flipped = 2.0 * (keeps @ values) - values.sum(axis=0)
    return np.asarray((np.abs(flipped) >= reached).sum(axis=0), dtype=np.float64)


def bootstrap_test(differences: FloatArray, samples: int | None, seed: int) -> FloatArray:
    """Sakai's shifted bootstrap: how often a t statistic as large comes from queries without a difference."""
    samples = RESAMPLES if samples is None else samples
    return np.array([shifted(known(column), samples, seed) for column in differences.T])


def shifted(values: FloatArray, samples: int, seed: int) -> float:
    """The p-value of one pair."""
    count = len(values)
    spread = deviation(values)
    if count < 2 or spread == 0:  # noqa: PLR2004 - one value has no spread
        return certain(values)
    observed = abs(float(values.mean())) / spread
    moved = values - values.mean()
    generator = np.random.default_rng(seed)
    hits = 0
    rows = max(1, DRAWS // count)
    for start in range(0, samples, rows):
        drawn = moved[generator.integers(count, size=(min(rows, samples - start), count), dtype=np.int32)]
        means, spreads = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
        hits += int((np.abs(means) >= observed * spreads * (1 - ROUNDING)).sum())
    return (hits + 1) / (samples + 1)


def t_test(differences: FloatArray, samples: int | None, seed: int) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """Student's paired t test."""
    from scipy.stats import t

    def p_value(values: FloatArray) -> float:
        spread = deviation(values)
        if len(values) < 2 or spread == 0:  # noqa: PLR2004 - one value has no spread
            return certain(values)
        statistic = values.mean() / (spread / np.sqrt(len(values)))
        return float(2 * t.sf(abs(statistic), len(values) - 1))

    return np.array([p_value(known(column)) for column in differences.T])


def wilcoxon(differences: FloatArray, samples: int | None, seed: int) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """Wilcoxon's signed rank test, as scipy has it by default: zeros are left out."""
    from scipy import stats

    def p_value(values: FloatArray) -> float:
        return float(stats.wilcoxon(values).pvalue) if values.any() else 1.0

    return np.array([p_value(known(column)) for column in differences.T])


def sign(differences: FloatArray, samples: int | None, seed: int) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """The sign test: wins against losses, whatever their size."""
    from scipy.stats import binomtest

    def p_value(values: FloatArray) -> float:
        wins, losses = int((values > 0).sum()), int((values < 0).sum())
        return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0

    return np.array([p_value(known(column)) for column in differences.T])


def known(values: FloatArray) -> FloatArray:
    """The values that are there."""
    return values[~np.isnan(values)]


def certain(values: FloatArray) -> float:
    """The p-value of differences that are all the same: nothing is known of one query, and all of many."""
    return 0.0 if len(values) > 1 and values.any() else 1.0


PAIRED_TESTS: dict[str, Callable[[FloatArray, int | None, int], FloatArray]] = {
    "randomization": randomization,
    "t": t_test,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "bootstrap": bootstrap_test,
}
