"""`Results`: several runs on the same judgments, side by side.

To be compared, they have the same queries in the same order, and the same measures computed alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import measure_names
from assay.core.errors import MeasureError, MismatchError
from assay.core.measure import Measure
from assay.core.text import printable, show
from assay.render import Cell, Column, Exports, Named, Ranged, Table, json_fields

if TYPE_CHECKING:
    import polars

    from assay.core.judged import BoolArray, FloatArray
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
    some = {note: names for note, names in runs.items() if len(names) < len(notes)}
    return [replace(note, text=f"{', '.join(some[note])}: {note.text}") if note in some else note for note in runs]


def align_by_query(result: Result, queries: list[str]) -> Result:
    """The result with its queries in this order, scores and statistics with them; unchanged if its queries differ."""
    if result.queries == queries or sorted(result.queries) != sorted(queries):
        return result
    places = {query: place for place, query in enumerate(result.queries)}
    # Summing in another order may change the last digit; the number of a result does not change.
    return replace(select_queries(result, [places[query] for query in queries]), _means=result.mean)


def select_queries(result: Result, places: Sequence[int]) -> Result:
    """The result with the queries at these places, in this order."""
    return change_columns(result, [result.queries[place] for place in places], lambda column: column[list(places)])


def spread_to_queries(result: Result, queries: list[str]) -> Result:
    """The result with a row for each of these queries, NaN for those that it does not have; its numbers are kept."""
    places = {query: place for place, query in enumerate(result.queries)}
    found = {row: places[query] for row, query in enumerate(queries) if query in places}

    def spread(values: FloatArray) -> FloatArray:
        wide = np.full((len(queries), *values.shape[1:]), np.nan)
        wide[list(found)] = values[list(found.values())]
        return wide

    return replace(change_columns(result, queries, spread), _means=result.mean)


def change_columns(result: Result, queries: list[str], change: Callable[[FloatArray], FloatArray]) -> Result:
    """The result with other queries and columns changed to match; its numbers are computed again."""
    columns: dict[str, Any] = {}
    for kind in ("scores", "statistics", "human", "noise"):
        columns[kind] = {name: change(column) for name, column in getattr(result, kind).items()}
    return replace(result, queries=queries, **columns, _means={}, _intervals={}, _ranks=None)


def align_measures(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """The results with these measures only, or with those of the first; raises unless all computed them alike."""
    first = next(iter(results.values()))
    wanted = list(first.measures) if measures is None else measure_names(measures)
    keys = [str(each) if isinstance(each, (str, Measure)) else first.key(each) for each in wanted]
    selected = {name: result.only(keys) for name, result in results.items()}
    for key in keys:
        for other in selected.values():
            check_computed_alike(key, next(iter(selected.values())), other)
    return selected


def check_computed_alike(key: str, first: Result, other: Result) -> None:
    """Raises unless a measure was computed in the same way in both results."""
    measures = [each.measures[each.key(key)] for each in (first, other)]
    policies = [each.policies_of(key) for each in (first, other)]
    if measures[0] != measures[1]:
        how = [each.full_name for each in measures]
    elif policies[0] != policies[1]:
        how = [policies[0].differing(policies[1]), policies[1].differing(policies[0])]
    elif measures[0].definition.of == "rankings" and first.matching != other.matching:
        how = [" ".join(each.matching) or "gold known by ids" for each in (first, other)]
    elif measures[0].definition.of == "judged" and first.judge != other.judge:
        how = [each.judge or "no judge" for each in (first, other)]
    else:
        rule: Any
        for rule in (each.doc_id for each in policies):
            # A function's name does not tell which one it was if it was made in place or inside another.
            if rule is not None and rule.kind == "function" and rule.function is None and "<" in rule.argument:
                said = f"the stored result has doc_id={rule}, and it is not known which function that was"
                advice = "evaluate again with a rule, such as before:#, or with a function that has a name"
                raise MismatchError(f"{key}: {said}; {advice}")
        return
    said = f"{how[0]} in one result, {how[1]} in the other"
    raise MismatchError(f"{key} was not computed alike: {said}; compute both the same way")


def shared_queries(results: Iterable[Result], key: str) -> BoolArray:
    """The queries for which all results have a finite value; a result without any finite value does not count."""
    columns = np.stack([each.scores[key] for each in results], axis=1)
    has_any = np.isfinite(columns).any(axis=0)
    return np.asarray(np.isfinite(columns[:, has_any] if has_any.any() else columns).all(axis=1))


def shared_means(results: Iterable[Result], key: str) -> list[float]:
    """The mean of each result, or its other aggregate, over the queries for which all have a value."""
    every = list(results)
    shared = shared_queries(every, key)
    places = np.flatnonzero(shared).tolist()
    return [each[key] if shared.all() else select_queries(each, places)[key] for each in every]
