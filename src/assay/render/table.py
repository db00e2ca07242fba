"""A table as plain data: columns, rows, a caption and notes; and the table of systems that papers print."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
        """The marks of the systems it beats, joined; with commas if some have two letters."""
        return ("" if all(len(mark) == 1 for mark in self.beats) else ",").join(self.beats)


Cell = str | float | int | None | Marked


class Column(NamedTuple):
    """A column's heading, and how its numbers are written for people."""

    name: str
    digits: int = 4
    is_text: bool = False


class Table(NamedTuple):
    """Columns and rows, with a caption and notes. `hint` follows the caption, except in a paper."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    hint: str = ""


def shown(cell: Cell, column: Column) -> str:
    """A cell as people read it. Numbers are rounded here and nowhere before.

    >>> shown(0.123456, Column("mean")), shown(None, Column("low")), shown(float("nan"), Column("mean"))
    ('0.1235', '', 'undefined')
    >>> shown(Marked(0.5, 0, ("a", "c")), Column("mean"))
    '0.5000 ac'
    """
    if isinstance(cell, Marked):
        return f"{cell.number} {cell.marks}".rstrip()
    if cell is None:
        return ""
    if isinstance(cell, float):
        return "undefined" if math.isnan(cell) else f"{cell:.{column.digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def system_table(systems: Mapping[str, str], columns: Mapping[str, Sequence[Marked]], caption: str) -> Table:
    """One row per system, under its mark and its name, and one column per measure."""
    heads = (Column("", is_text=True), Column("run", is_text=True), *map(Column, columns))
    rows = zip(systems.values(), systems, *columns.values(), strict=True)
    return Table(heads, tuple(rows), caption)


def marks_of(systems: Sequence[str]) -> dict[str, str]:
    """A mark for each system: a to z, then aa, ab and so on.

    >>> marks_of(["bm25", "dense"])
    {'bm25': 'a', 'dense': 'b'}
    """
    marks = {}
    for index, system in enumerate(systems):
        mark, rest = "", index
        while rest >= 0:
            mark = chr(ord("a") + rest % 26) + mark
            rest = rest // 26 - 1
        marks[system] = mark
    return marks
