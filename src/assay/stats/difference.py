"""Confidence intervals of a difference between two systems: the bias-corrected and accelerated bootstrap (BCa).

Efron, Better bootstrap confidence intervals, JASA 82, 1987.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.measure import AGGREGATES
from assay.stats.bootstrap import Interval, alike, resampled_totals
from assay.stats.effect import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.core.judged import FloatArray

SAMPLES = 2000


def difference_interval(
    a: FloatArray, b: FloatArray, aggregate: str = "mean", *, level: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """The interval of what `b` has more than `a`, over the queries that both have a value for.

    >>> difference_interval(np.array([0.0, 0.5, 0.25, 0.5]), np.array([0.5, 0.5, 0.5, 1.0]))
    Interval(low=0.0625, high=0.5)
    """
    return difference_intervals([a], [b], [aggregate], level=level, samples=samples, seed=seed)[0]


def difference_intervals(
    a: Sequence[FloatArray],
    b: Sequence[FloatArray],
    aggregates: Sequence[str],
    *,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The interval of each pair. Those that are defined for the same queries share their samples."""
    intervals: dict[int, Interval] = {}
    before, after = np.stack(a, axis=1), np.stack(b, axis=1)
    for defined, numbers in alike(before + after):
        chosen = [AGGREGATES[aggregates[number]] for number in numbers]
        sides = [
            np.stack(
                [each.prepare(side[defined, number]) for each, number in zip(chosen, numbers, strict=True)], axis=1
            )
            for side in (before, after)
        ]
        totals = resampled_totals(np.concatenate(sides, axis=1), samples, seed)
        for place, (number, aggregation) in enumerate(zip(numbers.tolist(), chosen, strict=True)):
            drawn = totals[:, [place, place + len(numbers)]]
            both = np.stack([side[:, place] for side in sides], axis=1)
            intervals[number] = interval_of(both, drawn, aggregation.finish, level)
    return [intervals[number] for number in range(len(a))]


def interval_of(
    both: FloatArray, drawn: FloatArray, finish: Callable[[FloatArray, int], FloatArray], level: float
) -> Interval:
    """The interval of one pair: a row for each query's values, and one for each sample's totals.

    `finish` makes the two systems' numbers of totals over so many queries.
    """
    count = len(both)
    if not count:
        return Interval(float("nan"), float("nan"))

    def difference(totals: FloatArray, number: int) -> FloatArray:
        numbers = finish(totals, number)
        return np.asarray(numbers[..., 1] - numbers[..., 0])

    total = both.sum(axis=0)
    observed = float(difference(total, count))
    estimates = np.sort(difference(drawn, count))
    if estimates[-1] - estimates[0] <= ROUNDING * np.abs(finish(total, count)).max():
        return Interval(observed, observed)
    return accelerated(estimates, observed, difference(total - both, count - 1), level)


def accelerated(estimates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """The quantiles of the sorted estimates that bias and skewness call for; `left_out` is the jackknife."""
    from scipy.special import ndtr, ndtri

    count = len(estimates)
    # Estimates that are the observed difference but for rounding count half.
    near = ROUNDING * max(abs(float(estimates[0])), abs(float(estimates[-1])))
    below = np.searchsorted(estimates, (observed - near, observed + near)).mean()
    bias = ndtri(np.clip(below / count, 0.5 / count, 1 - 0.5 / count))
    centred = left_out.mean() - left_out
    squares = float((centred**2).sum())
    skewness = float((centred**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    moved = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    # With a level near 1 and a large skewness the formula has a pole; past it the bound is the outermost estimate.
    shares = ndtr(bias + moved / np.maximum(1 - skewness * moved, 1e-9))
    low, high = np.interp(shares * (count - 1), np.arange(count), estimates)
    return Interval(float(low), float(high))
