"""The kinds of charts, one row each: `plot`, `assay plot --help`, the report and docs/charts.md read this table.

A chart is drawn of what it needs, which an object gives by the name of the need, such as its `rankings`. A new kind is
a row here and the function that draws it, in the module of its need; `make docs` writes the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import NeedError, PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
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
    """What a chart can need: in words, the calls that have it, and the module with the functions that draw it."""

    words: str
    calls: tuple[str, ...]
    module: str


NEEDS = {
    "means": ChartNeed("means", ("result.plot()", "results.plot()", *RANKED), "assay.results.plot"),
    "scores": ChartNeed("scores of several runs", ('results.plot("{kind}")', *RANKED), "assay.results.plot"),
    "tests": ChartNeed("a comparison", RANKED, "assay.tasks.compare.plot"),
    "rankings": ChartNeed("the rankings of runs", RANKED, "assay.tasks.compare.plot"),
    "answers": ChartNeed("answers", ('rag.plot("{kind}")', RECORDS), "assay.tasks.rag.result"),
    "calls": ChartNeed("calls of a live retriever", ('probe.plot("{kind}")', RECORDS), "assay.tasks.probe.result"),
    "judges": ChartNeed(
        "two judges", ('agreement.plot("{kind}")', 'assay.plot("{kind}", a, b)'), "assay.tasks.agree.result"
    ),
}


# What is needed of judgments and runs; other kinds look at other data.
OF_RUNS = ("means", "scores", "tests", "rankings")


class Kind(NamedTuple):
    """A kind of chart. `heading` is its title in a report."""

    name: str
    needs: str
    fewest_runs: int
    shows: str
    heading: str = ""

    @property
    def draw(self) -> Callable[[Any, Choice], Chart]:
        """What draws it: the function `draw_` and its name, in the module of its need."""
        drawing: Callable[[Any, Choice], Chart]
        drawing = getattr(import_module(NEEDS[self.needs].module), f"draw_{self.name}")
        return drawing


_ROWS = (
    Kind("means", "means", 1, "The mean of each run and measure with its 95 % interval."),
    Kind(
        *("differences", "tests", 2),
        "A forest plot: the difference of each pair of runs, its interval, and a line at zero. Filled points are "
        "significant.",
    ),
    Kind("queries", "scores", 2, "The difference of two runs on each query, from most helped to most hurt."),
    Kind("scatter", "scores", 2, "One point per query, one run against the other; on the diagonal they are equal."),
    Kind("cutoff", "rankings", 1, "A measure at every cutoff from 1 to 100.", "By cutoff"),
    Kind(
        *("precision_recall", "rankings", 1), "Interpolated precision at 11 levels of recall.", "Precision and recall"
    ),
    Kind(
        *("judged", "rankings", 1),
        "How much of the first k documents is judged. A run with few judgments may look worse than it is.",
        "Share judged by rank",
    ),
    Kind(
        *("scores", "rankings", 1),
        "The scores that runs give to documents of each grade. Good scores rise with the grade.",
        "Scores by grade",
    ),
    Kind(
        *("critical_difference", "tests", 2),
        "Runs by their mean rank over queries; a bar joins those that cannot be told apart.",
        "Critical differences",
    ),
    Kind(
        *("measures", "scores", 3),
        "Whether measures put the runs in the same order: Kendall's tau.",
        "Agreement of measures",
    ),
    Kind(
        *("runs", "rankings", 2),
        "How alike the rankings are: rank-biased overlap, and tau of the documents in both.",
        "Agreement of runs",
    ),
    Kind(
        *("blame", "answers", 1),
        "Correct and wrong answers, with and without a retrieved gold passage: the generator's fault or the "
        "retriever's.",
    ),
    Kind("latency", "calls", 1, "How long calls of a live retriever took, with p50, p95 and p99."),
    Kind("agreement", "judges", 1, "The confusion matrix of two judges."),
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
    need = NEEDS[kind.needs]
    if kind.needs not in has:
        calls = " or ".join(call.format(kind=kind.name) for call in need.calls)
        raise NeedError(f"the chart {show(kind.name)} needs {need.words}, and {owner} has none; use {calls}")
    check_runs(kind, runs)
    return kind.draw(has[kind.needs], choice)
