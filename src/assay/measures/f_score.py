"""The F score: precision and recall in one number."""

from __future__ import annotations

from typing import Annotated

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.core.parameter import Bounds
from assay.measures.precision import precision
from assay.measures.recall import recall

Beta = Annotated[float, Bounds(low=0, open_low=True), "how many times as much recall counts as precision"]


@measure(
    "f",
    title="F score",
    formula="(1 + b²) P R / (b² P + R) with b = beta",
    reference="van Rijsbergen, Information Retrieval, 1979.",
    aliases={"f1": {"beta": 1.0}},
    needs_relevant=True,
    example=Example("f1@2", [1, 0, 1], 0.5, "P = 1/2, R = 1/2: 2 · 0.5 · 0.5 / (0.5 + 0.5)"),
)
def f_score(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, beta: Beta = 1.0) -> FloatArray:
    """The weighted harmonic mean of precision@k and recall@k."""
    return harmonic(precision(rel=rel, k=k)(judged), recall(rel=rel, k=k)(judged), beta)


def harmonic(p: FloatArray, r: FloatArray, beta: float) -> FloatArray:
    """The weighted harmonic mean of precision and recall."""
    # Both sides of the formula divided by 1 + b², so that no beta is too large for it.
    weight = 1 / (1 + beta * beta)
    return ratio(p * r, (1 - weight) * p + weight * r)
