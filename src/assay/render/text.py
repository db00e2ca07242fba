"""A table for a terminal, of a given width if there is one: nothing is cut off.

Long names are folded over several lines, columns that do not fit go below in a block of their own under the same names,
and the text below the table is wrapped.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from textwrap import wrap

from assay.core.text import printable
from assay.render.table import Marked, Table, lines_below, shown, texts

GAP = 2
# A folded name keeps at least this many characters on a line.
FEWEST = 8
BREAKS = "-_./ "


def terminal_width() -> int | None:
    """How wide the terminal is; None if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None


def to_text(table: Table, most: int | None = None) -> str:
    """The table as text, no wider than `most` columns; as wide as it is without a limit."""
    heads = [printable(column.name) for column in table.columns]
    cells = [list(map(printable, row)) for row in texts(table, shown)]
    widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)]
    # A column whose numbers are followed by marks is left-aligned.
    left = [
        column.is_text or any(isinstance(row[at], Marked) for row in table.rows)
        for at, column in enumerate(table.columns)
    ]
    # The columns of text at the beginning name the rows.
    flags = [column.is_text for column in table.columns]
    keys = flags.index(False) if False in flags else min(1, len(flags))
    room = sum(widths) + GAP * len(widths)
    if most is not None:
        widths[:keys] = shrink(widths[:keys], max(most // 2, keys * (FEWEST + GAP)))
        room = most - sum(widths[:keys]) - GAP * keys
    parts = []
    for block in blocks_of(widths[keys:], room) if heads else ():
        chosen = [*range(keys), *(keys + at for at in block)]
        sizes = [min(widths[at], max(room, FEWEST)) if at >= keys else widths[at] for at in chosen]
        rows = [[row[at] for at in chosen] for row in (heads, *cells)]
        head, *lines = [row_lines(row, sizes, [left[at] for at in chosen]) for row in rows]
        rule = "─" * (sum(sizes) + GAP * (len(sizes) - 1))
        parts.append("\n".join([*head, rule, *(line for each in lines for line in each)]))
    below = [wrapped(printable(text), most) for text in lines_below(table, "note: ")]
    return "\n\n".join([*parts, *(["\n".join(below)] if below else [])]) + "\n"


def wrapped(text: str, most: int | None, indent: str = "  ") -> str:
    """A text in lines of at most `most` columns, if there is a limit; only a longer word is wider."""
    if most is None:
        return text
    return "\n".join(wrap(text, most, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def shrink(widths: Sequence[int], most: int) -> list[int]:
    """Widths that sum to at most `most`, taken from the widest."""
    sizes = list(widths)
    while sum(sizes) + GAP * len(sizes) > most and max(sizes) > FEWEST:
        sizes[sizes.index(max(sizes))] -= 1
    return sizes


def blocks_of(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns, by number, that fit beside each other."""
    blocks: list[list[int]] = [[]]
    used = 0
    for number, size in enumerate(widths):
        if blocks[-1] and used + size > room:
            blocks.append([])
            used = 0
        blocks[-1].append(number)
        used += size + GAP
    return blocks


def row_lines(row: Sequence[str], sizes: Sequence[int], left: Sequence[bool]) -> list[str]:
    """One row of a table in as many lines as its longest cell takes."""
    folded = [fold(text, size) for text, size in zip(row, sizes, strict=True)]
    lines = []
    for number in range(max(map(len, folded))):
        parts = []
        for pieces, size, is_left in zip(folded, sizes, left, strict=True):
            text = pieces[number] if number < len(pieces) else ""
            blanks = " " * (size - width(text))
            parts.append(text + blanks if is_left else blanks + text)
        lines.append((" " * GAP).join(parts).rstrip())
    return lines


def fold(text: str, most: int) -> list[str]:
    """A text in pieces of at most `most` columns, broken after a separator if there is one in the second half.

    >>> fold("bm25-title-expanded", 12), fold("abcdefgh", 5)
    (['bm25-title-', 'expanded'], ['abcde', 'fgh'])
    """
    pieces = []
    while width(text) > most:
        cut = max(1, next(at for at in range(len(text) + 1) if width(text[: at + 1]) > most))
        best = max((text.rfind(each, 0, cut) + 1 for each in BREAKS), default=0)
        cut = best if best > cut // 2 else cut
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*pieces, text]


def width(text: str) -> int:
    r"""How many columns a text takes in a terminal: wide characters take two, combining marks none.

    >>> width("abc"), width("東京"), width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)
