"""What sums of statistics score, many at once: sacrebleu's formulas of BLEU, chrF and TER on rows of NumPy.

A bootstrap and a test score hundreds of thousands of sums, one at a time in sacrebleu. The tests hold both together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.judged import FloatArray, ratio

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

# The logarithm of nothing, as sacrebleu has it.
LOG_OF_NOTHING = -9999999999.0


def bleu_scores(metric: Any, rows: FloatArray) -> FloatArray:  # noqa: ANN401 - sacrebleu's BLEU
    """Rows are the length of the answer and of the reference, then n-grams in common, then n-grams, by their order."""
    order, smooth = metric.max_ngram_order, metric.smooth_method
    given, right = rows[..., 0], rows[..., 1]
    common, total = rows[..., 2 : 2 + order].copy(), rows[..., 2 + order :].copy()
    has_match = common.any(axis=-1)
    value = metric.SMOOTH_DEFAULTS[smooth] if metric.smooth_value is None else metric.smooth_value
    if smooth == "add-k":
        common[..., 1:] += value
        total[..., 1:] += value
    # Orders count up to the first that the answer is too short for.
    counts = np.logical_and.accumulate(total > 0, axis=-1)
    is_smoothed = counts & (common == 0)
    if smooth == "exp":
        common = np.where(is_smoothed, 0.5 ** np.cumsum(is_smoothed, axis=-1), common)
    elif smooth == "floor":
        common = np.where(is_smoothed, value, common)
    share = 100.0 * ratio(np.where(counts, common, 0.0), total)
    logs = np.where(share > 0, np.log(np.where(share > 0, share, 1.0)), LOG_OF_NOTHING)
    used = np.maximum(counts.sum(axis=-1), 1) if metric.effective_order else np.full(given.shape, order)
    mean = np.where(np.arange(order) < used[..., None], logs, 0.0).sum(axis=-1) / used
    penalty = np.where(given < right, np.exp(np.minimum(1 - ratio(right, given), 0.0)) * (given > 0), 1.0)
    return np.asarray(np.where(has_match, penalty * np.exp(mean), 0.0), dtype=np.float64)


def chrf_scores(metric: Any, rows: FloatArray) -> FloatArray:  # noqa: ANN401 - sacrebleu's CHRF
    """Rows are n-grams of the answer, of the reference and in common, for each order."""
    given, right, common = np.moveaxis(rows.reshape(*rows.shape[:-1], -1, 3), -1, 0)
    counts = (given > 0) & (right > 0)
    orders = counts.sum(axis=-1)
    precision, recall = (
        ratio(np.where(counts, ratio(common, each), 0.0).sum(axis=-1), orders) for each in (given, right)
    )
    factor = metric.beta**2
    return np.asarray(100 * ratio((1 + factor) * precision * recall, factor * precision + recall), dtype=np.float64)


def ter_scores(_: Metric, rows: FloatArray) -> FloatArray:
    """Rows are edits and words of the references; an answer to no words has 100."""
    edits, words = rows[..., 0], rows[..., 1]
    return np.asarray(100 * np.where(words > 0, ratio(edits, words), edits > 0), dtype=np.float64)
