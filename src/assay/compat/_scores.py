"""Scores that are not finite, which other tools rank and assay's own reader rejects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.conventions.prepare import INFINITE, bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

Rankings = dict[str, dict[str, Any]]


def finite_scores(run: Mapping[str, Mapping[str, Any]]) -> Rankings:
    """The run with infinite scores replaced by the largest finite ones, and bools by numbers. NaN stays.

    >>> import math
    >>> finite_scores({"q1": {"d1": math.inf, "d2": True}})
    {'q1': {'d1': 1.7976931348623157e+308, 'd2': 1}}
    """
    return {
        query: {document: plain_score(score) for document, score in ranking.items()} for query, ranking in run.items()
    }


def plain_score(score: Any) -> Any:  # noqa: ANN401 - any library's number
    """A score that is neither infinite nor a bool."""
    return int(score) if isinstance(score, bool) else bounded(score)


def is_finite(ranking: Mapping[str, Any]) -> bool:
    """Whether all scores of a query are finite; anything that is not a number is rejected elsewhere."""
    return not any(is_nan(score) or score in INFINITE for score in ranking.values())


def is_nan(score: object) -> bool:
    """Whether a score is NaN, of any library: only NaN differs from itself."""
    return bool(score != score)  # noqa: PLR0124


def best_first(ranking: Mapping[str, Any], *, nan_first: bool = False) -> list[str]:
    """The documents from the highest score to the lowest, ties in the given order, NaN first or last.

    >>> import math
    >>> best_first({"d1": -math.inf, "d2": math.nan, "d3": math.inf})
    ['d3', 'd1', 'd2']
    """
    others = [document for document, score in ranking.items() if is_nan(score)]
    numbers = [document for document, score in ranking.items() if not is_nan(score)]
    numbers.sort(key=ranking.__getitem__, reverse=True)
    return others + numbers if nan_first else numbers + others
