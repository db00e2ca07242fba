"""A table that is shown by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.exports import Exports

if TYPE_CHECKING:
    import polars

    from assay.render.table import Table


class View(Exports):
    """A table that prints, shows itself in a notebook, and can be written in every form.

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

    def to_polars(self) -> polars.DataFrame:
        """One row a row, one column a column."""
        import polars

        names = [column.name for column in self._table.columns]
        columns = zip(*self._table.rows, strict=True) if self._table.rows else [()] * len(names)
        return polars.DataFrame({name: list(values) for name, values in zip(names, columns, strict=True)})
