"""`Results`: several runs on the same judgments, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import MeasureError
from assay.core.text import printable, show
from assay.render import Column, Exports, Table

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, Mapping

    import polars

    from assay.notes import Note
    from assay.render.table import Cell
    from assay.result import Result


class Results(Exports):
    """The results of several runs on the same judgments, by name."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self.results = dict(results)

    def __getitem__(self, name: str) -> Result:
        if name not in self.results:
            raise MeasureError(f"there is no run {show(name)}; there are {', '.join(map(show, self.results))}")
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def items(self) -> ItemsView[str, Result]:
        """Names and results."""
        return self.results.items()

    def __repr__(self) -> str:
        return printable(f"<Results: {', '.join(self.results)}>")

    @property
    def notes(self) -> dict[str, tuple[Note, ...]]:
        """The notes of each run."""
        return {name: result.notes for name, result in self.results.items()}

    def table(self) -> Table:
        """One row a run, one column a measure."""
        first = next(iter(self.results.values()))
        columns = (Column("run", is_text=True), *(Column(name) for name in first.measures))
        rows: tuple[tuple[Cell, ...], ...] = tuple((name, *each.mean.values()) for name, each in self.results.items())
        texts = [[str(note) for note in result.notes] for result in self.results.values()]
        if all(each == texts[0] for each in texts):
            notes = texts[0]
        else:
            notes = [f"{name}: {text}" for name, each in zip(self.results, texts, strict=True) for text in each]
        return Table(columns, rows, first.caption, tuple(notes))

    def to_polars(self) -> polars.DataFrame:
        """One row a run and query, one column a measure."""
        import polars

        frames = [
            result.to_polars().select(polars.lit(name).alias("run"), polars.all())
            for name, result in self.results.items()
        ]
        return polars.concat(frames)

    def to_json(self) -> str:
        """What each result's `to_json` writes, by run."""
        import json

        everything = {name: result.to_dict() for name, result in self.results.items()}
        return json.dumps(everything, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
