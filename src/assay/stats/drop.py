"""One-sided tests of a drop: whether values lie further below zero than chance would put them.

The tests here are about the mean. Wilcoxon's and the sign test are about the median: where most queries do not change
and a few lose a lot, they see nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.stats.bootstrap import unheard
from assay.stats.effect import detectable
from assay.stats.paired import PAIRED_TESTS
from assay.stats.settings import DEFAULT_SAMPLES

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

TESTS_OF_MEANS = ("randomization", "t", "bootstrap")


def drop_p_values(changes: FloatArray, test: str, samples: int | None, seed: int) -> FloatArray:
    """How often chance alone puts the mean of a column as far below zero as it is; a NaN does not count.

    The two-sided p-value is split in the middle: half of it where the mean is below zero, else 1 less that half.

    >>> drop_p_values(np.array([[-0.5, 0.5], [-0.25, 0.25], [-0.5, 0.5]]), "randomization", None, 0)
    array([0.125, 0.875])
    """
    drawn = samples or DEFAULT_SAMPLES.get(test, 1)
    halves = PAIRED_TESTS[test](changes, drawn, seed, unheard) / 2
    return np.where(np.nansum(changes, axis=0) < 0, halves, 1 - halves)


def smallest_p(count: int, test: str, samples: int | None) -> float:
    """The smallest p-value that so many queries can give."""
    drawn = 0.5 / ((samples or DEFAULT_SAMPLES[test]) + 1) if test in DEFAULT_SAMPLES else 0.0
    if test == "randomization":
        return max(0.5**count, drawn)
    return drawn if count > 1 else 0.5


def detectable_drop(changes: FloatArray, alpha: float) -> float:
    """The smallest drop that a one-sided paired t test on so many queries finds in four cases of five.

    >>> round(detectable_drop(np.array([0.1, -0.1] * 50), 0.05), 4)
    0.0252
    """
    return detectable(changes, 2 * alpha)
