"""The table of measures: one family a file, in the order in which `assay measures` lists them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.core import grammar
from assay.core.measure import CHANGES, TABLE, Measure
from assay.measures.ranking import (
    precision_recall,
    reciprocal_rank,
    average_precision,
    discounted_gain,
    rank_biased_precision,
    expected_reciprocal_rank,
    bpref,
    area_under_curve,
    groups,
    user_models,
    compatibility,
    diversity,
    preferences,
    counts,
    abstention,
    query_families,
)

__all__ = ["TABLE", "parse"]


def parse(name: str, defaults: Mapping[str, Any] | None = None) -> Measure:
    """The measure of that name; `defaults` stand in for parameters that the name does not set.

    >>> parse("map@100"), parse("ap", {"rel": 2})
    (<measure ap@100>, <measure ap(rel=2)>)
    """
    return remembered(name, tuple((defaults or {}).items()), len(CHANGES))


@lru_cache(maxsize=4096)
def remembered(name: str, defaults: tuple[tuple[str, Any], ...], changes: int) -> Measure:  # noqa: ARG001 - part of the key
    """The same, read once for as long as the table does not change."""
    return grammar.parse(name, TABLE, dict(defaults))
