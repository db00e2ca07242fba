"""A table as plain data: columns, rows, a caption and notes; and the table of systems that papers print."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count, product
from string import ascii_lowercase
from typing import Any, NamedTuple

from assay.core.errors import PolicyError
from assay.core.policies import check_whole
from assay.core.text import show

# A float has no more.
MOST_DIGITS = 17
# Values that differ by less than this share of them are equal.
ROUNDING = 1e-9


class Marked(NamedTuple):
    """A number of a system: its place in the column (0 for the best), the systems it beats, and its digits."""

    value: float
    place: int
    beats: tuple[str, ...] = ()
    digits: int = 4

    @property
    def number(self) -> str:
        return shown(self.value, Column("", self.digits))

    @property
    def marks(self) -> str:
        """The marks of the systems it beats, joined; with commas if some have two letters, or if there are ranges.

        >>> Marked(0.5, 0, ("a", "c")).marks, Marked(0.5, 0, ("b", "d", "e", "f", "g")).marks
        ('ac', 'b,d-g')
        """
        parts = ranges(self.beats)
        return ("" if all(len(part) == 1 for part in parts) else ",").join(parts)


# Marks in a row that are written as a range.
LEAST_RANGE = 4


class Ranged(NamedTuple):
    """A number with the bounds of its interval, or None where it has none."""

    value: float | int
    low: float | None
    high: float | None


class Named(NamedTuple):
    """The name of a measure as it was written, and as papers write it."""

    name: str
    symbol: str


Cell = str | float | int | None | Marked | Ranged | Named


class Column(NamedTuple):
    """A column's heading, and how its numbers are written for people. `symbol` is the heading in a paper."""

    name: str
    digits: int = 4
    is_text: bool = False
    symbol: str = ""


class Table(NamedTuple):
    """Columns and rows, with a caption and notes. `hint` follows the caption, except in a paper.

    `legend` explains the cells. `title` is a caption that someone chose: it comes before the caption, and in LaTeX
    takes its place. `label` is for references in LaTeX.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    hint: str = ""
    legend: str = ""
    title: str = ""
    label: str = ""

    def styled(self, digits: int | None = None, caption: str | None = None, label: str | None = None) -> Table:
        """The table with this many digits, under a caption and a label of one's own."""
        for name, text in (("caption", caption), ("label", label)):
            if text is not None and not isinstance(text, str):
                raise PolicyError(f"{name} must be a string, not {show(text)}")
        table = self._replace(title=caption or "", label=label or "")
        if digits is None:
            return table
        check_whole("digits", digits, 0, MOST_DIGITS)
        rows = [
            tuple(cell._replace(digits=digits) if isinstance(cell, Marked) else cell for cell in row)
            for row in self.rows
        ]
        columns = [column._replace(digits=digits) for column in self.columns]
        return table._replace(columns=tuple(columns), rows=tuple(rows))


def shown(cell: Cell, column: Column) -> str:
    """A cell as people read it. Numbers are rounded here and nowhere before.

    >>> shown(0.123456, Column("mean")), shown(None, Column("low")), shown(float("nan"), Column("mean"))
    ('0.1235', '', 'undefined')
    >>> shown(Ranged(0.5, 0.375, 0.75), Column("rr", digits=2)), shown(Ranged(0.5, None, None), Column("rr"))
    ('0.50 ± 0.19', '0.5000')
    >>> shown(Marked(0.5, 0, ("a", "c")), Column("mean"))
    '0.5000 ac'
    """
    if isinstance(cell, Marked):
        return f"{cell.number} {cell.marks}".rstrip()
    if isinstance(cell, Ranged):
        around = "" if cell.low is None or cell.high is None else f" ± {shown((cell.high - cell.low) / 2, column)}"
        return shown(cell.value, column) + around
    if isinstance(cell, Named):
        return cell.name
    if cell is None:
        return ""
    if isinstance(cell, float):
        return "undefined" if math.isnan(cell) else f"{cell:.{column.digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def texts(table: Table, write: Callable[[Cell, Column], str]) -> list[list[str]]:
    """The cells as text, row by row."""
    return [[write(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows]


def lines_below(table: Table, prefix: str = "", styles: dict[int, str] | None = None) -> list[str]:
    """The captions and what the cells mean, with the hint, and the notes."""
    places = {cell.place for row in table.rows for cell in row if isinstance(cell, Marked)}
    words = {0: "best in bold", 1: "second best underlined"}
    styled = ", ".join(word for place, word in words.items() if place in places and place in (styles or {}))
    legend = sentences(table.legend, styled[:1].upper() + styled[1:])
    if table.hint:
        # A caption with a hint says how the numbers were computed; what they are comes before it.
        said = [sentences(table.title, legend), f"{table.caption}, {table.hint}"]
    else:
        said = [sentences(table.title, table.caption, legend)]
    return [*filter(None, said), *(f"{prefix}{note}" for note in table.notes)]


def sentences(*texts: str) -> str:
    """Texts one after the other, with a full stop between them."""
    *first, last = [text for text in texts if text] or [""]
    return "".join(f"{text.rstrip('.')}. " for text in first) + last


def finite(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    """A value as JSON can hold it: None for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ranges(marks: Sequence[str]) -> list[str]:
    """Marks in order, with a range for four or more in a row."""
    parts: list[list[str]] = []
    last = 0
    for number, mark in sorted((number_of(mark), mark) for mark in marks):
        if not parts or number != last + 1:
            parts.append([])
        parts[-1].append(mark)
        last = number
    return [text for part in parts for text in ([f"{part[0]}-{part[-1]}"] if len(part) >= LEAST_RANGE else part)]


def number_of(mark: str) -> int:
    """The place of a mark in the order of `marks_of`, from 1."""
    return sum((ord(letter) - ord("a") + 1) * 26**place for place, letter in enumerate(reversed(mark)))


def system_table(systems: Mapping[str, str], columns: Mapping[Column, Sequence[Marked]], caption: str) -> Table:
    """One row per system, under its mark and its name, and one column per measure."""
    heads = (Column("", is_text=True), Column("run", is_text=True), *columns)
    return Table(heads, tuple(zip(systems.values(), systems, *columns.values(), strict=True)), caption)


def places_of(values: Sequence[float]) -> list[int]:
    """The place of each value, 0 for the highest; values that differ only by rounding share one, NaN has none.

    >>> places_of([0.5, 0.7, float("nan"), 0.5])
    [1, 0, -1, 1]
    """
    places = [-1] * len(values)
    place, last = -1, math.nan
    known = [number for number, value in enumerate(values) if not math.isnan(value)]
    for number in sorted(known, key=lambda each: -values[each]):
        if not math.isclose(values[number], last, rel_tol=ROUNDING):
            place, last = place + 1, values[number]
        places[number] = place
    return places


def marks_of(systems: Sequence[str]) -> dict[str, str]:
    """A mark for each system: a to z, then aa, ab and so on.

    >>> marks_of(["bm25", "dense"])
    {'bm25': 'a', 'dense': 'b'}
    """
    marks = ("".join(letters) for size in count(1) for letters in product(ascii_lowercase, repeat=size))
    return dict(zip(systems, marks, strict=False))
