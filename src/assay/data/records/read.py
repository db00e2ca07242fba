"""Records from a file, a frame or Python objects.

Most rows of a file look alike: ids and texts, and lists of these. A field of many rows is then looked at as a whole,
which takes much less time than to look at each value by itself, and no row is held as a dict.
"""

from __future__ import annotations

import gc
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple

from assay._kernel import SharedStrings
from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.data.formats import JSON_LINES
from assay.data.formats.jsonl import WIDEST, record_blocks
from assay.data.formats.tabular import Placed
from assay.data.passages import TEXT, Passages
from assay.data.records.fields import USUAL, Layout, RecordFields, file_format, file_rows, find_layout, given_rows
from assay.data.records.record import LONGEST_FIELD, NO_FIELDS, SHORT, Record, make_record, short_fields
from assay.data.texts import replace_surrogates
from assay.files.source import Source, is_source, open_source

# Rows that are made into records at a time.
STEP = 1000
TEXTS, LISTS = frozenset({str, type(None)}), frozenset({list, type(None)})
Values = list[Any]


class Records(NamedTuple):
    """Records, whether their ids are their own or just numbers, and the fields that were read."""

    each: list[Record]
    have_ids: bool = True
    fields: frozenset[str] = frozenset()

    @property
    def rising(self) -> list[str]:
        """The questions whose scores contradict the order of what was retrieved."""
        found = ((each.query_id, each.retrieved) for each in self.each if each.retrieved is not None)
        return [query for query, passages in found if passages.is_list and passages.rises]


def read_records(data: object, wanted: RecordFields = USUAL, name: str = "the records") -> Records:
    """The records in a file, a frame or Python objects."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            return read_record_file(source, wanted)
    return make_records(given_rows(data, name), wanted, name)


def read_record_file(source: Source, wanted: RecordFields, content: object = None) -> Records:
    """The records in a file; `content` is that of a JSON file, if it was read before."""
    columns = read_columns(source) if wanted.short and content is None and file_format(source) is JSON_LINES else None
    if columns is not None and columns.places.numbers:
        return records_of_columns(columns, wanted, source.name)
    return make_records(file_rows(source, wanted.plain_text, content), wanted, source.name)


def make_records(rows: list[Placed], wanted: RecordFields, name: str) -> Records:
    """The records in rows, each question once; the rows are given up one by one, so that nothing is held twice."""
    if not rows:
        raise DataError(f"{name}: no records to evaluate")
    every = dict.fromkeys(chain.from_iterable(row.fields for row in rows))
    layout = find_layout(every, lambda field: (row.fields.get(field) for row in rows), wanted, name)
    records: list[Record] = []
    rows.reverse()
    while rows:
        records.append(make_record(rows.pop(), len(records), layout, wanted))
    return check_records(records, layout, name)


def records_of_columns(columns: RecordColumns, wanted: RecordFields, name: str) -> Records:
    """The same for rows that are held by field: many at once where they are as usual, else one by one."""
    places = columns.places
    layout = find_layout(columns.fields, columns.fields.__getitem__, wanted, name)
    records: list[Record] = []
    places.are_named = "query_id" in layout.found
    for start in range(0, len(places.numbers), STEP):
        rows = range(len(places.numbers))[start : start + STEP]
        parts = None if layout.outside else plain_parts(columns.some(rows, layout.found))
        if parts is None:
            records += [make_record(columns.row(row), row, layout, wanted) for row in rows]
        else:
            records += plain_records(parts, columns, rows)
        places.ids += [each.query_id for each in records[start:]]
        columns.forget(rows)
    return check_records(records, layout, name)


def plain_records(parts: Mapping[str, list[Any]], columns: RecordColumns, rows: range) -> Iterator[Record]:
    ids = parts["query_id"] if "query_id" in parts else list(map(str, rows))
    short = all_short_fields(columns, rows, ids)
    own = {**parts, "query_id": ids, "where": repeat(columns.places, len(ids)), "fields": short}
    return map(Record._make, zip(*(own.get(part, repeat(None, len(ids))) for part in Record._fields), strict=True))


def all_short_fields(columns: RecordColumns, rows: range, ids: list[str]) -> list[Mapping[str, Any]]:
    def may_be_short(values: Values) -> bool:
        kinds = set(map(type, values))
        return min(map(len, values)) <= LONGEST_FIELD if kinds == TEXT else not kinds.isdisjoint(SHORT)

    some = {name: values for name, values in columns.some(rows).items() if may_be_short(values)}
    if some.get("query_id") == ids:
        del some["query_id"]
    if not some:
        return [NO_FIELDS] * len(ids)
    each = (dict(zip(some, values, strict=True)) for values in zip(*some.values(), strict=True))
    return list(map(short_fields, each, ids))


def check_records(records: list[Record], layout: Layout, name: str) -> Records:
    if len({each.query_id for each in records}) < len(records):
        repeated = show(next(key for key, times in Counter(each.query_id for each in records).items() if times > 1))
        raise DuplicateError(f"{name}: duplicate question id {repeated}; keep one record per question")
    outside = [layout.outside] if layout.outside else []
    return Records(records, "query_id" in layout.found, frozenset({*layout.found.values(), *outside}))


class RecordColumns(NamedTuple):
    """The values of each field, None in rows that lack it, and where the rows are."""

    fields: dict[str, Values]
    places: RecordPlaces

    def row(self, row: int) -> Placed:
        return Placed(self.places.line(row), {name: values[row] for name, values in self.fields.items()})

    def some(self, rows: range, parts: Mapping[str, str] | None = None) -> dict[str, Values]:
        """Some rows: all fields, or those that hold parts, by the names of these."""
        wanted = zip(self.fields, self.fields, strict=True) if parts is None else parts.items()
        return {name: self.fields[field][rows.start : rows.stop] for name, field in wanted}

    def forget(self, rows: range) -> None:
        for values in self.fields.values():
            values[rows.start : rows.stop] = [None] * len(rows)


@dataclass
class RecordPlaces:
    """The line of each row, the first row and the name of each file, and the ids: looked up only for a message."""

    numbers: array[int] = field(default_factory=lambda: array("q"))
    firsts: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    are_named: bool = False

    @cached_property
    def rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids)}

    def line(self, row: int) -> str:
        return f"{self.names[bisect_right(self.firsts, row) - 1]}, line {self.numbers[row]}"

    def of(self, name: str) -> str:
        line = self.line(self.rows[name])
        return f"{line} ({show(name)})" if self.are_named else line


def read_columns(source: Source) -> RecordColumns | None:
    places, shared = RecordPlaces(), SharedStrings()
    fields: dict[str, Values] = {}
    for file in source.files:
        places.firsts.append(len(places.numbers))
        places.names.append(file.name)
        for numbers, block in record_blocks(file, shared):
            rows = list(block)
            for name in dict.fromkeys(chain.from_iterable(rows)):
                if name not in fields:
                    fields[name] = [None] * len(places.numbers)
            if len(fields) > WIDEST:
                return None
            for name, values in fields.items():
                values += [row.get(name) for row in rows]
            places.numbers.extend(numbers)
    return RecordColumns(fields, places)


def plain_parts(parts: Mapping[str, Values]) -> dict[str, Values] | None:
    found: dict[str, Values] = {}
    for part, values in parts.items():
        if part not in PLAIN_PARTS or (plain := PLAIN_PARTS[part](values)) is None:
            return None
        found[part] = plain
    passages, texts = found.get("retrieved"), found.get("retrieved_texts")
    if passages is None or texts is None:
        return found
    both = zip(passages, texts, strict=True)
    return None if any(None not in each and len(each[0].ids) != len(each[1]) for each in both) else found


def flat(values: Values) -> Iterable[Any]:
    return chain.from_iterable(filter(None, values))


def plain_ids(values: Values) -> Values | None:
    return values if TEXT.issuperset(map(type, values)) and all(values) and "".join(values).isascii() else None


def plain_texts(values: Values) -> Values | None:
    if not TEXTS.issuperset(map(type, values)):
        return None
    return [each if each is None or each.isascii() else replace_surrogates(each) for each in values]


def plain_gold(values: Values) -> Values | None:
    return values if LISTS.issuperset(map(type, values)) and TEXT.issuperset(map(type, flat(values))) else None


def plain_passages(values: Values) -> Values | None:
    """Lists of ids that are text, each as it is."""
    if not LISTS.issuperset(map(type, values)) or plain_ids(list(flat(values))) is None:
        return None
    return [None if each is None else Passages(each) for each in values]


def plain_lists(values: Values) -> Values | None:
    if plain_gold(values) is None:
        return None
    if all(map(str.isascii, flat(values))):
        return [None if each is None else tuple(each) for each in values]
    return [None if each is None else tuple(map(replace_surrogates, each)) for each in values]


PLAIN_PARTS: dict[str, Callable[[Values], Values | None]] = {
    "query_id": plain_ids,
    "question": plain_texts,
    "gold": plain_gold,
    "retrieved": plain_passages,
    "retrieved_texts": plain_lists,
    "gold_texts": plain_lists,
    "answer": plain_texts,
    # A single text needs no list.
    "references": lambda values: plain_lists([[each] if type(each) is str else each for each in values]),
}


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Does not search for cycles inside the context: the time would grow with the square of the objects made."""
    resume = gc.enable if gc.isenabled() else gc.disable
    gc.disable()
    try:
        yield
    finally:
        resume()
