"""`plot`: data in, a chart out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.render.charts.kinds import NEEDS, OF_RUNS, Choice, check_runs, draw, find_kind
from assay.tasks.compare.api import compare
from assay.tasks.compare.read import HowToRead, check_queries, name_all, score_runs
from assay.tasks.evaluate.score import warned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.results.results import Results


def plot(
    kind: str,
    data: object,
    runs: Mapping[str, object] | Sequence[object] | Results | object = None,
    measures: str | Iterable[str | Measure] | None = None,
    *,
    a: str | None = None,
    b: str | None = None,
    convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    progress: bool = False,
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
    judgments, or the first of the files. Charts of one measure take the first of `measures`; those of two runs take `a`
    and `b`. Runs are read and scored as by `evaluate`, under a `convention` and its policies, and compared as by
    `compare`, with its options; `progress` shows bars on a terminal.

    `"blame"` and `"latency"` take records as `data`, as `evaluate_rag` does; `"agreement"` takes two sets of judgments.
    """
    found = find_kind(kind, "assay.plot", NEEDS)
    how: dict[str, Any] = {"convention": convention, "format": format, "threads": threads, "progress": progress}
    if found.needs not in OF_RUNS:
        given = {name: value for name, value in {**how, **options}.items() if value not in (None, False)}
        return plot_other(kind, data, runs, measures, given)
    data, named = name_all(data, runs if runs is not None else {})  # type: ignore[arg-type]  # checked by it
    check_runs(found, len(named))
    if found.needs == "tests":
        return compare(data, named, measures, **how, **options).plot(kind, a=a, b=b)
    scored = score_runs(data, named, measures, HowToRead(**how, policies=options))
    for name, result in scored.results.items():
        warned(result, name)
    check_queries(scored.results)
    return draw(kind, "a stored result", scored.material, Choice(a=a, b=b), runs=len(named))


def plot_other(kind: str, data: object, other: object, measures: Any, options: dict[str, Any]) -> Chart:  # noqa: ANN401 - as in `plot`
    if kind == "latency":
        from assay.tasks.probe.result import recorded_calls

        return draw(kind, "a file of records", {"calls": recorded_calls(data)})
    if kind == "blame":
        from assay.tasks.rag.api import evaluate_rag

        return warned(evaluate_rag(data, measures, outputs=other, **options)).plot(kind)
    from assay.tasks.agree.api import agree

    if other is None:
        raise DataError("agreement is between two sets of judgments, got one")
    return agree(data, other, measures, **options).plot(kind)
