"""`assay audit`: why tools give different numbers for the same run."""

from __future__ import annotations

import click

from assay.cli.options import measure_options, output_options, reading_options, split_names
from assay.cli.terminal import Command, check_single_input, emit, source_of, watched
from assay.conventions import CONVENTIONS
from assay.data.qrels import Qrels
from assay.render import render
from assay.tasks.audit.api import audit


@click.command(
    "audit",
    cls=Command,
    short_help="Show why tools give different numbers.",
    examples=(
        "assay audit qrels.txt bm25.run -m map",
        "assay audit qrels.txt bm25.run -m ndcg@10 -m recall@100",
        "assay audit qrels.txt bm25.run -m rr@10 --start ranx --format json",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@measure_options(("map",))
@click.option(
    "--start",
    type=click.Choice(list(CONVENTIONS)),
    default="assay",
    show_default=True,
    help="The tool whose number the steps start from.",
)
@output_options
@reading_options
def command(
    *,
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    start: str,
    format_: str,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
) -> None:
    """Computes RUN as every tool does that has such a MEASURE, and shows what makes the numbers differ.

    From the first tool's number one choice after another is changed (what it divides by, its gain, its ties, which
    queries count) until the other tool's is reached; each step shows what that choice is worth on this data.
    """
    check_single_input((qrels, run))
    judgments = Qrels(source_of(qrels), format=qrels_format, duplicates="count")
    names = split_names(measures) or ["map"]
    with watched(run) as progress:
        found = audit(
            judgments, source_of(run), names, start=start, format=run_format, threads=threads, progress=progress
        )
    if format_ == "json":
        text = found.to_json()
    else:
        text = f"{found}\n" if format_ == "table" else render(found.table(), format_)
    emit(text, output)
