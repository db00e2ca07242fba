"""Average precision and its geometric mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure

Norm = Annotated[
    Literal["relevant", "found", "cutoff", "none"],
    "divide by all relevant documents, by those found, by min(R, k), or not at all",
]
Ties = Annotated[
    Literal["rank", "end"], "precision at the rank of each document, or at the last rank of those that tie with it"
]
Nothing = Annotated[Literal["zero", "one"], "what a query scores that found no relevant document"]


@measure(
    "ap",
    title="Average precision",
    formula="(1/R) Σ precision at the rank of each relevant document",
    reference="Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.",
    aliases={"map": {}, "average_precision": {}, "map_cut": {}},
    range=(0, np.inf),
    needs_relevant=True,
    example=Example("ap", [1, 0, 1], 5 / 6, "R = 2: (1/1 + 2/3) / 2"),
)
def average_precision(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    norm: Norm = "relevant",
    ties: Ties = "rank",
    nothing: Nothing = "zero",
) -> FloatArray:
    """The mean of the precisions at the ranks of the relevant documents; those not retrieved count 0."""
    hits = judged.relevant(rel)
    if ties == "end":
        hits = replace(hits, rank=hits.higher + hits.tied + 1)
    hits = hits.top(k)
    found = hits.count()
    total = hits.sum((hits.ordinal if ties == "rank" else last_ordinal(hits)) / hits.rank)
    if norm != "none":
        relevant = found if norm == "found" else judged.count_relevant(rel)
        total = ratio(total, np.minimum(relevant, k) if norm == "cutoff" and k is not None else relevant)
    return total if nothing == "zero" else np.where(found == 0, 1.0, total)


def last_ordinal(hits: Hits) -> IntArray:
    """For each hit, how many hits of its query score as high or higher."""
    among = hits.among_themselves()
    return among.higher + among.tied + 1


@measure(
    "gm_ap",
    title="Geometric mean average precision",
    formula="exp of the mean over queries of ln max(AP, 0.00001)",
    reference="Robertson, On GMAP and other transformations, CIKM 2006.",
    aliases={"gm_map": {}, "gmap": {}},
    aggregate="geometric",
    needs_relevant=True,
    example=Example("gm_ap", [1, 0, 1], 5 / 6, "of one query it is its AP: (1/1 + 2/3) / 2"),
)
def geometric_average_precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """A query's value is its AP; the mean is geometric, so that the weakest queries count most."""
    return average_precision(rel=rel, k=k)(judged)
