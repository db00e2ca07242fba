"""Hits, precision, recall and F score: how many of the first k documents are relevant, as a count and as shares."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Rel, always, cites, computes, define, example, says, undefined_if
from assay.core.parameter import LARGEST, Bounds

Divisor = Annotated[
    Literal["k", "retrieved"],
    "divide by k, or by the number retrieved up to k; without a cutoff, always by the number retrieved",
    {"k": "divides by k, even if fewer were retrieved", "retrieved": "divides by the number retrieved"},
]
Multiple = Annotated[float, Bounds(low=0, open_low=True), "the cutoff, as a multiple of R"]
RelevantTotal = Annotated[
    Literal["relevant", "listed"],
    "divide by the number of relevant documents, or of relevant judgments as listed, duplicates included",
    {"relevant": "divides by the relevant documents", "listed": "divides by the relevant judgments as listed"},
]
NothingRelevant = Annotated[
    Literal["zero", "nan"],
    "a query without relevant documents scores 0, or is undefined if it retrieved anything",
    {
        "zero": "a query without relevant documents scores 0",
        "nan": "a query without relevant documents is undefined if it retrieved anything",
    },
]
Beta = Annotated[float, Bounds(low=0), "how many times as much recall counts as precision"]
Square = Annotated[bool, "beta is already squared, as in trec_eval's set_F"]
DividingCutoff = Annotated[
    int | None,
    Bounds(low=1),
    "only the first k documents count",
    {None: "divides by the documents retrieved, even if they are fewer than k"},
]


@define("hits", title="Hits", symbol="Hits", range=(0, np.inf), additive=always)
@computes("number of relevant documents among the first k")
@example("hits@3", [1, 0, 1, 1], 2, "the relevant documents at ranks 1 and 3; rank 4 is past the cutoff")
def hits(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """How many relevant documents were retrieved."""
    return judged.found(rel, k).astype(np.float64)


@define("hit_rate", title="Hit rate", symbol="Hit", needs_relevant=True)
@computes("1 if any of the first k documents is relevant, else 0")
@example("hit_rate@2", [0, 1, 0], 1, "the document at rank 2 is relevant")
def hit_rate(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """Whether at least one relevant document was retrieved; the mean is the share of queries with one."""
    return (judged.found(rel, k) > 0).astype(np.float64)


@define("precision", title="Precision", symbol="P", additive=always)
@computes("r / k, where r of the first k documents are relevant")
@example("precision@5", [1, 0, 0, 1, 1], 0.6, "3 relevant documents / 5")
def precision(judged: Judged, *, rel: Rel = 1, k: DividingCutoff = None, over: Divisor = "k") -> FloatArray:
    """The share of the first k documents that are relevant; without a cutoff, of all retrieved documents."""
    return ratio(judged.found(rel, k), judged.cut(k) if k is None or over == "retrieved" else k)


@define("r_precision", title="R-precision", symbol="R-Prec", needs_relevant=True)
@computes("r / R, where r of the first R documents are relevant")
@example("r_precision", [1, 0, 1, 0, 1], 2 / 3, "R = 3; 2 of the first 3 documents are relevant: 2 / 3")
def r_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Precision at R, the number of relevant documents."""
    return r_precision_multiple(rel=rel, multiple=1)(judged)


@define("r_precision_multiple", title="Precision at a multiple of R", at="multiple", needs_relevant=True)
@says(kin="r_precision")
@computes("r / n, where r of the first n = ⌊multiple · R + 0.9⌋ documents are relevant")
@example("r_precision_multiple@0.5", [1, 0, 1, 1], 0.5, "R = 3, n = ⌊1.5 + 0.9⌋ = 2: 1 / 2")
def r_precision_multiple(judged: Judged, *, multiple: Multiple, rel: Rel = 1) -> FloatArray:
    """Precision at a multiple of R, the number of relevant documents."""
    relevant = judged.relevant(rel)
    looked_at = np.floor(multiple * judged.count_relevant(rel) + 0.9)
    found = np.bincount(relevant.query[relevant.rank <= looked_at[relevant.query]], minlength=judged.size)
    return ratio(found, looked_at)


@define("recall", title="Recall", symbol="Recall", needs_relevant=True)
@says(aliases={"r_cap": {"cap": True}, "recall_cap": {"cap": True}})
@computes("r / R; with cap r / min(R, k), or r / min(R, retrieved) without a cutoff")
@undefined_if("no document is relevant and nothing=nan")
@cites("The capped form: Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021.")
@example("recall@5", [1, 1, 1, 0, 0, 1, 1], 0.6, "3 of the 5 relevant documents are among the first 5: 3 / 5")
def recall(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    cap: Annotated[bool, "divide by at most k, as no more relevant documents fit in"] = False,
    total: RelevantTotal = "relevant",
    nothing: NothingRelevant = "zero",
) -> FloatArray:
    """The share of the relevant documents that are among the first k."""
    number = judged.count_relevant(rel)
    if total == "listed":
        rows = judged.groups()
        number = np.bincount(rows.query[rows.grade >= max(rel, judged.floor)], minlength=judged.size)
    room = judged.retrieved if k is None else k
    share = ratio(judged.found(rel, k), np.minimum(number, room) if cap else number)
    return share if nothing == "zero" else np.where((number == 0) & (judged.retrieved > 0), np.nan, share)


@define("f", title="F score", symbol="F", aliases={"f1": {"beta": 1.0}}, needs_relevant=True)
@computes("(1 + b²) P R / (b² P + R) with b = beta, or with b² = beta if squared")
@cites("van Rijsbergen, Information Retrieval, 1979.")
@example("f1@2", [1, 0, 1], 0.5, "P = 1/2, R = 1/2: 2 · 0.5 · 0.5 / (0.5 + 0.5)")
def f_score(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, beta: Beta = 1.0, squared: Square = False) -> FloatArray:
    """The weighted harmonic mean of precision@k and recall@k."""
    return f_beta(precision(rel=rel, k=k)(judged), recall(rel=rel, k=k)(judged), beta, squared=squared)


def f_beta(p: FloatArray, r: FloatArray, beta: float, *, squared: bool = False) -> FloatArray:
    square = beta if squared else min(beta * beta, LARGEST)
    return ratio((square + 1.0) * p * r, square * p + r)
