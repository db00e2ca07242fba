"""Utility: a value for each document found and each one missed."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from assay.core.judged import FloatArray, Judged
from assay.core.measure import Example, Rel, measure
from assay.core.parameter import Bounds

Weights = Annotated[
    tuple[float, float, float, float],
    "what a document is worth: relevant and retrieved, retrieved alone, relevant alone, neither",
]
Documents = Annotated[int, Bounds(low=0), "how many documents the collection has, for the last weight"]


@measure(
    "utility",
    title="Utility",
    formula="w1 r + w2 (n - r) + w3 (R - r) + w4 (N + r - n - R), where n of N documents were retrieved, r of the R "
    "relevant among them",
    range=(-np.inf, np.inf),
    example=Example("utility", [1, 0, 0, 1, 0], -1, "2 relevant documents retrieved, 3 others: 2 - 3"),
)
def utility(
    judged: Judged, *, rel: Rel = 1, weights: Weights = (1.0, -1.0, 0.0, 0.0), documents: Documents = 0
) -> FloatArray:
    """A weighted sum of what was retrieved and what was not, rightly or wrongly."""
    found, total, retrieved = judged.found(rel, None), judged.count_relevant(rel), judged.retrieved
    cells = (found, retrieved - found, total - found, documents + found - retrieved - total)
    worth = np.zeros(judged.size)
    for weight, cell in zip(weights, cells, strict=True):
        worth += weight * cell
    return worth
