"""Rank-biased precision, and how much of it the documents without a judgment leave open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, define
from assay.core.parameter import Bounds, GainMap
from assay.measures.ranking.discounted_gain import gains

Persistence = Annotated[float, Bounds(0, 1, open_low=True, open_high=True), "the chance that the reader goes on"]
RbpGain = Annotated[
    Literal["binary", "grade", "max"] | GainMap,
    "1 for a relevant document, its grade, or its grade as a share of the query's highest; or pairs grade:gain, "
    "brought between 0 and 1 where they are not",
    {
        "binary": "a relevant document gains 1",
        "grade": "a document gains its grade",
        "max": "a document gains its grade as a share of the query's highest",
    },
]
Complete = Annotated[
    Literal["tail", "zero"],
    "where every document is judged: the weight of the ranks after the last, or 0, as trec_eval has it",
]

RbpLimit = Annotated[
    int | None, Bounds(low=1), "the reader sees no more than so many documents, and what they are worth adds up to 1"
]


@define(
    "rbp",
    title="Rank-biased precision",
    formula="(1 - p) Σ gain · p^(rank - 1)",
    reference="Moffat and Zobel, ACM TOIS 27(1), 2008.",
    range=(0, np.inf),
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
    """What a reader gains who goes on to the next document with probability p."""
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
    example=Example("rbp_residual(p=0.5)", [1, 0], 0.25, "1 - 0.5 · (1 + 0.5): the ranks from 3 on"),
)
def rank_biased_residual(judged: Judged, *, p: Persistence = 0.8, complete: Complete = "tail") -> FloatArray:
    """How much rank-biased precision could still rise if every document without a judgment had the highest gain."""
    hits = judged.judged()
    residual = np.maximum(1.0 - (1 - p) * hits.sum(powers(hits.rank, p)), 0.0)
    return np.where(hits.count() < judged.retrieved, residual, 0.0) if complete == "zero" else residual


def powers(rank: IntArray, p: float) -> FloatArray:
    """p^(rank - 1), multiplied out step by step."""
    steps = np.full(int(rank.max(initial=1)), p)
    steps[0] = 1.0
    return np.cumprod(steps)[rank - 1]


def scale_gains(gained: FloatArray, query: IntArray, judged: Judged, gain: GainMap) -> FloatArray:
    """The gains brought between 0 and 1, for each query whose scale of gains is wider."""
    lowest = min(0.0, *gain.values())
    highest = np.full(judged.size, max(0.0, *gain.values()))
    np.maximum.at(highest, judged.owner, gains(judged.grades, gain, 0.0))
    is_wider = (highest > 1) | (lowest < 0)
    return np.where(is_wider[query], ratio(gained - lowest, (highest - lowest)[query]), gained)
