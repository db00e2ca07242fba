"""Inferred average precision, for judgments that are a sample of a pool."""

from __future__ import annotations

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio
from assay.core.measure import Example, Rel, measure

# The smoothing constant of the paper and of trec_eval.
EPSILON = 1e-5


@measure(
    "infap",
    title="Inferred average precision",
    formula="(1/R) Σ 1/i + ((i-1)/i) · (pool before / (i-1)) · (rel before + e) / (rel before + nonrel before + 2e)",
    reference="Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006.",
    needs_relevant=True,
    example=Example("infap", [1, 0, 1], 0.8333, "(1 + 1/3 + (2/3)·(2/2)·(1/2)) / 2, but for the smoothing"),
)
def inferred_average_precision(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Average precision estimated from a sample; documents with a negative grade are in the pool but not judged."""
    pool = judged.hits
    is_relevant = pool.grade >= max(rel, judged.floor)
    is_judged = pool.grade >= judged.floor
    relevant = pool.before(is_relevant)[is_relevant]
    nonrelevant = pool.before(is_judged & ~is_relevant)[is_relevant]
    pooled = pool.ordinal[is_relevant] - 1
    hits = judged.relevant(rel)
    above = (hits.rank - 1).astype(np.float64)
    share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + (above / (above + 1.0)) * ratio(pooled, above) * share
    return ratio(hits.sum(np.where(above == 0, 1.0, expected)), judged.count_relevant(rel))
