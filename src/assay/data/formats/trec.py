"""TREC's files, which the kernel reads: `query iteration document grade` and `query Q0 document rank score tag`.

TREC ranks by score. A ranking that was given as an order has scores that fall with the rank, and `assay-order` in place
of `Q0`, or `assay-order=0.5` with the score that the document had. Other tools ignore that field.

Also trec_eval's files of preferences, with lines of query, group, subgroup, document and level. A judge prefers a
document of a higher level to one of a lower level if the same subgroup of a group has both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

from assay._kernel import Rows
from assay.core.errors import FormatError
from assay.core.judged import SUBGROUP
from assay.core.text import show
from assay.data.frames.columns import BLANK, GIVEN_RANK, GIVEN_SCORE, NUL, replace_unwritable, shortest_text
from assay.files.source import NOT_UTF_8, Source

if TYPE_CHECKING:
    import polars

    from assay.data.run import Run

CANNOT_HOLD = (
    *("spaces in the run's tag", "spaces in ids", "NUL characters in ids", "query ids that start with #"),
    *("a single group of judgments", "queries without documents"),
)
DEFAULT_TAG = "assay"
PREFERENCE_FIELDS = 5


def write(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels or Run
    import polars

    frame = replace_unwritable(data.to_polars(), "trec")
    if data.is_judgments:
        group = polars.col("group") if "group" in frame.columns else polars.lit("0")
        lines = frame.select("query_id", group, "doc_id", shortest_text(frame["relevance"]))
    else:
        frame = rank_by_score(frame, data)
        tag = polars.lit(writable_tag(data.tag) or DEFAULT_TAG).alias("tag")
        lines = frame.select("query_id", iteration_of(frame), "doc_id", "rank", shortest_text(frame["score"]), tag)
    lines.write_csv(file, include_header=False, separator=" ", quote_style="never")


def iteration_of(frame: polars.DataFrame) -> polars.Expr:
    """The second field of each line: `Q0`, or in a given order `assay-order`, with the score that the document had."""
    import polars

    if GIVEN_RANK not in frame.columns:
        return polars.lit("Q0").alias("iteration")
    order = polars.lit("assay-order")
    if GIVEN_SCORE in frame.columns:
        kept = polars.lit(shortest_text(frame[GIVEN_SCORE]))
        order = polars.when(kept.is_null()).then(order).otherwise(polars.concat_str(polars.lit("assay-order="), kept))
    return polars.when(polars.col(GIVEN_RANK).is_null()).then(polars.lit("Q0")).otherwise(order).alias("iteration")


def rank_by_score(frame: polars.DataFrame, run: Run) -> polars.DataFrame:
    """The rows of each query from the highest score to the lowest, in the given order where they tie, ranked from 1."""
    import numpy as np
    import polars

    sizes = np.diff(run.starts)
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-frame["score"].to_numpy(), query))
    return frame[order].with_columns(polars.Series("rank", np.arange(1, len(query) + 1) - run.starts[query]))


def writable_tag(tag: str) -> str:
    return re.sub(f"{BLANK}|{NUL}", "_", tag)


def read_preferences(source: Source, *, judgments: bool = True) -> Rows:  # noqa: ARG001 - it holds nothing else
    rows: list[tuple[str, str, str, float]] = []
    try:
        lines = source.read().decode().split("\n")
    except UnicodeDecodeError:
        raise FormatError(f"{source.name}: {NOT_UTF_8}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        place = f"{source.name}, line {number}"
        if len(fields) != PREFERENCE_FIELDS:
            expected = f"expected {PREFERENCE_FIELDS} fields (query group subgroup document level), found {len(fields)}"
            raise FormatError(f"{place}: {expected}: {show(line)}")
        query, group, subgroup, document, level = fields
        try:
            rows.append((query, group + SUBGROUP + subgroup, document, float(level)))
        except ValueError:
            raise FormatError(f"{place}: the level {show(level)} is not a number") from None
    return grouped_rows(*zip(*rows, strict=True)) if rows else grouped_rows([], [], [], [])


def grouped_rows(
    queries: Sequence[str], groups: Sequence[str], documents: Sequence[str], levels: Sequence[float]
) -> Rows:
    import polars

    table = {"query_id": queries, "doc_id": documents, "value": levels, "group": groups}
    kinds = {"query_id": polars.String, "doc_id": polars.String, "value": polars.Float64, "group": polars.String}
    return Rows.from_frame(polars.DataFrame(table, schema=kinds), "the judgments")
