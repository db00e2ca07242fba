"""Reciprocal rank, and the rank of the first relevant document."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, define

Credit = Annotated[
    Literal["first", "sum", "found"],
    "only the first hit counts, or the sum over all hits, or their mean",
    {"first": "only the first hit counts", "sum": "sums over all hits", "found": "averages over the hits found"},
]
Missing = Annotated[
    Literal["skip", "end"],
    "a query without a hit is skipped, or gets the rank after the last document considered",
]


@define(
    "rr",
    title="Reciprocal rank",
    symbol="MRR",
    formula="1 / rank of the first relevant document; 0 if there is none",
    reference="Voorhees, The TREC-8 question answering track report, 1999.",
    aliases={"mrr": {}, "recip_rank": {}, "reciprocal_rank": {}},
    range=(0, np.inf),
    usual_range=(0, 1),
    needs_relevant=True,
    example=Example("rr", [0, 1, 0, 1], 0.5, "the first relevant document is at rank 2: 1 / 2"),
)
def reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, credit: Credit = "first") -> FloatArray:
    """How early the first relevant document appears. With `credit=sum` it can exceed 1."""
    hits = judged.relevant(rel).top(k)
    if credit == "first":
        hits = hits.where(hits.ordinal == 1)
    total = hits.sum(1.0 / hits.rank)
    return ratio(total, hits.count()) if credit == "found" else total


@define(
    "first_rank",
    title="Rank of the first relevant document",
    formula="rank of the first relevant document",
    aliases={"mean_rank": {}},
    range=(1, np.inf),
    undefined="no relevant document was retrieved",
    higher_is_better=False,
    example=Example("first_rank", [0, 0, 1, 1], 3, "ranks 1 and 2 are not relevant, rank 3 is"),
)
def first_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, missing: Missing = "skip") -> FloatArray:
    """The rank of the first relevant document. Lower is better."""
    queries, ranks = judged.relevant(rel).top(k).first()
    result = np.full(judged.size, np.nan)
    if missing == "end":
        result[:] = judged.cut(k) + 1
    result[queries] = ranks
    return result
