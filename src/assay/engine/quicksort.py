"""ranx's order of ties: that of the sort in numba, which ranx uses.

It is a quicksort whose pivot is the median of the first, the middle and the last value; ranges of up to 15 values are
sorted by insertion. So the order of ties is that of the run below 16 documents, and beyond that one that depends on
all scores. It never depends on the documents' ids.

So the whole ranking of a query is needed. A run that is a file is never held in memory, and neither are rankings that
are added one by one or the documents of chunks: their ties keep the order in which they were read, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.judged import FloatArray, integers
from assay.core.policies import Policies
from assay.data.qrels import has_queries
from assay.data.run import Run
from assay.engine.tops import Tops

if TYPE_CHECKING:
    from assay.engine.ranking import Counts, GivenRun, Ranking

# The shortest ranking whose ties can change places.
FEWEST = 16


def quicksort_order(keys: FloatArray) -> list[int]:
    """The positions of the keys in ascending order, NaN last, as numba's `argsort` has them."""
    rows = [(rank, place) for place, rank in enumerate(np.unique(keys, return_inverse=True)[1].tolist())]
    pending = [(0, len(rows) - 1)]
    while pending:
        low, high = pending.pop()
        if high - low + 1 >= FEWEST:
            middle = partition(rows, low, high)
            pending += [(low, middle - 1), (middle + 1, high)]
        else:
            # Sorting by insertion keeps ties in order, as Python's sort does.
            rows[low : high + 1] = sorted(rows[low : high + 1], key=itemgetter(0))
    return [place for _, place in rows]


def partition(rows: list[tuple[int, int]], low: int, high: int) -> int:
    """Moves what is below the pivot before it and what is above behind it; where the pivot ends up."""
    middle = (low + high) // 2
    for one, other in ((low, middle), (middle, high), (low, middle)):
        if rows[other][0] < rows[one][0]:
            rows[one], rows[other] = rows[other], rows[one]
    pivot = rows[middle][0]
    rows[middle], rows[high] = rows[high], rows[middle]
    left, right = low, high - 1
    while True:
        while rows[left][0] < pivot:
            left += 1
        while rows[right][0] > pivot:
            right -= 1
        if left >= right:
            break
        rows[left], rows[right] = rows[right], rows[left]
        left += 1
        right -= 1
    rows[left], rows[high] = rows[high], rows[left]
    return left


def sort_ranking(ranking: Mapping[str, float], policies: Policies) -> list[tuple[str, float]]:
    """The documents of a ranking in the order of the sort, with their scores as they are compared."""
    scores = np.array(list(ranking.values()), dtype=policies.precision)
    rows = list(zip(ranking, scores.tolist(), strict=True))
    return [rows[each] for each in quicksort_order(-scores)]


def tied_queries(counts: Counts) -> list[int]:
    """The queries with a judged document in a tie that the sort can reorder."""
    queries = integers(counts["query"])[integers(counts["tied"]) > 0]
    is_long = integers(counts["retrieved"])[queries] >= FEWEST
    return [int(query) for query in np.unique(queries[is_long])]


def sorted_counts(ranking: Ranking, policies: Policies, number: int) -> Counts:
    """What was counted, with the ties of rankings in memory in the order of the sort."""
    counts, qrels = ranking.counts(number), ranking.qrels
    tied = {each: qrels.queries[each] for each in tied_queries(counts)}
    if not tied:
        return counts
    index = qrels.index_under(policies.duplicates)
    before = integers(counts["before_input"]).copy()
    query, document, higher = (integers(counts[name]) for name in ("query", "document", "higher"))
    for each, rows in held_rankings(ranking.given, tied, policies).items():
        place = {name: rank for rank, (name, _) in enumerate(sort_ranking(rows, policies))}
        # A document that only other queries judged has no number; it keeps the order of the run.
        for hit in np.flatnonzero((query == each) & (document >= 0)):
            before[hit] = place[index.document(int(document[hit]))] - higher[hit]
    return {**counts, "before_input": before.tobytes()}


def sorted_tops(ranking: Ranking, policies: Policies, most: int) -> Tops:
    """The first `most` documents of each query, tied ones in the order of the sort; the kernel has kept one more."""
    rankings = ranking.kept_tops().rankings()
    long = integers(ranking.counts(0)["retrieved"]) >= FEWEST
    is_tied = [any(one[1] == other[1] for one, other in pairwise(rows)) for rows in rankings]
    tied = {each: ranking.qrels.queries[each] for each in np.flatnonzero(long & is_tied).tolist()}
    if tied and ranking.is_held:
        for each, rows in held_rankings(ranking.given, tied, policies).items():
            rankings[each] = sort_ranking(rows, policies)
    return Tops.pack([rows[:most] for rows in rankings])


def held_rankings(given: GivenRun, tied: Mapping[int, str], policies: Policies) -> dict[int, dict[str, float]]:
    """The rankings of some queries of a run in memory, by number; of duplicates, the last score at the first place."""
    run: Any = given.data
    if not isinstance(run, Run) and not has_queries(run):
        run = Run(run, columns=given.columns)
    elif not isinstance(run, Run):
        items = run.items() if isinstance(run, Mapping) else enumerate(run)
        run = Run({query: rows for query, rows in items if str(query) in tied.values()})
    rankings: dict[int, dict[str, float]] = {each: dict(run[query]) for each, query in tied.items()}
    if policies.exclude == "query_id":
        for each, rows in rankings.items():
            rows.pop(tied[each], None)
    return rankings
