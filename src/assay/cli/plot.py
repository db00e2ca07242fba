"""`assay plot`: a chart of runs, records or judges, written to a file."""

from typing import Any

import click

from assay import plot
from assay.cli.command import FINITE, Checked, Command, is_told, option, refuse, subcommand
from assay.cli.options import TESTING, Scoring, between_option, measure_options, scoring_options, testing_options
from assay.cli.terminal import check_single_input, emit
from assay.render.charts.chart import ENDINGS, check_scale, ending_of, load_converter
from assay.render.charts.kinds import KINDS, OF_RUNS
from assay.render.charts.parts import THEMES
from assay.terminal import check_target, named, source_of

# The charts of two runs among several, or of the pairs of one.
PAIRED = ("differences", "queries", "scatter")


class PlotCommand(Command):
    """A command whose help ends with the kinds of charts."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Kinds"):
            formatter.write_dl([(name, kind.shows) for name, kind in KINDS.items()])


@subcommand(
    "plot",
    "assay plot means qrels.txt bm25.run dense.run -o means.svg",
    "assay plot differences qrels.txt bm25.run dense.run hybrid.run -m ndcg@10 -o forest.pdf",
    "assay plot queries qrels.txt bm25.run dense.run -m ndcg@10 -o queries.png --theme dark",
    "assay plot cutoff qrels.txt bm25.run dense.run -m recall@10 -o cutoff.html",
    "assay plot scatter old.json new.json -o scatter.svg    results stored with --save",
    "assay plot blame records.jsonl -m answer_f1 -o blame.svg",
    "assay plot latency live.jsonl -o latency.svg           records of assay probe --save-records",
    "assay plot agreement human.txt judge.txt -o judges.svg",
    cls=PlotCommand,
    usual="chart_file measures between theme baseline test convention policies",
)
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.argument("data", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option(
    "-o --output FILE",
    f"Write to FILE, atomically. The format is that of the extension: {', '.join(f'.{each}' for each in ENDINGS)}."
    "  [default: the Vega-Lite specification, on standard output]",
    to="chart_file",
    default="-",
    show_default=False,
)
@measure_options()
@between_option
@option("--theme", "Colours.", choices=list(THEMES))
@option("--resolution N", "Pixels per unit of a PNG.", type=FINITE, default=2)
@testing_options
@scoring_options(*TESTING)
def command(
    *, kind: str, data: str, runs: tuple[str, ...], chart_file: str, theme: str, scoring: Scoring, **told: Checked
) -> None:
    """Draws a chart of RUNs on the judgments in QRELS and writes it to a file.

    A RUN can also be a result that was stored with --save, if scores are enough for the chart; if all are, there are no
    QRELS. The charts blame and latency take RECORDS in place of QRELS and RUN, agreement takes two files of judgments.
    A chart of one measure takes the first.
    """
    check_single_input(data, *runs)
    measures, between, resolution = (told.pop(name) for name in ("measures", "between", "resolution"))
    check_scale(resolution)
    if chart_file != "-":
        if ending_of(chart_file) != "json":
            load_converter()
        check_target(chart_file)
    how = dict(scoring.reading)
    refuse(
        {
            "--resolution is for a PNG; leave it out": is_told("resolution") and ending_of(chart_file) != "png",
            f"--between has no effect on the chart {kind}; leave it out": between and kind not in PAIRED,
            **{
                f"--{name} has no effect on the chart {kind}, which tests nothing; leave it out": is_told(name)
                for name in told
                if KINDS[kind].needs != "tests"
            },
        }
    )
    if KINDS[kind].needs not in OF_RUNS:
        most = 0 if kind == "latency" else 1
        if len(runs) > most:
            taken = "one file" if most == 0 else "at most two files"
            raise click.UsageError(f"{kind} takes {taken}, got {1 + len(runs)}")
        if kind == "agreement":
            how["names"] = [name for name, _ in named((data, *runs))]
        other: Any = scoring.qrels_or_path(runs[0]) if runs else None
    else:
        other = [source_of(run) for run in runs]
        how |= {"progress": True, **dict(zip("ab", between or (), strict=False))}
        how |= told if KINDS[kind].needs == "tests" else {}
    chart = plot(kind, scoring.qrels_or_path(data), other, measures, **how)
    if chart_file == "-":
        emit(chart.draw("json", theme=theme).decode(), None, "json")
    else:
        chart.save(chart_file, theme=theme, scale=resolution)
