"""`assay next`: which documents to judge next, and whether that can change which of two runs is better."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import (
    BARE,
    convention_option,
    doc_id_option,
    format_result,
    load_option,
    loaded,
    output_options,
    qrels_format_option,
    run_format_option,
)
from assay.cli.terminal import Command, check_single_input, emit, say, source_of
from assay.data.qrels import Qrels
from assay.data.run import Run, name_runs
from assay.tasks.pool.api import DEPTH, MEASURE, next_judgments
from assay.tasks.pool.pool import ORDERS

# In place of QRELS, if nothing is judged yet.
NONE = "none"


@click.command(
    "next",
    cls=Command,
    short_help="Show what to judge next, and whether it can matter.",
    examples=(
        "assay next qrels.txt bm25.run dense.run",
        "assay next none bm25.run dense.run --top-grade 3        nothing is judged yet",
        "assay next qrels.txt bm25.run dense.run -m precision@5 -n 100 -o judge.csv",
        "assay next qrels.txt *.run --order depth --depth 10     a pool of all runs",
        "assay next qrels.txt *.run -a bm25 -b dense",
    ),
)
@click.argument("qrels", metavar="QRELS|none")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option("-m", "--measure", default=MEASURE, show_default=True, help="Measure to compare by: a sum over ranks.")
@click.option("--order", type=click.Choice(ORDERS[:-1]), default=ORDERS[0], show_default=True, help="What comes first.")
@click.option("-n", "--most", type=click.IntRange(min=1), default=20, show_default=True, help="Pairs to list.")
@click.option(
    "--depth", type=click.IntRange(min=1), default=DEPTH, show_default=True, help="Documents of each run in the pool."
)
@click.option("-a", "a", metavar="NAME", help="Run to compare with, if there are more than two.")
@click.option("-b", "b", metavar="NAME", help="Run that is compared with it.")
@click.option(
    "--top-grade", type=float, help="Highest grade a document can get.  [default: the highest in QRELS, at least 1]"
)
@click.option(
    "--lowest-grade", type=float, help="Lowest grade a document can get.  [default: that in QRELS, at most 0]"
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random order.")
@output_options
@convention_option
@doc_id_option()
@qrels_format_option
@run_format_option
@load_option
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    order: str,
    most: int,
    depth: int,
    a: str | None,
    b: str | None,
    top_grade: float | None,
    lowest_grade: float | None,
    seed: int,
    format_: str,
    output: str | None,
    convention: str,
    doc_id: str | None,
    qrels_format: str | None,
    run_format: str | None,
    files: tuple[str, ...],
) -> None:
    """Lists the documents to judge next for a comparison of RUNs, and says whether judging can still change its sign.

    By worth, the documents come first that can move the difference of two runs most; by depth, those with the best
    ranks. QRELS are the judgments so far. docs/votes.md explains when a comparison is settled.
    """
    check_single_input((qrels, *runs))
    named = {name: Run(source_of(str(run)), format=run_format) for name, run in name_runs(runs).items()}
    judged = None if qrels == NONE else Qrels(source_of(qrels), format=qrels_format, duplicates=None)
    policies: dict[str, Any] = {} if doc_id is None else {"doc_id": doc_id}
    with loaded(files):
        found = next_judgments(
            judged,
            named,
            measure,
            order=order,
            depth=depth,
            a=a,
            b=b,
            top_grade=top_grade,
            lowest_grade=lowest_grade,
            seed=seed,
            convention=convention,
            **policies,
        ).first(most)
        emit(format_result(found, format_), output, format_)
    if format_ in BARE:
        say(f"note: {found.settlement or found.reason}")
