"""A table of systems and measures as papers print it: the best bold, the second underlined, marks of what is beaten."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from assay.core.text import printable
from assay.render.formats import latex, markdown
from assay.render.table import Column, Table, shown


class Cell(NamedTuple):
    """A mean, its place in the column (0 for the best), the marks of the systems that it beats, and its digits."""

    value: float
    place: int
    beats: tuple[str, ...]
    digits: int = 4


class Grid(NamedTuple):
    """Rows are a mark and a name each; columns are cells by heading."""

    rows: list[tuple[str, str]]
    columns: dict[str, list[Cell]]
    caption: str
    notes: tuple[str, ...] = ()


def letters(number: int) -> list[str]:
    """So many marks: a to z, then aa, ab and so on.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    marks = []
    for index in range(number):
        mark, rest = "", index
        while rest >= 0:
            mark = chr(ord("a") + rest % 26) + mark
            rest = rest // 26 - 1
        marks.append(mark)
    return marks


def joined(beats: tuple[str, ...]) -> str:
    """Marks in one word where each is a letter, else apart."""
    return ("" if all(len(mark) == 1 for mark in beats) else ",").join(beats)


def number(cell: Cell) -> str:
    return shown(cell.value, Column("", cell.digits))


def grid_table(grid: Grid) -> Table:
    """The grid as a plain table, marks behind the numbers."""
    texts = {
        heading: [f"{number(cell)} {joined(cell.beats)}".rstrip() for cell in cells]
        for heading, cells in grid.columns.items()
    }
    columns = (Column("", is_text=True), Column("run", is_text=True), *(Column(each, is_text=True) for each in texts))
    rows = tuple((*row, *(texts[heading][place] for heading in texts)) for place, row in enumerate(grid.rows))
    return Table(columns, rows, grid.caption, grid.notes)


def grid_markdown(grid: Grid) -> str:
    """A pipe table, as GitHub and notebooks read it."""

    def line(values: list[str]) -> str:
        return "| " + " | ".join(values) + " |"

    def cell(each: Cell) -> str:
        text = f"**{number(each)}**" if each.place == 0 else number(each)
        return text + (f" <sup>{joined(each.beats)}</sup>" if each.beats else "")

    rows = [
        [mark, markdown(name), *(cell(cells[place]) for cells in grid.columns.values())]
        for place, (mark, name) in enumerate(grid.rows)
    ]
    heads = ["", "run", *map(markdown, grid.columns)]
    rules = ["---", "---", *("---:" for _ in grid.columns)]
    below = [grid.caption, *(f"Note: {note}" for note in grid.notes)]
    parts = [part for text in below for part in ("", markdown(text))]
    return "\n".join([line(heads), line(rules), *map(line, rows), *parts]) + "\n"


def grid_latex(grid: Grid) -> str:
    """A booktabs table."""

    def cell(each: Cell) -> str:
        styles = {0: r"\textbf{%s}", 1: r"\underline{%s}"}
        text = styles.get(each.place, "%s") % number(each)
        return text + (f"$^{{{joined(each.beats)}}}$" if each.beats else "")

    heads = ["", "run", *grid.columns]
    rows = [
        [latex(mark), latex(name), *(cell(cells[place]) for cells in grid.columns.values())]
        for place, (mark, name) in enumerate(grid.rows)
    ]
    caption = ". ".join(text.rstrip(".") for text in (grid.caption, *grid.notes))
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{latex(caption)}}}",
        f"  \\begin{{tabular}}{{ll{'r' * len(grid.columns)}}}",
        r"    \toprule",
        f"    {' & '.join(map(latex, heads))} " + r"\\",
        r"    \midrule",
        *(f"    {' & '.join(row)} " + r"\\" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def grid_html(grid: Grid) -> str:
    """A table for notebooks."""

    def text(value: str) -> str:
        return escape(printable(value))

    def cell(each: Cell) -> str:
        styles = {0: "<b>%s</b>", 1: "<u>%s</u>"}
        marks = f"<sup>{text(joined(each.beats))}</sup>" if each.beats else ""
        return f'<td style="text-align:right">{styles.get(each.place, "%s") % text(number(each))}{marks}</td>'

    head = "".join(f"<th>{text(heading)}</th>" for heading in ("", "run", *grid.columns))
    body = "".join(
        f"<tr><td>{text(mark)}</td><td>{text(name)}</td>"
        + "".join(cell(cells[place]) for cells in grid.columns.values())
        + "</tr>"
        for place, (mark, name) in enumerate(grid.rows)
    )
    below = "".join(f"<p>{text(line)}</p>" for line in (grid.caption, *grid.notes))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}\n"
