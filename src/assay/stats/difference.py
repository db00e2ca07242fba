"""Confidence intervals of a difference between two systems: the bias-corrected and accelerated bootstrap.

Efron, Better bootstrap confidence intervals, JASA 82, 1987.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.aggregate import AGGREGATES
from assay.stats.bootstrap import Interval, resampled_totals

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

SAMPLES = 2000


def difference_interval(
    a: FloatArray, b: FloatArray, aggregate: str = "mean", *, level: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """The interval of what `b` has more than `a`, over queries that both have.

    >>> difference_interval(np.array([0.0, 0.5, 0.25, 0.5]), np.array([0.5, 0.5, 0.5, 1.0]))
    Interval(low=0.0625, high=0.5)
    """
    if not len(a):
        return Interval(float("nan"), float("nan"))
    aggregation = AGGREGATES[aggregate]
    both = np.stack([aggregation.prepare(a), aggregation.prepare(b)], axis=1)
    count = len(both)

    def difference(totals: FloatArray, number: int) -> FloatArray:
        return np.asarray(aggregation.finish(totals[..., 1], number) - aggregation.finish(totals[..., 0], number))

    total = both.sum(axis=0)
    observed = difference(total, count)
    estimates = np.sort(difference(resampled_totals(both, samples, seed), count))
    if estimates[-1] - estimates[0] <= 1e-12 * max(1.0, abs(float(observed))):
        return Interval(float(observed), float(observed))
    left_out = difference(total - both, count - 1) if count > 1 else np.zeros(1)
    return accelerated(estimates, float(observed), left_out, level)


def accelerated(estimates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """The quantiles of the sorted estimates that bias and skewness call for; `left_out` is the jackknife."""
    from scipy.special import ndtr, ndtri

    count = len(estimates)
    below = (np.searchsorted(estimates, observed, "left") + np.searchsorted(estimates, observed, "right")) / 2
    bias = ndtri(np.clip(below / count, 0.5 / count, 1 - 0.5 / count))
    centred = left_out.mean() - left_out
    squares = float((centred**2).sum())
    skewness = float((centred**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    tails = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    shares = ndtr(bias + (bias + tails) / (1 - skewness * (bias + tails)))
    low, high = np.interp(shares * (count - 1), np.arange(count), estimates)
    return Interval(float(low), float(high))
