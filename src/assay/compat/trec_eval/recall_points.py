"""Interpolated precision at levels of recall, whatever levels and in whatever order they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.measures.ranking.average_precision import interpolated_precision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import FloatArray, Judged


def recall_points(judged: Judged, levels: Sequence[float], rel: float) -> FloatArray:
    """The sum over the levels of the interpolated precision of each topic.

    trec_eval goes down the ranking from its end, and through the levels from the last. It passes over those that the
    ranking does not reach. A later one that asks for more documents than the one before is never met on the way, so
    that it and all that follow have the best precision of all, as has a level that asks for none; of an empty ranking
    that is 0/0.
    """
    total = np.zeros(judged.size)
    relevant, found = judged.count_relevant(rel), judged.relevant(rel).count()
    best = np.where(judged.retrieved > 0, interpolated_precision(recall=0, rel=rel)(judged), np.nan)
    is_beyond, is_missed, least = np.ones(judged.size, dtype=np.bool_), np.zeros(judged.size, dtype=np.bool_), found
    for level in reversed(levels):
        asked = np.floor(level * relevant + 0.5)
        is_beyond &= asked > found
        is_missed |= ~is_beyond & (asked > least)
        met = interpolated_precision(recall=min(1.0, max(0.0, level)), rel=rel)(judged)
        total += np.where(is_beyond, 0.0, np.where(is_missed | (asked <= 0), best, met))
        least = np.where(is_beyond, least, asked)
    return total
