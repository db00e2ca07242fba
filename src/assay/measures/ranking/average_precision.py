"""Average precision and its geometric mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure

Norm = Annotated[
    Literal["relevant", "found", "about_found", "cutoff", "none"],
    "divide by all relevant documents, by those found, by those found and 1e-10 more, by min(R, k), or not at all",
    {
        "relevant": "divides by all relevant documents",
        "found": "divides by the relevant documents found",
        "about_found": "divides by the relevant documents found, and 1e-10 more",
        "cutoff": "divides by the relevant documents, at most k",
        "none": "divides by nothing",
    },
]
# What ragas adds to a divisor that may be 0.
TINY = 1e-10
Ties = Annotated[
    Literal["rank", "end"],
    "precision at the rank of each document, or at the last rank of those that tie with it",
    {"rank": "precision is taken at each rank", "end": "precision is taken where a tie ends"},
]
Nothing = Annotated[
    Literal["zero", "one"],
    "what a query scores that found no relevant document",
    {"zero": "a query that found nothing scores 0", "one": "a query that found nothing scores 1"},
]


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
    total = hits.sum(precisions(judged, rel) if ties == "rank" else last_ordinal(hits) / hits.rank, k)
    found = judged.found(rel, k) if ties == "rank" else hits.top(k).count()
    if norm == "about_found":
        total = ratio(total, found.astype(np.float64) + TINY)
    elif norm != "none":
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


@measure(
    "set_ap",
    title="Average precision of a set",
    formula="r² / (n R), where r of the R relevant documents stand among the n retrieved: precision · recall",
    aliases={"set_map": {}},
    needs_relevant=True,
    example=Example("set_ap", [1, 0, 1, 0], 1 / 3, "r = 2, n = 4, R = 3: 4 / 12", ideal=[1, 1, 1, 0, 0]),
)
def set_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """What average precision would be if every relevant document found had the precision of the whole ranking."""
    found = judged.found(rel, None)
    return ratio(found * found, judged.retrieved * judged.count_relevant(rel))


@measure(
    "yaap",
    title="Yet another average precision",
    formula="ln((1 + S) / (1 + R - S)), where S is the sum of the precisions at the relevant documents",
    reference="Robertson, On smoothing average precision, ECIR 2012.",
    range=(-np.inf, np.inf),
    undefined="relevant documents that are listed again add up to more than there are",
    example=Example("yaap", [1, 0], 0, "S = 1, R = 2: ln(2 / 2)", ideal=[1, 1, 0]),
)
def yet_another_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Average precision as the logarithm of odds, which averages better over queries."""
    total = average_precision(rel=rel, norm="none")(judged)
    odds = ratio(1.0 + total, np.maximum(1.0 + judged.count_relevant(rel) - total, 0.0))
    return np.log(odds, out=np.full(judged.size, np.nan), where=odds > 0)


def precisions(judged: Judged, rel: float) -> FloatArray:
    """The precision at the rank of each relevant hit."""

    def make() -> FloatArray:
        hits = judged.relevant(rel)
        return hits.ordinal / hits.rank

    return judged.remember(("precisions", rel), make)
