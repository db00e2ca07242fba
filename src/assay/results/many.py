"""`Results`: several runs on the same judgments, side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import MeasureError, MismatchError, PolicyError
from assay.core.text import printable, show
from assay.render import Cell, Column, Exports, Table
from assay.stats.pairs import is_whole

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, Mapping

    import polars

    from assay.core.judged import BoolArray
    from assay.core.measure import Measure
    from assay.core.note import Note
    from assay.results.result import Result


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
        return Table(columns, rows, first.signature.short, tuple(notes))

    def to_polars(self) -> polars.DataFrame:
        """One row a run and query, one column a measure."""
        import polars

        frames = [
            result.to_polars().select(polars.lit(name).alias("run"), polars.all())
            for name, result in self.results.items()
        ]
        return polars.concat(frames)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: each result's, by run."""
        return {name: result.to_dict() for name, result in self.results.items()}


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


def same_measures(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """Finished results with the measures asked for, or with those of the first; all must mean the same by them."""
    first = next(iter(results.values()))
    wanted = first.measures if measures is None else [measures] if isinstance(measures, str) else measures
    keys = [str(each) for each in wanted]
    picked = {name: result.only(keys) for name, result in results.items()}
    first = next(iter(picked.values()))
    for key in keys:
        for other in picked.values():
            check_meaning(key, first, other)
    return picked


def same_order(results: Mapping[str, Result]) -> dict[str, Result]:
    """Finished results with their queries in the order of the first, where they are of the same queries."""
    first = next(iter(results.values()))
    return {name: reordered(result, first.queries) for name, result in results.items()}


def reordered(result: Result, queries: list[str]) -> Result:
    """The result with its queries in this order; as it is where they are others."""
    if result.queries == queries or sorted(result.queries) != sorted(queries):
        return result
    places = {query: place for place, query in enumerate(result.queries)}
    # One number of all queries, as a sum of them, may differ in its last digit; it stays what it was.
    return replace(picked(result, [places[query] for query in queries]), _means=result.mean)


def picked(result: Result, places: list[int]) -> Result:
    """The result with the queries at these places, in this order."""
    return replace(
        result,
        queries=[result.queries[place] for place in places],
        scores={name: column[places] for name, column in result.scores.items()},
        statistics={name: rows[places] for name, rows in result.statistics.items()},
        _means={},
        _intervals={},
    )


def shared_queries(results: Iterable[Result], key: str) -> BoolArray:
    """The queries that all results have a finite value for; one that has none at all is not asked."""
    columns = np.stack([each.scores[key] for each in results], axis=1)
    has_any = np.isfinite(columns).any(axis=0)
    return is_whole(columns[:, has_any] if has_any.any() else columns)


def shared_means(results: Iterable[Result], key: str) -> list[float]:
    """The mean of each result, or what else the measure makes of its queries, over those that all have a value for."""
    every = list(results)
    shared = shared_queries(every, key)
    places = np.flatnonzero(shared).tolist()
    return [each[key] if shared.all() else picked(each, places)[key] for each in every]


def check_unscored(options: Mapping[str, object]) -> None:
    """Raises if something is said about how to score where nothing is scored."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise PolicyError(f"finished results are not scored again, so {' and '.join(given)} would change nothing")


def check_meaning(key: str, first: Result, other: Result) -> None:
    """Raises unless a measure was computed in the same way in both results."""
    measures = [each.measures[each.key(key)] for each in (first, other)]
    policies = [each.policies_of(key) for each in (first, other)]
    if measures[0] != measures[1]:
        how = [each.full_name for each in measures]
    elif policies[0] != policies[1]:
        how = [policies[0].differing(policies[1]), policies[1].differing(policies[0])]
    else:
        return
    raise MismatchError(f"the results do not mean the same by {key}: {how[0]} and {how[1]}; compute both alike")
