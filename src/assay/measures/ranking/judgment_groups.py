"""Measures taken for each group of judgments by itself, then averaged: what several judges make of one ranking."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from assay.core.judged import FloatArray, Groups, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Measure, Rel, measure
from assay.engine.local import only_judged
from assay.measures.ranking.average_precision import average_precision
from assay.measures.ranking.precision import Multiple, Over, precision, r_precision_multiple

Condensed = Annotated[bool, "documents that a group has not judged are taken out of the ranking that it sees"]


@measure(
    "judges_ap",
    title="Average precision, averaged over groups",
    formula="mean over the groups of the AP by the group's own judgments",
    kin="ap",
    example=Example("judges_ap", [1, 0, 1], (1 + 2 / 3) / 2, "one group: (1/1 + 2/3) / 2"),
)
def group_average_precision(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, condensed: Condensed = False
) -> FloatArray:
    """The mean over judges of the average precision that each of them sees."""
    return split(judged, condensed).mean(average_precision(rel=rel, k=k))


@measure(
    "judges_precision",
    title="Precision, averaged over groups",
    formula="mean over the groups of the precision by the group's own judgments",
    kin="precision",
    example=Example("judges_precision@2", [1, 0, 1], 0.5, "one group: one of the first two is relevant"),
)
def judges_precision(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Over = "k", condensed: Condensed = False
) -> FloatArray:
    """The mean over judges of the precision that each of them sees."""
    return split(judged, condensed).mean(precision(rel=rel, k=k, over=over))


@measure(
    "judges_r_precision_multiple",
    title="Precision at a multiple of R, averaged over groups",
    formula="mean over the groups of the precision at multiple · R, where the group has R relevant documents",
    at="multiple",
    kin="r_precision",
    example=Example("judges_r_precision_multiple@0.5", [1, 0, 1, 1], 0.5, "one group: R = 3, and 1 of the first 2"),
)
def judges_r_precision_multiple(
    judged: Judged, *, multiple: Multiple, rel: Rel = 1, condensed: Condensed = False
) -> FloatArray:
    """The mean over judges of the precision at some multiple of the number of documents that are relevant to each."""
    return split(judged, condensed).mean(r_precision_multiple(rel=rel, multiple=multiple))


class Split(NamedTuple):
    """Every group of every query as a query of its own, and the query that it belongs to."""

    judged: Judged
    owner: IntArray
    size: int

    def mean(self, measure: Measure) -> FloatArray:
        """The mean over its groups of each query, which are added in order."""
        total = np.bincount(self.owner, weights=measure(self.judged), minlength=self.size)
        return ratio(total, np.bincount(self.owner, minlength=self.size))


def split(judged: Judged, condensed: bool) -> Split:
    """The same rankings as each group sees them."""
    return judged.remember(("split", condensed), lambda: make_split(judged, condensed))


def make_split(judged: Judged, condensed: bool) -> Split:
    groups = judged.groups()
    number = np.zeros_like(groups.query) if groups.group is None else groups.group
    most = int(number.max(initial=0)) + 1
    keys, part = np.unique(groups.query * most + number, return_inverse=True)
    owner = keys // most
    order = np.lexsort((-groups.grade, part))
    parts = Judged(
        size=len(keys),
        retrieved=judged.retrieved[owner],
        owner=part[order],
        grades=groups.grade[order],
        hits=split_hits(judged.hits, groups, part, len(keys)),
        floor=judged.floor,
    )
    return Split(only_judged(parts) if condensed else parts, owner, judged.size)


def split_hits(hits: Hits, groups: Groups, part: IntArray, size: int) -> Hits:
    """Each hit once for every group that judged its document, with that group's grade."""
    by_document = np.argsort(groups.document, kind="stable")
    documents = groups.document[by_document]
    first, last = (np.searchsorted(documents, hits.document, side) for side in ("left", "right"))
    times = last - first
    hit = np.repeat(np.arange(len(times)), times)
    row = by_document[np.arange(len(hit)) - np.repeat(np.cumsum(times) - times, times) + first[hit]]
    order = np.lexsort((hits.rank[hit], part[row]))
    hit, row = hit[order], row[order]
    return Hits(
        size=size,
        query=part[row],
        grade=groups.grade[row],
        rank=hits.rank[hit],
        score=hits.score[hit],
        higher=hits.higher[hit],
        tied=hits.tied[hit],
        document=row,
    )
