"""One-sided tests of a drop: whether the mean change is further below zero than chance explains.

These tests are about the mean. The Wilcoxon and sign tests are about the median: if most queries do not change and a
few drop a lot, they notice nothing.
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
    """The one-sided p-value per column: how often chance puts its mean as far below zero. NaN does not count.

    The t test and the randomization test are symmetric, so half of their two-sided p-value is taken if the mean is
    below zero, else 1 minus that half. Both assume that changes are spread symmetrically; if they are strongly skewed,
    the p-value is approximate.

    >>> drop_p_values(np.array([[-0.5, 0.5], [-0.25, 0.25], [-0.5, 0.5]]), "randomization", 100, 0)
    array([0.125, 0.875])
    """
    if test == "bootstrap":
        return bootstrap_below(changes, samples, seed)
    return one_sided(changes, PAIRED_TESTS[test](changes, samples, seed, None))


def one_sided(changes: FloatArray, p_values: FloatArray) -> FloatArray:
    """One-sided p-values from two-sided ones of a symmetric test."""
    return np.where(np.nansum(changes, axis=0) < 0, p_values / 2, 1 - p_values / 2)


def bootstrap_below(changes: FloatArray, samples: int, seed: int) -> FloatArray:
    """The one-sided shifted bootstrap: how often queries resampled under no drop give a t statistic as low."""
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
    """The smallest p-value that this many queries can give."""
    if test == "randomization":
        return max(0.5**count, 0.5 / (samples + 1))
    if count < 2:  # noqa: PLR2004 - one query does not vary
        return 0.5
    return 1 / (samples + 1) if test == "bootstrap" else 0.0


def detectable_drop(changes: FloatArray, alpha: float) -> float:
    """The smallest drop that a one-sided paired t test on this many queries detects with 80 % power.

    >>> round(detectable_drop(np.array([0.1, -0.1] * 50), 0.05), 4)
    0.0252
    """
    return detectable(changes, 2 * alpha)
