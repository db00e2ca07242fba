"""Recall: what share of the relevant documents was retrieved."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure

Total = Annotated[
    Literal["relevant", "listed"],
    "divide by the relevant documents, or by the judgments of relevant ones as they are listed, repeats too",
    {"relevant": "divides by the relevant documents", "listed": "divides by the judgments as they are listed"},
]
Nothing = Annotated[
    Literal["zero", "nan"],
    "where nothing is relevant, a query scores 0, or has no value if it retrieved anything",
    {
        "zero": "a query without relevant documents scores 0",
        "nan": "a query has no value if all it retrieved is not relevant",
    },
]


@measure(
    "recall",
    title="Recall",
    formula="r / R; with cap r / min(R, k), or without a cutoff r / min(R, retrieved)",
    reference="The capped form: Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021.",
    aliases={"r": {}, "r_cap": {"cap": True}, "recall_cap": {"cap": True}},
    needs_relevant=True,
    undefined="nothing is relevant and nothing=nan",
    example=Example(
        "recall@5", [1, 1, 1, 0, 0, 1, 1], 0.6, "3 of the 5 relevant documents stand among the first 5: 3 / 5"
    ),
)
def recall(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    cap: Annotated[bool, "divide by as many as there is room for, where more are relevant"] = False,
    total: Total = "relevant",
    nothing: Nothing = "zero",
) -> FloatArray:
    """The share of all relevant documents that stands among the first k."""
    number = judged.count_relevant(rel) if total == "relevant" else count_listed(judged, rel)
    room = judged.retrieved if k is None else k
    share = ratio(judged.found(rel, k), np.minimum(number, room) if cap else number)
    return share if nothing == "zero" else np.where((number == 0) & (judged.retrieved > 0), np.nan, share)


def count_listed(judged: Judged, rel: float) -> IntArray:
    """How many judgments say that a document is relevant, one a query; a document may be listed several times."""
    rows = judged.groups()
    return np.bincount(rows.query[rows.grade >= max(rel, judged.floor)], minlength=judged.size).astype(np.int64)
