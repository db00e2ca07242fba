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
from assay.data.detect import SEPARATORS, detect
from assay.data.formats.json import read_json
from assay.data.formats.tabular import TWIN, explained, record
from assay.data.frames import is_a, is_frame
from assay.data.source import is_source, open_source
from assay.tasks.rag.fields import FIELDS, Reading, Row

if TYPE_CHECKING:
    from assay.data.source import Source

KNOWN = {name for names in FIELDS.values() for name in names}


class Rows(NamedTuple):
    """The rows, how messages name where they came from, and whether each has its place: a line or a number."""

    rows: Sequence[Row]
    name: str
    noun: str = "record"
    first: int = 0

    def place(self, number: int) -> str:
        """How messages name a row."""
        return f"{self.name}, {self.noun} {number + self.first}"


def read_rows(data: object, reading: Reading, name: str = "the records") -> Rows:
    """The rows of the data, in whatever form it is."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            return file_rows(source, reading)
    if is_frame(data):
        return Rows(frame_rows(data), name, "row")
    if isinstance(data, Mapping):
        return Rows([keyed(key, as_row(value, f"{name}, {show(key)}")) for key, value in data.items()], name)
    if isinstance(data, Iterable) and not isinstance(data, (bytes, bytearray)):
        return Rows([as_row(each, f"{name}, record {number}") for number, each in enumerate(data)], name)
    raise DataError(f"{name} must be a list, a frame or a file, not {show(type(data).__name__)}")


def keyed(key: object, row: Row) -> Row:
    """A row of a dict; its key is its id, unless it has one."""
    own = next((row[name] for name in FIELDS["query_id"] if row.get(name) is not None), key)
    if str(own) != str(key):
        raise DataError(f"the record {show(key)} says that its id is {show(own)}; give it one id")
    return {"query_id": key, **row}


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


def file_rows(source: Source, reading: Reading, content: object = None) -> Rows:
    """The rows of a file: JSON Lines, JSON, Parquet, CSV or TSV; `content` is that of JSON, if it was read before."""
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
        return read_rows(read_json(source) if content is None else content, reading, source.name)
    return table_rows(source, kind, reading)


def line_rows(source: Source) -> list[Row]:
    """JSON Lines, however long a line is."""
    decode = json.JSONDecoder().decode
    with source.plain() as path, path.open("rb") as file:
        return [record(line, number, decode, source) for number, line in enumerate(file, start=1)]


def table_rows(source: Source, format: str, reading: Reading) -> Rows:
    """Parquet, CSV or TSV. In text, lists and objects are written as JSON."""
    import polars

    with source.plain() as path, explained(path, source, format):
        if format == "parquet":
            return Rows(polars.read_parquet(path, glob=False).to_dicts(), source.name, "row")
        try:
            table = polars.read_csv(path, separator=SEPARATORS[format], infer_schema=False, glob=False)
        except polars.exceptions.NoDataError:
            return Rows([], source.name)
        if twins := [name for name in table.columns if TWIN in name]:
            raise FormatError(f"{source.name} has two columns {show(twins[0].rpartition(TWIN)[0])}; rename one of them")
        rows = Rows(table.to_dicts(), source.name, "row", 1)
    plain = reading.texts
    return rows._replace(rows=[cells(row, plain, rows.place(number)) for number, row in enumerate(rows.rows)])


def cells(row: Row, plain: set[str], place: str) -> Row:
    """A row of a text table, with lists and objects read, but for fields that are plain text."""
    if all(value is None for value in row.values()):
        raise FormatError(f"{place} is empty; take it out")
    return {field: value if field in plain else cell(value, field, place) for field, value in row.items()}


def cell(text: str | None, field: str, place: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A cell of a text table: JSON where it begins like a list or an object, else the text."""
    if not text or text.lstrip()[:1] not in ("[", "{"):
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
