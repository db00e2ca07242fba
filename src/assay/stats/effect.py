"""How large a difference is, apart from how sure it is: effect sizes, and the smallest one that could have been seen.

Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988; Cliff, Psychological Bulletin 114, 1993.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

POWER = 0.8


def cohen_d(differences: FloatArray) -> float:
    """The mean difference in units of its standard deviation, paired; 0 where nothing differs.

    >>> cohen_d(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    if len(differences) < 2:  # noqa: PLR2004 - one value has no spread
        return float("nan")
    mean, spread = float(differences.mean()), deviation(differences)
    if spread == 0:
        return 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return mean / spread


def deviation(differences: FloatArray) -> float:
    """The standard deviation of a sample; exactly 0 where all values are the same."""
    if len(differences) < 2 or np.ptp(differences) == 0:  # noqa: PLR2004 - one value has no spread
        return 0.0
    return float(differences.std(ddof=1))


def cliff_delta(a: FloatArray, b: FloatArray) -> float:
    """How much more often a value of `b` is above one of `a` than below, over all pairs: from -1 to 1.

    >>> cliff_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.75
    """
    if not len(a) or not len(b):
        return float("nan")
    ordered = np.sort(a)
    above = np.searchsorted(ordered, b, side="left").sum()
    below = len(a) * len(b) - np.searchsorted(ordered, b, side="right").sum()
    return float(above - below) / (len(a) * len(b))


def detectable(differences: FloatArray, alpha: float) -> float:
    """The smallest difference that a paired t test on so many queries finds in four cases of five."""
    if len(differences) < 2:  # noqa: PLR2004 - one value has no spread
        return float("nan")
    return detectable_effect(len(differences), alpha) * deviation(differences)


@lru_cache(maxsize=256)
def detectable_effect(count: int, alpha: float, power: float = POWER) -> float:
    """The same in units of the standard deviation: where the power of the two-sided test reaches `power`."""
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    freedom = count - 1
    critical = t.isf(alpha / 2, freedom)

    def lacking(effect: float) -> float:
        shift = effect * np.sqrt(count)
        return float(nct.sf(critical, freedom, shift) + nct.cdf(-critical, freedom, shift) - power)

    high = 1.0 / np.sqrt(count)
    while lacking(high) < 0:
        high *= 2
    return float(brentq(lacking, 0.0, high, xtol=1e-12))
