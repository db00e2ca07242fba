"""The spans of chunks by their ids: a table with the place of each chunk in its document, for rankings of ids."""

from __future__ import annotations

from collections.abc import Mapping

from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.data.fields import find_field
from assay.data.frames import as_id
from assay.data.record_rows import file_rows, given_rows
from assay.data.source import Placed, is_source, open_source
from assay.data.spans import NO_PATHS, Span, read_span

# What a chunk has of its own; the id of its document would be the same for many.
CHUNK_ID = ("id", "chunk_id", "node_id", "id_", "_id", "passage_id", "pid")
TEXTS = {"text", "page_content", "content"}


def read_chunk_spans(data: object, paths: Mapping[str, str] = NO_PATHS) -> dict[str, Span]:
    """The span of each chunk, from a file, a frame or a list with ids and spans, or from a dict by id.

    >>> read_chunk_spans({"c1": ("guide.md", 0, 80)})
    {'c1': Span(document='guide.md', start=0, end=80)}
    """
    if isinstance(data, Mapping):
        return {str(name): read_span(each, f"chunk {show(name)}", paths) for name, each in data.items()}
    found: dict[str, Span] = {}
    for place, fields in chunk_rows(data):
        name = as_id(find_field(fields, CHUNK_ID))
        if not name:
            raise DataError(f"{place}: a chunk has no id under {', '.join(CHUNK_ID[:3])} or similar: {show(fields)}")
        if name in found:
            raise DuplicateError(f"{place}: duplicate chunk id {show(name)}")
        found[name] = read_span(fields, place, paths)
    return found


def chunk_rows(data: object) -> list[Placed]:
    """The chunks, one row each."""
    if not is_source(data):
        return given_rows(data, "the chunks")
    with open_source(data) as source:  # type: ignore[arg-type]
        return file_rows(source, TEXTS)
