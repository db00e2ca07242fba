"""Fields of questions beside their texts, such as a language or a type, by the question's id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from assay.core.doc_id import field_of
from assay.core.errors import DataError, FormatError
from assay.core.text import nearest, show
from assay.data.formats import TREC, TSV, recognise
from assay.data.formats.tabular import read_cells
from assay.data.frames.frame import as_id, find_column, is_frame
from assay.data.frames.rows import frame_rows
from assay.data.texts import QUESTIONS
from assay.files.source import is_source, open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.files.source import Source


def read_fields(data: object, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The values of some fields of questions, by field and question; a question without one is left out.

    >>> read_fields([{"id": "q1", "text": "who", "language": "en"}], ["language"])
    {'language': {'q1': 'en'}}
    """
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
            if value is not None and value != "":
                found[name][key] = as_value(value, name)
    for name, values in found.items():
        if not values:
            near = nearest(name, seen) or list(seen)
            has = f"; they have {', '.join(near)}" if near else ""
            raise DataError(f"the questions have no field {show(name)}{has}")
    return found


def as_value(value: object, name: str) -> str:
    """A value of a field as text."""
    if isinstance(value, (Mapping, list, tuple)):
        raise FormatError(f"field {show(name)} of a question must be a text or a number, not {show(value)}")
    return str(value)


def question_records(data: object) -> Iterator[Mapping[str, Any]]:
    """Each question as a record."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            format_ = recognise(source, default=TSV)
            for file in source.files:
                if format_.separator or format_ is TREC:
                    yield from table_records(file, format_.separator or TSV.separator)
                elif not format_.is_table:
                    content = format_.read_content(file)
                    yield from records_in([content] if isinstance(content, Mapping) else content)
                else:
                    with closing(format_.read_content(file)) as records:
                        yield from (fields for _, fields in records)
    elif is_frame(data):
        yield from frame_rows(data)
    else:
        yield from records_in(data)


def table_records(source: Source, separator: str) -> Iterator[Mapping[str, Any]]:
    """The rows of a text table under its header."""
    with closing(read_cells(source, separator)) as rows:
        first = next(rows, None)
        names = [] if first is None else [each.strip() for each in first.cells]
        yield from (dict(zip(names, cells, strict=False)) for _, cells in rows)


def records_in(data: object) -> Iterator[Mapping[str, Any]]:
    """The records of a list, or those of a dict by id."""
    if isinstance(data, Mapping):
        yield from ({"id": key, **value} for key, value in data.items() if isinstance(value, Mapping))
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        yield from (each for each in data if isinstance(each, Mapping))
