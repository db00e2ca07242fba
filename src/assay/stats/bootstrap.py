"""Confidence intervals by resampling queries (the percentile bootstrap).

Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.core.aggregate import AGGREGATES
from assay.core.errors import PolicyError
from assay.core.judged import FloatArray
from assay.core.text import show

SAMPLES = 1000
# Draws held at a time; bounds the memory whatever the number of queries.
DRAWS = 4_000_000


class Interval(NamedTuple):
    """A lower and an upper bound."""

    low: float
    high: float


def bootstrap(
    scores: FloatArray, aggregate: str = "mean", *, level: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """The interval that holds the mean of resampled queries with the probability `level`.

    NaN scores are left out. With no score at all the interval is NaN, with one it is that score.

    >>> bootstrap(np.array([0.0, 1.0, 1.0, 1.0]))
    Interval(low=0.25, high=1.0)
    """
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise PolicyError(f"level must be a number between 0 and 1, such as 0.95, not {show(level)}")
    if not isinstance(seed, int) or seed < 0:
        raise PolicyError(f"seed must be a whole number from 0, not {show(seed)}")
    values = AGGREGATES[aggregate].prepare(scores[~np.isnan(scores)])
    if not len(values):
        return Interval(float("nan"), float("nan"))
    generator = np.random.default_rng(seed)
    totals = []
    rows = max(1, DRAWS // len(values))
    for start in range(0, samples, rows):
        draws = generator.integers(len(values), size=(min(rows, samples - start), len(values)))
        totals.append(values[draws].sum(axis=1))
    estimates = AGGREGATES[aggregate].finish(np.concatenate(totals), len(values))
    tail = (1 - level) / 2
    # What np.quantile does; that would import numpy.ma, a tenth of the time that `assay eval` takes to start.
    places = np.array((tail, 1 - tail)) * (samples - 1)
    low, high = np.interp(places, np.arange(samples), np.sort(estimates))
    return Interval(float(low), float(high))
