"""The area under the ROC curve of one ranking."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, define
from assay.engine.ranking import only_top

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


@define(
    "auc",
    title="Area under the ROC curve",
    symbol="AUC",
    formula="the share of pairs (relevant, not relevant) in which the relevant one scores higher; a tie counts half",
    reference="Hanley and McNeil, Radiology 143, 1982.",
    aliases={"auc_roc": {}, "roc_auc": {}},
    undefined="the ranking has no relevant documents, or only relevant ones",
    example=Example("auc", [1, 0, 1, 0], 0.75, "3 of the 4 pairs are in the right order"),
)
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
