"""`assay eval`: scores runs against judgments."""

from __future__ import annotations

import re
from typing import Any

import click

from assay.cli.help import Command
from assay.cli.load import load_option, loaded
from assay.cli.options import format_choice, given, policy_options
from assay.cli.output import emit, say
from assay.cli.progress import watched
from assay.cli.streams import check_single_input, source_of
from assay.conventions import CONVENTIONS, find_convention
from assay.evaluator import DEFAULT_MEASURES, Evaluator
from assay.io.naming import run_names
from assay.io.qrels import Qrels
from assay.render import Column, Table, render
from assay.result import Result
from assay.results import Results

FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex")
# Tables for other programs hold nothing but rows; what there is to say goes to standard error.
BARE = ("tsv", "csv")


@click.command(
    "eval",
    cls=Command,
    short_help="Score runs against judgments.",
    examples=(
        "assay eval qrels.txt bm25.run",
        'assay eval qrels.txt bm25.run dense.run -m ndcg@10 -m "ap(rel=2)"',
        'assay eval qrels.txt bm25.run -m "rr@10 recall@100" -q --format csv -o scores.csv',
        "assay eval qrels.txt bm25.run --convention trec_eval -m map -m P.5,10",
        "assay eval qrels.txt bm25.run --load mine.py -m my_measure",
        "zcat bm25.run.gz | assay eval qrels.txt -",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help=f"A measure; give it again for more, or name several in quotes.  [default: {' '.join(DEFAULT_MEASURES)}]",
)
@click.option("-q", "--per-query", is_flag=True, help="One row a query, and the means in the last.")
@click.option(
    "--convention",
    type=click.Choice(list(CONVENTIONS)),
    default="assay",
    show_default=True,
    help="Compute as this tool does: its names for measures, and its policies.",
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True, help="How to write it."
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file, whole or not at all.")
@click.option("--qrels-format", type=format_choice, help="How QRELS is read, where it cannot be told.")
@click.option("--run-format", type=format_choice, help="How each RUN is read, where it cannot be told.")
@click.option("--threads", type=click.IntRange(min=1), help="How many threads read; by default all there are.")
@load_option
@policy_options
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    convention: str,
    format_: str,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
    files: tuple[str, ...],
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Scores each RUN against the judgments in QRELS.

    Files are TREC's, BEIR's TSV, JSON, JSON Lines, CSV, TSV or Parquet, plain or compressed (.gz, .zst, .bz2, .xz);
    - is standard input. Of one run you see each measure's mean with its 95 % interval, of several one row a run.

    `assay measures` lists the measures. Where the numbers look wrong, `assay check QRELS RUN` looks at the data.
    """
    check_single_input((qrels, *runs))
    with loaded(files):
        chosen = given(policies)
        duplicates = find_convention(convention).policies.changed(chosen).duplicates
        judgments = Qrels(source_of(qrels), format=qrels_format, duplicates=duplicates)
        names = split_names(measures) if measures else DEFAULT_MEASURES
        evaluator = Evaluator(judgments, names, convention=convention, threads=threads, **chosen)
        results = {}
        for name, run in zip(run_names(runs), runs, strict=True):
            with watched(run) as progress:
                results[name] = evaluator.evaluate(source_of(run), format=run_format, progress=progress)
        text, notes = written(results, format_, per_query=per_query)
        emit(text, output)
    for note in notes:
        say(f"note: {note}")


def split_names(measures: tuple[str, ...]) -> list[str]:
    """The names in each option, apart at blanks that are not inside parentheses.

    >>> split_names(("ndcg@10 ap(rel=2, norm=found)", "rr"))
    ['ndcg@10', 'ap(rel=2, norm=found)', 'rr']
    """
    return [name for each in measures for name in re.split(r"\s+(?![^()]*\))", each.strip()) if name]


def written(results: dict[str, Result], format_: str, *, per_query: bool) -> tuple[str, tuple[str, ...]]:
    """The results as text, and the notes that the text has no place for."""
    one = next(iter(results.values())) if len(results) == 1 else None
    many = Results(results)
    if format_ == "json":
        return (one or many).to_json(), ()
    if one is not None:
        table = one.query_table() if per_query else one.table()
    else:
        table = query_table(many) if per_query else many.table()
    return render(table, format_), table.notes if format_ in BARE else ()


def query_table(results: Results) -> Table:
    """One row a run and query, and the means of each run in its last."""
    tables = {name: result.query_table() for name, result in results.items()}
    columns = next(iter(tables.values())).columns
    rows = tuple((name, *row) for name, each in tables.items() for row in each.rows)
    whole = results.table()
    return Table((Column("run", is_text=True), *columns), rows, whole.caption, whole.notes)
