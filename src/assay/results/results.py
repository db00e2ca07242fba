"""`Results`: several runs on the same judgments, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.core.errors import MeasureError
from assay.core.text import printable, show
from assay.render import Cell, Column, Exports, Named, Ranged, Table, json_fields

if TYPE_CHECKING:
    import os
    from collections.abc import ItemsView, Iterable, Iterator, Mapping

    import polars

    from assay.core.measure import Measure
    from assay.core.note import Note
    from assay.render.charts import Chart
    from assay.results.result import Result


@dataclass(frozen=True, repr=False, eq=False)
class Results(Exports):
    """The results of several runs on the same judgments, by name."""

    results: Mapping[str, Result]

    def __getitem__(self, name: str) -> Result:
        if name not in self.results:
            raise MeasureError(f"unknown run {show(name)}; the runs are {', '.join(map(show, self.results))}")
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
        """One row per run, one column per measure."""
        tables = {name: result.table() for name, result in self.results.items()}
        first = next(iter(tables.values()))
        measures = [head for head, *_ in first.rows if isinstance(head, Named)]
        heads = (Column("run", is_text=True), *(Column(each.name, symbol=each.symbol) for each in measures))
        ranges = {name: ranges_of(each) for name, each in tables.items()}
        rows: tuple[tuple[Cell, ...], ...] = tuple((name, *each) for name, each in ranges.items())
        notes = first.notes
        if any(each.notes != notes for each in tables.values()):
            notes = tuple(f"{name}: {text}" for name, each in tables.items() for text in each.notes)
        has_intervals = any(each.low is not None for row in ranges.values() for each in row)
        legend = "± is half the width of the 95 % interval" if has_intervals else ""
        return Table(heads, rows, first.caption, notes, first.hint, legend)

    def to_polars(self) -> polars.DataFrame:
        """One row per run and query, one column per measure."""
        import polars

        run = {name: polars.lit(name).alias("run") for name in self}
        return polars.concat([result.to_polars().select(run[name], polars.all()) for name, result in self.items()])

    def to_mlflow(self) -> dict[str, float]:
        """What `Result.to_mlflow` gives for each run, as `run/measure`."""
        from assay.results.mlflow import grouped_metrics, numbers_of

        return grouped_metrics({name: numbers_of(each) for name, each in self.results.items()})

    def plot(
        self, kind: str = "means", *, measure: str | Measure | None = None, a: str | None = None, b: str | None = None
    ) -> Chart:
        """A chart: `means`, `measures`, or of two runs `a` and `b` by a measure `queries` and `scatter`.

        `measure` is by default the first, for means all. docs/charts.md shows every kind of chart.
        """
        from assay.render.charts.kinds import Choice, draw
        from assay.results.plot import mean_rows

        has = {"means": partial(mean_rows, self.results), "scores": self.results}
        return draw(kind, "a table of results", has, Choice(measure, a, b), runs=len(self))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes each result to a file in a folder, under the name of the run, as `Result.save` does.

        `assay.compare`, `assay.gate` and `assay.load_result` take these files.
        """
        from assay.results.stored import files_in

        for path, result in zip(files_in(folder, self), self.results.values(), strict=True):
            result.save(path)

    @property
    def common_notes(self) -> tuple[Note, ...]:
        """The notes of the runs: once where they are the same for all, else with the names of the runs."""
        return tuple(common_notes(self.notes))

    def query_table(self) -> Table:
        """One row per run and query, and after each run one with its means."""
        tables = {name: result.query_table() for name, result in self.items()}
        columns = next(iter(tables.values())).columns
        rows = tuple((name, *row) for name, each in tables.items() for row in each.rows)
        whole = self.table()
        return Table((Column("run", is_text=True), *columns), rows, whole.caption, whole.notes, whole.hint)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects; docs/json.md describes it."""
        return json_fields("results") | {"runs": [result.to_run_dict(name) for name, result in self.results.items()]}


def ranges_of(table: Table) -> list[Ranged]:
    """The means in the table of a result, with their intervals."""
    return [Ranged(*numbers[:3]) for _, *numbers in table.rows]  # type: ignore[arg-type]  # mean, low, high


def common_notes(notes: Mapping[str, Iterable[Note]]) -> list[Note]:
    """The notes of runs: once where they are the same for all, else with the names of the runs."""
    runs: dict[Note, list[str]] = {}
    for name, each in notes.items():
        for note in each:
            runs.setdefault(note, []).append(name)
    return [
        note if len(names) == len(notes) else replace(note, text=f"{', '.join(names)}: {note.text}")
        for note, names in runs.items()
    ]
