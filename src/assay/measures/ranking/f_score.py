"""The F score: precision and recall in one number."""

from __future__ import annotations

from typing import Annotated

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, measure
from assay.core.parameter import LARGEST, Bounds
from assay.measures.ranking.precision import precision
from assay.measures.ranking.recall import recall

Beta = Annotated[float, Bounds(low=0), "how many times as much recall counts as precision"]
Squared = Annotated[bool, "beta is the square of that number, as in trec_eval's set_F"]


@measure(
    "f",
    title="F score",
    formula="(1 + b²) P R / (b² P + R) with b = beta; or with b² = beta where it is given squared",
    reference="van Rijsbergen, Information Retrieval, 1979.",
    aliases={"f1": {"beta": 1.0}},
    needs_relevant=True,
    example=Example("f1@2", [1, 0, 1], 0.5, "P = 1/2, R = 1/2: 2 · 0.5 · 0.5 / (0.5 + 0.5)"),
)
def f_score(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, beta: Beta = 1.0, squared: Squared = False
) -> FloatArray:
    """The weighted harmonic mean of precision@k and recall@k."""
    return harmonic(precision(rel=rel, k=k)(judged), recall(rel=rel, k=k)(judged), beta, squared=squared)


def harmonic(p: FloatArray, r: FloatArray, beta: float, *, squared: bool = False) -> FloatArray:
    """The weighted harmonic mean of precision and recall."""
    square = beta if squared else min(beta * beta, LARGEST)
    return ratio((square + 1.0) * p * r, square * p + r)
