"""`Record`: one question of a RAG system, with what is right, what was retrieved and what was answered."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import count, show
from assay.data.formats.tabular import Placed
from assay.data.frames.columns import as_id
from assay.data.passages import TEXT, Passages, read_passages
from assay.data.records.fields import PARTS, Layout, RecordFields
from assay.data.texts import replace_surrogates

if TYPE_CHECKING:
    from assay.data.records.read import RecordPlaces

NO_PARTS: dict[str, Any] = dict.fromkeys(PARTS)
# No part of a record is nested more deeply than a list of lists.
DEEPEST = 100
# What JSON has that is not inside of something else.
PLAIN = frozenset({str, int, float, bool, type(None)})
NUMBERS = (int, float, bool)
SHORT = frozenset({str, *NUMBERS})
# Characters of a field that is kept with a result.
LONGEST_FIELD = 40
NO_FIELDS: Mapping[str, Any] = {}


class Record(NamedTuple):
    """One question. What is not known is None.

    `gold` holds the documents that should be retrieved, in any form that judgments have, or objects with a span or a
    text in place of ids. `scores` are the numbers that another tool gave it, by name, and `fields` is the record as it
    was given: `record["latency"]` is a field of it. `place` says where the record is, for messages.
    """

    query_id: str
    question: str | None = None
    gold: Any = None
    retrieved: Passages | None = None
    retrieved_texts: tuple[str, ...] | None = None
    gold_texts: tuple[str, ...] | None = None
    answer: str | None = None
    references: tuple[str, ...] | None = None
    where: str | RecordPlaces = ""
    scores: Mapping[str, Any] | None = None
    fields: Mapping[str, Any] | None = None
    # Gold that was matched by texts or spans, as it is shown: a span or an id, or else a text.
    matched: tuple[tuple[str, str], ...] | None = None
    # The gold texts as they were given, if some are in lists of alternatives.
    text_groups: list[Any] | None = None

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 - whatever the record holds
        """A field of the record as it was given, or else the part of that name."""
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        if self.fields is not None and key in self.fields:
            return self.fields[key]
        if key == "place" or key in self._fields:
            return getattr(self, key)
        raise KeyError(key)

    @property
    def place(self) -> str:
        return self.where if isinstance(self.where, str) else self.where.of(self.query_id)

    @property
    def grouped_texts(self) -> list[Any] | None:
        """The gold texts; a list inside holds alternatives."""
        return self.text_groups or (None if self.gold_texts is None else list(self.gold_texts))

    @property
    def shown_texts(self) -> Sequence[str] | None:
        """The texts of the retrieved documents: one for each id, where chunks of a document were left out."""
        own = None if self.retrieved is None else self.retrieved.texts
        return self.retrieved_texts if own is None else own

    def holds(self, wanted: list[set[str]]) -> bool:
        """Whether a document of each set was retrieved; false if there are no sets."""
        retrieved = () if self.retrieved is None else self.retrieved.ids
        return bool(wanted) and not any(each.isdisjoint(retrieved) for each in wanted)


def make_record(row: Placed, number: int, layout: Layout, wanted: RecordFields) -> Record:
    """A row with its parts under our names; its number is its id if rows have none."""
    found, outside = layout
    parts: dict[str, Any] = NO_PARTS.copy()
    for part, field in found.items():
        value = row.fields.get(field)
        parts[part] = value if type(value) is str else as_lists(value, row.place)
    name = as_id(parts["query_id"]) if "query_id" in found else str(number)
    if not name:
        said = f"the id of a question must be a string or an integer, not {show(parts['query_id'])}"
        raise DataError(f"{row.place}: {said}")
    place = f"{row.place} ({show(name)})" if "query_id" in found else row.place
    retrieved = retrieved_passages(parts, place, wanted.doc_id)
    contents = optional_texts(parts, "retrieved_texts", place)
    if contents is None:
        contents = None if retrieved is None or retrieved.texts is None else tuple(retrieved.texts)
    elif retrieved is not None:
        check_length(len(contents), "retrieved_texts", retrieved, place)
        if isinstance(parts["retrieved"], Mapping):
            # The texts are in the order of the dict, which is ranked by score.
            known = dict(zip(map(as_id, parts["retrieved"]), contents, strict=True))
            contents = tuple(known[each] for each in retrieved.ids)
    return Record(
        query_id=name,
        question=optional_text(parts, "question", place),
        gold=parts["gold"],
        retrieved=retrieved,
        retrieved_texts=contents,
        gold_texts=optional_texts(parts, "gold_texts", place),
        text_groups=parts["gold_texts"] if list in map(type, parts["gold_texts"] or ()) else None,
        answer=optional_text(parts, "answer", place),
        references=optional_texts(parts, "references", place),
        where=place,
        scores=None if outside is None else read_outside_scores(row.fields.get(outside), retrieved, place),
        fields=short_fields(row.fields, name) if wanted.short else row.fields,
    )


def short_fields(fields: Mapping[str, Any], query_id: str) -> Mapping[str, Any]:
    """The numbers and short texts of a record, which may divide the questions into slices; not the id it has anyway."""
    found = {
        name: sys.intern(value) if type(value) is str else value
        for name, value in fields.items()
        if type(value) in NUMBERS
        or (type(value) is str and len(value) <= LONGEST_FIELD and (name != "query_id" or value != query_id))
    }
    return found or NO_FIELDS


def read_outside_scores(value: object, retrieved: Passages | None, place: str) -> Mapping[str, Any] | None:
    """The numbers of another tool by name, and not those of the retrieved documents by id."""
    if isinstance(value, Mapping) and value and retrieved is not None and set(map(str, value)) <= set(retrieved.ids):
        advice = 'a list in the order of the retrieved documents, or as the retrieved documents themselves, {"d1": 0.9}'
        raise DataError(f"{place}: the scores are by document id; write them as {advice}")
    if value is None or value == "" or isinstance(value, Mapping):
        return value or None  # type: ignore[return-value]
    said = "the scores must be an object of names and numbers, as in other records"
    raise DataError(f"{place}: {said}, not {show(value)}")


def retrieved_passages(parts: Mapping[str, Any], place: str, doc_id: str | None) -> Passages | None:
    if parts["retrieved"] is None:
        return None
    found, scores = read_passages(parts["retrieved"], place, doc_id=doc_id, lenient=True), parts["scores"]
    if scores is None:
        return found
    if not isinstance(scores, list):
        raise DataError(f"{place}: the scores must be a list, not {show(scores)}")
    check_length(len(scores), "scores", found, place)
    return found._replace(scores=read_passages(list(zip(found.ids, scores, strict=True)), place).scores)


def check_length(number: int, part: str, retrieved: Passages, place: str) -> None:
    if number != len(retrieved.ids):
        raise DataError(f"{place}: {count(len(retrieved.ids), 'retrieved id')} but {number} {part}")


def as_lists(value: Any, place: str, depth: int = 0) -> Any:  # noqa: ANN401 - whatever the record holds
    """Arrays and tuples as lists, also inside each other."""
    if value is None or type(value) is str:
        return value
    if type(value) is list and PLAIN.issuperset(map(type, value)):
        return list(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return value
    if depth == DEEPEST:
        raise DataError(f"{place}: lists nested more than {DEEPEST} levels deep")
    return [as_lists(each, place, depth + 1) for each in value]


def optional_text(parts: Mapping[str, Any], part: str, place: str) -> str | None:
    value = parts[part]
    if value is not None and not isinstance(value, str):
        raise DataError(f"{place}: the {part} must be a string, not {show(value)}")
    return None if value is None else replace_surrogates(value)


def optional_texts(parts: Mapping[str, Any], part: str, place: str) -> tuple[str, ...] | None:
    """Texts in a list, or in lists of lists; a single reference needs none. None is no reference, or an empty text."""
    value = parts[part]
    if value is None:
        return None
    if isinstance(value, str) and part == "references":
        value = [value]
    if not isinstance(value, list):
        raise DataError(f"{place}: {part} must be a list of strings, not {show(value)}")
    if TEXT.issuperset(map(type, value)):
        return tuple(map(replace_surrogates, value))
    flat = [inner for each in value for inner in (each if isinstance(each, list) else [each])]
    for each in flat:
        if each is not None and not isinstance(each, str):
            raise DataError(f"{place}: {part} must be strings, not {show(each)}")
    return tuple(replace_surrogates(each or "") for each in flat if each is not None or part != "references")
