"""Corrections of p-values for many comparisons: the more one looks, the more one finds by chance.

Holm, Scandinavian Journal of Statistics 6, 1979; Benjamini and Hochberg, JRSS B 57, 1995; Benjamini and Yekutieli,
Annals of Statistics 29, 2001.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import PolicyError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.judged import FloatArray


def correct(p: FloatArray, method: str) -> FloatArray:
    """The p-values of one family, corrected; NaN ones are no part of it.

    >>> correct(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    if method not in CORRECTIONS:
        raise PolicyError(f"there is no correction {show(method)}; there are {', '.join(CORRECTIONS)}")
    corrected = np.full(len(p), np.nan)
    counted = np.flatnonzero(~np.isnan(p))
    order = counted[np.argsort(p[counted], kind="stable")]
    if len(order):
        corrected[order] = np.minimum(CORRECTIONS[method](p[order]), 1.0)
    return corrected


def none(ascending: FloatArray) -> FloatArray:
    return ascending


def bonferroni(ascending: FloatArray) -> FloatArray:
    """Each p-value times the number of comparisons."""
    return ascending * len(ascending)


def holm(ascending: FloatArray) -> FloatArray:
    """The smallest p-value times all comparisons, the next times one less, and so on; never decreasing."""
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def bh(ascending: FloatArray) -> FloatArray:
    """Controls the share of false findings among all findings."""
    raised = ascending * len(ascending) / np.arange(1, len(ascending) + 1)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1], dtype=np.float64)


def by(ascending: FloatArray) -> FloatArray:
    """The same whatever way the comparisons depend on each other."""
    return bh(ascending) * float((1.0 / np.arange(1, len(ascending) + 1)).sum())


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": bh,
    "by": by,
    "none": none,
}
