"""Scores that are not finite, which other tools rank and assay's own reader rejects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.conventions.prepare import bounded

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
        query: {doc: int(score) if isinstance(score, bool) else bounded(score) for doc, score in ranking.items()}
        for query, ranking in run.items()
    }


def is_nan(score: object) -> bool:
    """Whether a score is NaN, of any library: only NaN differs from itself."""
    return bool(score != score)  # noqa: PLR0124
