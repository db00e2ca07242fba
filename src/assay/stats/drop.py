"""One-sided tests of a drop: whether values lie further below zero than chance would put them.

The tests here are about the mean. Wilcoxon's and the sign test are about the median: where most queries do not change
and a few lose a lot, they see nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.stats.intervals import ROUNDING, alike
from assay.stats.paired import PAIRED_TESTS, constant_p, detectable, deviation, per_column, shifted_samples

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

TESTS_OF_MEANS = ("randomization", "t", "bootstrap")


def drop_p_values(changes: FloatArray, test: str, samples: int, seed: int) -> FloatArray:
    """How often chance alone puts the mean of a column as far below zero as it is; a NaN does not count.

    The t test and the randomization test are alike on both sides, so their two-sided p-value is split in the middle:
    half of it where the mean is below zero, else 1 less that half. Sign flips and t take changes to spread alike to
    both sides, so where they are strongly skewed the p-value is approximate.

    >>> drop_p_values(np.array([[-0.5, 0.5], [-0.25, 0.25], [-0.5, 0.5]]), "randomization", 100, 0)
    array([0.125, 0.875])
    """
    if test == "bootstrap":
        return bootstrap_below(changes, samples, seed)
    return one_sided(changes, PAIRED_TESTS[test](changes, samples, seed, None))


def one_sided(changes: FloatArray, p_values: FloatArray) -> FloatArray:
    """One-sided p-values of two-sided ones that are alike on both sides."""
    return np.where(np.nansum(changes, axis=0) < 0, p_values / 2, 1 - p_values / 2)


def bootstrap_below(changes: FloatArray, samples: int, seed: int) -> FloatArray:
    """The shifted bootstrap on one side: how often queries drawn without a drop give a t statistic as low."""
    p_values, spreads = one_sided(changes, per_column(changes, constant_p)), per_column(changes, deviation)
    vary = np.flatnonzero(spreads)
    for defined, places in alike(changes[:, vary]):
        numbers = vary[places]
        values = changes[np.ix_(defined, numbers)]
        drawn_means, drawn_spreads = shifted_samples(values, samples, seed)
        reached = values.mean(axis=0) / spreads[numbers] * drawn_spreads
        hits = (drawn_means <= reached + ROUNDING * np.abs(reached)).sum(axis=0)
        p_values[numbers] = (hits + 1.0) / (samples + 1.0)
    return p_values


def smallest_p(count: int, test: str, samples: int) -> float:
    """The smallest p-value that so many queries can give."""
    if test == "randomization":
        return max(0.5**count, 0.5 / (samples + 1))
    if count < 2:  # noqa: PLR2004 - one query does not vary
        return 0.5
    return 1 / (samples + 1) if test == "bootstrap" else 0.0


def detectable_drop(changes: FloatArray, alpha: float) -> float:
    """The smallest drop that a one-sided paired t test on so many queries finds in four cases of five.

    >>> round(detectable_drop(np.array([0.1, -0.1] * 50), 0.05), 4)
    0.0252
    """
    return detectable(changes, 2 * alpha)
