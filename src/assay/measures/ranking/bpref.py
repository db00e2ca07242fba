"""Bpref: relevant documents should rank above those judged not relevant."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Example, Rel, define

Denominator = Annotated[
    Literal["min", "relevant"],
    "divide by min(R, N), where N documents are judged not relevant, as in trec_eval; or by R",
    {"min": "divides by min(R, N)", "relevant": "divides by R"},
]
Unopposed = Annotated[
    Literal["one", "nan"],
    "if no document is judged not relevant, each hit counts 1, or a query with a hit is undefined",
    {
        "one": "each hit counts 1 if no document is judged not relevant",
        "nan": "a query is undefined if no document is judged not relevant",
    },
]


@define(
    "bpref",
    title="Binary preference",
    formula="(1/R) Σ 1 - min(n, R) / min(N, R), where n of the N judged non-relevant documents rank above it",
    reference="Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.",
    needs_relevant=True,
    undefined="no document is judged not relevant and unopposed=nan",
    example=Example("bpref", [1, 0, 1], 0.5, "R = 2, N = 1: (1 + (1 - 1/1)) / 2"),
)
def binary_preference(
    judged: Judged, *, rel: Rel = 1, denominator: Denominator = "min", unopposed: Unopposed = "one"
) -> FloatArray:
    """How rarely a document judged not relevant ranks above a relevant one; unjudged documents are ignored."""
    hits, relevant = judged.relevant(rel), judged.count_relevant(rel)
    is_relevant = judged.judged().grade >= rel
    before = judged.judged().before(~is_relevant)[is_relevant]
    most = relevant if denominator == "relevant" else np.minimum(relevant, judged.count_nonrelevant(rel))
    lost = ratio(np.minimum(before, relevant[hits.query]), most[hits.query])
    scores = ratio(hits.sum(1.0 - lost), relevant)
    if unopposed == "nan":
        scores[(judged.count_nonrelevant(rel) == 0) & (hits.count() > 0)] = np.nan
    return scores


@define(
    "gm_bpref",
    title="Geometric mean binary preference",
    symbol="GM-bpref",
    formula="exp of the mean over queries of ln max(bpref, 0.00001)",
    reference="Robertson, On GMAP and other transformations, CIKM 2006.",
    aggregate="geometric",
    needs_relevant=True,
    example=Example("gm_bpref", [1, 0, 1], 0.5, "for a single query it is the bpref: (1 + (1 - 1/1)) / 2"),
)
def geometric_binary_preference(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """A query's value is its bpref; the mean is geometric, which gives the weakest queries the most weight."""
    return binary_preference(rel=rel)(judged)
