"""How the scores of repeated draws become one, and how far other draws would have moved it.

    mean: Σ s / n, variance s² / n         majority: what more than half of n verdicts of 0 or 1 say, a tie is ½

The variance of a majority is that of n new verdicts, each 1 as often as the n that were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.core.measure import Draws


def score_draws(scores: Sequence[float], how: Draws = "mean") -> float:
    """One score from all draws.

    >>> score_draws([1, 1, 0], "majority"), score_draws([1, 0], "majority"), score_draws([1, 0, 0.5])
    (1.0, 0.5, 0.5)
    """
    mean = math.fsum(scores) / len(scores)
    return mean if how == "mean" else majority(mean)


def majority(share: float) -> float:
    return 0.5 if share == 0.5 else float(share > 0.5)  # noqa: PLR2004 - half of the votes


def draws_variance(scores: Sequence[float], how: Draws = "mean") -> float:
    """The variance of the score over new draws; 0 with a single draw, which says nothing of others.

    >>> round(draws_variance([1, 1, 0]), 4), round(draws_variance([1, 1, 0], "majority"), 4)
    (0.1111, 0.192)
    """
    number = len(scores)
    if number < 2:  # noqa: PLR2004 - a single draw
        return 0.0
    mean = math.fsum(scores) / number
    if how == "mean":
        return math.fsum((each - mean) ** 2 for each in scores) / (number - 1) / number
    chances = [math.comb(number, ones) * mean**ones * (1 - mean) ** (number - ones) for ones in range(number + 1)]
    votes = [majority(ones / number) for ones in range(number + 1)]
    expected = math.fsum(chance * vote for chance, vote in zip(chances, votes, strict=True))
    return math.fsum(chance * (vote - expected) ** 2 for chance, vote in zip(chances, votes, strict=True))
