"""The output formats of results: JSON, CSV, TSV, Markdown, LaTeX, HTML, and text for a terminal.

Text from files is escaped for its destination. In a table of systems the best number of a column is bold and the
second underlined, in formats that support it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import PolicyError
from assay.core.text import printable, show
from assay.render.table import Cell, Column, Marked, Named, Ranged, Table, finite, lines_below, sentences, shown, texts
from assay.render.text import to_text

if TYPE_CHECKING:
    import pandas
    import polars

# Raised when a field of the JSON output is removed, renamed or changes its meaning; a field can be added.
JSON_VERSION = 1
# How LaTeX writes a character: as a command, as a symbol of mathematics, or after a backslash.
COMMANDS = {"\\": "textbackslash", "~": "textasciitilde", "^": "textasciicircum", "<": "textless", ">": "textgreater"}
COMMANDS |= {"|": "textbar", "…": "ldots"}
SYMBOLS = {"→": r"\rightarrow", "±": r"\pm", "≥": r"\geq", "≤": r"\leq", "α": r"\alpha", "✓": r"\surd", "−": "-"}
SYMBOLS |= {"×": r"\times"}
LATEX_SIGNS = str.maketrans(
    {sign: f"\\{name}{{}}" for sign, name in COMMANDS.items()}
    | {sign: f"${name}$" for sign, name in SYMBOLS.items()}
    | {sign: f"\\{sign}" for sign in "&%$#_{}"}
)
# Characters that mean nothing to LaTeX in a label.
LABEL = re.compile(r"[A-Za-z0-9:._/+-]+")


class Exports:
    """The output formats of a result, from its table and its `to_dict`."""

    def table(self) -> Table:
        """The table as plain data."""
        raise NotImplementedError

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars frame."""
        import polars

        table = self.table()
        names = [column.name for column in table.columns]
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(names)
        return polars.DataFrame(dict(zip(names, map(list, columns), strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        table = self.table()
        return json_fields("table") | {"rows": records(table), "caption": table.caption, "notes": list(table.notes)}

    def __str__(self) -> str:
        return render(self.table(), "table").rstrip("\n")

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """An HTML table, escaped, as notebooks show it."""
        return render(self.table(), "html")

    def to_markdown(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """A Markdown table, with this many digits and under this caption."""
        return render(self.table().styled(digits, caption), "markdown")

    def to_latex(self, *, digits: int | None = None, caption: str | None = None, label: str | None = None) -> str:
        r"""A LaTeX table in booktabs style, with this many digits, this caption, and this label for `\\ref`."""
        return render(self.table().styled(digits, caption, label), "latex")

    def to_csv(self) -> str:
        """Comma-separated values with every digit."""
        return render(self.table(), "csv")

    def to_tsv(self) -> str:
        """Tab-separated values with every digit."""
        return render(self.table(), "tsv")

    def to_json(self) -> str:
        """Everything, with every digit."""
        return write_json(self.to_dict())

    def to_pandas(self) -> pandas.DataFrame:
        """What `to_polars` gives, as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.to_polars().to_dict(as_series=False))


class View(Exports):
    """A table that prints itself, shows itself in a notebook, and can be exported in every format.

    >>> from assay.render import Column, Table
    >>> View(Table((Column("name", is_text=True), Column("value")), (("a", 0.5),))).to_polars().rows()
    [('a', 0.5)]
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __repr__(self) -> str:
        return str(self)

    def table(self) -> Table:
        return self._table


def render(table: Table, format: str) -> str:
    """The table as text in this format, with a final line end."""
    return FORMATS[format](table)


def write_json(plain: object) -> str:
    """Lists, dicts, texts and numbers as JSON."""
    import json

    return json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_fields(kind: str) -> dict[str, Any]:
    """What every JSON output begins with: the name of its schema, described in docs/json.md, and its version.

    >>> json_fields("gate")
    {'schema': 'assay/gate', 'version': 1}
    """
    return {"schema": f"assay/{kind}", "version": JSON_VERSION}


class Markup(NamedTuple):
    """How a language writes a text, the best and the second best number of a column, and the marks of a number."""

    escape: Callable[[str], str]
    styles: dict[int, str]
    superscript: str
    has_symbols: bool = True

    def cells(self, table: Table) -> list[list[str]]:
        """The cells row by row, with measures in symbols as papers write them."""

        def write(cell: Cell, column: Column) -> str:
            if isinstance(cell, Marked):
                marks = self.superscript % cell.marks if cell.beats else ""
                return self.styles.get(cell.place, "%s") % cell.number + marks
            return self.escape(cell.symbol if isinstance(cell, Named) and self.has_symbols else shown(cell, column))

        return texts(table, write)


def to_markdown(table: Table) -> str:
    """A pipe table, as GitHub and notebooks read it."""
    rules = ["---" if column.is_text else "---:" for column in table.columns]
    heads = [markdown(column.symbol or column.name) for column in table.columns]
    lines = [f"| {' | '.join(values)} |" for values in (heads, rules, *MARKDOWN.cells(table))]
    below = [part for text in lines_below(table, "Note: ", MARKDOWN.styles) for part in ("", markdown(text))]
    return "\n".join([*lines, *below]) + "\n"


def markdown(text: str) -> str:
    from html import escape

    escaped = escape(printable(text), quote=False)
    return "".join("\\" + character if character in "\\|`*_[]~$" else character for character in escaped)


def to_latex(table: Table) -> str:
    """A booktabs table."""
    # LaTeX has no way to escape a label.
    if table.label and not LABEL.fullmatch(table.label):
        usual = "letters, digits and any of : - _ . / + only, such as tab:main"
        raise PolicyError(f"a label has {usual}, not {show(table.label)}")
    align = "".join("l" if column.is_text else "r" for column in table.columns)
    # What a caption of one's own replaces is kept in comments.
    above = lines_below(table._replace(title="", legend="")) if table.title else []
    said = table._replace(caption="", notes=()) if table.title else table
    caption = sentences(*lines_below(said._replace(hint=""), styles=LATEX.styles))
    lines = [
        *(f"% {printable(text)}" for text in above),
        r"\begin{table}",
        r"  \centering",
        *([f"  \\caption{{{latex(caption)}}}"] if caption else []),
        *([f"  \\label{{{table.label}}}"] if table.label else []),
        f"  \\begin{{tabular}}{{{align}}}",
        r"    \toprule",
        latex_row([latex(column.symbol or column.name) for column in table.columns]),
        r"    \midrule",
        *map(latex_row, LATEX.cells(table)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_row(cells: list[str]) -> str:
    r"""A row of a table. At its start, LaTeX would read `[` and `*` as options of the rule or the `\\` before it.

    >>> print(latex_row(["[1] a", "0.5"]))
        {}[1] a & 0.5 \\
    """
    line = " & ".join(cells)
    return "    " + ("{}" if line.lstrip().startswith(("[", "*")) else "") + line + r" \\"


def latex(text: str) -> str:
    return printable(text).translate(LATEX_SIGNS)


def to_html(table: Table) -> str:
    """A table for notebooks."""
    sides = ["left" if column.is_text else "right" for column in table.columns]

    def row(tag: str, cells: Iterable[str]) -> str:
        pairs = zip(sides, cells, strict=True)
        return "<tr>" + "".join(f'<{tag} style="text-align:{side}">{cell}</{tag}>' for side, cell in pairs) + "</tr>"

    head = row("th", [html(column.name) for column in table.columns])
    body = "".join(row("td", cells) for cells in HTML.cells(table))
    below = "".join(f"<p>{html(text)}</p>" for text in lines_below(table, styles=HTML.styles))
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{below}\n"


def html(text: str) -> str:
    from html import escape

    return escape(printable(text))


MARKDOWN = Markup(markdown, {0: "**%s**", 1: "<ins>%s</ins>"}, " <sup>%s</sup>")
LATEX = Markup(latex, {0: r"\textbf{%s}", 1: r"\underline{%s}"}, "$^{%s}$")
HTML = Markup(html, {0: "<b>%s</b>", 1: "<u>%s</u>"}, "<sup>%s</sup>", has_symbols=False)


def write_separated(table: Table, delimiter: str) -> str:
    """Values with every digit, separated by a delimiter; empty for a missing value."""
    heads = [column.name for column in table.columns]
    return write_rows([heads, *(map(unmarked, row) for row in table.rows)], delimiter)


def write_rows(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    """Rows of values separated by a delimiter; empty for None."""
    import csv

    lines = Lines()
    # Before Python 3.13 only the characters of the line end are quoted, and a CR by itself would end a line too.
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(map(list, rows))
    return "".join(lines)


class Lines(list[str]):
    """What `csv.writer` writes, row by row, with LF as line end."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")


def records(table: Table) -> list[dict[str, Any]]:
    """One dict per row, by the names of the columns; None for what is not a finite number."""
    names = [column.name for column in table.columns]
    return [dict(zip(names, (finite(unmarked(cell)) for cell in row), strict=True)) for row in table.rows]


def unmarked(cell: Cell) -> str | float | int | None:
    """A cell for programs; None for NaN."""
    value = cell.value if isinstance(cell, (Marked, Ranged)) else cell
    value = value.name if isinstance(value, Named) else value
    return None if isinstance(value, float) and math.isnan(value) else value


FORMATS: dict[str, Callable[[Table], str]] = {
    "table": to_text,
    "tsv": lambda table: write_separated(table, "\t"),
    "csv": lambda table: write_separated(table, ","),
    "json": lambda table: write_json(records(table)),
    "markdown": to_markdown,
    "latex": to_latex,
    "html": to_html,
}
