"""Tukey's honestly significant difference: all pairs of systems at once, with the queries as blocks.

Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, ACM TOIS 30(1),
2012. The p-values hold for all pairs together and need no correction.
"""

from __future__ import annotations

import numpy as np

from assay.core.judged import FloatArray
from assay.core.progress import Report
from assay.stats.intervals import ROUNDING
from assay.stats.paired import PairedTest

# Values shuffled at a time.
VALUES = 1_000_000


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


TUKEY_TESTS: dict[str, PairedTest] = {"tukey": tukey, "tukey_randomized": tukey_randomized}
