"""Measures over groups of judgments: alternative passages for one part of an answer, a query's subtopics, or judges.

`group_*`: one relevant document of a group is enough, and every group counts once. A group without a relevant document
is ignored. If the judgments have no groups, each relevant document is a group of its own.
`judges_*`: a measure by each group's own judgments, averaged over the groups.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Measure, Rel, computes, define, example, says
from assay.engine.ranking import only_judged
from assay.measures.ranking.average_precision import average_precision
from assay.measures.ranking.precision_recall import Beta, Divisor, Multiple, f_beta, precision, r_precision_multiple

AUTORAG = "AutoRAG, Retrieval metrics (docs.auto-rag.com): AND over groups, OR inside one."
define_group = partial(define, reference=AUTORAG, needs_relevant=True)
Condensed = Annotated[bool, "remove the documents that a group has not judged from the ranking it sees"]


@define_group("group_recall", title="Recall over groups", kin="recall")
@computes("g / G, where g of the G groups have a relevant document among the first k")
@example("group_recall@2", [1, 0, 1], 0.5, "each document is a group of its own: 1 of 2 groups")
def group_recall(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The share of the groups that have a relevant document among the first k."""
    groups = hits_by_group(judged, rel)
    return groups.mean((groups.hits.top(k).count() > 0).astype(np.float64), judged.size)


@define_group("group_f", title="F score over groups", aliases={"group_f1": {"beta": 1.0}}, kin="f")
@computes("(1 + b²) P R / (b² P + R) with b = beta, where R is the recall over groups")
@example("group_f1@2", [1, 0, 1], 0.5, "P = 1/2, and 1 of 2 groups: 2 · 0.5 · 0.5 / (0.5 + 0.5)")
def group_f_score(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, beta: Beta = 1.0) -> FloatArray:
    """The weighted harmonic mean of precision@k and recall over groups."""
    return f_beta(precision(rel=rel, k=k)(judged), group_recall(rel=rel, k=k)(judged), beta)


@define_group("group_rr", title="Reciprocal rank over groups", kin="rr")
@computes("(1/G) Σ 1 / rank of the first relevant document of each group; 0 for a group without one")
@example("group_rr", [0, 1, 0, 1], 0.375, "each document is a group of its own: (1/2 + 1/4) / 2")
def group_reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """How early the first relevant document of each group appears, averaged over the groups."""
    groups = hits_by_group(judged, rel)
    hits = groups.hits.top(k)
    first = hits.where(hits.ordinal == 1)
    return groups.mean(first.sum(1.0 / first.rank), judged.size)


@define_group("group_ap", title="Average precision over groups", kin="ap")
@computes("(1/G) Σ mean precision at the ranks of the relevant documents found, group by group")
@example("group_ap", [1, 0, 1], 2 / 3, "each document is a group of its own: (1/1 + 1/3) / 2")
def group_average_precision(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The average precision of each group, as if only its documents were relevant, averaged over the groups."""
    groups = hits_by_group(judged, rel)
    hits = groups.hits.top(k)
    return groups.mean(ratio(hits.sum(hits.ordinal / hits.rank), hits.count()), judged.size)


@define("judges_ap", title="Average precision, averaged over groups", kin="ap")
@computes("mean over the groups of AP by the group's own judgments")
@example("judges_ap", [1, 0, 1], (1 + 2 / 3) / 2, "one group: (1/1 + 2/3) / 2")
def judges_ap(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, condensed: Condensed = False) -> FloatArray:
    """The average precision by each judge's judgments, averaged over the judges."""
    return judge_views(judged, condensed).mean(average_precision(rel=rel, k=k))


@define("judges_precision", title="Precision, averaged over groups", kin="precision")
@computes("mean over the groups of precision by the group's own judgments")
@example("judges_precision@2", [1, 0, 1], 0.5, "one group: 1 of the first 2 documents is relevant")
def judges_precision(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Divisor = "k", condensed: Condensed = False
) -> FloatArray:
    """The precision by each judge's judgments, averaged over the judges."""
    return judge_views(judged, condensed).mean(precision(rel=rel, k=k, over=over))


@define("judges_r_precision_multiple", title="Precision at a multiple of R, averaged over groups", at="multiple")
@says(kin="r_precision")
@computes("mean over the groups of precision at multiple · R, where R documents are relevant to the group")
@example("judges_r_precision_multiple@0.5", [1, 0, 1, 1], 0.5, "one group: R = 3, and 1 of the first 2 is relevant")
def judges_r_precision_multiple(
    judged: Judged, *, multiple: Multiple, rel: Rel = 1, condensed: Condensed = False
) -> FloatArray:
    """The precision at a multiple of each judge's number of relevant documents, averaged over the judges."""
    return judge_views(judged, condensed).mean(r_precision_multiple(rel=rel, multiple=multiple))


class Grouped(NamedTuple):
    """The groups with a relevant document: the query of each, and the hits, with the group as their `query`."""

    owner: IntArray
    hits: Hits

    def mean(self, values: FloatArray, size: int) -> FloatArray:
        """The mean over each query's groups, given one value per group; 0 without groups."""
        # Added from high to low, so that the order of the judgments does not change even the last bit.
        order = np.lexsort((-values, self.owner))
        total = np.bincount(self.owner[order], weights=values[order], minlength=size)
        return ratio(total, np.bincount(self.owner, minlength=size))


def hits_by_group(judged: Judged, rel: float) -> Grouped:
    """The hits by group, then by rank; a document in several groups is a hit of each."""

    def make() -> Grouped:
        rows = judged.groups()
        rows = rows.where(rows.grade >= max(rel, judged.floor))
        within = rows.document if rows.group is None else rows.group
        keys = rows.query * (within.max(initial=0) + 1) + within
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        # Each pair of a document and a group once, by document.
        pairs = np.unique(np.stack([rows.document, number], axis=1), axis=0)
        hit, row = join_hits(judged.hits, pairs[:, 0])
        group = pairs[row, 1]
        order = np.argsort(group, kind="stable")
        hits = judged.hits.where(hit[order])
        return Grouped(rows.query[first], replace(hits, size=len(first), query=group[order]))

    return judged.remember(("grouped", rel), make)


class JudgeViews(NamedTuple):
    """Every group of every query as a query of its own, and the query it belongs to."""

    judged: Judged
    owner: IntArray
    size: int

    def mean(self, measure: Measure) -> FloatArray:
        """The mean over each query's groups, added in order."""
        total = np.bincount(self.owner, weights=measure(self.judged), minlength=self.size)
        return ratio(total, np.bincount(self.owner, minlength=self.size))


def judge_views(judged: Judged, condensed: bool) -> JudgeViews:
    """The rankings as each group sees them."""

    def make() -> JudgeViews:
        groups = judged.groups()
        number = np.zeros_like(groups.query) if groups.group is None else groups.group
        most = int(number.max(initial=0)) + 1
        keys, part = np.unique(groups.query * most + number, return_inverse=True)
        owner, size = keys // most, len(keys)
        # Each hit once for every group that judged its document, with that group's grade.
        hit, row = join_hits(judged.hits, groups.document)
        ranked = np.lexsort((judged.hits.rank[hit], part[row]))
        hits, row = judged.hits.where(hit[ranked]), row[ranked]
        hits = replace(hits, size=size, query=part[row], grade=groups.grade[row], document=row)
        order = np.lexsort((-groups.grade, part))
        parts = Judged(size, judged.retrieved[owner], part[order], groups.grade[order], hits, floor=judged.floor)
        return JudgeViews(only_judged(parts) if condensed else parts, owner, judged.size)

    return judged.remember(("split", condensed), make)


def join_hits(hits: Hits, document: IntArray) -> tuple[IntArray, IntArray]:
    """Each hit once for every row about its document: the numbers of the hits, in order, and of the rows."""
    by_document = np.argsort(document, kind="stable")
    documents = document[by_document]
    first, last = (np.searchsorted(documents, hits.document, side) for side in ("left", "right"))
    times = last - first
    hit = np.repeat(np.arange(len(times)), times)
    row = by_document[np.arange(len(hit)) - np.repeat(np.cumsum(times) - times, times) + first[hit]]
    return hit, row
