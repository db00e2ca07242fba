"""Two systems compared by a score of summed statistics, such as corpus BLEU: difference, interval and test.

The test is approximate randomization: it swaps the two systems' statistics on random queries and scores both again.
Riezler and Maxwell, On some pitfalls in automatic evaluation and significance testing for MT, 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from assay.core.judged import BoolArray, FloatArray
from assay.core.progress import Report
from assay.stats.differences import DIFFERENCE_SAMPLES, interval_of
from assay.stats.intervals import ROUNDING, Interval, resampled_totals, summable
from assay.stats.randomization import share_of, sign_patterns

# The tests that can test such a score; the others test values per query.
POOLED_TESTS = ("randomization",)


class Pool(NamedTuple):
    """The statistics of each run, one row per query, and the function that scores sums of them, one value per row."""

    statistics: Mapping[str, FloatArray]
    combine: Callable[[FloatArray], FloatArray]


class Sums(NamedTuple):
    """The statistics of two runs on the queries with a value in both, side by side, and the function that scores sums.

    >>> sums = Sums(np.array([[1.0, 2, 2, 2], [0, 2, 1, 2]]), lambda each: each[..., 0] / each[..., 1])
    >>> sums.scores(sums.both.sum(axis=0)), swapped_p(sums, 100, 0)
    (array([0.25, 0.75]), 0.5)
    """

    both: FloatArray
    combine: Callable[[FloatArray], FloatArray]

    def scores(self, totals: FloatArray) -> FloatArray:
        """The scores of both runs for these totals; the last axis has the first and the second run."""
        return np.stack([self.combine(each) for each in np.split(totals, 2, axis=-1)], axis=-1)

    @property
    def is_equal(self) -> bool:
        """Whether the runs have the same statistics on every query."""
        first, second = np.split(self.both, 2, axis=1)
        return np.array_equal(first, second)


def sums_of(pool: Pool, a: str, b: str, counts: BoolArray) -> Sums:
    """The statistics of two runs on the queries that count."""
    return Sums(np.concatenate([pool.statistics[a][counts], pool.statistics[b][counts]], axis=1), pool.combine)


def swapped_p(sums: Sums, samples: int, seed: int, report: Report | None = None) -> float:
    """How often swapping the runs on random queries gives a difference at least as large.

    All ways to swap are tried if there are no more of them than samples; else p = (c + 1) / (samples + 1).
    """
    count = len(sums.both)
    # Stacked, so that both runs are rounded alike and sums with swapped statistics are exact too.
    first, second = np.split(summable(np.concatenate(np.split(sums.both, 2, axis=1))), 2)
    gain = np.concatenate([second - first, first - second], axis=1)
    totals = np.concatenate([first, second], axis=1).sum(axis=0)
    observed = sums.scores(totals)
    reached = np.abs(np.diff(observed)) - ROUNDING * np.abs(observed).max()
    hits = np.zeros(1)
    for flips in sign_patterns(count, samples, seed, report):
        hits += (np.abs(np.diff(sums.scores(totals + flips @ gain))) >= reached).sum()
    return float(share_of(hits, count, samples)[0])


def pooled_interval(sums: Sums, *, level: float, seed: int) -> Interval:
    """The interval of the second run's score minus the first's, by resampling queries."""
    drawn = resampled_totals(sums.both, DIFFERENCE_SAMPLES, seed)
    return interval_of(sums.both, drawn, lambda totals, _: sums.scores(totals), level)
