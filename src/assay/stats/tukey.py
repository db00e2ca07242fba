"""Tukey's honest significant difference: all pairs of systems at once, with the queries as blocks.

Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, ACM TOIS 30(1),
2012. The p-values hold for all pairs together: nothing is left to correct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.stats.paired import RESAMPLES, ROUNDING

if TYPE_CHECKING:
    from assay.core.judged import FloatArray


def tukey(scores: FloatArray, samples: int | None, seed: int) -> FloatArray:  # noqa: ARG001 - as all tests are called
    """The p-value of each pair of columns: one row a query, one column a system."""
    from scipy.stats import studentized_range

    queries, systems = scores.shape
    differences = gaps(scores)
    freedom = (queries - 1) * (systems - 1)
    error = residual(scores) / freedom if freedom else 0.0
    if error == 0:
        return np.where(differences > 0, 0.0 if freedom else 1.0, 1.0)
    statistic = differences / np.sqrt(error / queries)
    return np.asarray(studentized_range.sf(statistic, systems, freedom), dtype=np.float64)


def gaps(scores: FloatArray) -> FloatArray:
    """The difference of each pair's means, without its sign."""
    means = scores.mean(axis=0)
    return np.asarray(np.abs(means[:, None] - means[None, :]), dtype=np.float64)


def residual(scores: FloatArray) -> float:
    """The sum of squares that neither system nor query explains; exactly 0 where that is only rounding."""
    left = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    total = float((left**2).sum())
    return total if total > ROUNDING**2 * max(1.0, float((scores**2).sum())) else 0.0


def tukey_randomized(scores: FloatArray, samples: int | None, seed: int) -> FloatArray:
    """The same with chance made by shuffling the systems of each query: how often the largest gap is as large."""
    samples = RESAMPLES if samples is None else samples
    generator = np.random.default_rng(seed)
    differences = gaps(scores)
    reached = differences - ROUNDING * np.abs(scores).mean()
    hits = np.zeros(differences.shape)
    shuffled = scores.copy()
    for _ in range(samples):
        generator.permuted(shuffled, axis=1, out=shuffled)
        means = shuffled.mean(axis=0)
        hits += (means.max() - means.min()) >= reached
    return (hits + 1.0) / (samples + 1.0)


TUKEY_TESTS = {"tukey": tukey, "tukey_randomized": tukey_randomized}
