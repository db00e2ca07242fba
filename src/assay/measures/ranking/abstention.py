"""nAUC: whether a system that keeps silent where its scores look doubtful would be right to.

Queries are left out, the least confident first, 0%, 10%, … 90% of them. The mean of a measure over the queries that are
left, drawn over that share, encloses an area. It is compared with what leaving out none gives and with what an oracle
gives that leaves out the queries with the worst values.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged
from assay.core.measure import Cutoff, Example, Measure, Rel, define

# The measures that another one may be made of.
InnerName = Literal["ndcg", "ap", "rr", "precision", "recall", "f", "hit_rate", "rbp"]
RisingMeasure = Annotated[InnerName, "the measure whose mean should rise"]
Confidence = Annotated[
    Literal["max", "std", "diff1"],
    "confidence: the top score, the deviation of all scores, or the top two's difference",
]
RATES = np.linspace(0, 1, 11)[:-1]
# Values that are no further apart are the same.
ROUNDING = 1e-12


def normalised_area(judged: Judged, *, of: RisingMeasure, k: Cutoff, rel: Rel, figure: Confidence) -> float:
    """The area that confidence gains, as a share of what the oracle gains; NaN where there is nothing to gain."""
    confidence = confidences(judged, figure)
    values = inner_measure(of, k, rel)(judged)
    is_known = ~(np.isnan(confidence) | np.isnan(values))
    confidence, values = confidence[is_known], values[is_known]
    if not len(values) or np.ptp(values) < ROUNDING:
        return float("nan")
    flat = float(values.mean() * RATES[-1])
    return (curve_area(confidence, values) - flat) / (curve_area(values, values) - flat)


@define(
    "nauc",
    title="Normalised area under the abstention curve",
    formula="(A - flat) / (oracle - flat), A the area under the mean of the queries left, least confident out first",
    reference="Gisserot-Boukhlef et al., Towards trustworthy reranking, arXiv 2402.12997, 2024.",
    range=(-np.inf, 1),
    needs=("spread",),
    corpus=normalised_area,
    example=Example("nauc(of=rr)", [0, 1], 0.5, "a query's value is its rr, 1/2; the area is that of all queries"),
)
def abstention(
    judged: Judged,
    *,
    of: RisingMeasure = "ndcg",
    k: Cutoff = None,
    rel: Rel = 1,
    figure: Confidence = "max",  # noqa: ARG001 - only the number of all queries depends on it
) -> FloatArray:
    """How well scores tell good queries from bad: 1 as well as an oracle, 0 not at all. A query's value is `of`'s."""
    return inner_measure(of, k, rel)(judged)


def inner_measure(of: str, k: int | None, rel: float) -> Measure:
    """The measure of that name; where its grades are gains it has no use for `rel`."""
    from assay.measures import TABLE

    definition = TABLE[of]
    return definition(k=k, rel=rel) if definition.parameters["rel"].default == 1 else definition(k=k)


def confidences(judged: Judged, figure: str) -> FloatArray:
    """How sure each query's scores look; NaN where there are none."""
    if judged.spread is None:
        return np.full(judged.size, np.nan)
    top, second, deviation = judged.spread
    return {"max": top, "std": deviation, "diff1": top - second}[figure]


def curve_area(confidence: FloatArray, values: FloatArray) -> float:
    """The area under the mean of the values that are left at each rate; which of equally sure ones, is left open."""
    group = np.unique(confidence, return_inverse=True)[1]
    means = np.bincount(group, weights=values) / np.bincount(group)
    in_order = means[np.sort(group)]
    size = len(values)
    curve = np.array([in_order[min(round(rate * size), size - 1) :].mean() for rate in RATES])
    return float(((curve[1:] + curve[:-1]) / 2 * np.diff(RATES)).sum())
