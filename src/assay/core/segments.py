"""Arithmetic along each query's stretch of an array, one step after another, so that every sum has its own bits.

A stretch begins where `starts` says; one more entry marks the end of the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.core.judged import FloatArray, IntArray


def stretches(owner: IntArray, size: int) -> IntArray:
    """Where the stretch of each of `size` queries begins, given the query of each entry, in order.

    >>> stretches(np.array([0, 0, 2]), 3)
    array([0, 2, 2, 3])
    """
    return np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=size)))).astype(np.int64)


def steps(starts: IntArray) -> Iterator[IntArray]:
    """The second entry of every stretch that has one, then the third, and so on."""
    first, counts = starts[:-1], np.diff(starts)
    for step in range(1, int(counts.max(initial=0))):
        yield first[counts > step] + step


def running_sums(values: FloatArray, starts: IntArray) -> FloatArray:
    """For each entry the sum of its stretch up to and with it.

    >>> running_sums(np.array([1.0, 2.0, 5.0]), np.array([0, 2, 3]))
    array([1., 3., 5.])
    """
    sums = np.array(values, dtype=np.float64)
    for rows in steps(starts):
        sums[rows] += sums[rows - 1]
    return sums


def products_before(factors: FloatArray, starts: IntArray) -> FloatArray:
    """For each entry the product of the earlier factors of its stretch.

    >>> products_before(np.array([0.5, 0.5, 0.1]), np.array([0, 3]))
    array([1.  , 0.5 , 0.25])
    """
    products = np.ones(len(factors))
    for rows in steps(starts):
        products[rows] = products[rows - 1] * factors[rows - 1]
    return products


def highest_onward(values: FloatArray, starts: IntArray) -> FloatArray:
    """For each entry the highest value of its stretch from it on.

    >>> highest_onward(np.array([0.5, 0.7, 0.2]), np.array([0, 3]))
    array([0.7, 0.7, 0.2])
    """
    highest = np.array(values, dtype=np.float64)
    for rows in reversed(list(steps(starts))):
        highest[rows - 1] = np.maximum(highest[rows - 1], highest[rows])
    return highest
