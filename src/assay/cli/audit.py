"""`assay audit`: why tools report different numbers for the same run."""

from __future__ import annotations

import click

from assay.cli.options import (
    doc_id_option,
    format_result,
    measure_options,
    output_options,
    reading_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, emit, say_loudly, source_of, watched
from assay.conventions import CONVENTIONS
from assay.data.qrels import Qrels
from assay.tasks.audit.api import audit


@click.command(
    "audit",
    cls=Command,
    short_help="Show why tools report different numbers.",
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
    help="Tool whose number the steps start from.",
)
@output_options
@doc_id_option()
@reading_options
def command(
    *,
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    start: str,
    doc_id: str | None,
    format_: str,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
) -> None:
    """Scores RUN like every tool that has the MEASURE, and shows why the numbers differ.

    Starting from one tool's number, one choice after another is changed (what it divides by, its gain, its ties, which
    queries count) until the other tool's number is reached; each step shows the effect of that choice on this data.
    """
    check_single_input((qrels, run))
    judgments = Qrels(source_of(qrels), format=qrels_format, duplicates="count")
    names = split_names(measures) or ["map"]
    with watched(run) as progress:
        how = {"format": run_format, "threads": threads, "progress": progress}
        found = audit(judgments, source_of(run), names, start=start, doc_id=doc_id, **how)  # type: ignore[arg-type]
    say_loudly(found.notes)
    emit(format_result(found, format_), output, format_)
