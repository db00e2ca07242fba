"""Expected reciprocal rank: a user goes down the list and is more likely to stop the higher the grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Judged
from assay.core.measure import Cutoff, Example, Values, define
from assay.core.parameter import Bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

TopGrade = Annotated[
    float | None, Bounds(low=0, open_low=True), "the highest possible grade; by default the highest in the judgments"
]
ErrGain = Annotated[Literal["exp2", "identity"], "exp2: (2^g - 1) / 2^max; identity: the grade is a probability"]

Above = Annotated[Literal["error", "nan"], "a grade above max is an error, or makes its query undefined"]


def bind_top_grade(judged: Judged, values: Values) -> Mapping[str, Any]:
    """The highest grade in the judgments, unless `max` is set."""
    if values["max"] is not None or values["gain"] == "identity":
        return {}
    return {"max": float(judged.highest_grade().max(initial=0.0))}


@define(
    "err",
    title="Expected reciprocal rank",
    formula="Σ (1/i) r_i Π_{j<i} (1 - r_j), where r_i is the probability that document i satisfies the user",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009.",
    bind=bind_top_grade,
    undefined="a document has a grade above max",
    example=Example("err(gain=identity)", [0.2, 0.5, 0.8], 0.506667, "0.2 + 0.8·0.5/2 + 0.8·0.5·0.8/3"),
)
def expected_reciprocal_rank(
    judged: Judged,
    *,
    k: Cutoff = None,
    max: TopGrade = None,
    gain: ErrGain = "exp2",
    above: Above = "error",
) -> FloatArray:
    """The expected 1/rank of the document that satisfies the user."""
    hits = judged.relevant(0.0).top(k)
    scale = 1.0 if gain == "identity" else max
    top = judged.grades.max(initial=0.0)
    if scale is not None and top > scale and above == "error":
        limit = "gain=identity needs probabilities" if gain == "identity" else f"max={scale:g}; use a larger max"
        raise MeasureError(f"err: the judgments contain grade {top:g}, but {limit}")
    highest = scale or 0.0
    # (2^g - 1) / 2^max, in a form that does not overflow.
    grade = np.minimum(hits.grade, highest)
    chance = hits.grade if gain == "identity" else np.exp2(grade - highest) - np.exp2(-highest)
    total = hits.sum(chance * hits.product_before(1.0 - chance) / hits.rank)
    return np.where(judged.highest_grade() > (np.inf if scale is None else scale), np.nan, total)
