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
# The same number, computed in two ways, differs by less than this share of its size.
ROUNDING = 1e-9
# Points at which the distribution of a standard deviation is taken.
POINTS = 4000


def differences_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """What each query of `b` has more; exactly 0 where that is only rounding, NaN where a value is not finite.

    >>> differences_of(np.array([0.3, 0.5]), np.array([0.1 + 0.2, 1.0]))
    array([0. , 0.5])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.where(np.isfinite(a) & np.isfinite(b), b - a, np.nan)
    return np.where(np.abs(moved) <= ROUNDING * np.maximum(np.abs(a), np.abs(b)), 0.0, moved)


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
    """The standard deviation of a sample; exactly 0 where all values are the same but for rounding."""
    if len(differences) < 2 or np.ptp(differences) <= ROUNDING * np.abs(differences).max():  # noqa: PLR2004 - one value has no spread
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
    """The smallest mean difference that a paired t test on so many queries finds in four cases of five.

    NaN where the differences do not vary: how far they would on other queries is not known.
    """
    spread = deviation(differences)
    return detectable_effect(len(differences), alpha) * spread if spread else float("nan")


@lru_cache(maxsize=256)
def detectable_effect(count: int, alpha: float, power: float = POWER) -> float:
    """The same in units of the standard deviation: where the power of the two-sided test reaches `power`."""
    from scipy.special import gammaincinv, ndtr, stdtrit

    freedom = count - 1
    # Quantiles that stand closest at both ends, where the distribution bends most, and what share each stands for.
    place = (np.arange(POINTS) + 0.5) / POINTS
    quantiles, shares = place**3 * (10 - 15 * place + 6 * place**2), 30 * place**2 * (1 - place) ** 2 / POINTS
    deviations = np.sqrt(gammaincinv(freedom / 2, quantiles) * 2 / freedom)
    needed = -stdtrit(freedom, alpha / 2) * deviations

    def power_at(shift: float) -> float:
        return float((shares * (ndtr(shift - needed) + ndtr(-shift - needed))).sum())

    low, high = 0.0, 1.0
    while power_at(high) < power:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power_at(middle) < power else (low, middle)
    return high / float(np.sqrt(count))
