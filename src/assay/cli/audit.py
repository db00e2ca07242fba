"""`assay audit`: why tools report different numbers for the same run."""

import click

from assay import audit
from assay.cli.command import option, subcommand
from assay.cli.options import CONVENTIONS, Scoring, measure_options, scoring_options
from assay.cli.output import Output, output_options
from assay.cli.terminal import check_single_input
from assay.terminal import source_of, watched


@subcommand(
    "audit",
    "assay audit qrels.txt bm25.run -m map",
    "assay audit qrels.txt bm25.run -m ndcg@10 -m recall@100",
    "assay audit qrels.txt bm25.run -m rr@10 --start ranx --format json",
    usual="measures start format_ output",
)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@measure_options(("map",))
@option("--start TOOL", "Tool whose number the steps start from.", type=click.Choice(CONVENTIONS), default="assay")
@output_options(styled=True)
@scoring_options(only=("doc_id", "chunks"), without=("convention", "files"))
def command(*, qrels: str, run: str, measures: str | None, start: str, out: Output, scoring: Scoring) -> None:
    """Scores RUN like every tool that has the MEASURE, and shows why the numbers differ.

    Starting from one tool's number, one choice after another is changed (what it divides by, its gain, its ties, which
    queries count) until the other tool's number is reached; each step shows the effect of that choice on this data.
    """
    check_single_input(qrels, run)
    with watched(run) as progress:
        judgments = scoring.qrels(qrels, duplicates="count")
        how = {"start": start, "progress": progress, **scoring.reading}
        found = audit(judgments, source_of(run), measures or ("map",), **how)
    out.show(found)
