"""Rank-biased precision, and how much it could rise if unjudged documents turned out relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, define
from assay.core.parameter import Bounds, GainMap
from assay.measures.ranking.discounted_gain import gains

Persistence = Annotated[
    float, Bounds(0, 1, open_low=True, open_high=True), "the probability that the user goes on to the next document"
]
RbpGain = Annotated[
    Literal["binary", "grade", "max"] | GainMap,
    "1 for a relevant document, its grade, or its grade as a share of the query's highest; or pairs grade:gain, "
    "rescaled to [0, 1] where necessary",
    {
        "binary": "a relevant document gains 1",
        "grade": "a document gains its grade",
        "max": "a document gains its grade as a share of the query's highest",
    },
]
Complete = Annotated[
    Literal["tail", "zero"],
    "if every retrieved document is judged: the weight of the ranks after the last, or 0 as in trec_eval",
]

RbpLimit = Annotated[
    int | None, Bounds(low=1), "the user sees at most this many documents, whose weights then sum to 1"
]


@define(
    "rbp",
    title="Rank-biased precision",
    symbol="RBP",
    formula="(1 - p) Σ gain · p^(rank - 1)",
    reference="Moffat and Zobel, ACM TOIS 27(1), 2008.",
    range=(0, np.inf),
    # A share of the query's highest grade, and pairs that are rescaled, depend on its other judgments.
    additive=lambda values: values["gain"] in ("binary", "grade"),
    example=Example("rbp(p=0.5)", [1, 0, 1], 0.625, "0.5 · (1 + 0.25)"),
)
def rank_biased_precision(
    judged: Judged,
    *,
    rel: Rel = 1,
    k: Cutoff = None,
    p: Persistence = 0.8,
    gain: RbpGain = "binary",
    limit: RbpLimit = None,
) -> FloatArray:
    """The expected gain per document of a user who goes on to the next document with probability p."""
    hits = judged.relevant(rel)
    gained = np.ones(len(hits.rank)) if gain == "binary" else hits.grade
    if gain == "max":
        gained = ratio(gained, judged.highest_grade()[hits.query])
    elif isinstance(gain, Mapping):
        gained = scale_gains(gains(hits.grade, gain, 0.0), hits.query, judged, gain)
    last = k if limit is None else min(limit, limit if k is None else k)
    total = hits.sum(gained * powers(hits.rank, p), last)
    return (1 - p) * total / (1.0 if limit is None else 1 - p**limit)


@define(
    "rbp_residual",
    title="Residual of rank-biased precision",
    formula="1 - (1 - p) Σ p^(rank - 1) over the judged documents",
    reference="Moffat and Zobel, ACM TOIS 27(1), 2008.",
    aliases={"rbp_resid": {}},
    higher_is_better=False,
    example=Example("rbp_residual(p=0.5)", [1, 0], 0.25, "1 - 0.5 · (1 + 0.5): the weight of ranks 3 and below"),
)
def rank_biased_residual(judged: Judged, *, p: Persistence = 0.8, complete: Complete = "tail") -> FloatArray:
    """How much rank-biased precision could still rise if every unjudged document had the highest gain."""
    hits = judged.judged()
    residual = np.maximum(1.0 - (1 - p) * hits.sum(powers(hits.rank, p)), 0.0)
    return np.where(hits.count() < judged.retrieved, residual, 0.0) if complete == "zero" else residual


def powers(rank: IntArray, p: float) -> FloatArray:
    """p^(rank - 1), multiplied step by step."""
    steps = np.full(int(rank.max(initial=1)), p)
    steps[0] = 1.0
    return np.cumprod(steps)[rank - 1]


def scale_gains(gained: FloatArray, query: IntArray, judged: Judged, gain: GainMap) -> FloatArray:
    """The gains rescaled to [0, 1], for each query whose gains are outside."""
    lowest = min(0.0, *gain.values())
    highest = np.full(judged.size, max(0.0, *gain.values()))
    np.maximum.at(highest, judged.owner, gains(judged.grades, gain, 0.0))
    is_wider = (highest > 1) | (lowest < 0)
    return np.where(is_wider[query], ratio(gained - lowest, (highest - lowest)[query]), gained)
