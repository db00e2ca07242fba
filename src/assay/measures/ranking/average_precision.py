"""Reciprocal rank, and average precision with its variants: geometric mean, of a set, inferred, interpolated."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, highest_onward, ratio
from assay.core.measure import Cutoff, Rel, cites, computes, define, example, undefined_if
from assay.core.parameter import Bounds

Credit = Annotated[
    Literal["first", "sum", "found"],
    "only the first hit counts, or the sum over all hits, or their mean",
    {"first": "only the first hit counts", "sum": "sums over all hits", "found": "averages over the hits found"},
]
Missing = Annotated[
    Literal["skip", "end"], "a query without a hit is skipped, or gets the rank after the last document considered"
]
ApNorm = Annotated[
    Literal["relevant", "found", "about_found", "cutoff", "none"],
    "divide by the relevant documents, by those found, by those found + 1e-10, by min(R, k), or not at all",
    {
        "relevant": "divides by all relevant documents",
        "found": "divides by the relevant documents found",
        "about_found": "divides by the relevant documents found + 1e-10",
        "cutoff": "divides by min(R, k)",
        "none": "does not divide",
    },
]
# ragas adds this to a divisor that may be 0.
TINY = 1e-10
ApTies = Annotated[
    Literal["rank", "end"],
    "take precision at each document's rank, or at the last rank it is tied with",
    {"rank": "precision is taken at each rank", "end": "precision is taken at the end of each tie"},
]
NothingFound = Annotated[
    Literal["zero", "one"],
    "the score of a query that found no relevant document",
    {"zero": "a query that found nothing scores 0", "one": "a query that found nothing scores 1"},
]
# The smoothing constant of the paper and of trec_eval.
EPSILON = 1e-5
Recall = Annotated[float, Bounds(0, 1), "the recall level"]
Recalls = Annotated[tuple[float, ...], Bounds(0, 1), "the recall levels"]
LevelCut = Annotated[
    Literal["round", "v9"],
    "relevant documents needed to reach a recall level: recall · R rounded, or as in trec_eval 9",
    {
        "round": "a recall level needs recall · R documents, rounded",
        "v9": "a recall level needs ⌊recall · R + 0.9⌋ documents",
    },
]
ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))


@define("rr", title="Reciprocal rank", symbol="MRR", range=(0, np.inf), usual_range=(0, 1), needs_relevant=True)
@computes("1 / rank of the first relevant document; 0 if there is none")
@cites("Voorhees, The TREC-8 question answering track report, 1999.")
@example("rr", [0, 1, 0, 1], 0.5, "the first relevant document is at rank 2: 1 / 2")
def reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, credit: Credit = "first") -> FloatArray:
    """How early the first relevant document appears. With `credit=sum` it can exceed 1."""
    hits = judged.relevant(rel).top(k)
    if credit == "first":
        hits = hits.where(hits.ordinal == 1)
    total = hits.sum(1.0 / hits.rank)
    return ratio(total, hits.count()) if credit == "found" else total


@define("first_rank", title="Rank of the first relevant document", range=(1, np.inf), higher_is_better=False)
@computes("rank of the first relevant document")
@undefined_if("no relevant document was retrieved")
@example("first_rank", [0, 0, 1, 1], 3, "ranks 1 and 2 are not relevant, rank 3 is")
def first_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, missing: Missing = "skip") -> FloatArray:
    """The rank of the first relevant document. Lower is better."""
    queries, ranks = judged.relevant(rel).top(k).first()
    result = np.full(judged.size, np.nan)
    if missing == "end":
        result[:] = judged.cut(k) + 1
    result[queries] = ranks
    return result


@define("ap", title="Average precision", symbol="MAP", range=(0, np.inf), usual_range=(0, 1), needs_relevant=True)
@computes("(1/R) Σ precision at the rank of each relevant document")
@cites("Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.")
@example("ap", [1, 0, 1], 5 / 6, "R = 2: (1/1 + 2/3) / 2")
def average_precision(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    norm: ApNorm = "relevant",
    ties: ApTies = "rank",
    nothing: NothingFound = "zero",
) -> FloatArray:
    """The mean precision at the ranks of the relevant documents; those not retrieved count 0."""
    hits = judged.relevant(rel)
    share = precisions(judged, rel)
    if ties == "end":
        # As many hits as score as high or higher, by the last rank of the tie.
        among = hits.among_themselves()
        hits = replace(hits, rank=hits.higher + hits.tied + 1)
        share = (among.higher + among.tied + 1) / hits.rank
    total = hits.sum(share, k)
    found = judged.found(rel, k) if ties == "rank" else hits.top(k).count()
    if norm == "about_found":
        total = ratio(total, found.astype(np.float64) + TINY)
    elif norm != "none":
        relevant = found if norm == "found" else judged.count_relevant(rel)
        total = ratio(total, np.minimum(relevant, k) if norm == "cutoff" and k is not None else relevant)
    return total if nothing == "zero" else np.where(found == 0, 1.0, total)


@define("gm_ap", title="Geometric mean average precision", symbol="GMAP", aggregate="geometric", needs_relevant=True)
@computes("exp of the mean over queries of ln max(AP, 0.00001)")
@cites("Robertson, On GMAP and other transformations, CIKM 2006.")
@example("gm_ap", [1, 0, 1], 5 / 6, "for a single query it is the AP: (1/1 + 2/3) / 2")
def geometric_average_precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """A query's value is its AP; the mean is geometric, which gives the weakest queries the most weight."""
    return average_precision(rel=rel, k=k)(judged)


@define("set_ap", title="Average precision of a set", needs_relevant=True)
@computes("precision · recall = r² / (n R), where r of the R relevant documents are among the n retrieved")
@example("set_ap", [1, 0, 1, 0], 1 / 3, "r = 2, n = 4, R = 3: 4 / 12", ideal=[1, 1, 1, 0, 0])
def set_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Average precision if the precision at every relevant document were that of the whole ranking."""
    found = judged.found(rel, None)
    return ratio(found * found, judged.retrieved * judged.count_relevant(rel))


@define("yaap", title="Yet another average precision", range=(-np.inf, np.inf))
@computes("ln((1 + S) / (1 + R - S)), where S is the sum of the precisions at the relevant documents")
@undefined_if("duplicate relevant documents add up to more than there are")
@cites("Robertson, On smoothing average precision, ECIR 2012.")
@example("yaap", [1, 0], 0, "S = 1, R = 2: ln(2 / 2)", ideal=[1, 1, 0])
def yet_another_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Average precision as log odds, which average better over queries."""
    total = average_precision(rel=rel, norm="none")(judged)
    odds = ratio(1.0 + total, np.maximum(1.0 + judged.count_relevant(rel) - total, 0.0))
    return np.log(odds, out=np.full(judged.size, np.nan), where=odds > 0)


@define("infap", title="Inferred average precision", symbol="infAP", needs_relevant=True)
@computes("(1/R) Σ 1/i + ((i-1)/i) · (pool before / (i-1)) · (rel before + e) / (rel before + nonrel before + 2e)")
@cites("Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006.")
@example("infap", [1, 0, 1], 0.8333, "(1 + 1/3 + (2/3)·(2/2)·(1/2)) / 2, apart from smoothing")
def inferred_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Average precision estimated from a sample; documents with a negative grade were pooled but not judged."""
    pool = judged.hits
    is_relevant = pool.grade >= max(rel, judged.floor)
    is_judged = pool.grade >= judged.floor
    relevant = pool.before(is_relevant)[is_relevant]
    nonrelevant = pool.before(is_judged & ~is_relevant)[is_relevant]
    pooled = pool.ordinal[is_relevant] - 1
    hits = judged.relevant(rel)
    above = (hits.rank - 1).astype(np.float64)
    share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + (above / (above + 1.0)) * ratio(pooled, above) * share
    return ratio(hits.sum(np.where(above == 0, 1.0, expected)), judged.count_relevant(rel))


@define("iprec", title="Interpolated precision at recall", symbol="IPrec", at="recall", needs_relevant=True)
@computes("the highest precision at any rank from where recall r is reached")
@cites("Manning et al., Introduction to Information Retrieval, 2008, section 8.4.")
@example("iprec@0.5", [0, 1, 1, 0], 2 / 3, "recall 0.5 is reached at rank 2; from there on precision peaks at 2/3")
def interpolated_precision(judged: Judged, *, recall: Recall, rel: Rel = 1, cut: LevelCut = "round") -> FloatArray:
    """The best precision at this recall level or beyond."""

    def make() -> tuple[IntArray, FloatArray]:
        """Where each query's relevant hits start, and the best precision from each hit on."""
        starts = judged.relevant(rel).starts
        return starts, highest_onward(precisions(judged, rel), starts)

    starts, best = judged.remember(("interpolated", rel), make)
    needed = np.floor(recall * judged.count_relevant(rel) + (0.5 if cut == "round" else 0.9)).astype(np.int64)
    place = starts[:-1] + np.maximum(needed, 1) - 1
    reached = place < starts[1:]
    result = np.zeros(judged.size)
    result[reached] = best[place[reached]]
    return result


@define("mean_iprec", title="Mean interpolated precision", needs_relevant=True, kin="iprec")
@computes("the mean of the interpolated precision at several recall levels, by default 0, 0.1, …, 1")
@cites("Manning et al., Introduction to Information Retrieval, 2008, section 8.4.")
@example("mean_iprec(recalls=0.5;1)", [1, 0, 0, 1], 0.75, "1 at recall 0.5 and 2/4 at recall 1: (1 + 0.5) / 2")
def mean_interpolated_precision(
    judged: Judged, *, recalls: Recalls = ELEVEN_POINTS, rel: Rel = 1, cut: LevelCut = "round"
) -> FloatArray:
    """The mean height of the precision-recall curve, at eleven points by default."""
    total = np.zeros(judged.size)
    for recall in sorted(recalls, reverse=True):
        total += interpolated_precision(recall=recall, rel=rel, cut=cut)(judged)
    return total / len(recalls)


def precisions(judged: Judged, rel: float) -> FloatArray:
    def make() -> FloatArray:
        hits = judged.relevant(rel)
        return hits.ordinal / hits.rank

    return judged.remember(("precisions", rel), make)
