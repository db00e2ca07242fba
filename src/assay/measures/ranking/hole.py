"""Hole: how much of the top of a ranking nobody has judged for any query."""

from __future__ import annotations

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, measure


@measure(
    "hole",
    title="Hole",
    formula="h / k, where h documents among the first k are judged for no query at all",
    reference="Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021.",
    needs=("foreign",),
    higher_is_better=False,
    example=Example("hole@4", [1, 0], 0, "both documents are judged: 0 / 4"),
)
def hole(judged: Judged, *, k: Cutoff = None) -> FloatArray:
    """The share of the first k documents that no query's judgments hold; without k, of all retrieved."""
    known = judged.hits.top(k).count()
    if judged.foreign is not None:
        known = known + judged.foreign.top(k).count()
    return ratio(judged.cut(k) - known, judged.retrieved if k is None else k)
