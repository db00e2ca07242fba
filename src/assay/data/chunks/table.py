"""The table of chunks: by id the span of each in its document, and perhaps its text, for rankings of ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.data.chunks.spans import NO_PATHS, Span, read_span
from assay.data.fields import find_field
from assay.data.frames.frame import as_id
from assay.data.records.fields import file_rows, given_rows
from assay.data.texts import PASSAGE_TEXT
from assay.files.source import Placed, is_source, open_source

# What a chunk has of its own; the id of its document would be the same for many.
CHUNK_ID = ("id", "chunk_id", "node_id", "id_", "_id", "passage_id", "pid")


class Chunk(NamedTuple):
    """Where a chunk is in its document, and its text if that is known."""

    span: Span
    text: str | None = None


def read_chunks(data: object, paths: Mapping[str, str] = NO_PATHS) -> dict[str, Chunk]:
    """The chunks by id, from a file, a frame or a list with ids and spans, or from a dict by id.

    >>> read_chunks({"c1": ("guide.md", 0, 80)})
    {'c1': Chunk(span=Span(document='guide.md', start=0, end=80), text=None)}
    """
    if isinstance(data, Mapping):
        return {str(name): read_chunk(each, f"chunk {show(name)}", paths) for name, each in data.items()}
    found: dict[str, Chunk] = {}
    for place, fields in chunk_rows(data):
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


def chunk_rows(data: object) -> list[Placed]:
    """The chunks, one row each."""
    if not is_source(data):
        return given_rows(data, "the chunks")
    with open_source(data) as source:  # type: ignore[arg-type]
        return file_rows(source, set(PASSAGE_TEXT))
