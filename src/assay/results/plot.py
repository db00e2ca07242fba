"""Charts of scores: from `Result` and `Results` to the plain numbers that `render/charts` draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import DataError, MismatchError, NeedError, PolicyError
from assay.core.text import Option, count, show, some
from assay.render.charts.systems import Grid, Mean, means, measures
from assay.stats.agreement import kendall_tau

if TYPE_CHECKING:
    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice
    from assay.results.result import Result

PAIR = 2
# The means to show, and over how many queries each is.
MeanRows = tuple[list[Mean], list[int]]


def mean_rows(results: Mapping[str, Result], measure: str | Measure | None) -> MeanRows:
    """The means of results, with the intervals of their tables; of all measures unless one is named."""
    if measure is not None:
        results = {run: result.only([result.key(measure)]) for run, result in results.items()}
    rows, counted = [], []
    for key in dict.fromkeys(key for result in results.values() for key in result.measures):
        for run, result in results.items():
            if key in result.measures:
                mean, low, high = result._numbers(key)  # noqa: SLF001 - those of its own table
                rows.append(Mean(run, key, math.nan if mean is None else mean, low, high))
                counted.append(result.counted(key))
    return rows, counted


def draw_means(rows_of: Callable[[str | Measure | None], MeanRows], choice: Choice) -> Chart:
    rows, counted = rows_of(choice.measure)
    lines = " Lines: 95 % bootstrap intervals over queries." if any(row.low is not None for row in rows) else ""
    return means(rows, f"Means over {queries_in_words(counted)}.{lines}")


def queries_in_words(counted: Iterable[int]) -> str:
    """How many queries means are over, from the fewest to the most."""
    numbers = sorted(set(counted))
    over = count(numbers[-1], "query", "queries")
    return over if len(numbers) == 1 else f"{numbers[0]:,} to {over}"


def draw_measures(results: Mapping[str, Result], _: Choice) -> Chart:
    """Kendall's tau between the orders in which measures put the runs."""
    first = next(iter(results.values()))
    keys = list(first.measures)
    if len(keys) < PAIR:
        raise NeedError(f"agreement of measures about the order of runs needs at least two measures, got {len(keys)}")
    signs = [1 if first.measures[key].definition.higher_is_better else -1 for key in keys]
    orders = [np.array([sign * each[key] for each in results.values()]) for key, sign in zip(keys, signs, strict=True)]
    words = f"Kendall's tau between the orders of {count(len(results), 'run')} by two measures, over their means."
    return measures(Grid("Kendall's tau", keys, [[kendall_tau(a, b) for b in orders] for a in orders]), words)


def draw_pair(kind: str, results: Mapping[str, Result], choice: Choice) -> Chart:
    """A chart of two runs: those chosen, or the only two."""
    from assay.render.charts import queries

    for name in (choice.a, choice.b):
        if name is not None and name not in results:
            raise DataError(f"unknown run {show(name)}; the runs are {', '.join(map(show, results))}")
    if choice.a is not None and choice.a == choice.b:
        raise DataError("need two different runs, got one")
    if len(results) > PAIR and (choice.a is None or choice.b is None):
        example = f"{Option('a and b')}, such as {' and '.join(map(show, list(results)[:PAIR]))}"
        raise PolicyError(f"there are {len(results)} runs; name two of them with {example}")
    others = iter([name for name in results if name not in (choice.a, choice.b)])
    runs = tuple(next(others) if name is None else name for name in (choice.a, choice.b))
    first, second = (results[run] for run in runs)
    places = {query: place for place, query in enumerate(second.queries)}
    if different := sorted({*first.queries} ^ {*places}):
        raise MismatchError(f"{show(runs[0])} and {show(runs[1])} have different queries: {some(different)}")
    key = next(iter(first.measures)) if choice.measure is None else first.key(choice.measure)
    before, after = first.scores[key], second.scores[second.key(key)][[places[query] for query in first.queries]]
    sign = 1 if first.measures[key].definition.higher_is_better else -1
    chart: Chart = getattr(queries, kind)(first.queries, before, after, runs, key, sign=sign)
    return chart


draw_queries = partial(draw_pair, "queries")
draw_scatter = partial(draw_pair, "scatter")
