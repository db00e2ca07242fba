"""Makes `Judged` from the kernel's counts: policies decide which rank a hit has and which documents are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay._kernel import Index, Judge
    from assay.core.convention import Policies

BEFORE = {"docid_desc": "before_descending", "docid_asc": "before_ascending", "input": "before_input"}


def integers(column: bytes) -> IntArray:
    return np.frombuffer(column, dtype=np.int64)


def floats(column: bytes) -> FloatArray:
    return np.frombuffer(column, dtype=np.float64)


def rank_hits(index: Index, judge: Judge, policies: Policies) -> tuple[Judged, IntArray]:
    """What the judge found, ranked; and the number of documents each query retrieved, -1 where the run lacks it."""
    columns: Mapping[str, bytes] = judge.columns()  # type: ignore[assignment]
    starts, grades = integers(index.starts()), floats(index.grades())
    size = len(starts) - 1
    found = integers(columns["retrieved"])
    higher, tied = integers(columns["higher"]), integers(columns["tied"])
    rank = 1 + higher + integers(columns[BEFORE[policies.ties]])
    query, document = integers(columns["query"]), integers(columns["document"])
    order = np.argsort(query * (rank.max(initial=0) + 1) + rank, kind="stable")
    hits = Hits(
        size=size,
        query=query[order],
        grade=grades[document[order]],
        rank=rank[order],
        score=floats(columns["score"])[order],
        higher=higher[order],
        tied=tied[order],
    )
    owner = np.repeat(np.arange(size), np.diff(starts))
    floor = 0.0 if policies.negative == "unjudged" else -np.inf
    judged = Judged(size, np.maximum(found, 0), owner, floats(index.best_first()), hits, floor)
    if policies.judged_only:
        judged = only_judged(judged)
    if policies.depth is not None:
        judged = only_top(judged, policies.depth)
    return judged, found


def only_judged(judged: Judged) -> Judged:
    """The rankings without the documents that have no judgment."""
    hits = judged.judged().among_themselves()
    return rebuild(judged, hits.count(), replace(hits, rank=hits.ordinal))


def only_top(judged: Judged, depth: int) -> Judged:
    """The rankings cut after `depth` documents."""
    # No array holds a number as large as `depth` may be.
    depth = int(min(depth, judged.retrieved.max(initial=1)))
    hits = judged.hits.top(depth)
    tied = np.minimum(hits.tied, depth - hits.higher - 1)
    return rebuild(judged, np.minimum(judged.retrieved, depth), replace(hits, tied=tied))


def select(judged: Judged, keep: IntArray) -> Judged:
    """Only some of the queries, numbered anew in their order."""
    number = np.full(judged.size, -1)
    number[keep] = np.arange(len(keep))
    hits = judged.hits.where(number[judged.hits.query] >= 0)
    hits = replace(hits, size=len(keep), query=number[hits.query])
    mask = number[judged.owner] >= 0
    return Judged(
        len(keep), judged.retrieved[keep], number[judged.owner[mask]], judged.grades[mask], hits, judged.floor
    )


def rebuild(judged: Judged, retrieved: IntArray, hits: Hits) -> Judged:
    return Judged(judged.size, retrieved, judged.owner, judged.grades, hits, judged.floor)
