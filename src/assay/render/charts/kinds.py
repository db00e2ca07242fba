"""The kinds of charts, one row each: `plot`, `assay plot --help`, the report and docs/charts.md read this table.

A chart is drawn of what it needs, which an object gives by the name of the need, such as its `rankings`. A new kind is
a row here and the function that draws it; `make docs` writes the page.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import NeedError, PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.render.charts.chart import Chart

RANKED = ('comparison.plot("{kind}")', 'assay.plot("{kind}", qrels, runs)')
RECORDS = 'assay.plot("{kind}", records)'


class Choice(NamedTuple):
    """What a chart is about: the measure, the two runs, from which value an answer is right."""

    measure: Any = None
    a: str | None = None
    b: str | None = None
    right: float | None = None


class ChartNeed(NamedTuple):
    """What a chart can need: in words, and the calls that have it."""

    words: str
    calls: tuple[str, ...]


NEEDS = {
    "means": ChartNeed("means", ("result.plot()", "results.plot()", *RANKED)),
    "scores": ChartNeed("scores of several runs", ('results.plot("{kind}")', *RANKED)),
    "tests": ChartNeed("a comparison", RANKED),
    "rankings": ChartNeed("the rankings of runs", RANKED),
    "answers": ChartNeed("answers", ('rag.plot("{kind}")', RECORDS)),
    "calls": ChartNeed("calls of a live retriever", ('probe.plot("{kind}")', RECORDS)),
    "judges": ChartNeed("two judges", ('agreement.plot("{kind}")', 'assay.plot("{kind}", a, b)')),
}


class Kind(NamedTuple):
    """A kind of chart. `draw` is the module and the function that draw it; `heading` is its title in a report."""

    name: str
    shows: str
    needs: str
    fewest_runs: int
    draw: str
    heading: str = ""


_COMPARE = "assay.tasks.compare"
_ROWS = (
    Kind(
        "means", "The mean of each run and measure with its 95 % interval.", "means", 1, "assay.results.plot:draw_means"
    ),
    Kind(
        "differences",
        "A forest plot: the difference of each pair of runs, its interval, and a line at zero. Filled points are "
        "significant.",
        "tests",
        2,
        f"{_COMPARE}.plot:draw_differences",
    ),
    Kind(
        "queries",
        "The difference of two runs on each query, from most helped to most hurt.",
        "scores",
        2,
        "assay.results.plot:draw_queries",
    ),
    Kind(
        "scatter",
        "One point per query, one run against the other; on the diagonal they are equal.",
        "scores",
        2,
        "assay.results.plot:draw_scatter",
    ),
    Kind(
        "cutoff",
        "A measure at every cutoff from 1 to 100.",
        "rankings",
        1,
        f"{_COMPARE}.ranking_plot:draw_cutoff",
        "By cutoff",
    ),
    Kind(
        "precision_recall",
        "Interpolated precision at 11 levels of recall.",
        "rankings",
        1,
        f"{_COMPARE}.ranking_plot:draw_precision_recall",
        "Precision and recall",
    ),
    Kind(
        "judged",
        "How much of the first k documents is judged. A run with few judgments may look worse than it is.",
        "rankings",
        1,
        f"{_COMPARE}.ranking_plot:draw_judged",
        "Share judged by rank",
    ),
    Kind(
        "scores",
        "The scores that runs give to documents of each grade. Good scores rise with the grade.",
        "rankings",
        1,
        f"{_COMPARE}.ranking_plot:draw_scores",
        "Scores by grade",
    ),
    Kind(
        "critical_difference",
        "Runs by their mean rank over queries; a bar joins those that cannot be told apart.",
        "tests",
        2,
        f"{_COMPARE}.plot:draw_critical_difference",
        "Critical differences",
    ),
    Kind(
        "measures",
        "Whether measures put the runs in the same order: Kendall's tau.",
        "scores",
        3,
        "assay.results.plot:draw_measures",
        "Agreement of measures",
    ),
    Kind(
        "runs",
        "How alike the rankings are: rank-biased overlap, and tau of the documents in both.",
        "rankings",
        2,
        f"{_COMPARE}.ranking_plot:draw_runs",
        "Agreement of runs",
    ),
    Kind(
        "blame",
        "Correct and wrong answers, with and without a retrieved gold passage: the generator's fault or the "
        "retriever's.",
        "answers",
        1,
        "assay.tasks.rag.plot:draw_blame",
    ),
    Kind(
        "latency",
        "How long calls of a live retriever took, with p50, p95 and p99.",
        "calls",
        1,
        "assay.tasks.probe.latency:draw_latency",
    ),
    Kind("agreement", "The confusion matrix of two judges.", "judges", 1, "assay.tasks.agree.result:draw_agreement"),
)
KINDS = {kind.name: kind for kind in _ROWS}


def find_kind(name: object, owner: str, has: Mapping[str, object]) -> Kind:
    """The kind of that name; the message for an unknown one says what the owner has."""
    if name in KINDS:
        return KINDS[str(name)]
    near = nearest(str(name), KINDS)
    meant = f"; did you mean {show(near[0])}?" if near else ";"
    known = ", ".join(kind.name for kind in KINDS.values() if kind.needs in has)
    raise PolicyError(f"unknown kind of chart {show(name)}{meant} {owner} has {known}")


def check_runs(kind: Kind, number: int) -> None:
    """Raises if there are too few runs for a kind of chart."""
    if number < kind.fewest_runs:
        least = {1: "one run", 2: "two runs", 3: "three runs"}[kind.fewest_runs]
        raise NeedError(f"the chart {show(kind.name)} needs at least {least}, got {number}")


def draw(name: object, owner: str, has: Mapping[str, Any], choice: Choice = Choice(), *, runs: int = 1) -> Chart:  # noqa: B008 - frozen
    """A chart of what an object has, by need; raises `NeedError` for what it lacks, or too few runs."""
    kind = find_kind(name, owner, has)
    if kind.needs not in has:
        need = NEEDS[kind.needs]
        calls = " or ".join(call.format(kind=kind.name) for call in need.calls)
        raise NeedError(f"the chart {show(kind.name)} needs {need.words}, and {owner} has none; use {calls}")
    check_runs(kind, runs)
    module, _, function = kind.draw.partition(":")
    drawn: Chart = getattr(import_module(module), function)(has[kind.needs], choice)
    return drawn
