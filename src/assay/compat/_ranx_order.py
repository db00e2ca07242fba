"""The order in which ranx ranks documents: a `Run` once for every time it is sorted, a plain dict in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.engine.quicksort import FEWEST, quicksort_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import FloatArray, IntArray


def sorted_by_ranx(values: Sequence[float], *, times: int = 1) -> list[int]:
    """The positions of the values from the highest to the lowest, NaN last, after sorting this many times.

    >>> sorted_by_ranx([1, 2, 2]), sorted_by_ranx([0] * 16)[:3], sorted_by_ranx([0] * 16, times=2)[:3]
    ([1, 2, 0], [14, 13, 12], [0, 1, 2])
    """
    keys = -np.array(values, dtype=np.float64)
    if is_stable(keys):
        return list(map(int, np.argsort(keys, kind="stable")))
    order = np.array(quicksort_order(keys))
    # What is in order already is moved in the same way every time.
    again = np.array(quicksort_order(keys[order]))
    return list(map(int, order[repeated(again, times - 1)]))


def sorted_as_dict(values: Sequence[float]) -> list[int]:
    """The positions of the values of a plain dict from the highest to the lowest, NaN first, ties in reverse.

    >>> sorted_as_dict([1, 2, 2])
    [2, 1, 0]
    """
    keys = np.array(values, dtype=np.float64)
    order = np.argsort(keys, kind="stable") if is_stable(keys) else quicksort_order(keys)
    return [int(each) for each in order[::-1]]


def is_stable(keys: FloatArray) -> bool:
    """Whether the sort keeps the order of ties, or there are none."""
    return len(keys) < FEWEST or len(np.unique(keys)) == len(keys)


def repeated(permutation: IntArray, times: int) -> IntArray:
    """A permutation carried out this many times."""
    power, result = permutation, np.arange(len(permutation))
    while times:
        if times % 2:
            result = result[power]
        power = power[power]
        times //= 2
    return result
