"""Measures over groups of documents: any document of a group will do, and every group counts once.

The judgments say which groups there are: alternative passages for one part of an answer, or the subtopics of a query.
Where they have none, each relevant document is a group of its own. A group without a relevant document does not count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.measures.ranking.f_score import Beta, harmonic
from assay.measures.ranking.precision import precision

AUTORAG = "AutoRAG, Retrieval metrics (docs.auto-rag.com): AND over groups, OR inside one."


class Grouped(NamedTuple):
    """The groups that hold a relevant document: the query of each, and the hits of each where `query` is its group."""

    owner: IntArray
    hits: Hits

    def mean(self, values: FloatArray, size: int) -> FloatArray:
        """The mean over each query's groups of one value a group; 0 without groups."""
        # Added from high to low: the order of the judgments changes not even the last bit.
        order = np.lexsort((-values, self.owner))
        total = np.bincount(self.owner[order], weights=values[order], minlength=size)
        return ratio(total, np.bincount(self.owner, minlength=size))


@measure(
    "group_recall",
    title="Recall over groups",
    formula="g / G, where g of the G groups have a relevant document among the first k",
    reference=AUTORAG,
    needs_relevant=True,
    kin="recall",
    example=Example("group_recall@2", [1, 0, 1], 0.5, "each document is a group of its own: 1 of 2 groups"),
)
def group_recall(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The share of the groups of which a relevant document stands among the first k."""
    groups = grouped(judged, rel)
    return groups.mean((groups.hits.top(k).count() > 0).astype(np.float64), judged.size)


@measure(
    "group_f",
    title="F score over groups",
    formula="(1 + b²) P R / (b² P + R) with b = beta, where R is the recall over groups",
    reference=AUTORAG,
    aliases={"group_f1": {"beta": 1.0}},
    needs_relevant=True,
    kin="f",
    example=Example("group_f1@2", [1, 0, 1], 0.5, "P = 1/2, and 1 of 2 groups: 2 · 0.5 · 0.5 / (0.5 + 0.5)"),
)
def group_f_score(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, beta: Beta = 1.0) -> FloatArray:
    """The weighted harmonic mean of precision@k and the recall over groups."""
    return harmonic(precision(rel=rel, k=k)(judged), group_recall(rel=rel, k=k)(judged), beta)


@measure(
    "group_rr",
    title="Reciprocal rank over groups",
    formula="(1/G) Σ 1 / rank of the first relevant document of each group; 0 for a group without one",
    reference=AUTORAG,
    needs_relevant=True,
    kin="rr",
    example=Example("group_rr", [0, 1, 0, 1], 0.375, "each document is a group of its own: (1/2 + 1/4) / 2"),
)
def group_reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """How soon the first relevant document of each group comes, in the mean over the groups."""
    groups = grouped(judged, rel)
    hits = groups.hits.top(k)
    first = hits.where(hits.ordinal == 1)
    return groups.mean(first.sum(1.0 / first.rank), judged.size)


@measure(
    "group_ap",
    title="Average precision over groups",
    formula="(1/G) Σ mean of the precisions at the ranks of each group's relevant documents that were found",
    reference=AUTORAG,
    needs_relevant=True,
    kin="ap",
    example=Example("group_ap", [1, 0, 1], 2 / 3, "each document is a group of its own: (1/1 + 1/3) / 2"),
)
def group_average_precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The mean over the groups of the average precision of each, as if only its documents were relevant."""
    groups = grouped(judged, rel)
    hits = groups.hits.top(k)
    return groups.mean(ratio(hits.sum(hits.ordinal / hits.rank), hits.count()), judged.size)


def grouped(judged: Judged, rel: float) -> Grouped:
    """The hits by group, made once for all measures of one level."""
    return judged.remember(("grouped", rel), lambda: group_hits(judged, rel))


def group_hits(judged: Judged, rel: float) -> Grouped:
    """The hits by group and then by rank; one that stands in several groups is a hit of each."""
    rows = judged.groups()
    rows = rows.where(rows.grade >= max(rel, judged.floor))
    within = rows.document if rows.group is None else rows.group
    _, first, number = np.unique(
        rows.query * (within.max(initial=0) + 1) + within, return_index=True, return_inverse=True
    )
    # Each pair of a document and its group once, by document.
    pairs = np.unique(np.stack([rows.document, number], axis=1), axis=0)
    begins = np.searchsorted(pairs[:, 0], judged.hits.document, side="left")
    times = np.searchsorted(pairs[:, 0], judged.hits.document, side="right") - begins
    place = np.repeat(np.arange(len(times)), times)
    step = np.arange(len(place)) - np.repeat(np.cumsum(times) - times, times)
    group = pairs[begins[place] + step, 1]
    order = np.argsort(group, kind="stable")
    hits = judged.hits.where(place[order])
    return Grouped(rows.query[first], replace(hits, size=len(first), query=group[order]))
