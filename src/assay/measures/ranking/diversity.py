"""Diversity: how many subtopics of a query a ranking covers, and how soon. The groups of the judgments are subtopics.

A document counts for every subtopic that it is relevant to, but less for one that documents before it have covered.
Subtopics that no document is relevant to do not count. Without groups a query has one subtopic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.core.parameter import Bounds
from assay.measures.ranking.precision import Over
from assay.measures.ranking.rank_biased_precision import Persistence
from assay.measures.ranking.subtopics import Coverage, coverage, find_subtopics, ideal_coverage

Worth = Callable[[IntArray], FloatArray]
Alpha = Annotated[float, Bounds(0, 1), "how much less a subtopic is worth with each document that covered it"]
FixedCutoff = Annotated[int, Bounds(1, 1_000_000), "only the first k documents count"]
Norm = Annotated[
    Literal["ideal", "none", "ndeval"],
    "divide by what k documents could gain that are each relevant to every subtopic, or by nothing; "
    "ndeval: by nothing at k = 1, else by the ideal",
]


def discount(rank: IntArray) -> FloatArray:
    return np.asarray(1.0 / np.log2(rank + 1.0), dtype=np.float64)


def reciprocal(rank: IntArray) -> FloatArray:
    return 1.0 / rank


def persistence(p: float) -> Worth:
    return lambda rank: np.asarray(p ** (rank - 1.0), dtype=np.float64)


def gathered(judged: Judged, covered: Coverage, alpha: float, worth: Worth) -> FloatArray:
    """What is gained of all subtopics, one a query."""
    return covered.sum((1.0 - alpha) ** covered.seen * worth(covered.rank), judged.size)


def novelty(judged: Judged, worth: Worth, *, k: int, rel: float, alpha: float, norm: str) -> FloatArray:
    """What the first k documents gain, as a share of what they could gain in a perfect world."""
    gained = gathered(judged, coverage(judged, rel).top(k), alpha, worth)
    if norm == "none" or (norm == "ndeval" and k == 1):
        return gained
    ranks = np.arange(1, k + 1)
    perfect = float(((1.0 - alpha) ** (ranks - 1) * worth(ranks)).sum())
    most = np.asarray(find_subtopics(judged, rel).per_query(judged.size) * perfect, dtype=np.float64)
    return ratio(gained, most)


def normalised(judged: Judged, k: int | None, rel: float, alpha: float, worth: Worth) -> FloatArray:
    """What the first k documents gain, as a share of what those of the best ranking gain."""
    ideal = gathered(judged, ideal_coverage(judged, rel, alpha).top(k), alpha, worth)
    return ratio(gathered(judged, coverage(judged, rel).top(k), alpha, worth), ideal)


@measure(
    "alpha_dcg",
    title="Alpha-DCG",
    formula="Σ (1 - α)^seen / log2(rank + 1), seen documents before it covering the subtopic; over that of an ideal",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.",
    aliases={"alpha-dcg": {}},
    range=(0, np.inf),
    needs_relevant=True,
    example=Example("alpha_dcg@2", [0, 1], 0.4796, "(1 / log2(3)) / (1 + 0.5 / log2(3)) = 0.6309 / 1.3155"),
)
def alpha_dcg(judged: Judged, *, k: FixedCutoff, rel: Rel = 1, alpha: Alpha = 0.5, norm: Norm = "ideal") -> FloatArray:
    """The discounted gain of subtopics, each worth less the more often it was covered."""
    return novelty(judged, discount, k=k, rel=rel, alpha=alpha, norm=norm)


@measure(
    "alpha_ndcg",
    title="Alpha-nDCG",
    formula="α-DCG / α-DCG of the best ranking, found greedily",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.",
    aliases={"alpha-ndcg": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="ndcg",
    example=Example("alpha_ndcg@2", [0, 1], 0.6309, "one subtopic, one relevant document: 1 / log2(3)"),
)
def alpha_ndcg(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Alpha = 0.5) -> FloatArray:
    """The discounted gain of subtopics, as a share of what the best ranking gains."""
    return normalised(judged, k, rel, alpha, discount)


@measure(
    "err_ia",
    title="Intent-aware expected reciprocal rank",
    formula="Σ (1 - α)^seen / rank, seen documents before it covering the subtopic; over that of an ideal",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.",
    aliases={"err-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="err",
    example=Example("err_ia@2", [0, 1], 0.4, "(1/2) / (1 + 0.5/2)"),
)
def err_ia(judged: Judged, *, k: FixedCutoff, rel: Rel = 1, alpha: Alpha = 0.5, norm: Norm = "ideal") -> FloatArray:
    """The expected reciprocal rank at which a reader is satisfied, over subtopics."""
    return novelty(judged, reciprocal, k=k, rel=rel, alpha=alpha, norm=norm)


@measure(
    "nerr_ia",
    title="Normalised intent-aware expected reciprocal rank",
    formula="ERR-IA / ERR-IA of the best ranking, found greedily",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.",
    aliases={"nerr-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="err",
    example=Example("nerr_ia@2", [0, 1], 0.5, "one subtopic, one relevant document: 1 / 2"),
)
def nerr_ia(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Alpha = 0.5) -> FloatArray:
    """Intent-aware expected reciprocal rank, as a share of that of the best ranking."""
    return normalised(judged, k, rel, alpha, reciprocal)


@measure(
    "nrbp",
    title="Novelty- and rank-biased precision",
    formula="(1 - (1 - α) p) / S · Σ (1 - α)^seen p^(rank - 1), S subtopics",
    reference="Clarke et al., An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.",
    range=(0, np.inf),
    needs_relevant=True,
    kin="rbp",
    example=Example("nrbp", [1, 0, 1], 0.8438, "(1 - 0.25) · (1 + 0.5 · 0.25)"),
)
def nrbp(judged: Judged, *, rel: Rel = 1, alpha: Alpha = 0.5, p: Persistence = 0.5) -> FloatArray:
    """What a reader gains of all subtopics who goes on to the next document with probability p."""
    gained = gathered(judged, coverage(judged, rel), alpha, persistence(p))
    return ratio(gained * (1 - (1 - alpha) * p), find_subtopics(judged, rel).per_query(judged.size))


@measure(
    "nnrbp",
    title="Normalised novelty- and rank-biased precision",
    formula="NRBP / NRBP of the best ranking, found greedily",
    reference="Clarke et al., A comparative analysis of cascade measures for novelty and diversity, WSDM 2011.",
    range=(0, np.inf),
    needs_relevant=True,
    kin="rbp",
    example=Example("nnrbp", [1, 0, 1], 0.9, "(1 + 0.5 · 0.25) / (1 + 0.5 · 0.5)"),
)
def nnrbp(judged: Judged, *, rel: Rel = 1, alpha: Alpha = 0.5, p: Persistence = 0.5) -> FloatArray:
    """Novelty- and rank-biased precision, as a share of that of the best ranking."""
    return normalised(judged, None, rel, alpha, persistence(p))


@measure(
    "ap_ia",
    title="Intent-aware average precision",
    formula="the mean over subtopics of the average precision for each",
    reference="Agrawal et al., Diversifying search results, WSDM 2009.",
    aliases={"map_ia": {}, "map-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="ap",
    example=Example("ap_ia", [1, 0, 1], 5 / 6, "one subtopic: (1/1 + 2/3) / 2"),
)
def ap_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The average precision for each subtopic, and of these the mean."""
    subtopics, covered = find_subtopics(judged, rel), coverage(judged, rel).top(k)
    share = (covered.seen + 1) / covered.rank / subtopics.sizes[covered.topic]
    return ratio(covered.sum(share, judged.size), subtopics.per_query(judged.size))


@measure(
    "precision_ia",
    title="Intent-aware precision",
    formula="the mean over subtopics of the precision for each",
    reference="Agrawal et al., Diversifying search results, WSDM 2009.",
    aliases={"p_ia": {}, "p-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="precision",
    example=Example("precision_ia@2", [0, 1], 0.5, "one subtopic, one relevant document among two"),
)
def precision_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Over = "k") -> FloatArray:
    """The precision for each subtopic, and of these the mean."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum(np.ones(len(covered.rank)), judged.size)
    documents = judged.cut(k) if k is None or over == "retrieved" else k
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size) * documents)


@measure(
    "subtopic_recall",
    title="Subtopic recall",
    formula="s / S, where s of the S subtopics have a relevant document among the first k",
    reference="Zhai et al., Beyond independent relevance, SIGIR 2003.",
    aliases={"strecall": {}, "strec": {}, "s_recall": {}},
    needs_relevant=True,
    kin="recall",
    example=Example("subtopic_recall@2", [0, 1], 1, "the one subtopic is covered"),
)
def subtopic_recall(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The share of subtopics that a relevant document among the first k covers."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum((covered.seen == 0).astype(np.float64), judged.size)
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size))
