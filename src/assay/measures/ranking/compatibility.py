"""Compatibility: how much a ranking overlaps with the ideal one, over all depths."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import cites, computes, define, example
from assay.core.parameter import Bounds
from assay.measures.ranking.user_models import Persistence

OverlapLimit = Annotated[
    int,
    Bounds(0, 1_000_000),
    "the last depth that counts; 0 for the length of the ranking or of the ideal, whichever is longer",
]
IdealOrder = Annotated[
    Literal["rank", "score"],
    "order of equal grades in the ideal: by rank, with documents not retrieved last; or by score, which is 0 for them",
]


@define("compatibility", title="Compatibility", needs_relevant=True)
@computes("Σ p^(i - 1) |ranking to i ∩ ideal to i| / i, divided by the same sum for the ideal itself")
@cites("Clarke, Vtyurina and Smucker, Assessing top-k preferences, ACM TOIS 39(3), 2021.")
@example("compat(p=0.5,limit=2)", [0, 1], 0.2, "(0 + 0.5 · 1/2) / (1 + 0.5 · 1/2)")
def compatibility(
    judged: Judged,
    *,
    p: Persistence = 0.95,
    limit: OverlapLimit = 1000,
    ideal: IdealOrder = "rank",
    normalize: Annotated[bool, "divide by the value of the ideal ranking rather than that of an infinite one"] = True,
) -> FloatArray:
    """The rank-biased overlap of the ranking with the ideal one: documents above grade 0, best first."""
    hits = judged.relevant(np.nextafter(0, 1)).distinct()
    total = judged.count_relevant(np.nextafter(0, 1))
    depth = np.maximum(judged.distinct, total) if limit == 0 else np.full(judged.size, limit)
    ranks = np.arange(1, depth.max(initial=0) + 1)
    # Up to each depth: what a document shared from rank 1 on adds, and what a full overlap adds.
    one = np.concatenate(([0.0], np.cumsum(p ** (ranks - 1.0) / ranks)))
    full = np.concatenate(([0.0], np.cumsum(p ** (ranks - 1.0))))
    both = np.minimum(np.maximum(hits.rank, ideal_places(judged, hits, ideal)) - 1, depth[hits.query])
    score = hits.sum(one[depth[hits.query]] - one[both])
    most = np.minimum(total, depth)
    return ratio(score, full[most] + total * (one[depth] - one[most]) if normalize else full[depth])


def ideal_places(judged: Judged, hits: Hits, ideal: str) -> IntArray:
    """The rank of each hit in the ideal ranking."""
    rows = judged.groups()
    rows = rows.where(rows.grade > 0)
    size = int(rows.document.max(initial=-1)) + 1
    query, grade = np.zeros(size, dtype=np.int64), np.zeros(size)
    key = np.full(size, np.inf if ideal == "rank" else 0.0)
    query[rows.document] = rows.query
    np.maximum.at(grade, rows.document, rows.grade)
    key[hits.document] = hits.rank if ideal == "rank" else -hits.score
    documents = np.flatnonzero(grade)
    order = documents[np.lexsort((key[documents], -grade[documents], query[documents]))]
    place = np.zeros(size, dtype=np.int64)
    place[order] = np.arange(1, len(order) + 1) - np.searchsorted(query[order], query[order])
    return place[hits.document]
