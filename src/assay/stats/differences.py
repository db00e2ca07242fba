"""The differences between two systems, query by query, and what they come to for many pairs at once.

The kernel works out all pairs on all cores; each array is passed to it once for many pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import Lists
from assay.engine.local import count_threads
from assay.stats.intervals import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.core.judged import FloatArray

    Arrays = tuple[FloatArray, FloatArray]

# Bytes of arrays that are passed to the kernel at a time; they bound the memory for any number of queries and pairs.
PASSED = 32_000_000


class Figures(NamedTuple):
    """What some differences come to: `counted` of them are not NaN, `squares` is of their distances to the mean."""

    counted: float
    higher: float
    lower: float
    least: float
    largest: float
    total: float
    squares: float


class Rounded(NamedTuple):
    """Differences rounded as `summable` does: their sum without signs, which is NaN if it may be too large, and with.

    `gap` is how far they are from the differences of other arrays, together.
    """

    counted: float
    size: float
    total: float
    gap: float


class Batch(NamedTuple):
    """Pairs of arrays of one length: the arrays, each once, and for each pair the numbers of its two."""

    arrays: list[FloatArray]
    pairs: list[tuple[int, int]]


def differences_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """`b` minus `a` per query; exactly 0 if the difference is only rounding, NaN if a value is not finite.

    >>> differences_of(np.array([0.3, 0.5]), np.array([0.1 + 0.2, 1.0]))
    array([0. , 0.5])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        moved = b - a
    if not np.isfinite(moved).all():
        moved = np.where(np.isfinite(a) & np.isfinite(b), moved, np.nan)
    moved[np.abs(moved) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    return moved


def figures_of(pairs: Iterable[Arrays]) -> list[Figures]:
    """The figures of `differences_of` each pair.

    >>> figures_of([(np.array([1.0, 2.0, np.nan]), np.array([2.0, 0.0, np.nan]))])[0]._asdict()
    {'counted': 2.0, 'higher': 1.0, 'lower': 1.0, 'least': -2.0, 'largest': 1.0, 'total': -1.0, 'squares': 4.5}
    """
    found: list[Figures] = []
    for arrays, numbers in batches_of(pairs):
        lists = Lists(joined(arrays), len(arrays[0]))
        figures = lists.figures(packed(numbers), ROUNDING, count_threads(None))
        found += map(Figures._make, np.frombuffer(figures).reshape(-1, len(Figures._fields)).tolist())
    return found


def rounded_of(pairs: Sequence[Arrays], others: Sequence[Arrays]) -> list[Rounded]:
    """`differences_of` each pair, rounded, next to the plain differences of another pair; the pairs share their arrays.

    >>> rounded_of([(np.array([0.25]), np.array([1.0]))], [(np.array([0.25]), np.array([0.5]))])
    [Rounded(counted=1.0, size=0.75, total=0.75, gap=0.5)]
    """
    found: list[Rounded] = []
    for batch, other in zip(batches_of(pairs), batches_of(others), strict=True):
        lists, systems = Lists(joined(batch.arrays), len(batch.arrays[0])), joined(other.arrays)
        rounded = lists.rounded(packed(batch.pairs), ROUNDING, systems, count_threads(None))
        found += map(Rounded._make, np.frombuffer(rounded).reshape(-1, len(Rounded._fields)).tolist())
    return found


def batches_of(pairs: Iterable[Arrays]) -> Iterator[Batch]:
    """The pairs in batches, in order."""
    batch, places = Batch([], []), dict[int, int]()
    for pair in pairs:
        held = (len(batch.arrays) + 2) * pair[0].nbytes
        if batch.arrays and (len(pair[0]) != len(batch.arrays[0]) or held > PASSED):
            yield batch
            batch, places = Batch([], []), {}
        for each in pair:
            # The batch keeps the array, so that no other gets its identity.
            if places.setdefault(id(each), len(batch.arrays)) == len(batch.arrays):
                batch.arrays.append(each)
        batch.pairs.append((places[id(pair[0])], places[id(pair[1])]))
    if batch.pairs:
        yield batch


def joined(arrays: Sequence[FloatArray]) -> bytes:
    """The arrays one after the other."""
    return b"".join(np.ascontiguousarray(each).data for each in arrays)


def packed(pairs: Sequence[tuple[int, int]]) -> bytes:
    """The numbers of pairs, for the kernel."""
    return np.array(pairs, dtype=np.uint32).tobytes()
