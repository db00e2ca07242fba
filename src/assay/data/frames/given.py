"""Rankings whose order was given, whatever their scores: how tables hold them, and how they are read back.

A table has a `score` that falls with the rank, so that every tool ranks the documents as they were given, and beside it
`given_rank`, and `given_score` where the documents had scores of their own. Both are empty for rankings by score.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._kernel import Rows
from assay.core.errors import PASSING, FormatError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars

    from assay.core.judged import FloatArray, IntArray
    from assay.data.run import Run

GIVEN_RANK, GIVEN_SCORE = "given_rank", "given_score"


def add_given(frame: polars.DataFrame, run: Run) -> polars.DataFrame:
    """The rows of a run with the columns of given orders, and scores that fall with the rank in these."""
    import polars

    ordered, sizes = ordered_queries(run), np.diff(run.starts)
    is_ordered = np.repeat(ordered, sizes)
    rank = np.arange(1, len(frame) + 1) - np.repeat(run.starts[:-1], sizes)
    falling = np.repeat(sizes, sizes) - rank + 1.0
    columns = [
        polars.Series("score", np.where(is_ordered, falling, run.values)),
        polars.Series(GIVEN_RANK, rank).set(polars.Series(~is_ordered), None),
    ]
    has_scores = np.repeat([run.keeps_scores(number) for number in range(len(run))], sizes)
    if has_scores.any():
        columns.append(polars.Series(GIVEN_SCORE, run.values).set(polars.Series(~has_scores), None))
    return frame.with_columns(columns)


def ordered_queries(run: Run) -> IntArray:
    """Whether the ranking of each query is a given order."""
    return np.array([run.rows.is_ordered(number) for number in range(len(run))], dtype=bool)


def given_columns(table: polars.DataFrame, name: str, place: Callable[[int], str]) -> list[polars.Series]:
    """The columns of given orders in a table, as numbers."""
    names = [each for each in (GIVEN_RANK, GIVEN_SCORE) if each in table.columns]
    return [optional_numbers(table[each], name, place) for each in names]


def optional_numbers(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    """A column as finite numbers, or empty."""
    import polars

    if column.dtype.is_numeric() and column.cast(polars.Float64).is_finite().all():
        return column.cast(polars.Float64)
    numbers: list[float | None] = []
    for row, value in enumerate(column.to_list()):
        number = None if value is None or value == "" else as_float(value, truths=False)
        if value not in (None, "") and (number is None or not math.isfinite(number)):
            raise FormatError(f"{name}, {place(row)}: {show(value)} in the column {show(column.name)} is not a number")
        numbers.append(number)
    return polars.Series(column.name, numbers, dtype=polars.Float64)


def given_rows(table: polars.DataFrame, name: str) -> Rows:
    """The rankings in a table, those with ranks in the order of these and with the scores that were given."""
    import polars

    rank, row = polars.col(GIVEN_RANK), polars.col("row")
    if GIVEN_SCORE not in table.columns:
        table = table.with_columns(polars.lit(None, polars.Float64).alias(GIVEN_SCORE))
    mixed = table.filter(rank.null_count().over("query_id").is_between(1, polars.len().over("query_id") - 1))
    if len(mixed):
        query = show(mixed["query_id"][0])
        raise FormatError(f"{name}: {GIVEN_RANK} of query {query} is empty in some rows; fill in all of them or none")
    table = table.with_row_index("row").sort(
        row.min().over("query_id"), polars.coalesce(rank, row), maintain_order=True
    )
    kept = polars.when(rank.is_null()).then("value").otherwise(polars.col(GIVEN_SCORE).fill_null(0.0))
    scores: FloatArray = table.select(kept)["value"].to_numpy()
    queries = table.group_by("query_id", maintain_order=True).agg(rank.first())
    ordered = queries[GIVEN_RANK].is_not_null().arg_true().to_list()
    return Rows.from_frame(table, name).with_order(ordered, scores.tolist())


def as_float(value: Any, *, truths: bool) -> float | None:  # noqa: ANN401 - whatever the column holds
    """A value as a float, or None if it cannot be one; too large an integer is infinite."""
    if isinstance(value, bool) and not truths:
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - a value's own conversion raises what it likes
        return None
