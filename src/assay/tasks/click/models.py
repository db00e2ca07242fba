"""From clicks to grades without pages: COEC and the position-based model.

COEC, clicks over expected clicks, divides the clicks on a pair by the sum, over its impressions, of the click-through
rate at the position of each: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting,
2007. The position-based model takes a click to be P(click) = θ_position · α_pair, and finds both by EM: Richardson,
Dominowska and Ragno, Predicting clicks, WWW 2007. Only the products are known, so the largest θ is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.judged import ratio

if TYPE_CHECKING:
    from assay.core.judged import FloatArray
    from assay.tasks.click.impressions import Impressions

ROUNDS = 500
SETTLED = 1e-6


class Fitted(NamedTuple):
    """What a model found: a grade per pair, figures per pair and per position, others, and how EM ended.

    A grade is NaN if the model has none for a pair. `is_told` says whether the data can tell attraction and position
    apart.
    """

    grades: FloatArray
    of_pairs: dict[str, FloatArray]
    of_positions: dict[str, FloatArray]
    figures: dict[str, float]
    rounds: int = 0
    settled: bool = True
    is_told: bool = True


def coec(impressions: Impressions) -> Fitted:
    """Clicks over expected clicks; no grade where none is expected."""
    size = len(impressions.positions)
    shown = np.bincount(impressions.place, weights=impressions.shown, minlength=size)
    clicks = np.bincount(impressions.place, weights=impressions.clicks, minlength=size)
    rate = ratio(clicks, shown)
    expected = np.bincount(impressions.pair, weights=impressions.shown * rate[impressions.place]).astype(np.float64)
    grades = ratio(np.bincount(impressions.pair, weights=impressions.clicks), expected)
    return Fitted(np.where(expected > 0, grades, np.nan), {"expected": expected}, {}, {})


def pbm(impressions: Impressions) -> Fitted:
    """The position-based model: attraction of each pair, and how likely each position is looked at."""
    size = len(impressions.positions)
    cells, inverse = np.unique(impressions.pair * size + impressions.place, return_inverse=True)
    pair, place = cells // size, cells % size
    shown = np.bincount(inverse, weights=impressions.shown)
    clicks = np.bincount(inverse, weights=impressions.clicks)
    total = np.bincount(pair, weights=shown)
    at = np.bincount(place, weights=shown, minlength=size)
    alpha, theta = np.full(len(total), 0.5), np.full(size, 0.5)
    rounds, settled = 0, False
    while rounds < ROUNDS and not settled:
        rounds += 1
        before = alpha * theta.max(), theta / theta.max()
        a, t = alpha[pair], theta[place]
        # Of those that were not clicked: attractive but not seen, and seen but not attractive.
        passed = ratio(shown - clicks, 1 - a * t)
        alpha = np.bincount(pair, weights=clicks + passed * a * (1 - t)) / total
        theta = np.bincount(place, weights=clicks + passed * t * (1 - a), minlength=size) / at
        after = alpha * theta.max(), theta / theta.max()
        moved = np.abs(after[0] - before[0]) @ total / total.sum(), np.abs(after[1] - before[1]).max()
        settled = max(map(float, moved)) < SETTLED
    highest = theta.max()
    is_told = size == 1 or len(cells) > len(total)
    return Fitted(alpha * highest, {}, {"examined": theta / highest}, {}, rounds, settled, is_told)
