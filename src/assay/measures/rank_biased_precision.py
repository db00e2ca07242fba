"""Rank-biased precision."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.core.parameter import Bounds

Persistence = Annotated[float, Bounds(0, 1, open_low=True, open_high=True), "the chance that the reader goes on"]
Gain = Annotated[
    Literal["binary", "grade", "max"],
    "1 for a relevant document, its grade, or its grade as a share of the query's highest",
]

Limit = Annotated[
    int | None, Bounds(low=1), "the reader sees no more than so many documents, and what they are worth adds up to 1"
]


@measure(
    "rbp",
    title="Rank-biased precision",
    formula="(1 - p) Σ gain · p^(rank - 1)",
    reference="Moffat and Zobel, ACM TOIS 27(1), 2008.",
    range=(0, np.inf),
    example=Example("rbp(p=0.5)", [1, 0, 1], 0.625, "0.5 · (1 + 0.25)"),
)
def rank_biased_precision(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    p: Persistence = 0.8,
    gain: Gain = "binary",
    limit: Limit = None,
) -> FloatArray:
    """What a reader gains who goes on to the next document with probability p."""
    hits = judged.relevant(rel).top(k).top(limit)
    gained = np.ones(len(hits.rank)) if gain == "binary" else hits.grade
    if gain == "max":
        gained = ratio(gained, judged.highest_grade()[hits.query])
    total = hits.sum(gained * p ** (hits.rank - 1.0))
    return (1 - p) * total / (1.0 if limit is None else 1 - p**limit)
