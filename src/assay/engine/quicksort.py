"""ranx's order of ties: that of the sort in numba, which ranx uses.

It is a quicksort whose pivot is the median of the first, the middle and the last value; ranges of up to 15 values are
sorted by insertion. So the order of ties is that of the run below 16 documents, and beyond that one that depends on
all scores. It never depends on the documents' ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.engine.local import integers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay._kernel import Index
    from assay.core.judged import FloatArray
    from assay.core.policies import Policies

# The shortest ranking whose ties can change places.
FEWEST = 16


def quicksort_order(keys: FloatArray) -> list[int]:
    """The positions of the keys in ascending order, NaN last, as numba's `argsort` has them.

    >>> quicksort_order(np.array([2.0, 1.0, 1.0])), quicksort_order(np.zeros(16))[:4]
    ([1, 2, 0], [14, 13, 12, 11])
    """
    ranks: list[int] = np.unique(keys, return_inverse=True)[1].tolist()
    places = list(range(len(ranks)))
    pending = [(0, len(ranks) - 1)]
    while pending:
        low, high = pending.pop()
        if high - low + 1 >= FEWEST:
            middle = partition(ranks, places, low, high)
            pending += [(low, middle - 1), (middle + 1, high)]
            continue
        # Sorting by insertion keeps ties in order, as Python's sort does.
        within = sorted(range(low, high + 1), key=ranks.__getitem__)
        places[low : high + 1] = [places[each] for each in within]
    return places


def partition(ranks: list[int], places: list[int], low: int, high: int) -> int:
    """Moves what is below the pivot before it and what is above behind it; where the pivot ends up."""
    middle = (low + high) // 2
    for one, other in ((low, middle), (middle, high), (low, middle)):
        if ranks[other] < ranks[one]:
            swap(ranks, places, one, other)
    pivot = ranks[middle]
    swap(ranks, places, middle, high)
    left, right = low, high - 1
    while True:
        while ranks[left] < pivot:
            left += 1
        while ranks[right] > pivot:
            right -= 1
        if left >= right:
            break
        # As in `swap`, but a call takes longer than the rest of the loop.
        ranks[left], ranks[right] = ranks[right], ranks[left]
        places[left], places[right] = places[right], places[left]
        left += 1
        right -= 1
    swap(ranks, places, left, high)
    return left


def swap(ranks: list[int], places: list[int], one: int, other: int) -> None:
    ranks[one], ranks[other] = ranks[other], ranks[one]
    places[one], places[other] = places[other], places[one]


def sort_ranking(ranking: Mapping[str, float], policies: Policies) -> list[tuple[str, float]]:
    """The documents of a ranking in the order of the sort, with their scores as they are compared."""
    scores = np.array(list(ranking.values()), dtype=policies.precision)
    rows = list(zip(ranking, scores.tolist(), strict=True))
    return [rows[each] for each in quicksort_order(-scores)]


def tied_queries(columns: Mapping[str, bytes]) -> list[int]:
    """The queries with a judged document in a tie that the sort can reorder."""
    queries = integers(columns["query"])[integers(columns["tied"]) > 0]
    is_long = integers(columns["retrieved"])[queries] >= FEWEST
    return [int(query) for query in np.unique(queries[is_long])]


def sort_ties(
    columns: Mapping[str, bytes], index: Index, rankings: Mapping[int, Mapping[str, float]], policies: Policies
) -> dict[str, bytes]:
    """The kernel's columns with the ties of these rankings, by the query's number, in the order of the sort."""
    before = integers(columns["before_input"]).copy()
    query, document, higher = (integers(columns[name]) for name in ("query", "document", "higher"))
    for number, ranking in rankings.items():
        place = {document: rank for rank, (document, _) in enumerate(sort_ranking(ranking, policies))}
        # A document that only other queries judged has no number; it keeps the order of the run.
        for hit in np.flatnonzero((query == number) & (document >= 0)):
            before[hit] = place[index.document(int(document[hit]))] - higher[hit]
    return {**columns, "before_input": before.tobytes()}
