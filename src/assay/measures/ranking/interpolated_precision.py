"""Interpolated precision at a level of recall, and its mean over several levels."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, highest_onward
from assay.core.measure import Example, Rel, measure
from assay.core.parameter import Bounds
from assay.measures.ranking.average_precision import precisions

Recall = Annotated[float, Bounds(0, 1), "the level of recall"]
Recalls = Annotated[tuple[float, ...], Bounds(0, 1), "the levels of recall"]
Cut = Annotated[
    Literal["round", "v9"],
    "how many relevant documents a level asks for: recall · R rounded, or as trec_eval 9 has it",
    {"round": "a level asks for recall · R documents, rounded", "v9": "a level asks for ⌊recall · R + 0.9⌋ documents"},
]
ELEVEN_POINTS = tuple(tenth / 10 for tenth in range(11))


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
    starts, best = judged.remember(("interpolated", rel), lambda: best_onward(judged, rel))
    asked = np.floor(recall * judged.count_relevant(rel) + (0.5 if cut == "round" else 0.9)).astype(np.int64)
    place = starts[:-1] + np.maximum(asked, 1) - 1
    reached = place < starts[1:]
    result = np.zeros(judged.size)
    result[reached] = best[place[reached]]
    return result


@measure(
    "mean_iprec",
    title="Mean interpolated precision",
    formula="the mean of the interpolated precision at several levels of recall, by default 0, 0.1, …, 1",
    reference="Manning et al., Introduction to Information Retrieval, 2008, section 8.4.",
    aliases={"11pt_avg": {}},
    needs_relevant=True,
    kin="iprec",
    example=Example(
        "mean_iprec(recalls=0.5;1)", [1, 0, 0, 1], 0.75, "1 at recall 0.5 and 2/4 at recall 1: (1 + 0.5) / 2"
    ),
)
def mean_interpolated_precision(
    judged: Judged, *, recalls: Recalls = ELEVEN_POINTS, rel: Rel = 1, cut: Cut = "round"
) -> FloatArray:
    """The average height of the curve of precision over recall, at eleven points unless others are named."""
    total = np.zeros(judged.size)
    for recall in sorted(recalls, reverse=True):
        total += interpolated_precision(recall=recall, rel=rel, cut=cut)(judged)
    return total / len(recalls)


def best_onward(judged: Judged, rel: float) -> tuple[IntArray, FloatArray]:
    """Where each query's relevant hits begin, and the best precision from each hit on."""
    starts = judged.relevant(rel).starts
    return starts, highest_onward(precisions(judged, rel), starts)
