"""Questions: the text of each query, from a dict, a list, a frame or a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, DuplicateError, FormatError
from assay.core.text import show
from assay.io.columns import listed, simple, usual
from assay.io.formats import by_suffix
from assay.io.frames import as_id, is_a, is_frame
from assay.io.source import Source, is_source, open_source, undecodable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

ID = ("query_id", "_id", "qid", "question_id", "queryid", "id")
TEXT = ("text", "question", "query", "query_text", "user_input", "title")
LONGEST_FIELD = 1 << 24
PAIR = 2

Entry = tuple[object, object, str]


def read_questions(data: object) -> dict[str, str]:
    """The text of each question by its id.

    A file is JSON Lines (BEIR's `queries.jsonl` too), JSON, CSV, TSV or Parquet; a table has a column for the id and
    one for the text, and one of two columns needs no header. A list of texts is numbered from 0.

    >>> read_questions({"q1": "who", 2: "what"})
    {'q1': 'who', '2': 'what'}
    """
    questions: dict[str, str] = {}
    for name, text, place in entries(data):
        query = as_id(name)
        if not query:
            raise FormatError(f"{place}: the id of a question must be a string or an integer, not {show(name)}")
        if query in questions:
            raise DuplicateError(f"{place}: there are two questions {show(query)}")
        questions[query] = checked(text, query, place)
    if not questions:
        raise DataError("there are no questions")
    return questions


def checked(text: object, query: str, place: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise FormatError(f"{place}: question {show(query)} must have a text, not {show(text)}")
    return text


def entries(data: object) -> Iterator[Entry]:
    """Each id with its text, and how messages name the place."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            yield from file_entries(source)
    elif is_frame(data):
        yield from column_entries(frame_columns(data), "the questions")
    elif isinstance(data, Mapping):
        yield from ((name, text, "the questions") for name, text in data.items())
    elif isinstance(data, Iterable) and not isinstance(data, bytes):
        yield from listed_entries(list(data), "the questions")
    else:
        raise DataError(f"the questions must be a dict, a list, a frame or a file, not {show(type(data).__name__)}")


def listed_entries(values: list[Any], place: str) -> Iterator[Entry]:
    """Texts, numbered from 0, or records."""
    for number, value in enumerate(values):
        yield record_entry(value, f"{place}, number {number}") if isinstance(value, Mapping) else (number, value, place)


def record_entry(record: Mapping[str, object], place: str) -> Entry:
    """The id and the text of a record."""
    name, text = find_both(list(record), place)
    return record[name], record[text], place


def find_both(names: list[str], place: str) -> tuple[str, str]:
    """The columns that hold the id and the text."""
    name, text = usual(names, ID), usual(names, TEXT)
    if name is None or text is None:
        missing = f"an id ({', '.join(ID[:3])} …)" if name is None else f"a text ({', '.join(TEXT[:3])} …)"
        raise FormatError(f"{place}: questions need {missing}; there is {listed(names)}")
    return name, text


def frame_columns(frame: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - any library's frame
    """A frame's columns as lists."""
    import polars

    if is_a(frame, "pandas.DataFrame"):
        return {str(name): frame[name].tolist() for name in frame.columns}
    table = frame.collect() if isinstance(frame, polars.LazyFrame) else polars.DataFrame(frame)
    return table.to_dict(as_series=False)


def column_entries(columns: dict[str, list[Any]], place: str) -> Iterator[Entry]:
    name, text = find_both(list(columns), place)
    for row, pair in enumerate(zip(columns[name], columns[text], strict=True)):
        yield *pair, f"{place}, row {row}"


def file_entries(source: Source) -> Iterator[Entry]:
    """The entries of a file, whose format its name says, or its first character."""
    format_ = by_suffix(source.path)
    head = source.read(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
    if format_ in (None, "trec"):
        format_ = "jsonl" if head.startswith(b"{") else "json" if head.startswith(b"[") else "tsv"
    with source.plain() as path:
        if format_ == "parquet":
            import polars

            yield from column_entries(polars.read_parquet(path).to_dict(as_series=False), source.name)
            return
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                yield from TEXT_FORMATS[format_ or "tsv"](file, source.name)
        except UnicodeDecodeError:
            where = f"{source.name}, line {undecodable_line(path)}"
            raise FormatError(f"{where}: bytes that are not UTF-8; save the file as UTF-8") from None


def json_lines(file: Iterable[str], name: str) -> Iterator[Entry]:
    for number, line in enumerate(file, start=1):
        place = f"{name}, line {number}"
        if not line.strip():
            continue
        record = parsed(line, place)
        if not isinstance(record, Mapping):
            raise FormatError(f"{place}: expected an object with an id and a text, found {show(record)}")
        yield record_entry(record, place)


def whole_json(file: Iterable[str], name: str) -> Iterator[Entry]:
    value = parsed("".join(file), name)
    if isinstance(value, Mapping):
        yield from ((query, text, name) for query, text in value.items())
    elif isinstance(value, list):
        yield from listed_entries(value, name)
    else:
        raise FormatError(f"{name}: expected an object or a list of questions, found {show(value)}")


def parsed(text: str, place: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: this is not JSON: {error}") from None
    return value


def comma_separated(file: Iterable[str], name: str) -> Iterator[Entry]:
    return rows_of(csv.reader(file), name)


def tab_separated(file: Iterable[str], name: str) -> Iterator[Entry]:
    # A quotation mark is part of the text there.
    return rows_of(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), name)


def rows_of(rows: Any, name: str) -> Iterator[Entry]:  # noqa: ANN401 - the type of csv's reader has no name
    """The rows of a table; its first is a header if it names both columns."""
    csv.field_size_limit(LONGEST_FIELD)
    try:
        first: list[str] = next(rows, [])
        known = {simple(each.strip()) for each in first}
        is_header = not known.isdisjoint(ID) and not known.isdisjoint(TEXT)
        if not is_header and len(first) != PAIR:
            find_both(first, f"{name}, line 1")
        places = [first.index(each) for each in find_both(first, name)] if is_header else [0, 1]
        if not is_header:
            yield first[0], first[1], f"{name}, line 1"
        for row in rows:
            place = f"{name}, line {rows.line_num}"
            if len(row) <= max(places):
                raise FormatError(f"{place}: expected an id and a text, found {show(row)}")
            yield row[places[0]], row[places[1]], place
    except csv.Error as error:
        raise FormatError(f"{name}, line {rows.line_num}: {error}") from None


TEXT_FORMATS = {"jsonl": json_lines, "json": whole_json, "csv": comma_separated, "tsv": tab_separated}
