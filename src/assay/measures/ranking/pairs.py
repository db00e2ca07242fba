"""Pairs of a relevant document and one that is not: binary preference (bpref), and the area under the ROC curve."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Rel, cites, computes, define, example, says, undefined_if
from assay.engine.ranking import only_top

Divisor = Annotated[
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
Paired = Annotated[
    Literal["retrieved", "judged"],
    "compare all retrieved documents, or only the judged ones",
    {"retrieved": "compares all retrieved documents", "judged": "compares only judged documents"},
]
TiedPairs = Annotated[
    Literal["half", "rank"],
    "a tied pair counts half, or is decided by rank",
    {"half": "a tied pair counts half", "rank": "a tied pair is decided by rank"},
]


@define("bpref", title="Binary preference", needs_relevant=True)
@computes("(1/R) Σ 1 - min(n, R) / min(N, R), where n of the N judged non-relevant documents rank above it")
@undefined_if("no document is judged not relevant and unopposed=nan")
@cites("Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.")
@example("bpref", [1, 0, 1], 0.5, "R = 2, N = 1: (1 + (1 - 1/1)) / 2")
def bpref(judged: Judged, *, rel: Rel = 1, denominator: Divisor = "min", unopposed: Unopposed = "one") -> FloatArray:
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


@define("gm_bpref", title="Geometric mean binary preference", symbol="GM-bpref", needs_relevant=True)
@says(aggregate="geometric")
@computes("exp of the mean over queries of ln max(bpref, 0.00001)")
@cites("Robertson, On GMAP and other transformations, CIKM 2006.")
@example("gm_bpref", [1, 0, 1], 0.5, "for a single query it is the bpref: (1 + (1 - 1/1)) / 2")
def geometric_binary_preference(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """A query's value is its bpref; the mean is geometric, which gives the weakest queries the most weight."""
    return bpref(rel=rel)(judged)


@define("auc", title="Area under the ROC curve", symbol="AUC")
@computes("the share of pairs (relevant, not relevant) in which the relevant one scores higher; a tie counts half")
@undefined_if("the ranking has no relevant documents, or only relevant ones")
@cites("Hanley and McNeil, Radiology 143, 1982.")
@example("auc", [1, 0, 1, 0], 0.75, "3 of the 4 pairs are in the right order")
def area_under_curve(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Paired = "retrieved", tied: TiedPairs = "half"
) -> FloatArray:
    """The probability that a relevant retrieved document ranks above one that is not relevant."""
    judged = judged if k is None else only_top(judged, k)
    ranked = judged.hits if over == "retrieved" else judged.judged().among_themselves()
    total = judged.retrieved if over == "retrieved" else ranked.count()
    place = ranked.rank if over == "retrieved" else ranked.ordinal
    is_relevant = ranked.grade >= max(rel, judged.floor)
    hits, place = ranked.where(is_relevant), place[is_relevant]
    relevant = hits.count()
    others = total - relevant
    # Each hit beats what scores lower and half of what ties; pairs of hits count half each and are subtracted.
    above = np.asarray(hits.higher + hits.tied / 2 if tied == "half" else place - 1, dtype=np.float64)
    beaten = hits.sum(total[hits.query] - above - 1) - relevant * (relevant - 1) / 2
    pairs = relevant * others
    return np.where(pairs > 0, ratio(beaten, pairs), np.nan)
