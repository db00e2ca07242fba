"""`assay check`: looks at judgments and runs, and says what is wrong with them."""

import click

from assay import check
from assay.cli.command import refuse, subcommand
from assay.cli.options import Scoring, scoring_options
from assay.cli.output import FORMATS, Output, output_options
from assay.cli.terminal import check_single_input
from assay.terminal import source_of


@subcommand(
    "check",
    "assay check qrels.txt",
    "assay check qrels.txt bm25.run dense.run",
    "assay check qrels.txt bm25.run --format json",
    usual="format_ output policies formats",
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@output_options(("text", *FORMATS[1:]))
@scoring_options(only=("rel",), without=("convention", "files"))
def command(*, qrels: str, runs: tuple[str, ...], out: Output, scoring: Scoring) -> None:
    """Looks at the judgments in QRELS and at each RUN, and says what is wrong and what to do.

    It finds ids that do not match and how they differ (1 and q1, stray blanks), duplicate documents, queries that one
    side lacks, grades that mean nothing, how much was judged, short rankings, ties, and lines that cannot be read. The
    exit code is 1 if there is a problem, so that a script can stop.
    """
    check_single_input(qrels, *runs)
    refuse({"--from run=… is set, but there is no RUN": not runs and scoring.run_format is not None})
    report = check(source_of(qrels), *map(source_of, runs), progress=True, **scoring.named_formats, **scoring.how)
    out.show(report)
    click.get_current_context().exit(1 if report.levels["bad"] else 0)
