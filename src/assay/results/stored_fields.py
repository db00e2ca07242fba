"""The fields of a stored result, each checked: policies, rows and notes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import FormatError, PolicyError
from assay.core.grammar import LONGEST_NAME
from assay.core.note import Note, NoteKind
from assay.core.parameter import LARGEST_WHOLE
from assay.core.policies import Policies
from assay.core.text import printable, show

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

BACK = {"inf": math.inf, "-inf": -math.inf}
# What JSON can say and UTF-8 cannot.
HALVES = re.compile("[\ud800-\udfff]")
LONGEST_ID = 100_000
LONGEST_NOTE = 100_000
# The queries of a note that are stored; its count says how many there are.
MOST_NOTED = 1_000


def fault(text: str) -> FormatError:
    """The error for a field that is wrong."""
    return FormatError(f"{text}; write the file again with `result.save`")


def exactly(
    fields: Any,  # noqa: ANN401 - whatever the file holds
    needed: tuple[str, ...],
    where: str,
    allowed: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The fields of an object that has all it needs and nothing that is unknown."""
    if not isinstance(fields, dict):
        raise fault(f"{where} must be an object, not {show(fields)}")
    if missing := [name for name in needed if name not in fields]:
        raise fault(f"{where} lacks {show(missing[0])}")
    if unknown := [name for name in fields if name not in (*needed, *allowed)]:
        raise fault(f"{where} has a field {show(unknown[0])}, which means nothing")
    return fields


def is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_text(value: object, longest: int) -> bool:
    """Whether it is a text that can be written anywhere: not absurdly long, and no half of a character."""
    return isinstance(value, str) and len(value) <= longest and not HALVES.search(value)


def read_policies(fields: Any) -> Policies:  # noqa: ANN401 - whatever the file holds
    """The policies; one that the file does not name is as it was before it had a name."""
    if not isinstance(fields, dict):
        raise fault(f"policies must be an object, not {show(fields)}")
    try:
        return Policies().changed(fields)
    except PolicyError as error:
        advice = "update assay if a newer one wrote the file, or write it again with `result.save`"
        raise FormatError(f"{error}; {advice}") from None


def read_rows(rows: Any, measures: list[str]) -> tuple[list[str], dict[str, FloatArray]]:  # noqa: ANN401 - whatever the file holds
    """The queries, and the values of each measure."""
    if not isinstance(rows, list):
        raise fault(f"queries must be a list, not {show(rows)}")
    seen: set[str] = set()
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != 1 + len(measures) or not isinstance(row[0], str):
            raise fault(f"row {place} of the queries must be an id and {len(measures)} values, not {show(row)}")
        if not is_text(row[0], LONGEST_ID):
            raise fault(f"row {place} of the queries has an id that cannot be one: {show(row[0])}")
        if row[0] in seen:
            raise fault(f"query {show(row[0])} stands twice")
        seen.add(row[0])
    scores = {
        name: np.array([number(row[place], f"{name} of query {show(row[0])}") for row in rows], dtype=np.float64)
        for place, name in enumerate(measures, start=1)
    }
    return [row[0] for row in rows], scores


def number(value: Any, where: str) -> float:  # noqa: ANN401 - whatever the file holds
    """A value as a float; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in BACK:
        return BACK[value]
    is_float = isinstance(value, float) and math.isfinite(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE
    if not is_float and not is_whole:
        raise fault(f"{where} must be a number that a float can hold, or null, not {show(value)}")
    return float(value)


def write_note(note: Note) -> dict[str, Any]:
    """A note as it is stored: its text without control characters, and the first of its queries."""
    queries = [query for query in note.queries[:MOST_NOTED] if is_text(query, LONGEST_ID)]
    said = {"kind": str(note.kind), "text": printable(note.text), "count": note.count, "queries": queries}
    return {name: value for name, value in (*said.items(), ("measures", list(note.measures))) if value}


def read_notes(notes: Any) -> list[Note]:  # noqa: ANN401 - whatever the file holds
    """The notes, each an object, or a pair of a word and a sentence as 0.1.0 wrote them."""
    if not isinstance(notes, list):
        raise fault(f"notes must be a list, not {show(notes)}")
    return [read_note(note) for note in notes]


def read_note(note: Any) -> Note:  # noqa: ANN401 - whatever the file holds
    """One note; a kind that is not known is kept as `other`."""
    is_pair = isinstance(note, list) and len(note) == 2  # noqa: PLR2004 - a word and a sentence
    about = dict(zip(("kind", "text"), note, strict=True)) if is_pair else note
    if not isinstance(about, dict) or not {"kind", "text"} <= about.keys():
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    fields = exactly(about, ("kind", "text"), "a note", allowed=("count", "queries", "measures"))
    kind, text, count = fields["kind"], fields["text"], fields.get("count", 0)
    if not is_name(kind) or not (is_text(text, LONGEST_NOTE) and text.isprintable()):
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= LARGEST_WHOLE:
        raise fault(f"the count of a note must be a whole number from 0, not {show(count)}")
    queries, measures = (read_ids(fields.get(name, []), f"the {name} of a note") for name in ("queries", "measures"))
    return Note(NoteKind.named(kind), text, count, queries, measures)


def read_ids(ids: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(ids, list) or not all(is_text(each, LONGEST_ID) for each in ids):
        raise fault(f"{where} must be a list of texts, not {show(ids)}")
    return tuple(ids)
