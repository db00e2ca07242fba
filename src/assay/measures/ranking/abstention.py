"""nAUC: whether a system can tell from its scores when to abstain.

The least confident 0%, 10%, … 90% of the queries are dropped. The mean of a measure over the remaining queries, plotted
against that share, gives an area. It is normalised between the area of dropping none and that of an oracle that drops
the queries with the lowest values.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, Judged
from assay.core.measure import Cutoff, Example, Measure, Rel, define

# The measures that another measure may build on.
InnerName = Literal["ndcg", "ap", "rr", "precision", "recall", "f", "hit_rate", "rbp"]
RisingMeasure = Annotated[InnerName, "the measure whose mean should rise as queries are dropped"]
Confidence = Annotated[
    Literal["max", "std", "diff1"],
    "confidence: the top score, the standard deviation of all scores, or the gap between the top two",
]
Tied = Annotated[
    Literal["mean", "order"],
    "equally confident queries: each counts their mean, or they are dropped in the order of the judgments",
]
RATES = np.linspace(0, 1, 11)[:-1]
# Values closer than this are equal.
ROUNDING = 1e-12


def normalised_area(judged: Judged, *, of: RisingMeasure, k: Cutoff, rel: Rel, figure: Confidence, tied: Tied) -> float:
    """The area gained by confidence, as a share of the oracle's gain; NaN if there is nothing to gain."""
    confidence = confidences(judged, figure)
    values = inner_measure(of, k, rel)(judged)
    is_known = ~(np.isnan(confidence) | np.isnan(values))
    confidence, values = confidence[is_known], values[is_known]
    if not len(values) or np.ptp(values) < ROUNDING:
        return float("nan")
    flat = float(values.mean() * RATES[-1])
    return (curve_area(confidence, values, tied) - flat) / (curve_area(values, values, tied) - flat)


@define(
    "nauc",
    title="Normalised area under the abstention curve",
    symbol="nAUC",
    formula="(A - flat) / (oracle - flat), A: area under the mean as the least confident queries are dropped",
    reference="Gisserot-Boukhlef et al., Towards trustworthy reranking, arXiv 2402.12997, 2024.",
    range=(-np.inf, 1),
    needs=("spread",),
    corpus=normalised_area,
    example=Example("nauc(of=rr)", [0, 1], 0.5, "a query's value is its rr, 1/2; the area needs all queries"),
)
def abstention(
    judged: Judged,
    *,
    of: RisingMeasure = "ndcg",
    k: Cutoff = None,
    rel: Rel = 1,
    figure: Confidence = "max",  # noqa: ARG001 - only the number of all queries depends on it
    tied: Tied = "mean",  # noqa: ARG001 - likewise
) -> FloatArray:
    """How well scores tell good queries from bad: 1 like an oracle, 0 not at all. A query's value is that of `of`."""
    return inner_measure(of, k, rel)(judged)


def inner_measure(of: str, k: int | None, rel: float) -> Measure:
    """The measure of that name; `rel` is dropped for measures that treat grades as gains."""
    from assay.measures import TABLE

    definition = TABLE[of]
    return definition(k=k, rel=rel) if definition.parameters["rel"].default == 1 else definition(k=k)


def confidences(judged: Judged, figure: str) -> FloatArray:
    """The confidence of each query; NaN without scores."""
    if judged.spread is None:
        return np.full(judged.size, np.nan)
    top, second, deviation = judged.spread
    return {"max": top, "std": deviation, "diff1": top - second}[figure]


def curve_area(confidence: FloatArray, values: FloatArray, tied: str) -> float:
    """The area under the mean of the remaining values at each rate."""
    if tied == "mean":
        group = np.unique(confidence, return_inverse=True)[1]
        means = np.bincount(group, weights=values) / np.bincount(group)
        in_order = means[np.sort(group)]
    else:
        in_order = values[np.argsort(confidence, kind="stable")]
    size = len(values)
    curve = np.array([in_order[min(round(rate * size), size - 1) :].mean() for rate in RATES])
    return float(((curve[1:] + curve[:-1]) / 2 * np.diff(RATES)).sum())
