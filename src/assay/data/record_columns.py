"""The rows of many records by field, and their parts as records have them.

Most rows of a file look alike: ids and texts, and lists of these. A field of many rows is then looked at as a whole,
which takes much less time than to look at each value by itself, and no row is held as a dict.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from assay._kernel import SharedStrings
from assay.core.text import show
from assay.data.formats.jsonl import WIDEST, record_blocks
from assay.data.source import Placed
from assay.data.texts import TEXT, Passages, replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.data.source import Source

NOTHING = type(None)
TEXTS = frozenset({str, NOTHING})
LISTS = frozenset({list, NOTHING})
Values = list[Any]


class RowLines(NamedTuple):
    """The line of each row, the first row of each file, and the names of the files."""

    numbers: array[int]
    firsts: list[int]
    names: list[str]

    def place(self, row: int) -> str:
        """Where a row is, for messages."""
        return f"{self.names[bisect_right(self.firsts, row) - 1]}, line {self.numbers[row]}"


class RecordColumns(NamedTuple):
    """The values of each field, None in rows that lack it, and where the rows are."""

    fields: dict[str, Values]
    lines: RowLines

    @property
    def size(self) -> int:
        return len(self.lines.numbers)

    def row(self, row: int) -> Placed:
        """A row by itself."""
        return Placed(self.lines.place(row), {name: values[row] for name, values in self.fields.items()})

    def some(self, rows: range, parts: Mapping[str, str] | None = None) -> dict[str, Values]:
        """Some rows: all fields, or those that hold parts, by the names of these."""
        wanted = zip(self.fields, self.fields, strict=True) if parts is None else parts.items()
        return {name: self.fields[field][rows.start : rows.stop] for name, field in wanted}

    def forget(self, rows: range) -> None:
        """Gives up rows that are not needed again."""
        for values in self.fields.values():
            values[rows.start : rows.stop] = [None] * len(rows)


@dataclass
class RecordPlaces:
    """Where the records of files are, by their ids: the line of one is looked up only if a message needs it."""

    lines: RowLines
    are_named: bool
    ids: list[str] = field(default_factory=list)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each record."""
        return {name: row for row, name in enumerate(self.ids)}

    def of(self, name: str) -> str:
        """Where a record is."""
        place = self.lines.place(self.rows[name])
        return f"{place} ({show(name)})" if self.are_named else place


def read_columns(source: Source) -> RecordColumns | None:
    """The records of JSON Lines; None if they have so many fields that they are not a table."""
    lines, shared = RowLines(array("q"), [], []), SharedStrings()
    fields: dict[str, Values] = {}
    for file in source.files:
        lines.firsts.append(len(lines.numbers))
        lines.names.append(file.name)
        for numbers, block in record_blocks(file, shared):
            rows = list(block)
            for name in dict.fromkeys(chain.from_iterable(rows)):
                if name not in fields:
                    fields[name] = [None] * len(lines.numbers)
            if len(fields) > WIDEST:
                return None
            for name, values in fields.items():
                values += [row.get(name) for row in rows]
            lines.numbers.extend(numbers)
    return RecordColumns(fields, lines)


def plain_parts(parts: Mapping[str, Values]) -> dict[str, Values] | None:
    """The parts of some rows as records have them; None if the rows have to be looked at one by one."""
    found: dict[str, Values] = {}
    for part, values in parts.items():
        plain = PLAIN_PARTS[part](values) if part in PLAIN_PARTS else None
        if plain is None:
            return None
        found[part] = plain
    passages, texts = found.get("retrieved"), found.get("retrieved_texts")
    if passages is None or texts is None:
        return found
    both = zip(passages, texts, strict=True)
    return None if any(None not in each and len(each[0].ids) != len(each[1]) for each in both) else found


def flat(values: Values) -> Iterable[Any]:
    """What is in lists."""
    return chain.from_iterable(filter(None, values))


def plain_ids(values: Values) -> Values | None:
    """Ids that are text, each as it is."""
    return values if TEXT.issuperset(map(type, values)) and all(values) and "".join(values).isascii() else None


def plain_texts(values: Values) -> Values | None:
    if not TEXTS.issuperset(map(type, values)):
        return None
    return [each if each is None or each.isascii() else replace_surrogates(each) for each in values]


def plain_gold(values: Values) -> Values | None:
    """Lists of text."""
    is_plain = LISTS.issuperset(map(type, values)) and TEXT.issuperset(map(type, flat(values)))
    return values if is_plain else None


def plain_passages(values: Values) -> Values | None:
    """Lists of ids that are text, each as it is."""
    if not LISTS.issuperset(map(type, values)) or plain_ids(list(flat(values))) is None:
        return None
    return [None if each is None else Passages(each) for each in values]


def plain_references(values: Values) -> Values | None:
    """Lists of texts; a single text needs no list."""
    return plain_lists([[each] if type(each) is str else each for each in values])


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
    "references": plain_references,
}
