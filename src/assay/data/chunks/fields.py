"""Runs whose rows name the document of a chunk in a field: `doc_id="metadata.source"` for tables and frames."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.core.doc_id import DocIdRule, as_document, field_missing, field_of
from assay.core.errors import FormatError
from assay.core.text import Option, show
from assay.data.formats.tabular import Batch
from assay.data.frames.columns import DOCUMENT, find_column, list_names
from assay.data.frames.frame import from_tuples, is_frame, whole_frame
from assay.data.run import Run
from assay.files.source import Source, describe

if TYPE_CHECKING:
    import polars


# Ids that a note shows.
MOST_SHOWN = 3


@dataclass(slots=True)
class Lacking:
    """Rows that name no document, whose chunks stay as they are: how many, and the first few ids."""

    count: int = 0
    shown: list[str] = field(default_factory=list)

    def clear(self) -> None:
        self.count, self.shown = 0, []


class FieldReader:
    """Adds a column of documents to tables, named like the rule; a row without one has the id of its chunk there."""

    def __init__(self, rule: DocIdRule, columns: Mapping[str, str] | None, lacking: Lacking) -> None:
        self.rule = rule
        self.given = dict(columns or {})
        self.columns = {**self.given, "doc_id": str(rule)}
        self.lacking = lacking

    def batches(self, read_batches: Callable[[Source], Generator[Batch]], source: Source) -> Generator[Batch]:
        with closing(read_batches(source)) as batches:
            for batch in batches:
                yield batch._replace(frame=self.with_documents(batch.frame, source.name))

    def read_frame(self, data: object) -> polars.DataFrame:
        frame = from_tuples(data)
        if not is_frame(frame):
            raise field_missing(self.rule, "the run" if isinstance(data, Run) else describe(data))
        return self.with_documents(whole_frame(frame), "the frame")

    def with_documents(self, frame: polars.DataFrame, name: str) -> polars.DataFrame:
        import polars

        documents = as_documents(column_at(frame, self.rule.argument, name), self.rule, name)
        chunk = self.given.get("doc_id") or find_column(frame.columns, DOCUMENT)
        none = documents.is_null()
        if chunk is not None and chunk in frame.columns and none.any():
            ids = polars.Series([str(each) for each in frame[chunk].filter(none)], dtype=polars.String)
            self.lacking.count += len(ids)
            if len(self.lacking.shown) < MOST_SHOWN:
                self.lacking.shown = list(dict.fromkeys([*self.lacking.shown, *ids.head(1000).to_list()]))[:MOST_SHOWN]
            documents = documents.scatter(none.arg_true(), ids)
        return frame.with_columns(documents.alias(str(self.rule)))


def column_at(frame: polars.DataFrame, path: str, name: str) -> polars.Series:
    """The column at a path: one with the whole path as its name, or the fields inside a column from dot to dot."""
    import polars

    first, dot, rest = path.partition(".")
    if path in frame.columns:
        return frame[path]
    if first not in frame.columns or not dot:
        has = list_names(frame.columns)
        raise FormatError(f"{name} has no column {show(path)} for {Option('doc_id')}; it has {has}")
    inner = frame[first]
    if inner.dtype == polars.Object:
        return polars.Series([None if each is None else field_of(each, rest) for each in inner], dtype=polars.Object)
    if isinstance(inner.dtype, polars.Struct):
        return column_at(inner.struct.unnest(), rest, name)
    raise FormatError(f"{name}: the column {show(first)} has no fields, so no {show(path)} for {Option('doc_id')}")


def as_documents(column: polars.Series, rule: DocIdRule, name: str) -> polars.Series:
    import polars

    kind = column.dtype
    if kind == polars.Object:
        option = Option("doc_id", str(rule))
        found = [as_document(each, lambda each=each: f"{name}: {option} is {show(each)}") for each in column]  # type: ignore[misc]
        return polars.Series(found, dtype=polars.String)
    if not (kind in (polars.String, polars.Categorical, polars.Enum, polars.Null) or kind.is_integer()):
        raise FormatError(f"{name}: the field {show(rule.argument)} must hold strings or integers, not {kind}")
    text = column.cast(polars.String)
    return text.set(text == "", None)
