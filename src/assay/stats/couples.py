"""The scores of two systems side by side, with what cannot be compared taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.measure import AGGREGATES
from assay.stats.effect import differences_of
from assay.stats.pooled import Pool, Sums, sums_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.judged import BoolArray, FloatArray

# Numbers of this many binary digits before or after the point can be squared and summed.
SAFE_EXPONENT = 300


class Measured(NamedTuple):
    """The scores of each run by one measure, what they are combined by, and -1 for one where less is better.

    `pool` holds the statistics of a measure whose number is a score of their sums.
    """

    scores: Mapping[str, FloatArray]
    aggregate: str = "mean"
    sign: int = 1
    pool: Pool | None = None


class Couple(NamedTuple):
    """Two runs that are compared by one measure: the scores of all queries, and their differences.

    The differences are of what is averaged: of logarithms for a geometric mean. A query that does not count is NaN in
    all three. Scores that are very large or small are divided by `scale`. `sums` are there where the number is a score
    of summed statistics.
    """

    measure: str
    a: str
    b: str
    first: FloatArray
    second: FloatArray
    moved: FloatArray
    aggregate: str
    sign: int
    scale: float
    sums: Sums | None = None


def couple(measure: str, measured: Measured, a: str, b: str) -> Couple:
    """Two runs, ready to be compared on the queries that both have a finite value for."""
    both = np.stack([measured.scores[a], measured.scores[b]], axis=1)
    both[~is_whole(both)] = np.nan
    sums = None if measured.pool is None else sums_of(measured.pool, a, b, is_whole(both))
    both, scale = scaled(both, measured.aggregate) if sums is None else (both, 1.0)
    first, second = both[:, 0], both[:, 1]
    prepare = AGGREGATES[measured.aggregate].prepare
    moved = differences_of(prepare(first), prepare(second))
    return Couple(measure, a, b, first, second, moved, measured.aggregate, measured.sign, scale, sums)


def complete(measured: Measured) -> tuple[Measured, int]:
    """The scores of the queries that all runs have a finite value for, and how many others there are."""
    whole = is_whole(np.stack(list(measured.scores.values()), axis=1))
    scores = {name: each[whole] for name, each in measured.scores.items()}
    return measured._replace(scores=scores), int((~whole).sum())


def is_whole(scores: FloatArray) -> BoolArray:
    """The rows in which every value is finite."""
    return np.asarray(np.isfinite(scores).all(axis=1))


def scaled(scores: FloatArray, aggregate: str) -> tuple[FloatArray, float]:
    """Scores whose squares neither overflow nor vanish, and the power of two that they were divided by.

    >>> scaled(np.array([0.5, 2.0]), "mean")
    (array([0.5, 2. ]), 1.0)
    """
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    exponent = int(np.frexp(largest)[1])
    if abs(exponent) <= SAFE_EXPONENT or aggregate == "geometric":
        return scores, 1.0
    # The largest power of two that is a number; what is divided by it is small enough.
    exponent = min(exponent, 1023)
    return np.ldexp(scores, -exponent), float(np.ldexp(1.0, exponent))
