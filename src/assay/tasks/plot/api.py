"""`plot`: data in, a chart out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.core.text import show
from assay.render.charts.kinds import KINDS, refuse
from assay.results.plot import SCORE_KINDS, plot_results
from assay.results.result import Result
from assay.results.results import Results
from assay.tasks.compare.api import check_queries, compare, named_data, read_all
from assay.tasks.compare.plot import TESTED_KINDS
from assay.tasks.compare.ranking_plot import plot_rankings
from assay.tasks.compare.rescore import Read
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scorer import make_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.tasks.compare.ranks import Ranks
    from assay.tasks.evaluate.scorer import Scorer

# These look at other data than judgments and runs.
OTHER_KINDS = ("blame", "latency", "agreement")
# Kinds of which one run is enough.
SINGLE_KINDS = ("means", "precision_recall", "cutoff", "scores", "judged")
PAIR = 2


def plot(
    kind: str,
    data: object,
    runs: Mapping[str, object] | Sequence[object] | Results | object = None,
    measures: str | Iterable[str | Measure] | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    convention: str | None = None,
    threads: int | None = None,
    **options: Any,  # noqa: ANN401 - checked by what is called
) -> Chart:
    """A chart of judgments and runs; docs/charts.md shows every kind.

    >>> import assay
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> runs = {"old": {"q1": ["x", "a"], "q2": ["b"]}, "new": {"q1": ["a", "x"], "q2": ["b"]}}
    >>> chart = assay.plot("cutoff", qrels, runs, ["rr@10"])
    >>> chart
    <Chart: rr@k by cutoff>
    >>> [(row["run"], row["y"]) for row in chart.spec["data"]["values"] if row["x"] == 1]
    [('old', 0.5), ('new', 1.0)]

    `data` are judgments and `runs` are runs by name or paths; stored results do where scores are enough, with None as
    judgments. Charts of one measure take the first of `measures`; those of two runs take `a` and `b`. Runs are scored
    as by `evaluate`, under a `convention` and its policies, and compared as by `compare`, with its options.

    `"blame"` and `"latency"` take records as `data`, as `evaluate_rag` does; `"agreement"` takes two sets of judgments.
    """
    if kind in OTHER_KINDS:
        return plot_other(kind, data, runs, measures, {**options, "convention": convention})
    named = chosen_runs(kind, runs)
    if kind in TESTED_KINDS:
        settings = {**options, "convention": convention, "threads": threads}
        return compare(data, named, measures, **settings).plot(kind, a=a, b=b)
    how = {"convention": convention, "threads": threads, **options}

    def make(chosen: str | Iterable[str | Measure]) -> Scorer:
        return make_scorer(data, chosen, **{**how, "convention": convention or "assay"})

    results, ranks = read_all(named, measures, make, how)
    for name, result in results.items():
        warned(result, name)
    return draw_runs(kind, results, ranks, a=a, b=b)


def chosen_runs(kind: str, runs: object) -> dict[str, object]:
    """The runs by name, if there are enough for this kind of chart."""
    if kind not in KINDS:
        refuse(kind, KINDS, "assay.plot")
    named = named_data(runs if runs is not None else {})  # type: ignore[arg-type]  # checked by it
    least = 1 if kind in SINGLE_KINDS else PAIR
    if len(named) < least:
        raise DataError(
            f"the chart {show(kind)} needs at least {'one run' if least == 1 else 'two runs'}, got {len(named)}"
        )
    return named


def draw_runs(
    kind: str, results: Mapping[str, Result], ranks: Ranks | None, *, a: str | None = None, b: str | None = None
) -> Chart:
    """A chart of runs that were read."""
    check_queries(results)
    if kind in SCORE_KINDS:
        return plot_results(results, kind, measure=None, a=a, b=b)
    if ranks is None:
        raise DataError(f"the chart {show(kind)} needs the rankings, and a stored result has none; use the runs")
    return plot_rankings(Read(results, ranks), kind, measure=None)


def plot_other(kind: str, data: object, other: object, measures: Any, options: dict[str, Any]) -> Chart:  # noqa: ANN401 - as in `plot`
    """A chart of records, or of two judges."""
    given = {name: value for name, value in options.items() if value is not None}
    if kind == "latency":
        from assay.tasks.probe.plot import plot_recorded_latency

        return plot_recorded_latency(data)
    calls: dict[str, Callable[[], Any]] = {
        "blame": partial(blame_of, data, other, measures, given),
        "agreement": partial(agreement_of, data, other, measures, given),
    }
    chart: Chart = calls[kind]().plot(kind)
    return chart


def blame_of(records: object, outputs: object, measures: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as in `plot`
    from assay.tasks.rag.api import evaluate_rag

    return warned(evaluate_rag(records, measures, outputs=outputs, **options))


def agreement_of(a: object, b: object, measures: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as in `plot`
    from assay.tasks.agree.api import agreement

    if b is None:
        raise DataError("agreement is between two sets of judgments, got one")
    return agreement(a, b, measures, **options)
