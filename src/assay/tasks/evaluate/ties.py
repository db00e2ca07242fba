"""Ties in the order of ranx's sort, which needs the whole ranking of a query, not only its judged documents.

A run that is a file is never held in memory, and neither are rankings that are added one by one or the documents of
chunks: their ties keep the order in which they were read, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._kernel import Ranker
from assay.conventions.prepare import has_queries
from assay.core.note import Note, NoteKind
from assay.data.frames import is_frame, is_tuples
from assay.data.run import Run
from assay.data.source import is_source
from assay.engine.local import columns_of, integers, within_depth
from assay.engine.quicksort import FEWEST, sort_ranking, sort_ties, tied_queries
from assay.engine.tops import Tops

if TYPE_CHECKING:
    from collections.abc import Collection

    from assay.core.policies import Policies
    from assay.data.qrels import Qrels
    from assay.tasks.evaluate.scorer import PolicyGroup, RunRead


class Added(dict[str, object]):
    """Some of the rankings that were added one by one."""


def sorted_columns(run: RunRead, number: int, qrels: Qrels, policies: Policies) -> Mapping[str, bytes]:
    """The ranker's columns, with the ties of rankings in memory in the order of the sort."""
    columns = columns_of(run.ranker, number)
    tied = {each: qrels.queries[each] for each in tied_queries(columns)}
    if not tied or not is_held(run):
        return columns
    return sort_ties(columns, qrels.index_under(policies.duplicates), held_rankings(run, tied, policies), policies)


def sorted_tops(run: RunRead, tops: Tops, top: int, qrels: Qrels, group: PolicyGroup) -> Tops:
    """The first `top` documents of each query, tied ones of rankings in memory in the order of the sort.

    The kernel has kept one more, in the order of the run.
    """
    policies, most = group.policies, within_depth(group.policies, top)
    rankings = tops.rankings()
    long = integers(columns_of(run.ranker, group.number)["retrieved"]) >= FEWEST
    is_tied = [any(one[1] == other[1] for one, other in pairwise(ranking)) for ranking in rankings]
    tied = {each: qrels.queries[each] for each in np.flatnonzero(long & is_tied).tolist()}
    if tied and is_held(run):
        for each, ranking in held_rankings(run, tied, policies).items():
            rankings[each] = sort_ranking(ranking, policies)
    return Tops.pack([ranking[:most] for ranking in rankings])


def held_rankings(run: RunRead, tied: Mapping[int, str], policies: Policies) -> dict[int, dict[str, float]]:
    """The rankings of some queries of a run in memory, by their numbers."""
    known = held_run(run, tied.values())
    rankings: dict[int, dict[str, float]] = {each: dict(known[query]) for each, query in tied.items()}  # type: ignore[arg-type]
    if policies.exclude == "query_id":
        for each, ranking in rankings.items():
            ranking.pop(tied[each], None)
    return rankings


def tie_notes(run: RunRead, number: int, qrels: Qrels, policies: Policies) -> list[Note]:
    """Which queries have ties that ranx would sort in another way, because their rankings are not in memory."""
    if is_held(run):
        return []
    tied = [qrels.queries[each] for each in tied_queries(columns_of(run.ranker, number))]
    about = "" if policies.doc_id is None else "chunks"
    return [Note.of(NoteKind.TIES, about=about, queries=tied)] if tied else []


def is_held(run: RunRead) -> bool:
    """Whether the run is in memory, with the documents that were ranked, not their chunks."""
    data = run.data
    if is_source(data) or isinstance(data, Added) or not isinstance(run.ranker, Ranker):
        return False
    return isinstance(data, Run) or is_frame(data) or has_queries(data) or is_tuples(data)


def held_run(run: RunRead, queries: Collection[str]) -> Run:
    """At least these queries of a run in memory. Of duplicate documents the last score counts, at the first's place."""
    data: Any = run.data
    if isinstance(data, Run):
        return data
    if not has_queries(data):
        return Run(data, columns=run.columns)
    given = data.items() if isinstance(data, Mapping) else enumerate(data)
    return Run({query: ranking for query, ranking in given if str(query) in queries})
