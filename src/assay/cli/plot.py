"""`assay plot`: a chart of runs, records or judges, written to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.comparison_options import ComparisonOptions, comparison_options
from assay.cli.options import (
    FINITE,
    ScoringOptions,
    loaded,
    measure_options,
    scoring_options,
    split_names,
)
from assay.cli.terminal import (
    Command,
    check_single_input,
    check_target,
    emit,
    progress_bar,
    say_loudly,
    say_notes,
    source_of,
    watched,
)
from assay.data.qrels import Qrels
from assay.data.run import run_names
from assay.render.charts.chart import ENDINGS, check_scale, ending_of, load_converter
from assay.render.charts.kinds import KINDS
from assay.render.charts.theme import THEMES
from assay.results.recognize import is_stored
from assay.results.results import Results, common_notes
from assay.tasks.compare.api import compare_results, read_all
from assay.tasks.compare.plot import TESTED_KINDS
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES
from assay.tasks.plot.api import OTHER_KINDS, chosen_runs, draw_runs, plot_other

if TYPE_CHECKING:
    from assay.render.charts import Chart


class PlotCommand(Command):
    """A command whose help ends with the kinds of charts."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Kinds"):
            formatter.write_dl([(name, kind.shows) for name, kind in KINDS.items()])


@click.command(
    "plot",
    cls=PlotCommand,
    short_help="Draw a chart of runs, records or judges.",
    examples=(
        "assay plot means qrels.txt bm25.run dense.run -o means.svg",
        "assay plot differences qrels.txt bm25.run dense.run hybrid.run -m ndcg@10 -o forest.pdf",
        "assay plot queries qrels.txt bm25.run dense.run -m ndcg@10 -o queries.png --theme dark",
        "assay plot cutoff qrels.txt bm25.run dense.run -m recall@10 -o cutoff.html",
        "assay plot scatter old.json new.json -o scatter.svg    results stored with --save",
        "assay plot blame records.jsonl -m answer_f1 -o blame.svg",
        "assay plot latency live.jsonl -o latency.svg           records of assay probe --records",
        "assay plot agreement human.txt judge.txt -o judges.svg",
    ),
)
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.argument("data", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-o",
    "--output",
    "chart_file",
    metavar="FILE",
    help=f"Write to FILE, whole or not at all; its ending says the format: {', '.join(f'.{each}' for each in ENDINGS)}."
    "  [default: the Vega-Lite specification, on standard output]",
)
@measure_options(DEFAULT_MEASURES)
@click.option("-a", "first", metavar="NAME", help="First run of a chart of two, or the run to show differences with.")
@click.option("-b", "second", metavar="NAME", help="Second run of a chart of two.")
@click.option("--theme", type=click.Choice(list(THEMES)), default="light", show_default=True, help="Colours.")
@click.option("--scale", type=FINITE, default=2, show_default=True, help="Pixels per unit of a PNG.")
@comparison_options
@scoring_options
def command(
    *,
    kind: str,
    data: str,
    runs: tuple[str, ...],
    chart_file: str | None,
    measures: tuple[str, ...],
    first: str | None,
    second: str | None,
    theme: str,
    scale: float,
    comparing: ComparisonOptions,
    scoring: ScoringOptions,
) -> None:
    """Draws a chart of RUNs on the judgments in QRELS and writes it to a file.

    A RUN can also be a result that was stored with --save, if scores are enough for the chart; if all are, there are no
    QRELS. The charts blame and latency take RECORDS in place of QRELS and RUN, agreement takes two files of judgments.
    A chart of one measure takes the first.
    """
    check_single_input((data, *runs))
    check_file(chart_file, scale)
    with loaded(scoring.files):
        names = split_names(measures) or None
        if kind in OTHER_KINDS:
            chart = draw_other(kind, data, runs, names, scoring)
        else:
            chart = draw(kind, data, runs, names, scoring, comparing, (first, second))
    if chart_file is None or chart_file == "-":
        emit(chart.draw("json", theme=theme).decode(), None, "json")
    else:
        chart.save(chart_file, theme=theme, scale=scale)


def check_file(target: str | None, scale: float) -> None:
    """Raises if the chart cannot be drawn or written, before any long work is done for nothing."""
    check_scale(scale)
    if target is not None and target != "-":
        if ending_of(target) != "json":
            load_converter()
        check_target(target)


def draw_other(kind: str, data: str, runs: tuple[str, ...], names: list[str] | None, scoring: ScoringOptions) -> Chart:
    """A chart of records, or of two judges."""
    most = 0 if kind == "latency" else 1
    if len(runs) > most:
        raise click.UsageError(f"{kind} takes {'one file' if most == 0 else 'at most two files'}, got {1 + len(runs)}")
    options: dict[str, Any] = dict(scoring.policies)
    if scoring.convention != "assay":
        options["convention"] = scoring.convention
    other = source_of(runs[0]) if runs else None
    if kind == "agreement":
        options["names"] = run_names((data, *runs)) if runs else None
        return plot_other(kind, judgments(data, scoring), judgments(runs[0], scoring) if runs else None, names, options)
    return plot_other(kind, source_of(data), other, names, options)


def judgments(path: str, scoring: ScoringOptions) -> object:
    """One of two judges: judgments if a format is set, else whatever the file holds."""
    return source_of(path) if scoring.qrels_format is None else Qrels(source_of(path), format=scoring.qrels_format)


def draw(  # noqa: PLR0917 - what the command was given
    kind: str,
    data: str,
    runs: tuple[str, ...],
    names: list[str] | None,
    scoring: ScoringOptions,
    comparing: ComparisonOptions,
    pair: tuple[str | None, str | None],
) -> Chart:
    """A chart of runs, and on standard error what is to be said about the data."""
    # Stored results need no judgments.
    qrels, runs = (None, (data, *runs)) if is_stored(data) else (data, runs)
    paths = chosen_runs(kind, list(runs))
    named = {name: source_of(str(run)) for name, run in paths.items()}
    settings = comparing.settings(paths)
    results, ranks = read_all(
        named, names, scoring.maker(qrels), scoring.given, format=scoring.run_format, watch=watched
    )
    notes = common_notes(Results(results).notes)
    say_loudly(notes)
    a, b = pair
    if kind in TESTED_KINDS:
        with progress_bar("comparing") as report:
            chart = compare_results(results, ranks, settings, report).plot(kind, a=a, b=b)
    else:
        chart = draw_runs(kind, results, ranks, a=a, b=b)
    say_notes(notes)
    return chart
