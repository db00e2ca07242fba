"""The fields of records: rows of a file, a frame or Python objects, and which of their fields holds what.

A part of a record has the user's own name, or one of those that tools use.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.json_text import ContentError, decode_json, python_to_json
from assay.core.text import Option, show
from assay.data.formats import TREC, TSV, Format, ending, recognise
from assay.data.formats.tabular import Placed
from assay.data.frames.frame import frame_rows, is_frame
from assay.data.passages import SPAN_FIELDS
from assay.data.texts import QUESTION_ID, QUESTION_TEXT
from assay.files.source import Source

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
# If several fields could be this part, the first one is meant.
RANKED = ("query_id",)
# What can be measured; a file without any of these has no records.
MEASURED = tuple(part for part in PARTS if part not in ("query_id", "question"))
# These are text, even if it looks like a list.
PLAIN_TEXT = ("query_id", "question", "answer")
MOST_LISTED = 12


class RecordFields(NamedTuple):
    """Which fields records have: the user's own names for parts, and the path to the id of a passage.

    A lenient reader ignores names that a file lacks. `any_field` allows records without any known part. `short` keeps
    only those fields of a record that may divide the questions into slices.
    """

    columns: Mapping[str, str] = MappingProxyType({})
    doc_id: str | None = None
    lenient: bool = False
    any_field: bool = False
    short: bool = False

    @property
    def plain_text(self) -> set[str]:
        """The fields that hold text, even if it looks like a list."""
        own = (self.columns.get(part, "") for part in PLAIN_TEXT)
        return {*(name for part in PLAIN_TEXT for name in PARTS[part]), *own}


USUAL = RecordFields()


def record_fields(columns: object, doc_id: str | None, *, lenient: bool) -> RecordFields:
    if columns is None:
        return RecordFields(doc_id=doc_id, lenient=lenient)
    if not isinstance(columns, Mapping) or not all(isinstance(each, str) for each in columns.values()):
        usage = "columns= must map parts of a record to fields, such as {'answer': 'reply'}"
        raise FormatError(f"{usage}, not {show(columns)}")
    for part in columns:
        if part not in PARTS and part not in SPAN_FIELDS:
            known = f"the parts of a record are {', '.join(PARTS)}; those of a span are {', '.join(SPAN_FIELDS)}"
            raise FormatError(f"{Option('columns', (part, '…'))}: unknown part; {known}")
    return RecordFields({part: name for part, name in columns.items() if part in PARTS}, doc_id, lenient)


class Layout(NamedTuple):
    """The field that holds each part of the records, and the one that holds numbers of another tool."""

    found: dict[str, str]
    outside: str | None


def find_layout(
    names: Collection[str], values: Callable[[str], Iterable[Any]], wanted: RecordFields, name: str
) -> Layout:
    """The field that holds each part, by the rows' field names; `columns` decides where they are not enough."""
    # Numbers by name, such as those of another tool, are not the scores of what was retrieved.
    own = wanted.columns.get("scores")
    known = [each for each in (PARTS["scores"] if own is None else (own,)) if each in names]
    outside = next((each for each in known if any(isinstance(value, Mapping) for value in values(each))), None)
    filled = {field: None for field in names if any(value is not None for value in values(field))}
    given = {part: field for part, field in wanted.columns.items() if field in filled or not wanted.lenient}
    for field in given.values():
        if field not in filled:
            raise FormatError(f"{name}: no record has a field {show(field)}, only {list_fields(filled)}")
    if outside is not None:
        filled.pop(outside)
    found = {part: field for part, field in given.items() if field != outside}
    for part, usual in PARTS.items():
        own_names = [field for field in usual if field in filled and field not in given.values()]
        if part in given or not own_names:
            continue
        if len(own_names) > 1 and part not in RANKED:
            both, choice = " and ".join(map(show, own_names)), Option("columns", (part, "…"))
            raise FormatError(f"{name}: {both} could both be the {part}; choose one with {choice}")
        found[part] = own_names[0]
    if not set(found) & set(MEASURED) and outside is None and not wanted.any_field:
        said = f"the records have nothing to measure, only {list_fields(names)}; a record has {', '.join(PARTS)}"
        raise DataError(f"{name}: {said}; map other names with {Option('columns', ('answer', 'my_answer'))}")
    return Layout(found, outside)


def list_fields(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(map(show, every[:MOST_LISTED])) + (", …" if len(every) > MOST_LISTED else "") or "no fields"


def given_rows(data: object, name: str) -> list[Placed]:
    if is_frame(data):
        return [Placed(f"{name}, row {number}", row) for number, row in enumerate(frame_rows(data))]
    return list(object_rows(data, name))


def file_format(source: Source) -> Format:
    return recognise(source, default=TSV if ending(source.files[0].path) == ".tsv" else TREC)


def file_rows(source: Source, plain: set[str], content: object = None) -> list[Placed]:
    format_ = file_format(source)
    content = format_.read_content(source) if content is None else content
    if format_.batches is None:
        return list(object_rows(content, source.name))
    rows: list[Placed] = list(content)  # type: ignore[arg-type]
    if not format_.separator:
        return rows
    # In a text table lists and objects are parsed, except in fields of plain text.
    return [
        Placed(place, {name: cell if name in plain else parse_cell(cell, name, place) for name, cell in cells.items()})
        for place, cells in rows
    ]


def parse_cell(text: str | None, field: str, place: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A cell of a text table: JSON, or as Python writes it, if it starts like a list or an object; else the text."""
    if not text or text.lstrip()[:1] not in ("[", "{"):
        return text
    for write in (str, python_to_json):
        try:
            return decode_json(write(text))
        except ContentError as error:
            raise FormatError(f"{place}, {show(field)}: {error}") from None
        except (ValueError, RecursionError):
            continue
    if field in KNOWN_FIELDS:
        said = 'starts like a list, but is not JSON; write ["d1", "d2"], or save it as Parquet'
        raise FormatError(f"{place}: {show(field)} {said}")
    return text


def object_rows(data: object, name: str) -> Iterator[Placed]:
    if isinstance(data, Mapping):
        for number, (key, value) in enumerate(data.items()):
            row = as_mapping(value, f"{name}, {show(key)}")
            own = next((row[each] for each in PARTS["query_id"] if row.get(each) is not None), key)
            if str(own) != str(key):
                raise DataError(f"the record {show(key)} has another id, {show(own)}; keep one of them")
            yield Placed(f"{name}, record {number}", {"query_id": key, **row})
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes, bytearray)):
        for number, value in enumerate(data):
            place = f"{name}, record {number}"
            yield Placed(place, as_mapping(value, place))
    else:
        raise DataError(f"{name} must be a list, a frame or a file, not {show(type(data).__name__)}")


def as_mapping(value: object, place: str) -> Mapping[str, Any]:
    """One record as a mapping: a dict, a dataclass, a named tuple or a pydantic model."""
    if isinstance(value, Mapping):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    dump = getattr(value, "model_dump", None) or getattr(value, "_asdict", None)
    if callable(dump) and not isinstance(value, type):
        return dump()  # type: ignore[no-any-return]
    raise DataError(f"{place} must be a dict or a dataclass, not {show(type(value).__name__)}")
