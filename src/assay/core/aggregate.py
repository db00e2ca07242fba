"""How the values of queries become one number: statistics a query, summed, then finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.judged import FloatArray

# A query that scores less counts as this much, so that one zero does not make the geometric mean zero.
SMALLEST_AVERAGE = 1e-5


class Aggregation(NamedTuple):
    """A statistic of each query, and what their sum over so many queries means."""

    prepare: Callable[[FloatArray], FloatArray]
    finish: Callable[[Any, int], Any]

    def __call__(self, scores: FloatArray) -> float:
        """The one number of these scores. NaN scores do not count; of none at all the number is NaN."""
        counted = scores[~np.isnan(scores)]
        if not len(counted):
            return float("nan")
        # Added one after another, not pairwise, so that the last digit is the one other tools print.
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.cumsum(self.prepare(counted))[-1]
        return float(self.finish(total, len(counted)))


AGGREGATES = {
    "mean": Aggregation(lambda scores: scores, lambda total, count: total / count),
    "geometric": Aggregation(
        lambda scores: np.log(np.maximum(scores, SMALLEST_AVERAGE)), lambda total, count: np.exp(total / count)
    ),
    "sum": Aggregation(lambda scores: scores, lambda total, _: total),
}
