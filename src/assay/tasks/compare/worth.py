"""What each retrieved document is worth: how much a measure would lose if it counted for nothing where it is.

Every hit is left out in turn, as if the document in its place were not relevant, and the measure is computed again; the
judgments, and with them the ideal ranking, stay. For a measure
that adds up what each document is worth, such as nDCG, the values of a query add up to its score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import Hits, Judged, Spread, stretches

if TYPE_CHECKING:
    from assay.core.judged import FloatArray, IntArray
    from assay.core.measure import Measure

# Rows that are scored at a time, to bound the memory.
MOST_ROWS = 1 << 20


def hit_worth(measure: Measure, judged: Judged, chosen: IntArray) -> FloatArray | None:
    """What each of the chosen hits, by their places, is worth; None if the measure of a query is not its own."""
    if not len(chosen):
        return np.zeros(0)
    try:
        with np.errstate(all="ignore"):
            whole = measure(judged)
            first = judged.hits.query[chosen[:1]]
            # A measure that looks at other queries too gives another value for a query on its own.
            alone = measure(without(judged, first, np.array([-1])))
            if not np.array_equal(alone, whole[first], equal_nan=True):
                return None
            values = [
                whole[judged.hits.query[part]] - measure(without(judged, judged.hits.query[part], part))
                for part in parts_of(judged.hits, chosen)
            ]
    except (MeasureError, IndexError, ValueError, TypeError):
        return None
    worth = np.concatenate(values)
    return worth if np.isfinite(worth).all() else None


def parts_of(hits: Hits, chosen: IntArray) -> list[IntArray]:
    """The chosen hits in parts whose queries have not too many hits together."""
    rows = np.diff(hits.starts)[hits.query[chosen]]
    part = np.cumsum(rows) // MOST_ROWS
    return np.split(chosen, np.flatnonzero(np.diff(part)) + 1)


def without(judged: Judged, queries: IntArray, left_out: IntArray) -> Judged:
    """One query per entry of `queries`: that query, without the hit at the place in `left_out`."""
    hits = judged.hits
    rows, owner = expanded(hits.starts, queries)
    kept = rows != left_out[owner]
    rows, owner = rows[kept], owner[kept]
    columns = (hits.grade, hits.rank, hits.score, hits.higher, hits.tied, hits.document)
    grade_rows, grade_owner = expanded(stretches(judged.owner, judged.size), queries)
    return Judged(
        size=len(queries),
        retrieved=judged.retrieved[queries],
        owner=grade_owner,
        grades=judged.grades[grade_rows],
        hits=Hits(len(queries), owner, *(column[rows] for column in columns)),
        floor=judged.floor,
        repeats=None if judged.repeats is None else judged.repeats[queries],
        spread=None if judged.spread is None else Spread(*(each[queries] for each in judged.spread)),
        make_id_order=judged.make_id_order,
    )


def expanded(starts: IntArray, queries: IntArray) -> tuple[IntArray, IntArray]:
    """The rows of some queries, one query after the other, and the place of the query of each row.

    >>> expanded(np.array([0, 2, 3]), np.array([1, 0, 0]))
    (array([2, 0, 1, 0, 1]), array([0, 1, 1, 2, 2]))
    """
    sizes = np.diff(starts)[queries]
    owner = np.repeat(np.arange(len(queries)), sizes)
    before = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    return np.arange(len(owner)) - before[owner] + starts[queries][owner], owner
