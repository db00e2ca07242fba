"""Which fields of records hold what: the user's own names for the parts of a record, or those that tools use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.interface import Option
from assay.core.text import show
from assay.data.record_rows import PARTS
from assay.data.spans import SPAN_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.data.source import Placed

# If several fields could be this part, the first one is meant.
RANKED = ("query_id",)
# What can be measured; a file without any of these has no records.
MEASURED = tuple(part for part in PARTS if part not in ("query_id", "question"))
# These are text, even if it looks like a list.
PLAIN_TEXT = ("query_id", "question", "answer")
MOST_LISTED = 12


class RecordFields(NamedTuple):
    """Which fields records have: the user's own names for parts, and the path to the id of a passage.

    A lenient reader ignores names that a file does not have. `any_field` allows records without any known part.
    `short` keeps only those fields of a record that may divide the questions into slices.
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


USUAL_FIELDS = RecordFields()


def record_fields(columns: object, doc_id: str | None, *, lenient: bool) -> RecordFields:
    """The fields of records, once `columns` is known to be a mapping of parts."""
    if columns is None:
        return RecordFields(doc_id=doc_id, lenient=lenient)
    if not isinstance(columns, Mapping) or not all(isinstance(each, str) for each in columns.values()):
        raise FormatError(
            f"columns= must map parts of a record to fields, such as {{'answer': 'reply'}}, not {show(columns)}"
        )
    for part in columns:
        if part not in PARTS and part not in SPAN_FIELDS:
            known = f"the parts of a record are {', '.join(PARTS)}; those of a span are {', '.join(SPAN_FIELDS)}"
            raise FormatError(f"{Option('columns', (part, '…'))}: unknown part; {known}")
    return RecordFields({part: name for part, name in columns.items() if part in PARTS}, doc_id, lenient)


class GivenFields(NamedTuple):
    """How many rows there are, the fields they have, in order, and the values of each: None in rows that lack it."""

    size: int
    names: Collection[str]
    values: Callable[[str], Iterable[Any]]

    @classmethod
    def of_rows(cls, rows: Sequence[Placed]) -> GivenFields:
        """Those of rows that are held one by one."""
        every: dict[str, None] = {}
        for row in rows:
            every.update(dict.fromkeys(row.fields))
        return cls(len(rows), every, lambda field: (row.fields.get(field) for row in rows))

    @property
    def filled(self) -> dict[str, None]:
        """The fields that some row has a value in."""
        return {field: None for field in self.names if any(value is not None for value in self.values(field))}


class Layout(NamedTuple):
    """The field that holds each part of the records, and the one that holds numbers of another tool."""

    found: dict[str, str]
    outside: str | None


def find_layout(fields: GivenFields, wanted: RecordFields, name: str) -> Layout:
    """Which field is what; an error if there are no records."""
    if not fields.size:
        raise DataError(f"{name}: no records to evaluate")
    outside = find_outside_scores(fields, wanted)
    return Layout(find_parts(fields, wanted, name, outside), outside)


def find_outside_scores(fields: GivenFields, wanted: RecordFields) -> str | None:
    """The field that holds numbers by name, such as those of another tool, and not the scores of what was retrieved."""
    names = [wanted.columns["scores"]] if "scores" in wanted.columns else PARTS["scores"]
    known = [each for each in names if each in fields.names]
    return next((each for each in known if any(isinstance(value, Mapping) for value in fields.values(each))), None)


def find_parts(fields: GivenFields, wanted: RecordFields, name: str, outside: str | None = None) -> dict[str, str]:
    """The field that holds each part, by the rows' field names; `columns` decides where they are not enough."""
    filled = fields.filled
    given = {part: field for part, field in wanted.columns.items() if field in filled or not wanted.lenient}
    for field in given.values():
        if field not in filled:
            raise FormatError(f"{name}: no record has a field {show(field)}, only {list_fields(filled)}")
    if outside is not None:
        filled.pop(outside)
    found = {part: field for part, field in given.items() if field != outside}
    for part, known in PARTS.items():
        names = [field for field in known if field in filled and field not in given.values()]
        if part in given or not names:
            continue
        if len(names) > 1 and part not in RANKED:
            both = " and ".join(map(show, names))
            raise FormatError(
                f"{name}: {both} could both be the {part}; choose one with {Option('columns', (part, '…'))}"
            )
        found[part] = names[0]
    if not set(found) & set(MEASURED) and outside is None and not wanted.any_field:
        raise DataError(
            f"{name}: the records have nothing to measure, only {list_fields(fields.names)}; a record has "
            f"{', '.join(PARTS)}; map other names with {Option('columns', ('answer', 'my_answer'))}"
        )
    return found


def list_fields(names: Iterable[str]) -> str:
    """Names of fields, in a message."""
    every = list(names)
    return ", ".join(map(show, every[:MOST_LISTED])) + (", …" if len(every) > MOST_LISTED else "") or "no fields"
