"""Fields of a passage or of gold, in a dict or in another library's object, without importing the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# Where an object may keep fields that it does not have itself.
INSIDE = ("node", "document", "doc", "metadata", "meta")
# The fields of a span, assay's own name first, then those of LlamaIndex, LangChain, haystack and others.
SPAN_FIELDS: dict[str, tuple[str, ...]] = {
    "document": ("document", "ref_doc_id", "source", "source_id", "document_id", "doc_id", "file_path", "file_name"),
    "start": ("start", "start_char_idx", "start_index", "start_char", "start_offset", "split_idx_start"),
    "end": ("end", "end_char_idx", "end_index", "end_char", "end_offset"),
}


def find_field(value: object, names: Iterable[str]) -> Any:  # noqa: ANN401 - whatever is there
    """The first of the fields that a passage has, itself or in what it contains."""
    for name in names:
        found = get_field(value, name)
        if found is not None:
            return found
    for name in INSIDE:
        inner = get_field(value, name)
        if inner is not None and not isinstance(inner, str):
            found = find_field(inner, names)
            if found is not None:
                return found
    return None


def get_field(value: object, name: str) -> Any:  # noqa: ANN401 - whatever is there
    """A field of a dict or of an object; a method is not a field."""
    # Most are plain dicts; asking for the abstract class takes longer than the rest.
    is_mapping = type(value) is dict or isinstance(value, Mapping)
    found = value.get(name) if is_mapping else getattr(value, name, None)  # type: ignore[attr-defined]
    return None if callable(found) else found
