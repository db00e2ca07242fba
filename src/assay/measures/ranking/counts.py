"""Counts of documents and queries, the share of a ranking that was judged, and utility, a weighted sum of counts."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Rel, always, cites, computes, define, example, says
from assay.core.parameter import Bounds

Weights = Annotated[
    tuple[float, float, float, float],
    "the worth of a document: relevant and retrieved, only retrieved, only relevant, neither",
]
Size = Annotated[int, Bounds(low=0), "the size of the collection, needed for the last weight"]
define_count = partial(define, range=(0, np.inf), aggregate="sum")


@define("judged", title="Share judged", symbol="Judged", additive=always)
@computes("j / min(k, retrieved), where j of the first k documents are judged")
@example("judged@3", [1, 0, 2], 1, "all 3 documents have a grade")
def judged_share(judged: Judged, *, k: Cutoff = None) -> FloatArray:
    """The share of the top of the ranking that has a judgment. If it is low, do not trust the other measures."""
    return ratio(judged.judged().count(k), judged.cut(k))


@define("unjudged", title="Share unjudged", higher_is_better=False, kin="judged")
@computes("u / k, where u of the first k documents are unjudged; without a cutoff, u / retrieved")
@example("unjudged@5", [1, 0, 2], 0, "all 3 documents have a grade: 0 / 5")
def unjudged_share(judged: Judged, *, k: Cutoff = None) -> FloatArray:
    """The share of the top of the ranking that has no judgment. Empty ranks up to k count as judged."""
    return ratio(judged.cut(k) - judged.judged().count(k), judged.retrieved if k is None else k)


@define_count("num_ret", title="Documents retrieved")
@computes("number of documents retrieved")
@example("num_ret", [1, 0, 1], 3, "three documents")
def num_ret(judged: Judged) -> FloatArray:
    """How many documents were retrieved, summed over queries."""
    return judged.retrieved.astype(np.float64)


@define_count("num_rel", title="Relevant documents")
@computes("number of documents judged relevant")
@example("num_rel", [1, 0], 3, "one was retrieved, two were not", ideal=[1, 1, 1, 0])
def num_rel(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """How many documents are judged relevant, summed over queries."""
    return judged.count_relevant(rel).astype(np.float64)


@define_count("num_rel_ret", title="Relevant documents retrieved", additive=always)
@computes("number of relevant documents retrieved")
@example("num_rel_ret", [1, 0, 1], 2, "the documents at ranks 1 and 3")
def num_rel_ret(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """How many relevant documents were retrieved, summed over queries."""
    return judged.found(rel, None).astype(np.float64)


@define_count("num_nonrel_judged_ret", title="Judged non-relevant documents retrieved", additive=always)
@says(higher_is_better=False)
@computes("number of retrieved documents that are judged not relevant")
@example("num_nonrel_judged_ret", [1, 0, 0], 2, "the documents at ranks 2 and 3")
def num_nonrel_judged_ret(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """How many documents judged not relevant were retrieved, summed over queries."""
    return (judged.judged().count() - judged.found(rel, None)).astype(np.float64)


@define_count("num_q", title="Queries")
@computes("number of queries evaluated")
@example("num_q", [1], 1, "one query")
def num_q(judged: Judged) -> FloatArray:
    """How many queries are evaluated; 1 for each."""
    return np.ones(judged.size)


@define("hole", title="Hole", needs=("foreign",), higher_is_better=False)
@computes("h / k, where h of the first k documents are not judged for any query")
@cites("Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021.")
@example("hole@4", [1, 0], 0, "both documents are judged: 0 / 4")
def hole(judged: Judged, *, k: Cutoff = None) -> FloatArray:
    """The share of the first k documents that are not judged for any query; without a cutoff, of all retrieved."""
    known = judged.hits.top(k).count()
    if judged.foreign is not None:
        known = known + judged.foreign.top(k).count()
    return ratio(judged.cut(k) - known, judged.retrieved if k is None else k)


@define("utility", title="Utility", range=(-np.inf, np.inf))
@computes(
    "w1 r + w2 (n - r) + w3 (R - r) + w4 (N + r - n - R), where n of N documents were retrieved, among them r "
    "of the R relevant ones"
)
@example("utility", [1, 0, 0, 1, 0], -1, "2 relevant and 3 other documents retrieved: 2 - 3")
def utility(
    judged: Judged, *, rel: Rel = 1, weights: Weights = (1.0, -1.0, 0.0, 0.0), documents: Size = 0
) -> FloatArray:
    """A weighted sum of the documents rightly and wrongly retrieved and not retrieved."""
    found, total, retrieved = judged.found(rel, None), judged.count_relevant(rel), judged.retrieved
    cells = (found, retrieved - found, total - found, documents + found - retrieved - total)
    return np.asarray(sum(weight * cell for weight, cell in zip(weights, cells, strict=True)), dtype=np.float64)
