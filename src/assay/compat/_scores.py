"""Scores that are not finite, which other tools rank and assay's own reading refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.conventions.prepare import INFINITE, bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

Rankings = dict[str, dict[str, Any]]


def finite(run: Mapping[str, Mapping[str, Any]]) -> Rankings:
    """The same run with finite scores: infinite ones are the largest there are, and bools are numbers. NaN stays.

    >>> import math
    >>> finite({"q1": {"d1": math.inf, "d2": True}})
    {'q1': {'d1': 1.7976931348623157e+308, 'd2': 1}}
    """
    return {query: {document: plain(score) for document, score in ranking.items()} for query, ranking in run.items()}


def plain(score: Any) -> Any:  # noqa: ANN401 - any library's number
    """One score, not infinite and not a bool."""
    return int(score) if isinstance(score, bool) else bounded(score)


def is_finite(ranking: Mapping[str, Any]) -> bool:
    """Whether all scores of a query are finite; what is no number is left for others to refuse."""
    return not any(is_nan(score) or score in INFINITE for score in ranking.values())


def is_nan(score: object) -> bool:
    """Whether a score is not a number, of whatever library: only such a one differs from itself."""
    return bool(score != score)  # noqa: PLR0124


def best_first(ranking: Mapping[str, Any], *, nan_first: bool = False) -> list[str]:
    """The documents from the highest score to the lowest, those that tie as given, NaN before or after all others.

    >>> import math
    >>> best_first({"d1": -math.inf, "d2": math.nan, "d3": math.inf})
    ['d3', 'd1', 'd2']
    """
    others = [document for document, score in ranking.items() if is_nan(score)]
    numbers = [document for document, score in ranking.items() if not is_nan(score)]
    numbers.sort(key=ranking.__getitem__, reverse=True)
    return others + numbers if nan_first else numbers + others
