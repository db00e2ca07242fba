"""`assay report`: one HTML file, from the verdict down to the passages."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.comparison_options import ComparisonOptions, comparison_options
from assay.cli.options import (
    ScoringOptions,
    check_page,
    corpus_option,
    loaded,
    measure_options,
    queries_option,
    scoring_options,
    slice_option,
    split_names,
    texts_given,
)
from assay.cli.terminal import (
    Command,
    check_single_input,
    progress_bar,
    say,
    say_loudly,
    source_of,
    this_command,
    watched,
)
from assay.report.content import TITLE
from assay.results.recognize import is_stored
from assay.results.results import Results, common_notes
from assay.tasks.compare.api import compare_results, named_data, read_all
from assay.tasks.compare.report import MOST_TOP, TOP, Shown, write_comparison, write_results
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES

NAME = "report.html"


@click.command(
    "report",
    cls=Command,
    short_help="Write one HTML file, from the verdict down to the passages.",
    examples=(
        "assay report qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
        "assay report qrels.txt *.run -m ndcg@10 -m recall@100 --baseline bm25 -o report.html",
        "assay report qrels.txt bm25.run dense.run --queries queries.jsonl --slice language --slice length",
        "assay report old.json new.json                results stored with --save, without rankings",
    ),
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-o",
    "--output",
    "page_file",
    default=NAME,
    show_default=True,
    metavar="FILE",
    callback=check_page,
    help="File to write.",
)
@measure_options(DEFAULT_MEASURES)
@queries_option
@corpus_option
@slice_option
@click.option(
    "--top",
    type=click.IntRange(1, MOST_TOP),
    default=TOP,
    show_default=True,
    help="Documents of each ranking to show.",
)
@click.option("--title", default=TITLE, show_default=True, metavar="TEXT", help="Title of the page.")
@comparison_options
@scoring_options
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    page_file: str,
    measures: tuple[str, ...],
    queries: str | None,
    corpus: str | None,
    slices: tuple[str, ...],
    top: int,
    title: str,
    comparing: ComparisonOptions,
    scoring: ScoringOptions,
) -> None:
    """Writes a report on one or more RUNs: one HTML file that needs no network and no server.

    It opens with the verdict, the means with intervals and the differences, and goes down to each query: the rankings
    side by side, grades in colour, what each document is worth, the passages. docs/report.md explains what it shows.

    A RUN can also be a result that was stored with --save, or another report; if all are, there are no QRELS.
    """
    texts = tuple(each for each in (queries, corpus) if each is not None)
    check_single_input((qrels, *runs, *texts))
    judgments, runs = (None, (qrels, *runs)) if is_stored(qrels) else (qrels, runs)
    if not runs:
        raise click.UsageError("missing RUN; name at least one run after QRELS")
    paths = named_data(runs)
    named = {name: source_of(str(run)) for name, run in paths.items()}
    settings = comparing.settings(paths)
    how: dict[str, Any] = {
        "slices": slices,
        "top": top,
        "title": title,
        "reproduce": this_command(),
    }
    shown = Shown(**texts_given(queries, corpus), **how)
    with loaded(scoring.files):
        make = scoring.maker(judgments, top=top)
        wanted = split_names(measures) or None
        results, ranks = read_all(named, wanted, make, scoring.given, format=scoring.run_format, watch=watched)
        say_loudly(common_notes(Results(results).notes))
        if len(results) == 1:
            write_results(Results(results), ranks, page_file, shown)
        else:
            with progress_bar("comparing") as report:
                comparison = compare_results(results, ranks, settings, report)
            write_comparison(comparison, page_file, shown)
    say(f"report written to {page_file}")
