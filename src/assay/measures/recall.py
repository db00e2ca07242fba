"""Recall: what share of the relevant documents was retrieved."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure


@measure(
    "recall",
    title="Recall",
    formula="r / R; with cap r / min(R, k), or without a cutoff r / min(R, retrieved)",
    reference="The capped form: Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021.",
    aliases={"r": {}, "r_cap": {"cap": True}, "recall_cap": {"cap": True}},
    needs_relevant=True,
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
) -> FloatArray:
    """The share of all relevant documents that stands among the first k."""
    total = judged.count_relevant(rel)
    room = judged.retrieved if k is None else k
    return ratio(judged.found(rel, k), np.minimum(total, room) if cap else total)
