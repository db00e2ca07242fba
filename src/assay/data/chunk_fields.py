"""Runs whose rows name the document of a chunk in a field: `doc_id="metadata.source"` for tables and frames."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.doc_id import as_document, field_missing, field_of
from assay.core.errors import FormatError
from assay.core.interface import Option
from assay.core.text import show
from assay.data.formats import recognise
from assay.data.formats.tabular import read_table
from assay.data.frames import DOCUMENT, find_column, from_pandas, from_tuples, is_a, is_frame, list_names
from assay.data.run import Run
from assay.data.source import describe, is_source, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    import polars

    from assay.core.doc_id import DocIdRule
    from assay.data.source import Batch, Source


class RunByField(NamedTuple):
    """A run of documents, and the ids of the chunks that name none, which stay as they are."""

    run: Run
    lacking: list[str]


def read_by_field(data: object, rule: DocIdRule, format: str | None, columns: Mapping[str, str] | None) -> RunByField:
    """A run whose documents are read from a field of its rows."""
    reader = FieldReader(rule, columns)
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            chosen = recognise(source, format)
            if chosen.batches is None:
                raise field_missing(rule, f"{source.name} ({chosen.name})")
            table = read_table(partial(reader.batches, chosen.batches), source, reader.columns, judgments=False)
        return RunByField(Run(table.rename({"value": "score"})), reader.lacking)
    frame = from_tuples(data)
    if not is_frame(frame):
        raise field_missing(rule, "the run" if isinstance(data, Run) else describe(data))
    return RunByField(
        Run(reader.with_documents(whole_frame(frame), "the frame"), columns=reader.columns), reader.lacking
    )


class FieldReader:
    """Adds a column of documents to tables, named like the rule; a row without one has the id of its chunk there."""

    def __init__(self, rule: DocIdRule, columns: Mapping[str, str] | None) -> None:
        self.rule = rule
        self.given = dict(columns or {})
        self.columns = {**self.given, "doc_id": str(rule)}
        self.lacking: list[str] = []

    def batches(self, read_batches: Callable[[Source], Generator[Batch]], source: Source) -> Generator[Batch]:
        """Each batch of a file, with the column of documents."""
        with closing(read_batches(source)) as batches:
            for batch in batches:
                yield batch._replace(frame=self.with_documents(batch.frame, source.name))

    def with_documents(self, frame: polars.DataFrame, name: str) -> polars.DataFrame:
        """A table with the column of documents."""
        import polars

        documents = as_documents(column_at(frame, self.rule.argument, name), self.rule, name)
        chunk = self.given.get("doc_id") or find_column(frame.columns, DOCUMENT)
        none = documents.is_null()
        if chunk is not None and chunk in frame.columns and none.any():
            ids = polars.Series([str(each) for each in frame[chunk].filter(none)], dtype=polars.String)
            self.lacking += ids.to_list()
            documents = documents.scatter(none.arg_true(), ids)
        return frame.with_columns(documents.alias(str(self.rule)))


def whole_frame(frame: Any) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, with all its columns."""
    import polars

    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if is_a(frame, "pandas.DataFrame"):
        names = [str(each) for each in frame.columns]
        return polars.DataFrame([from_pandas(frame.iloc[:, n]).alias(name) for n, name in enumerate(names)])
    return polars.DataFrame(frame)


def column_at(frame: polars.DataFrame, path: str, name: str) -> polars.Series:
    """The column at a path: one with the whole path as its name, or the fields inside a column from dot to dot."""
    import polars

    first, dot, rest = path.partition(".")
    if path in frame.columns:
        return frame[path]
    if first not in frame.columns or not dot:
        raise FormatError(
            f"{name} has no column {show(path)} for {Option('doc_id')}; it has {list_names(frame.columns)}"
        )
    inner = frame[first]
    if inner.dtype == polars.Object:
        return polars.Series([None if each is None else field_of(each, rest) for each in inner], dtype=polars.Object)
    if isinstance(inner.dtype, polars.Struct):
        return column_at(inner.struct.unnest(), rest, name)
    raise FormatError(f"{name}: the column {show(first)} has no fields, so no {show(path)} for {Option('doc_id')}")


def as_documents(column: polars.Series, rule: DocIdRule, name: str) -> polars.Series:
    """Ids as text; null where there is none."""
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
