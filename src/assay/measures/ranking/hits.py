"""Hits and hit rate: how many relevant documents were retrieved, and whether any was."""

from __future__ import annotations

import numpy as np

from assay.core.judged import FloatArray, Judged
from assay.core.measure import Cutoff, Example, Rel, measure


@measure(
    "hits",
    title="Hits",
    formula="number of relevant documents among the first k",
    range=(0, np.inf),
    example=Example("hits@3", [1, 0, 1, 1], 2, "the relevant documents at ranks 1 and 3; rank 4 is past the cutoff"),
)
def hits(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """How many relevant documents were retrieved."""
    return judged.found(rel, k).astype(np.float64)


@measure(
    "hit_rate",
    title="Hit rate",
    formula="1 if a relevant document stands among the first k, else 0",
    aliases={"success": {}, "hit": {}},
    needs_relevant=True,
    example=Example("hit_rate@2", [0, 1, 0], 1, "a relevant document stands at rank 2"),
)
def hit_rate(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """Whether at least one relevant document was retrieved; the mean is the share of queries with one."""
    return (judged.found(rel, k) > 0).astype(np.float64)
