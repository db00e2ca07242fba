"""`assay audit`: why tools report different numbers for the same run."""

from __future__ import annotations

from typing import Any

import click

from assay import audit
from assay.cli.command import Command
from assay.cli.options import CONVENTIONS, Scoring, from_option, measure_options, policy_option
from assay.cli.output import Output, output_options
from assay.cli.terminal import check_single_input
from assay.terminal import source_of, watched


@click.command(
    "audit",
    cls=Command,
    short_help="Show why tools report different numbers.",
    usual="measures start format_ output",
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
    type=click.Choice(CONVENTIONS),
    metavar="TOOL",
    default="assay",
    show_default=True,
    help="Tool whose number the steps start from.",
)
@output_options(styled=True)
@policy_option(only=("doc_id", "chunks"))
@from_option
def command(
    *,
    qrels: str,
    run: str,
    measures: str | None,
    start: str,
    out: Output,
    policies: dict[str, Any],
    formats: dict[str, str],
) -> None:
    """Scores RUN like every tool that has the MEASURE, and shows why the numbers differ.

    Starting from one tool's number, one choice after another is changed (what it divides by, its gain, its ties, which
    queries count) until the other tool's number is reached; each step shows the effect of that choice on this data.
    """
    check_single_input(qrels, run)
    scoring = Scoring(policies, formats)
    with watched(run) as progress:
        found = audit(
            scoring.qrels(qrels, duplicates="count"),
            source_of(run),
            measures or ("map",),
            start=start,
            format=scoring.run_format,
            progress=progress,
            **policies,
        )
    out.show(found)
