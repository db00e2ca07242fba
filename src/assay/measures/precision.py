"""Precision: what share of the retrieved documents is relevant."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure

Over = Annotated[
    Literal["k", "retrieved"], "divide by k, or by what was retrieved up to k; without k by what was retrieved"
]


@measure(
    "precision",
    title="Precision",
    formula="r / k, where r relevant documents stand among the first k",
    aliases={"p": {}},
    example=Example("precision@5", [1, 0, 0, 1, 1], 0.6, "3 relevant documents / 5"),
)
def precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Over = "k") -> FloatArray:
    """The share of relevant documents among the first k, or among all that were retrieved."""
    found = judged.relevant(rel).top(k).count()
    return ratio(found, judged.cut(k) if k is None or over == "retrieved" else k)


@measure(
    "r_precision",
    title="R-precision",
    formula="r / R, where r of the R relevant documents stand among the first R",
    aliases={"rprec": {}, "r-precision": {}},
    needs_relevant=True,
    example=Example("r_precision", [1, 0, 1, 0, 1], 2 / 3, "R = 3; 2 relevant documents among the first 3: 2 / 3"),
)
def r_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Precision at the number of relevant documents there are."""
    relevant = judged.relevant(rel)
    total = judged.count_relevant(rel)
    found = relevant.where(relevant.rank <= total[relevant.query]).count()
    return ratio(found.astype(np.float64), total)
