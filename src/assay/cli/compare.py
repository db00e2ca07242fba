"""`assay compare`: which of several runs is better, and whether the difference is significant."""

from __future__ import annotations

import click

from assay.cli.comparison_options import ComparisonOptions, comparison_options
from assay.cli.options import (
    BARE,
    OutputFormat,
    ScoringOptions,
    format_result,
    human_option,
    loaded,
    measure_options,
    output_options,
    scoring_options,
    split_names,
)
from assay.cli.saving import save_option, save_results
from assay.cli.terminal import (
    Command,
    check_single_input,
    emit,
    progress_bar,
    say,
    say_loudly,
    say_notes,
    source_of,
    watched,
)
from assay.data.qrels import Qrels
from assay.render.narrow import terminal_width
from assay.results.recognize import is_stored
from assay.tasks.compare.api import anchored_results, compare_results, named_runs
from assay.tasks.compare.result import PAIRS, Comparison
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES


@click.command(
    "compare",
    cls=Command,
    short_help="Compare runs: which is better, and is it significant?",
    examples=(
        "assay compare qrels.txt bm25.run dense.run",
        "assay compare qrels.txt bm25.run dense.run hybrid.run --baseline bm25 -m ndcg@10 -m recall@100",
        "assay compare qrels.txt *.run -m ndcg@10 --test tukey_randomized",
        "assay compare qrels.txt bm25.run dense.run -o table.tex --caption 'Main results' --label tab:main",
        "assay compare judge.txt bm25.run dense.run --human human.txt",
        "assay compare old.json new.json               results stored with --save",
        "assay compare report.html                     the runs of a report",
    ),
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@measure_options(DEFAULT_MEASURES)
@comparison_options
@click.option(
    "--sort",
    metavar="MEASURE|name|given",
    help="Order of the runs: best first by this measure, by name, or as given.  "
    "[default: given for up to three runs, else the first measure]",
)
@click.option(
    "--pairs",
    type=click.Choice(PAIRS),
    help="Pairs to list.  [default: all for up to three runs, else significant]",
)
@human_option("Judgments by people")
@save_option
@output_options
@scoring_options
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: ComparisonOptions,
    sort: str | None,
    pairs: str | None,
    human: str | None,
    save: str | None,
    format_: OutputFormat,
    output: str | None,
    scoring: ScoringOptions,
) -> None:
    """Compares RUNs on the judgments in QRELS: differences with confidence intervals, p-values and effect sizes.

    A RUN can also be a result that was stored with --save; if all are, there are no QRELS.

    The verdict comes first, in words. Every pair of runs is compared, or every run with the baseline. Letters after a
    number name the runs that it is significantly better than. JSON, CSV and TSV always have all pairs.
    docs/comparing.md explains which test and which correction to choose.
    """
    check_single_input((qrels, *runs, *([] if human is None else [human])))
    # Stored results need no judgments.
    judgments, runs = (None, (qrels, *runs)) if is_stored(qrels) else (qrels, runs)
    if not runs:
        raise click.UsageError("Missing argument 'RUN RUN...'.")
    paths = named_runs(runs)
    settings = comparing.settings(paths)
    named = {name: source_of(str(run)) for name, run in paths.items()}
    with loaded(scoring.files):
        names = split_names(measures) or None
        make = scoring.maker(judgments)
        labels = None if human is None else Qrels(source_of(human), duplicates=None)
        reading = {"format": scoring.run_format, "watch": watched}
        results, ranks = anchored_results(named, labels, names, make, scoring.given, **reading)
        say_unused(judgments, runs)
        with progress_bar("comparing") as report:
            comparison = compare_results(results, ranks, settings, report)
        save_results(comparison.results, save)
        say_loudly(comparison.notes)
        emit(
            format_comparison(comparison, format_, pairs=pairs, sort=sort, to_file=output is not None), output, format_
        )
    say_notes(comparison.notes if format_ in BARE else ())


def say_unused(qrels: str | None, runs: tuple[str, ...]) -> None:
    """Says so if there are judgments and no run to score."""
    if qrels is not None and all(map(is_stored, runs)):
        say(f"note: {qrels} is not used; every run is a stored result")


def format_comparison(
    comparison: Comparison, format_: OutputFormat, *, pairs: str | None, sort: str | None, to_file: bool
) -> str:
    """The comparison in one of the formats; a table is no wider than the terminal that it is printed to."""
    if format_ == "table":
        width = None if to_file else terminal_width()
        return comparison.to_text(pairs=pairs, sort=sort, width=width) + "\n"
    if format_ == "markdown":
        return comparison.to_markdown(pairs=pairs, sort=sort, **format_.style)
    return comparison.to_latex(sort=sort, **format_.style) if format_ == "latex" else format_result(comparison, format_)
