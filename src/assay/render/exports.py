"""The forms that a table of results can be had in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.formats import render

if TYPE_CHECKING:
    import pandas
    import polars

    from assay.render.table import Table


class Exports:
    """The forms that a table of results can be written in."""

    def table(self) -> Table:
        """The table as plain data."""
        raise NotImplementedError

    def __str__(self) -> str:
        return render(self.table(), "table").rstrip("\n")

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """An HTML table, escaped, as notebooks show it."""
        return render(self.table(), "html")

    def to_markdown(self) -> str:
        """A Markdown table."""
        return render(self.table(), "markdown")

    def to_latex(self) -> str:
        """A LaTeX table in booktabs style."""
        return render(self.table(), "latex")

    def to_csv(self) -> str:
        """Comma-separated values with every digit."""
        return render(self.table(), "csv")

    def to_tsv(self) -> str:
        """Tab-separated values with every digit."""
        return render(self.table(), "tsv")

    def to_pandas(self) -> pandas.DataFrame:
        """What `to_polars` gives, as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.to_polars().to_dict(as_series=False))

    def to_polars(self) -> polars.DataFrame:
        raise NotImplementedError
