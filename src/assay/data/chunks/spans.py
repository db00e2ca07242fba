"""`Span`: a stretch of a source document, in characters; and `Overlap`: when a retrieved chunk hits a gold span.

A span is half-open, as a slice of Python. Spans of different documents never overlap. The share of two spans is their
intersection divided by the length of the gold span, of the chunk, or of both together (intersection over union). The
table of chunks has by id the span of each in its document, and perhaps its text, for rankings of ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.doc_id import field_of
from assay.core.errors import DataError, DuplicateError, PolicyError
from assay.core.text import show
from assay.data.frames.columns import as_id
from assay.data.passages import PASSAGE_TEXT, SPAN_FIELDS, find_field, is_number
from assay.data.records.fields import file_rows, given_rows
from assay.files.source import is_source, open_source

# What a chunk has of its own; the id of its document would be the same for many.
CHUNK_ID = ("id", "chunk_id", "node_id", "id_", "_id", "passage_id", "pid")
TEXT_FIELDS = ("text", "page_content", "content")
SHARES = {"gold": "share of the gold span", "chunk": "share of the chunk", "iou": "intersection over union"}
ANY = "any"
NO_PATHS: Mapping[str, str] = MappingProxyType({})
TRIPLE = 3
# No text is as long as this; floats hold every whole number up to it.
LARGEST = 2**53
LONGEST = len(str(LARGEST))


class Span(NamedTuple):
    """A stretch of a document: from the character `start` up to, but not including, `end`."""

    document: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.document}[{self.start}:{self.end}]"


class Overlap(NamedTuple):
    """When a chunk hits a gold span: if they share a character, or `least` of the `of`."""

    least: float | None = None
    of: str = "gold"

    @classmethod
    def parse(cls, overlap: object, overlap_of: object) -> Overlap:
        if overlap_of not in SHARES:
            raise PolicyError(f"overlap_of must be {' or '.join(map(repr, SHARES))}, not {show(overlap_of)}")
        if overlap == ANY:
            return cls(None, str(overlap_of))
        return cls(check_share(overlap, "overlap must be 'any' or a number"), str(overlap_of))

    def __str__(self) -> str:
        return "any overlap" if self.least is None else f"{SHARES[self.of]} at least {self.least:g}"

    def holds(self, gold: Span, chunk: Span) -> bool:
        """Whether the chunk hits the gold span."""
        common = min(gold.end, chunk.end) - max(gold.start, chunk.start)
        if gold.document != chunk.document or common <= 0:
            return False
        if self.least is None:
            return True
        sizes = {"gold": gold.end - gold.start, "chunk": chunk.end - chunk.start}
        sizes["iou"] = sizes["gold"] + sizes["chunk"] - common
        return common / sizes[self.of] >= self.least

    def hits(self, golds: Sequence[Span], chunk: Span) -> list[int]:
        return [number for number, gold in enumerate(golds) if self.holds(gold, chunk)]


def check_share(value: Any, words: str) -> float:  # noqa: ANN401 - whatever the user gave
    """A number above 0 and at most 1; `words` begin the error for anything else."""
    if not (is_number(value) and 0 < value <= 1):
        raise PolicyError(f"{words} above 0 and at most 1, not {show(value)}")
    return float(value)


def is_span(value: object, paths: Mapping[str, str] = NO_PATHS) -> bool:
    return as_id(value) is None and find_part(value, "start", paths) is not None


def read_span(value: object, place: str, paths: Mapping[str, str] = NO_PATHS) -> Span:
    """The span of a chunk or of gold: `(document, start, end)`, or an object with such fields.

    `paths` are field paths of the user's own. Without an end, a span is as long as the text.
    """
    if isinstance(value, (tuple, list)):
        if len(value) != TRIPLE:
            raise DataError(f"{place}: a span is a document, a start and an end, not {show(value)}")
        document, start, end = value
    else:
        document, start, end = (find_part(value, part, paths) for part in SPAN_FIELDS)
    start, end = map(as_number, (start, end))
    if end is None and is_position(start) and isinstance(text := find_field(value, TEXT_FIELDS), str):
        end = start + len(text)
    if fault := fault_of_span(document, start, end):
        raise DataError(f"{place}: {show(value)}{fault}")
    return Span(str(document), int(start), int(end))


def fault_of_span(document: object, start: Any, end: Any) -> str:  # noqa: ANN401 - whatever is there
    """What is wrong with the parts of a span, after what the span was read from; empty if nothing."""
    lacking = [name for name, part in zip(SPAN_FIELDS, (document, start, end), strict=True) if part is None]
    if lacking:
        return f" has no {' and no '.join(lacking)}; a span has document, start and end"
    if not as_id(document):
        return f": the document of a span must be a string or an integer, not {show(document)}"
    for part, position in (("start", start), ("end", end)):
        if not is_position(position):
            return f": {part} must be a whole number from 0, not {show(position)}"
    if start >= end:
        what = "is empty" if start == end else "ends before it starts"
        return f": the span {what}; end is the position after the last character"
    return ""


def is_position(value: Any) -> bool:  # noqa: ANN401 - whatever is there
    """Whether a value is a whole number from 0; tables with gaps hold them as floats."""
    return is_number(value) and 0 <= value <= LARGEST and float(value).is_integer()


def as_number(value: Any) -> Any:  # noqa: ANN401 - whatever is there
    """A position that is written as text, as a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) <= LONGEST else value


def find_part(value: object, part: str, paths: Mapping[str, str]) -> Any:  # noqa: ANN401 - whatever is there
    own = field_of(value, paths[part]) if part in paths else None
    # A field `document` may also hold a whole passage.
    return own if own is not None else find_field(value, SPAN_FIELDS[part], (str, Real))


class Chunk(NamedTuple):
    """Where a chunk is in its document, and its text if that is known."""

    span: Span
    text: str | None = None


def read_chunks(data: object, paths: Mapping[str, str] = NO_PATHS) -> dict[str, Chunk]:
    """The chunks by id, from a file, a frame or a list with ids and spans, or from a dict by id."""
    if isinstance(data, Mapping):
        return {str(name): read_chunk(each, f"chunk {show(name)}", paths) for name, each in data.items()}
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            rows = file_rows(source, set(PASSAGE_TEXT))
    else:
        rows = given_rows(data, "the chunks")
    found: dict[str, Chunk] = {}
    for place, fields in rows:
        name = as_id(find_field(fields, CHUNK_ID))
        if not name:
            raise DataError(f"{place}: a chunk has no id under {', '.join(CHUNK_ID[:3])} or similar: {show(fields)}")
        if name in found:
            raise DuplicateError(f"{place}: duplicate chunk id {show(name)}")
        found[name] = read_chunk(fields, place, paths)
    return found


def read_chunk(value: object, place: str, paths: Mapping[str, str]) -> Chunk:
    """A chunk as it was given: an object with the fields of a span, or only its span."""
    text = None if isinstance(value, (tuple, list)) else find_field(value, PASSAGE_TEXT)
    return Chunk(read_span(value, place, paths), text if isinstance(text, str) else None)
