"""A table as plain data: columns, rows of values, and lines to stand below it."""

from __future__ import annotations

import math
from typing import NamedTuple

Cell = str | float | int | None


class Column(NamedTuple):
    """A column's heading, and how its numbers are written for people."""

    name: str
    digits: int = 4
    is_text: bool = False


class Table(NamedTuple):
    """Columns and rows, with a caption and notes."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()


def shown(cell: Cell, column: Column) -> str:
    """A cell as people read it. Numbers are rounded here and nowhere before.

    >>> shown(0.123456, Column("mean")), shown(None, Column("low")), shown(float("nan"), Column("mean"))
    ('0.1235', '', 'undefined')
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return "undefined" if math.isnan(cell) else f"{cell:.{column.digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell
