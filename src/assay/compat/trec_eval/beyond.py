"""Parameters that mean nothing and that trec_eval computes with all the same: `rbp.p=2`, `set_F.-1`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from assay.compat.trec_eval.outcome import CALCULATION, Stop
from assay.core.measure import Measure
from assay.measures.ranking.precision_recall import precision, recall
from assay.measures.ranking.rank_biased_precision import powers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.judged import FloatArray, Judged


def compute_beyond(measure: Measure, parameters: Mapping[str, float], judged: Judged) -> FloatArray:
    """The values of a measure with parameters that it refuses, as trec_eval's arithmetic has them."""
    with np.errstate(all="ignore"):
        if measure.definition.name == "rbp_residual":
            scores = residual(judged, parameters["p"])
        else:
            scores = Measure(measure.definition, {**measure.values, **parameters})(judged)
        if "beta" in parameters:
            return divided_by_zero(scores, parameters["beta"], measure.values["rel"], judged)
    if not np.isfinite(scores).all():
        name = "rbp_resid" if measure.definition.name == "rbp_residual" else "rbp"
        raise Stop(CALCULATION, f"trec_eval: {name} with p={parameters['p']:g} is more than a number can hold\n")
    return scores


def residual(judged: Judged, p: float) -> FloatArray:
    """The residual of rank-biased precision in the terms in which trec_eval adds it up.

    They are the weights of the documents without a judgment and of all ranks after the last. Where p is above 1 they
    are huge and nearly cancel, so that no other way leads to the same digits.
    """
    hits = judged.judged()
    weights = powers(np.arange(1, int(judged.retrieved.max(initial=0)) + 2), p)
    scores = np.zeros(judged.size)
    for query, (start, end) in enumerate(pairwise(hits.starts.tolist())):
        retrieved = int(judged.retrieved[query])
        is_open = np.ones(retrieved, dtype=np.bool_)
        is_open[hits.rank[start:end] - 1] = False
        if is_open.any():
            scores[query] = weights[retrieved] + (1 - p) * np.cumsum(weights[:retrieved][is_open])[-1]
    return scores


def divided_by_zero(scores: FloatArray, x: float, rel: float, judged: Judged) -> FloatArray:
    """The scores of set_F; where a relevant document was found and the divisor is 0, what C has for that."""
    p, r = precision(rel=rel)(judged), recall(rel=rel)(judged)
    divisor = x * p + r
    return np.where((p > 0) & (divisor == 0), (x + 1) * p * r / divisor, scores)
