"""Texts by id: those of questions or of documents, from a dict, a list, a frame or a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, DuplicateError, FormatError
from assay.core.text import show
from assay.data.columns import PASSAGE_ID, PASSAGE_TEXT, QUESTION_ID, QUESTION_TEXT, listed, simple, usual
from assay.data.detect import by_suffix
from assay.data.formats.tabular import explained
from assay.data.frames import as_id, is_a, is_frame
from assay.data.source import Source, is_source, open_source, undecodable_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_FIELD = 1 << 24
PAIR = 2

Entry = tuple[object, object, str]


class Kind(NamedTuple):
    """What the texts are of, and under which names their ids and texts stand."""

    noun: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    may_be_blank: bool = False


QUESTIONS = Kind("question", QUESTION_ID, ("text", *QUESTION_TEXT, "title"))
DOCUMENTS = Kind("document", PASSAGE_ID, PASSAGE_TEXT, may_be_blank=True)


def read_keyed_texts(data: object, kind: Kind = QUESTIONS) -> dict[str, str]:
    """The text of each question, or document, by its id.

    A file is JSON Lines (as BEIR's are), JSON, CSV, TSV or Parquet; a table has a column for the id and one for the
    text, and one of two columns needs no header. A list of texts is numbered from 0.

    >>> read_keyed_texts({"q1": "who", 2: "what"})
    {'q1': 'who', '2': 'what'}
    """
    found: dict[str, str] = {}
    for name, text, place in entries(data, kind):
        key = as_id(name)
        if not key:
            raise FormatError(f"{place}: the id of a {kind.noun} must be a string or an integer, not {show(name)}")
        if key in found:
            raise DuplicateError(f"{place}: there are two {kind.noun}s {show(key)}")
        found[key] = checked(text, key, place, kind)
    if not found:
        raise DataError(f"there are no {kind.noun}s")
    return found


def checked(text: object, key: str, place: str, kind: Kind) -> str:
    if kind.may_be_blank and text is None:
        return ""
    if not isinstance(text, str) or not (text.strip() or kind.may_be_blank):
        raise FormatError(f"{place}: {kind.noun} {show(key)} must have a text, not {show(text)}")
    return text


def entries(data: object, kind: Kind) -> Iterator[Entry]:
    """Each id with its text, and how messages name the place."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            yield from file_entries(source, kind)
    elif is_frame(data):
        yield from column_entries(frame_columns(data), f"the {kind.noun}s", kind)
    elif isinstance(data, Mapping):
        yield from ((name, text, f"the {kind.noun}s") for name, text in data.items())
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        yield from listed_entries(list(data), f"the {kind.noun}s", kind)
    else:
        raise DataError(f"the {kind.noun}s must be a dict, a list, a frame or a file, not {show(type(data).__name__)}")


def listed_entries(values: list[Any], place: str, kind: Kind) -> Iterator[Entry]:
    """Texts, numbered from 0, or records."""
    for number, value in enumerate(values):
        if isinstance(value, Mapping):
            yield record_entry(value, f"{place}, number {number}", kind)
        else:
            yield number, value, place


def record_entry(record: Mapping[str, object], place: str, kind: Kind) -> Entry:
    """The id and the text of a record."""
    name, text = find_both(list(record), place, kind)
    return record[name], record[text], place


def find_both(names: list[str], place: str, kind: Kind) -> tuple[str, str]:
    """The columns that hold the id and the text."""
    name, text = usual(names, kind.ids), usual(names, kind.texts)
    if name is None or text is None:
        missing = "an id" if name is None else "a text"
        usually = kind.ids if name is None else kind.texts
        raise FormatError(
            f"{place}: {kind.noun}s need {missing} ({', '.join(usually[:3])} …); there is {listed(names)}"
        )
    return name, text


def frame_columns(frame: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - any library's frame
    """A frame's columns as lists."""
    import polars

    if is_a(frame, "pandas.DataFrame"):
        return {str(name): frame[name].tolist() for name in frame.columns}
    table = frame.collect() if isinstance(frame, polars.LazyFrame) else polars.DataFrame(frame)
    return table.to_dict(as_series=False)


def column_entries(columns: dict[str, list[Any]], place: str, kind: Kind) -> Iterator[Entry]:
    name, text = find_both(list(columns), place, kind)
    for row, pair in enumerate(zip(columns[name], columns[text], strict=True)):
        yield *pair, f"{place}, row {row}"


def file_entries(source: Source, kind: Kind) -> Iterator[Entry]:
    """The entries of a file, whose format its name says, or its first character."""
    format_ = by_suffix(source.path)
    head = source.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if format_ in (None, "trec"):
        format_ = "jsonl" if head.startswith(b"{") else "json" if head.startswith(b"[") else "tsv"
    with source.plain() as path:
        if format_ == "parquet":
            yield from column_entries(parquet_columns(path, source), source.name, kind)
            return
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                yield from TEXT_FORMATS[format_ or "tsv"](file, source.name, kind)
        except UnicodeDecodeError:
            where = f"{source.name}, line {undecodable_line(path)}"
            raise FormatError(f"{where}: bytes that are not UTF-8; save the file as UTF-8") from None


def parquet_columns(path: Path, source: Source) -> dict[str, list[Any]]:
    """A Parquet file's columns as lists."""
    import polars

    with explained(path, source, "parquet"):
        return polars.read_parquet(path, glob=False).to_dict(as_series=False)


def json_lines(file: Iterable[str], name: str, kind: Kind) -> Iterator[Entry]:
    for number, line in enumerate(file, start=1):
        place = f"{name}, line {number}"
        if not line.strip():
            continue
        record = parsed(line, place)
        if not isinstance(record, Mapping):
            raise FormatError(f"{place}: expected an object with an id and a text, found {show(record)}")
        yield record_entry(record, place, kind)


def whole_json(file: Iterable[str], name: str, kind: Kind) -> Iterator[Entry]:
    value = parsed("".join(file), name)
    if isinstance(value, Mapping):
        yield from ((query, text, name) for query, text in value.items())
    elif isinstance(value, list):
        yield from listed_entries(value, name, kind)
    else:
        raise FormatError(f"{name}: expected an object or a list of {kind.noun}s, found {show(value)}")


def parsed(text: str, place: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: this is not JSON: {error}") from None
    return value


def comma_separated(file: Iterable[str], name: str, kind: Kind) -> Iterator[Entry]:
    return rows_of(csv.reader(file), name, kind)


def tab_separated(file: Iterable[str], name: str, kind: Kind) -> Iterator[Entry]:
    # A quotation mark is part of the text there.
    return rows_of(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), name, kind)


def rows_of(rows: Any, name: str, kind: Kind) -> Iterator[Entry]:  # noqa: ANN401 - the type of csv's reader has no name
    """The rows of a table, without blank lines; the first is a header if it names both columns."""
    csv.field_size_limit(LONGEST_FIELD)
    filled = (row for row in rows if len(row) > 1 or "".join(row).strip())
    try:
        first: list[str] = next(filled, [])
        known = {simple(each.strip()) for each in first}
        is_header = not known.isdisjoint(kind.ids) and not known.isdisjoint(kind.texts)
        if not is_header and len(first) != PAIR:
            find_both(first, f"{name}, line {max(rows.line_num, 1)}", kind)
        places = [first.index(each) for each in find_both(first, name, kind)] if is_header else [0, 1]
        if not is_header:
            yield first[0], first[1], f"{name}, line {rows.line_num}"
        for row in filled:
            place = f"{name}, line {rows.line_num}"
            if len(row) <= max(places):
                raise FormatError(f"{place}: expected an id and a text, found {show(row)}")
            yield row[places[0]], row[places[1]], place
    except csv.Error as error:
        raise FormatError(f"{name}, line {rows.line_num}: {error}") from None


TEXT_FORMATS = {"jsonl": json_lines, "json": whole_json, "csv": comma_separated, "tsv": tab_separated}
