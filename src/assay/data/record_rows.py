"""The rows of records, and the names that their fields have in each tool.

A row is a mapping of fields from a file, a frame or a Python object, with its place for messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, FormatError
from assay.core.json_text import RepeatedKeyError, decode_json, python_to_json
from assay.core.text import show
from assay.data.formats import JSON_LINES, TREC, TSV, ending, recognise
from assay.data.frame_rows import frame_rows
from assay.data.frames import is_frame
from assay.data.source import Placed
from assay.data.texts import QUESTION_ID, QUESTION_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.data.formats import Format
    from assay.data.source import Source

# Each part, assay's own name for it first, then those of AutoRAG, ragas, LlamaIndex and others.
ANSWER = ("answer", "generated_texts", "generated_text", "response", "prediction")
REFERENCES = ("references", "reference", "generation_gt", "ground_truth", "ground_truths")
PARTS: dict[str, tuple[str, ...]] = {
    "query_id": QUESTION_ID,
    "question": QUESTION_TEXT,
    "gold": ("gold", "retrieval_gt", "reference_context_ids", "expected_ids"),
    "retrieved": ("retrieved", "retrieved_ids", "retrieved_context_ids"),
    "scores": ("scores", "retrieve_scores", "retrieved_scores"),
    "retrieved_texts": ("retrieved_texts", "retrieved_contents", "retrieved_contexts", "contexts"),
    "gold_texts": ("gold_texts", "reference_contexts", "expected_texts", "retrieval_gt_contents"),
    "answer": ANSWER,
    "references": REFERENCES,
}
KNOWN_FIELDS = {name for names in PARTS.values() for name in names}


def given_rows(data: object, name: str) -> list[Placed]:
    """The rows of a frame, or of Python objects."""
    if is_frame(data):
        return [Placed(f"{name}, row {number}", row) for number, row in enumerate(frame_rows(data))]
    return list(object_rows(data, name))


def is_json_lines(source: Source) -> bool:
    return file_format(source) is JSON_LINES


def file_format(source: Source) -> Format:
    return recognise(source, default=TSV if ending(source.files[0].path) == ".tsv" else TREC)


def file_rows(source: Source, plain: set[str], content: object = None) -> list[Placed]:
    """The rows of a file; `plain` are the fields that hold text, even if it looks like a list."""
    format_ = file_format(source)
    if content is None:
        content = format_.read_content(source)
    if not format_.is_table:
        return list(object_rows(content, source.name))
    rows: list[Placed] = list(content)  # type: ignore[call-overload]
    return [each._replace(fields=read_cells_of(each, plain)) for each in rows] if format_.separator else rows


def read_cells_of(row: Placed, plain: set[str]) -> dict[str, Any]:
    """A row of a text table, with lists and objects parsed, except in fields of plain text."""
    return {name: cell if name in plain else parse_cell(cell, name, row.place) for name, cell in row.fields.items()}


def parse_cell(text: str | None, field: str, place: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A cell of a text table: JSON, or as Python writes it, if it starts like a list or an object; else the text."""
    if not text or text.lstrip()[:1] not in ("[", "{"):
        return text
    for write in (str, python_to_json):
        try:
            return decode_json(write(text))
        except RepeatedKeyError as error:
            raise FormatError(f"{place}, {show(field)}: {error}") from None
        except (ValueError, RecursionError):
            continue
    if field in KNOWN_FIELDS:
        raise FormatError(
            f'{place}: {show(field)} starts like a list, but is not JSON; write ["d1", "d2"], or save it as Parquet'
        )
    return text


def object_rows(data: object, name: str) -> Iterator[Placed]:
    """The records of a list, or of a dict by id."""
    if isinstance(data, Mapping):
        for number, (key, value) in enumerate(data.items()):
            yield Placed(f"{name}, record {number}", with_key(key, as_mapping(value, f"{name}, {show(key)}")))
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes, bytearray)):
        for number, value in enumerate(data):
            place = f"{name}, record {number}"
            yield Placed(place, as_mapping(value, place))
    else:
        raise DataError(f"{name} must be a list, a frame or a file, not {show(type(data).__name__)}")


def with_key(key: object, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record of a dict; its key is its id, unless it has one."""
    own = next((row[name] for name in PARTS["query_id"] if row.get(name) is not None), key)
    if str(own) != str(key):
        raise DataError(f"the record {show(key)} has another id, {show(own)}; keep one of them")
    return {"query_id": key, **row}


def as_mapping(value: object, place: str) -> Mapping[str, Any]:
    """One record as a mapping: a dict, a dataclass, a named tuple or a pydantic model."""
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    for method in ("model_dump", "_asdict"):
        dump = getattr(value, method, None)
        if callable(dump) and not isinstance(value, type):
            dumped: Mapping[str, Any] = dump()
            return dumped
    raise DataError(f"{place} must be a dict or a dataclass, not {show(type(value).__name__)}")
