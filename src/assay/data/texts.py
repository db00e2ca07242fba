"""Texts by id, of questions or documents, and fields of questions beside their texts, such as a language or a type."""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from assay.core.doc_id import field_of
from assay.core.errors import DataError, DuplicateError, FormatError
from assay.core.text import nearest, show
from assay.data.formats import recognise_files
from assay.data.formats.separated import Cells, read_cells
from assay.data.frames.columns import as_id, find_column, list_names, normalise_name
from assay.data.frames.frame import frame_rows, is_frame
from assay.data.passages import PAIR, PASSAGE_ID, PASSAGE_TEXT
from assay.files.source import is_source

# Field names that tools use, the likeliest first.
QUESTION_ID = ("query_id", "qid", "question_id", "queryid", "_id", "id")
QUESTION_TEXT = ("question", "query", "user_input", "query_text")


class TextKind(NamedTuple):
    """What the texts belong to, and the names of the fields with their ids and texts."""

    noun: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    may_be_blank: bool = False


QUESTIONS = TextKind("question", QUESTION_ID, ("text", *QUESTION_TEXT, "title"))
DOCUMENTS = TextKind("document", PASSAGE_ID, PASSAGE_TEXT, may_be_blank=True)


class Entry(NamedTuple):
    """An id and a text as they were found, and where, for messages."""

    key: object
    text: object
    place: str


def read_texts(data: object, kind: TextKind = QUESTIONS, *, only: Collection[str] | None = None) -> dict[str, str]:
    """The text of each question, or document, by its id; with `only`, no others, and not more is read than these need.

    A table has a column for the id and one for the text; one with just two columns needs no header. A list of texts is
    numbered from 0.
    """
    found: dict[str, str] = {}
    with closing(text_entries(data, kind)) as entries:
        for name, given, place in entries:
            key = as_id(name)
            if not key:
                raise FormatError(f"{place}: the id of a {kind.noun} must be a string or an integer, not {show(name)}")
            if only is not None and key not in only:
                continue
            if key in found:
                raise DuplicateError(f"{place}: duplicate {kind.noun} id {show(key)}")
            text = "" if kind.may_be_blank and given is None else given
            if not isinstance(text, str) or not (text.strip() or kind.may_be_blank):
                raise FormatError(f"{place}: {kind.noun} {show(key)} must have a text, not {show(text)}")
            found[key] = text
            if only is not None and len(found) == len(only):
                break
    if not found and only is None:
        raise DataError(f"no {kind.noun}s found")
    return found


def text_entries(data: object, kind: TextKind) -> Generator[Entry]:
    name = f"the {kind.noun}s"
    if is_source(data):
        for file, format_ in recognise_files(data):  # type: ignore[arg-type]
            if format_.separator:
                with closing(read_cells(file, format_.separator)) as rows:
                    yield from table_entries(rows, file.name, kind)
            elif format_.batches is None:
                content = format_.read_content(file)
                # A single record on one line looks like JSON.
                is_record = isinstance(content, Mapping) and None not in text_columns(tuple(content), kind)
                yield from object_entries([content] if is_record else content, file.name, kind)
            else:
                with closing(format_.read_content(file)) as records:
                    yield from (record_entry(fields, place, kind) for place, fields in records)
    elif is_frame(data):
        yield from (record_entry(row, f"{name}, row {number}", kind) for number, row in enumerate(frame_rows(data)))
    else:
        yield from object_entries(data, name, kind)


def object_entries(data: object, name: str, kind: TextKind) -> Iterator[Entry]:
    if isinstance(data, Mapping):
        yield from (Entry(key, text, name) for key, text in data.items())
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        for number, value in enumerate(data):
            is_record = isinstance(value, Mapping)
            yield record_entry(value, f"{name}, number {number}", kind) if is_record else Entry(number, value, name)
    else:
        raise DataError(f"{name} must be a dict, a list, a frame or a file, not {show(type(data).__name__)}")


def record_entry(record: Mapping[str, object], place: str, kind: TextKind) -> Entry:
    key, text = require_columns(tuple(record), place, kind)
    return Entry(record[key], record[text], place)


def require_columns(names: tuple[str, ...], place: str, kind: TextKind) -> tuple[str, str]:
    key, text = text_columns(names, kind)
    if key is None or text is None:
        missing, usual = ("an id", kind.ids) if key is None else ("a text", kind.texts)
        need = f"{kind.noun}s need {missing} ({', '.join(usual[:3])} …)"
        raise FormatError(f"{place}: {need}, found only {list_names(names)}")
    return key, text


@lru_cache(maxsize=64)
def text_columns(names: tuple[str, ...], kind: TextKind) -> tuple[str | None, str | None]:
    return find_column(names, kind.ids), find_column(names, kind.texts)


def table_entries(rows: Iterator[Cells], name: str, kind: TextKind) -> Iterator[Entry]:
    """The entries of a text table, whose first row is a header if it names both columns."""
    first = next(rows, None)
    if first is None:
        return
    known = {normalise_name(each.strip()) for each in first.cells}
    is_header = not known.isdisjoint(kind.ids) and not known.isdisjoint(kind.texts)
    places = [0, 1]
    if is_header or len(first.cells) != PAIR:
        names = tuple(each.strip() for each in first.cells)
        places = [names.index(each) for each in require_columns(names, f"{name}, line {first.line}", kind)]
    else:
        yield Entry(first.cells[0], first.cells[1], f"{name}, line {first.line}")
    for line, cells in rows:
        place = f"{name}, line {line}"
        if len(cells) <= max(places):
            raise FormatError(f"{place}: expected an id and a text, found {show(cells)}")
        yield Entry(cells[places[0]], cells[places[1]], place)


def replace_surrogates(text: str) -> str:
    """A text without lone surrogates, which are not valid Unicode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def read_fields(data: object, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The values of some fields of questions, by field and question; a question without one is left out."""
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    seen: dict[str, None] = {}
    for record in question_records(data):
        column = find_column(tuple(record), QUESTIONS.ids)
        key = None if column is None else as_id(record[column])
        seen.update(dict.fromkeys(record))
        if key is None:
            continue
        for name in names:
            value = field_of(record, name)
            if isinstance(value, (Mapping, list, tuple)):
                raise FormatError(f"field {show(name)} of a question must be a text or a number, not {show(value)}")
            if value is not None and value != "":
                found[name][key] = str(value)
    if lacking := next((name for name, values in found.items() if not values), ""):
        near = nearest(lacking, seen) or list(seen)
        has = f"; they have {', '.join(near)}" if near else ""
        raise DataError(f"the questions have no field {show(lacking)}{has}")
    return found


def question_records(data: object) -> Iterator[Mapping[str, Any]]:
    if is_source(data):
        for file, format_ in recognise_files(data):  # type: ignore[arg-type]
            if format_.separator:
                with closing(read_cells(file, format_.separator)) as rows:
                    names = [each.strip() for first in islice(rows, 1) for each in first.cells]
                    yield from (dict(zip(names, cells, strict=False)) for _, cells in rows)
            elif format_.batches is None:
                content = format_.read_content(file)
                yield from records_in([content] if isinstance(content, Mapping) else content)
            else:
                with closing(format_.read_content(file)) as records:
                    yield from (fields for _, fields in records)
    elif is_frame(data):
        yield from frame_rows(data)
    else:
        yield from records_in(data)


def records_in(data: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, Mapping):
        yield from ({"id": key, **value} for key, value in data.items() if isinstance(value, Mapping))
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        yield from (each for each in data if isinstance(each, Mapping))
