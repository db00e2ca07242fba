"""The table of measures: one family a file, in the order in which `assay measures` lists them."""

from collections.abc import Mapping
from typing import Any

from assay.core import grammar
from assay.core.measure import TABLE, Measure
from assay.measures import (
    hits,  # noqa: F401 - importing a family puts it into the table
    precision,  # noqa: F401
    recall,  # noqa: F401
    f_score,  # noqa: F401
    reciprocal_rank,  # noqa: F401
    average_precision,  # noqa: F401
    discounted_gain,  # noqa: F401
    rank_biased_precision,  # noqa: F401
    expected_reciprocal_rank,  # noqa: F401
    bpref,  # noqa: F401
    inferred_average_precision,  # noqa: F401
    interpolated_precision,  # noqa: F401
    area_under_curve,  # noqa: F401
    counts,  # noqa: F401
)

__all__ = ["TABLE", "parse"]


def parse(name: str, defaults: Mapping[str, Any] | None = None) -> Measure:
    """The measure of that name; `defaults` stand in for parameters that the name does not set.

    >>> parse("map@100"), parse("ap", {"rel": 2})
    (<measure ap@100>, <measure ap(rel=2)>)
    """
    return grammar.parse(name, TABLE, defaults or {})
