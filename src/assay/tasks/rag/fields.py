"""The parts of a record, under the names that tools give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.text import show
from assay.data.columns import ANSWER, QUESTION_ID, QUESTION_TEXT, REFERENCES

Row = Mapping[str, Any]

# Each part, assay's own name for it first, then those of AutoRAG, ragas, LlamaIndex and others.
FIELDS: dict[str, tuple[str, ...]] = {
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
# Where several of these stand side by side, the first is meant.
RANKED = ("query_id",)
# What can be measured; without one of these a file holds no records.
MEASURED = tuple(part for part in FIELDS if part not in ("query_id", "question"))
# These are text, even where it looks like a list.
TEXTS = ("query_id", "question", "answer")


class Reading(NamedTuple):
    """How records are read: names of fields of the user's own, and where the id of a passage stands.

    A lenient reader passes over names that are not there.
    """

    columns: Mapping[str, str] = MappingProxyType({})
    doc_id: str | None = None
    lenient: bool = False

    @property
    def texts(self) -> set[str]:
        """The fields that hold text, even where it looks like a list."""
        return {*(name for part in TEXTS for name in FIELDS[part]), *(self.columns.get(part, "") for part in TEXTS)}


def check_columns(columns: object) -> Mapping[str, str]:
    """The names of fields, once they are known to be a mapping of parts."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise FormatError(
            f"columns= must map parts of a record to fields, such as {{'answer': 'reply'}}, not {show(columns)}"
        )
    for part in columns:
        if part not in FIELDS:
            raise FormatError(f"columns={{{part!r}: …}}: the parts of a record are {', '.join(FIELDS)}")
    return columns


def find_fields(rows: Iterable[Row], reading: Reading, name: str) -> dict[str, str]:
    """The field that holds each part, told from the rows' names; `columns` says it where that is not enough."""
    there = {field: None for row in rows for field, value in row.items() if value is not None}
    given = {part: field for part, field in reading.columns.items() if field in there or not reading.lenient}
    for field in given.values():
        if field not in there:
            raise FormatError(f"{name}: no record has a field {show(field)}; there are {listed(there)}")
    found = dict(given)
    for part, known in FIELDS.items():
        names = [field for field in known if field in there and field not in given.values()]
        if part in given or not names:
            continue
        if len(names) > 1 and part not in RANKED:
            both = " and ".join(map(show, names))
            raise FormatError(f"{name}: {both} may both be the {part}; say which with columns={{{part!r}: …}}")
        found[part] = names[0]
    return found


def check_measurable(found: Mapping[str, str], rows: Iterable[Row], name: str) -> None:
    """Raises if the records hold nothing that can be measured."""
    if not set(found) & set(MEASURED):
        there = {field: None for row in rows for field in row}
        raise DataError(
            f"{name}: the records have nothing to measure: there are {listed(there)}; "
            f"a record has {', '.join(FIELDS)}; other names can be given with columns={{'answer': 'my_answer'}}"
        )


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names of fields, in a message."""
    every = list(names)
    return ", ".join(map(show, every[:most])) + (", …" if len(every) > most else "") if every else "no fields"
