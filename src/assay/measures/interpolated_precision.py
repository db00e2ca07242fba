"""Interpolated precision at a level of recall."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged
from assay.core.measure import Example, Rel, measure
from assay.core.parameter import Bounds

Recall = Annotated[float, Bounds(0, 1), "the level of recall"]
Cut = Annotated[
    Literal["round", "v9"], "how many relevant documents a level asks for: recall · R rounded, or as trec_eval 9 has it"
]


@measure(
    "iprec",
    title="Interpolated precision at recall",
    formula="the highest precision at any rank from the one where recall r is reached",
    reference="Manning et al., Introduction to Information Retrieval, 2008, section 8.4.",
    aliases={"iprec_at_recall": {}},
    at="recall",
    needs_relevant=True,
    example=Example(
        "iprec@0.5", [0, 1, 1, 0], 2 / 3, "recall 0.5 is reached at rank 2; from there on precision peaks at 2/3"
    ),
)
def interpolated_precision(judged: Judged, *, recall: Recall, rel: Rel = 1, cut: Cut = "round") -> FloatArray:
    """The best precision that is still to be had at this level of recall or beyond."""
    total = judged.count_relevant(rel)
    needed = np.floor(recall * total + (0.5 if cut == "round" else 0.9))
    hits = judged.relevant(rel)
    ordinal = hits.ordinal
    counted = ordinal >= needed[hits.query]
    best = np.zeros(judged.size)
    np.maximum.at(best, hits.query[counted], (ordinal / hits.rank)[counted])
    return best
