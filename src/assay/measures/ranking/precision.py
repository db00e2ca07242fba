"""Precision: what share of the retrieved documents is relevant."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.core.parameter import Bounds

Over = Annotated[
    Literal["k", "retrieved"],
    "divide by k, or by what was retrieved up to k; without k by what was retrieved",
    {"k": "divides by k, whatever was retrieved", "retrieved": "divides by what was retrieved"},
]
Multiple = Annotated[float, Bounds(low=0, open_low=True), "how many times R documents are looked at"]


@measure(
    "precision",
    title="Precision",
    formula="r / k, where r relevant documents stand among the first k",
    aliases={"p": {}},
    example=Example("precision@5", [1, 0, 0, 1, 1], 0.6, "3 relevant documents / 5"),
)
def precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Over = "k") -> FloatArray:
    """The share of relevant documents among the first k, or among all that were retrieved."""
    return ratio(judged.found(rel, k), judged.cut(k) if k is None or over == "retrieved" else k)


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
    return r_precision_multiple(rel=rel, multiple=1)(judged)


@measure(
    "r_precision_multiple",
    title="Precision at a multiple of R",
    formula="r / n, where r relevant documents stand among the first n = multiple · R, rounded up from a tenth on",
    aliases={"rprec_mult": {}},
    at="multiple",
    needs_relevant=True,
    kin="r_precision",
    example=Example("r_precision_multiple@0.5", [1, 0, 1, 1], 0.5, "R = 3, n = 1.5 rounded up to 2: 1 / 2"),
)
def r_precision_multiple(judged: Judged, *, multiple: Multiple, rel: Rel = 1) -> FloatArray:
    """Precision at some multiple of the number of relevant documents there are."""
    relevant = judged.relevant(rel)
    looked_at = np.floor(multiple * judged.count_relevant(rel) + 0.9)
    found = np.bincount(relevant.query[relevant.rank <= looked_at[relevant.query]], minlength=judged.size)
    return ratio(found, looked_at)
