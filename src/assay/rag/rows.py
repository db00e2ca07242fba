"""Records as plain rows, from a file, a frame or Python objects: one mapping each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.text import printable, show
from assay.io.formats import SEPARATORS, detect
from assay.io.frames import is_a, is_frame
from assay.io.json import read_json
from assay.io.source import is_source, open_source
from assay.io.tables import explained, record
from assay.rag.fields import FIELDS, TEXTS, Row

if TYPE_CHECKING:
    from assay.io.source import Source

KNOWN = {name for names in FIELDS.values() for name in names}
PLAIN = {name for part in TEXTS for name in FIELDS[part]}


class Rows(NamedTuple):
    """The rows, how messages name where they came from, and whether each has its place: a line or a number."""

    rows: Sequence[Row]
    name: str
    noun: str = "record"
    first: int = 0

    def place(self, number: int) -> str:
        """How messages name a row."""
        return f"{self.name}, {self.noun} {number + self.first}"


def read_rows(data: object) -> Rows:
    """The rows of the data, in whatever form it is."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            return file_rows(source)
    if is_frame(data):
        return Rows(frame_rows(data), "the frame", "row")
    name = "the records"
    if isinstance(data, Mapping):
        return Rows([{"query_id": key, **as_row(value, f"record {show(key)}")} for key, value in data.items()], name)
    if isinstance(data, Iterable) and not isinstance(data, (bytes, bytearray)):
        return Rows([as_row(each, f"record {number}") for number, each in enumerate(data)], name)
    raise DataError(f"the records must be a list, a frame or a file, not {show(type(data).__name__)}")


def as_row(value: object, place: str) -> Row:
    """One record as a mapping: a dict, a dataclass, a named tuple or a pydantic model."""
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    for method in ("model_dump", "_asdict"):
        dump = getattr(value, method, None)
        if callable(dump) and not isinstance(value, type):
            dumped: Row = dump()
            return dumped
    raise DataError(f"{place} must be a dict or a dataclass, not {show(type(value).__name__)}")


def frame_rows(frame: Any) -> Sequence[Row]:  # noqa: ANN401 - any library's frame
    """Any frame's rows; what pandas marks as missing is None."""
    import polars

    if is_a(frame, "pandas.DataFrame"):
        return [{str(key): known(value) for key, value in row.items()} for row in frame.to_dict(orient="records")]
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    try:
        table = polars.DataFrame(frame)
    except Exception as error:  # each library raises its own
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"the frame cannot be read: {reason}") from error
    return table.to_dicts()


def known(value: Any) -> Any:  # noqa: ANN401 - whatever the frame holds
    """A value; none where it is not equal to itself, as NaN is."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 - NaN


def file_rows(source: Source) -> Rows:
    """The rows of a file: JSON Lines, JSON, Parquet, CSV or TSV."""
    kind = detect(source, None)
    if kind == "trec" and ".tsv" in source.path.suffixes:
        kind = "tsv"
    if kind == "trec":
        raise FormatError(
            f"{source.name}: these are no records; give JSON Lines, JSON, Parquet, CSV or TSV, "
            "or give judgments and runs to assay.evaluate (assay eval)"
        )
    if kind == "jsonl":
        return Rows(line_rows(source), source.name, "line", 1)
    if kind == "json":
        rows = read_rows(read_json(source))
        return rows._replace(name=source.name)
    return table_rows(source, kind)


def line_rows(source: Source) -> list[Row]:
    """JSON Lines, however long a line is."""
    decode = json.JSONDecoder().decode
    with source.plain() as path, path.open("rb") as file:
        return [record(line, number, decode, source) for number, line in enumerate(file, start=1)]


def table_rows(source: Source, format: str) -> Rows:
    """Parquet, CSV or TSV. In text, lists and objects are written as JSON."""
    import polars

    with source.plain() as path, explained(path, source, format):
        if format == "parquet":
            return Rows(polars.read_parquet(path, glob=False).to_dicts(), source.name, "row")
        try:
            table = polars.read_csv(path, separator=SEPARATORS[format], infer_schema=False, glob=False)
        except polars.exceptions.NoDataError:
            return Rows([], source.name)
        rows = Rows(table.to_dicts(), source.name, "line", 2)
    return rows._replace(rows=[cells(row, rows.place(number)) for number, row in enumerate(rows.rows)])


def cells(row: Row, place: str) -> Row:
    return {field: cell(value, field, place) for field, value in row.items()}


def cell(text: str | None, field: str, place: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A cell of a text table: JSON where it begins like a list or an object, else the text."""
    if not text or field in PLAIN or text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if field in KNOWN:
            message = f"{show(field)} begins like a list, but is not JSON"
            raise FormatError(f'{place}: {message}; write ["d1", "d2"]') from None
        return text


def is_folder(data: object) -> bool:
    """Whether the data is a path of a folder."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    try:
        return Path(data).is_dir()
    except (OSError, ValueError):
        return False
