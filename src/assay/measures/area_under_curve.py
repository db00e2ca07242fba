"""The area under the ROC curve of one ranking."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Example, Rel, measure

Over = Annotated[Literal["retrieved", "judged"], "among all retrieved documents, or only among the judged ones"]


@measure(
    "auc",
    title="Area under the ROC curve",
    formula="the share of pairs (relevant, not relevant) in which the relevant one scores higher; tied scores are half",
    reference="Hanley and McNeil, Radiology 143, 1982.",
    aliases={"auc_roc": {}, "roc_auc": {}},
    undefined="the ranking has no relevant or only relevant documents",
    example=Example("auc", [1, 0, 1, 0], 0.75, "3 of the 4 pairs are in the right order"),
)
def area_under_curve(judged: Judged, *, rel: Rel = 1, over: Over = "retrieved") -> FloatArray:
    """The chance that a relevant retrieved document precedes one that is not relevant."""
    ranked = judged.hits if over == "retrieved" else judged.judged().among_themselves()
    total = judged.retrieved if over == "retrieved" else ranked.count()
    hits = ranked.where(ranked.grade >= max(rel, judged.floor))
    relevant = hits.count()
    others = total - relevant
    # Each hit beats what scores lower and half of what ties; among themselves the hits take half of all their pairs.
    beaten = hits.sum(total[hits.query] - hits.higher - 1 - hits.tied / 2) - relevant * (relevant - 1) / 2
    pairs = relevant * others
    return np.where(pairs > 0, ratio(beaten, pairs), np.nan)
