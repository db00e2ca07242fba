"""CSV, TSV and Parquet files, read with polars a batch at a time, and JSON Lines."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.core.text import printable, show
from assay.data.columns import find_columns
from assay.data.detect import SEPARATORS
from assay.data.frames import prepare, settle
from assay.data.source import undecodable_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import polars

    from assay.data.source import Source

BATCH = 500_000
RECORDS = 100_000
LONGEST_LINE = 1 << 20
HEAD = 1 << 12
NUL = "the line has a NUL byte; the file is not text, or it is UTF-16: save it as UTF-8"
# What polars adds to a heading that stands in the header a second time.
TWIN = "_duplicated_"


def read_table(source: Source, format: str, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:
    """A whole file, ready for the kernel."""
    import polars

    parts = list(read_parts(source, format, columns, judgments=judgments))
    empty = {"query_id": polars.String, "doc_id": polars.String, "value": polars.Float64}
    return settle(polars.concat(parts)) if parts else polars.DataFrame(schema=empty)


def read_batches(source: Source, format: str, columns: Mapping[str, str] | None) -> Iterator[polars.DataFrame]:
    """A run file in pieces that hold whole queries, where each query's rows stand together."""
    import polars

    rest: polars.DataFrame | None = None
    for batch in read_parts(source, format, columns, judgments=False):
        part = batch if rest is None else polars.concat([rest, batch], rechunk=True)
        others = (part["query_id"] != part["query_id"][-1]).arg_true()
        end = int(others[-1]) + 1 if len(others) else 0
        rest = part[end:]
        if end:
            yield part[:end]
    if rest is not None:
        yield rest


def read_parts(
    source: Source,
    format: str,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
) -> Iterator[polars.DataFrame]:
    """A file in pieces of many rows, each ready for the kernel."""
    first = 0
    with source.plain() as path, explained(path, source, format):
        for part in parts_of(path, source, format):
            if format in SEPARATORS:
                headings = [heading(each, part.columns) for each in part.columns]
                find_columns(headings, columns, judgments=judgments, name=source.name)
            place = placer(format, first)
            first += len(part)
            if len(part):
                ready = prepare(part, columns, judgments=judgments, name=source.name, place=place)
                if format in SEPARATORS:
                    refuse_nul(ready, source.name, place)
                yield ready


def refuse_nul(table: polars.DataFrame, name: str, place: Callable[[int], str]) -> None:
    """Raises if an id has a NUL: whatever wrote it did not write text."""
    for column in table.drop("value"):
        wrong = column.str.contains("\0", literal=True).arg_true()
        if len(wrong):
            raise FormatError(f"{name}, {place(int(wrong[0]))}: {NUL}")


def heading(name: str, names: list[str]) -> str:
    """A heading as the file has it."""
    original, mark, _ = name.rpartition(TWIN)
    return original if mark and original in names else name


def placer(format: str, first: int) -> Callable[[int], str]:
    """How messages name a row: by its line where the file has lines."""
    offset = {"parquet": 0, "jsonl": 1}.get(format, 2)
    noun = "row" if format == "parquet" else "line"
    return lambda row: f"{noun} {first + row + offset}"


def parts_of(path: Path, source: Source, format: str) -> Iterator[polars.DataFrame]:
    import polars

    if format == "jsonl":
        yield from json_lines(path, source)
        return
    try:
        if format == "parquet":
            table = polars.scan_parquet(path, glob=False)
        else:
            if b"\0" in source.read(HEAD).partition(b"\n")[0]:
                raise FormatError(f"{source.name}, line 1: {NUL}")
            table = polars.scan_csv(path, separator=SEPARATORS[format], infer_schema=False, glob=False)
        yield from table.collect_batches(chunk_size=BATCH, maintain_order=True)
    except polars.exceptions.NoDataError:
        return


def json_lines(path: Path, source: Source) -> Iterator[polars.DataFrame]:
    """Records, one a line. Every one has the keys of the first."""
    import json

    import polars

    decode = json.JSONDecoder(object_pairs_hook=unique).decode
    with path.open("rb") as file:
        lines = enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1)
        while records := [record(line, number, decode, source) for number, line in islice(lines, RECORDS)]:
            columns = [column(name, [each.get(name) for each in records]) for name in records[0]]
            yield polars.DataFrame(columns)


def record(line: bytes, number: int, decode: Callable[[str], Any], source: Source) -> dict[str, Any]:
    """What one line of JSON Lines holds."""
    try:
        value = decode(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{source.name}, line {number}: {reason(line, error)}") from None
    if not isinstance(value, dict):
        raise FormatError(f"{source.name}, line {number}: expected an object, found {show(value)}")
    return value


def reason(line: bytes, error: Exception) -> str:
    """Why a line of JSON Lines cannot be read."""
    if len(line) > LONGEST_LINE:
        return f"the line is longer than {LONGEST_LINE >> 20} MiB; these are no records"
    if not line.strip():
        return "the line is empty; take it out"
    if isinstance(error, UnicodeDecodeError):
        return "the line has bytes that are not UTF-8; save the file as UTF-8"
    if isinstance(error, RecursionError):
        return "the values are nested too deeply"
    return f"this is not JSON: {error}"


def column(name: str, values: list[Any]) -> polars.Series:
    """Values that JSON gave; as objects where they are not all text or all floats."""
    import polars

    kinds = set(map(type, values))
    kind = {str: polars.String, float: polars.Float64}.get(next(iter(kinds)), polars.Object)
    shown = name.encode(errors="replace").decode()
    try:
        return polars.Series(shown, values, dtype=kind if len(kinds) == 1 else polars.Object)
    except UnicodeEncodeError:
        return polars.Series(shown, values, dtype=polars.Object)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key stands twice")
    return result


@contextmanager
def explained(path: Path, source: Source, format: str) -> Iterator[None]:
    """Errors of polars, said in assay's way."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        fault = separated_fault(path, SEPARATORS[format]) if format in SEPARATORS else None
        if fault is not None:
            raise FormatError(f"{source.name}, {fault}") from error
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"{source.name} cannot be read as {format}: {reason}") from error


def separated_fault(path: Path, separator: str) -> str | None:
    """The first line that cannot be read, and why; nothing if that cannot be told."""
    import csv

    number = undecodable_line(path)
    if number is not None:
        return f"line {number}: bytes that are not UTF-8; save the file as UTF-8"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        try:
            width = len(next(rows, []))
            wide = next((row for row in rows if len(row) > width), None)
        except csv.Error:
            return None
        return None if wide is None else f"line {rows.line_num}: {len(wide)} fields where the header has {width}"
