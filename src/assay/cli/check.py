"""`assay check`: looks at judgments and runs, and says what is wrong with them."""

from __future__ import annotations

from functools import partial

import click

from assay.cli.options import FINITE, FORMATS, format_result, output_options, qrels_format_option, run_format_option
from assay.cli.terminal import Command, check_single_input, emit, source_of, watched
from assay.tasks.check.api import check_sources


@click.command(
    "check",
    cls=Command,
    short_help="Find out what is wrong with your data.",
    examples=(
        "assay check qrels.txt",
        "assay check qrels.txt bm25.run dense.run",
        "assay check qrels.txt bm25.run --format json",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@partial(output_options, formats=("text", *FORMATS[1:]))
@qrels_format_option
@run_format_option
@click.option("--rel", type=FINITE, default=1.0, show_default=True, help="Lowest relevant grade.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    qrels: str,
    runs: tuple[str, ...],
    format_: str,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    rel: float,
) -> None:
    """Looks at the judgments in QRELS and at each RUN, and says what is wrong and what to do.

    It finds ids that do not match and how they differ (1 and q1, stray blanks), duplicate documents, queries that one
    side lacks, grades that mean nothing, how much was judged, short rankings, ties, and lines that cannot be read. The
    exit code is 1 if there is a problem, so that a script can stop.
    """
    check_single_input((qrels, *runs))
    report = check_sources(
        (qrels, source_of(qrels)),
        [(run, source_of(run)) for run in runs],
        rel=rel,
        qrels_format=qrels_format,
        run_format=run_format,
        watch=watched,
    )
    emit(format_result(report, format_), output, format_)
    ctx.exit(1 if report.levels["bad"] else 0)
