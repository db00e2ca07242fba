"""Files of preferences as trec_eval has them: lines of query, group, subgroup, document and level.

A judge prefers a document of a higher level to one of a lower level where the same subgroup of a group has both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._kernel import Rows
from assay.core.errors import FormatError
from assay.core.judged import SUBGROUP
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.data.source import Source

__all__ = ["SUBGROUP", "grouped_rows", "read_preferences"]

FIELDS = 5


def read_preferences(source: Source) -> Rows:
    """The judgments of a file of preferences."""
    columns: list[list[str]] = [[], [], []]
    levels = []
    try:
        lines = source.read().decode().split("\n")
    except UnicodeDecodeError:
        raise FormatError(f"{source.name}: bytes that are not UTF-8; save the file as UTF-8") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        place = f"{source.name}, line {number}"
        if len(fields) != FIELDS:
            expected = f"expected {FIELDS} fields (query group subgroup document level), found {len(fields)}"
            raise FormatError(f"{place}: {expected}: {show(line)}")
        query, group, subgroup, document, level = fields
        try:
            levels.append(float(level))
        except ValueError:
            raise FormatError(f"{place}: the level {show(level)} is not a number") from None
        for column, value in zip(columns, (query, group + SUBGROUP + subgroup, document), strict=True):
            column.append(value)
    return grouped_rows(columns[0], columns[1], columns[2], levels)


def grouped_rows(
    queries: Sequence[str], groups: Sequence[str], documents: Sequence[str], levels: Sequence[float]
) -> Rows:
    """Judgments in groups, in the order given."""
    import polars

    table = {"query_id": queries, "doc_id": documents, "value": levels, "group": groups}
    kinds = {"query_id": polars.String, "doc_id": polars.String, "value": polars.Float64, "group": polars.String}
    return Rows.from_frame(polars.DataFrame(table, schema=kinds), "the judgments")
