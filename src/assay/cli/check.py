"""`assay check`: looks at judgments and runs, and says what is wrong with them."""

from __future__ import annotations

from typing import Any

import click

from assay import check
from assay.cli.command import Command
from assay.cli.options import from_option, policy_option
from assay.cli.output import FORMATS, Output, output_options
from assay.cli.terminal import check_single_input
from assay.terminal import source_of


@click.command(
    "check",
    cls=Command,
    short_help="Find out what is wrong with your data.",
    usual="format_ output policies formats",
    examples=(
        "assay check qrels.txt",
        "assay check qrels.txt bm25.run dense.run",
        "assay check qrels.txt bm25.run --format json",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@output_options(("text", *FORMATS[1:]))
@policy_option(only=("rel",))
@from_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    qrels: str,
    runs: tuple[str, ...],
    out: Output,
    policies: dict[str, Any],
    formats: dict[str, str],
) -> None:
    """Looks at the judgments in QRELS and at each RUN, and says what is wrong and what to do.

    It finds ids that do not match and how they differ (1 and q1, stray blanks), duplicate documents, queries that one
    side lacks, grades that mean nothing, how much was judged, short rankings, ties, and lines that cannot be read. The
    exit code is 1 if there is a problem, so that a script can stop.
    """
    check_single_input(qrels, *runs)
    reading: dict[str, Any] = {f"{name}_format": format_ for name, format_ in formats.items()}
    report = check(source_of(qrels), *map(source_of, runs), progress=True, **reading, **policies)
    out.show(report)
    ctx.exit(1 if report.levels["bad"] else 0)
