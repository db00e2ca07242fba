"""Writes a table in one of the formats. Whatever came from a file is escaped for where it goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.text import printable
from assay.render.table import Cell, Column, Table, shown

if TYPE_CHECKING:
    from collections.abc import Callable

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{character: "\\" + character for character in "&%$#_{}"},
    }
)


def render(table: Table, format: str) -> str:
    """The table as text in the given format, with a line end."""
    return FORMATS[format](table)


def to_text(table: Table) -> str:
    """Aligned columns for a terminal."""
    cells = [
        [printable(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    heads = [printable(column.name) for column in table.columns]
    widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)]

    def line(values: list[str]) -> str:
        parts = []
        for value, wide, column in zip(values, widths, table.columns, strict=True):
            blanks = " " * (wide - width(value))
            parts.append(value + blanks if column.is_text else blanks + value)
        return "  ".join(parts).rstrip()

    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    below = [printable(text) for text in ([table.caption] if table.caption else [])]
    below += [f"note: {printable(note)}" for note in table.notes]
    lines = [line(heads), rule, *(line(row) for row in cells), *([""] if below else []), *below]
    return "\n".join(lines) + "\n"


def width(text: str) -> int:
    r"""How many columns of a terminal a text takes: wide characters take two, marks on others none.

    >>> width("abc"), width("東京"), width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def to_markdown(table: Table) -> str:
    """A pipe table, as GitHub and notebooks read it."""

    def line(values: list[str]) -> str:
        return "| " + " | ".join(values) + " |"

    rules = ["---" if column.is_text else "---:" for column in table.columns]
    rows = [
        [markdown(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    lines = [line([markdown(column.name) for column in table.columns]), line(rules), *map(line, rows)]
    below = ([table.caption] if table.caption else []) + [f"Note: {note}" for note in table.notes]
    return "\n".join([*lines, *(part for text in below for part in ("", markdown(text)))]) + "\n"


def markdown(text: str) -> str:
    from html import escape

    escaped = escape(printable(text), quote=False)
    return "".join("\\" + character if character in "\\|`*_[]~$" else character for character in escaped)


def to_latex(table: Table) -> str:
    """A booktabs table."""
    align = "".join("l" if column.is_text else "r" for column in table.columns)
    heads = " & ".join(latex(column.name) for column in table.columns)
    rows = [
        " & ".join(latex(shown(cell, column)) for cell, column in zip(row, table.columns, strict=True)) + r" \\"
        for row in table.rows
    ]
    caption = ". ".join(text for text in (table.caption, *table.notes) if text)
    lines = [
        r"\begin{table}",
        r"  \centering",
        *([f"  \\caption{{{latex(caption)}}}"] if caption else []),
        f"  \\begin{{tabular}}{{{align}}}",
        r"    \toprule",
        f"    {heads} " + r"\\",
        r"    \midrule",
        *(f"    {row}" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex(text: str) -> str:
    return printable(text).translate(LATEX)


def to_html(table: Table) -> str:
    """A table for notebooks."""
    from html import escape

    def cell(tag: str, text: str, column: Column) -> str:
        side = "left" if column.is_text else "right"
        return f'<{tag} style="text-align:{side}">{escape(printable(text))}</{tag}>'

    head = "".join(cell("th", column.name, column) for column in table.columns)
    body = "".join(
        "<tr>"
        + "".join(cell("td", shown(value, column), column) for value, column in zip(row, table.columns, strict=True))
        + "</tr>"
        for row in table.rows
    )
    below = "".join(f"<p>{escape(printable(text))}</p>" for text in [table.caption, *table.notes] if text)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}\n"


def to_csv(table: Table) -> str:
    """Comma-separated values with every digit."""
    return separated(table, ",")


def to_tsv(table: Table) -> str:
    """Tab-separated values with every digit."""
    return separated(table, "\t")


def separated(table: Table, delimiter: str) -> str:
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows([["" if is_missing(cell) else cell for cell in row] for row in table.rows])
    return buffer.getvalue()


def to_json(table: Table) -> str:
    """A list of records with every digit."""
    import json

    names = [column.name for column in table.columns]
    records = [
        {name: None if is_missing(cell) else cell for name, cell in zip(names, row, strict=True)} for row in table.rows
    ]
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def is_missing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


FORMATS: dict[str, Callable[[Table], str]] = {
    "table": to_text,
    "tsv": to_tsv,
    "csv": to_csv,
    "json": to_json,
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}
