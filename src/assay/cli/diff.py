"""`assay diff`: which queries changed between two runs, and why."""

import click

from assay import diff
from assay.cli.command import Checked, option, subcommand
from assay.cli.options import Scoring, one_measure, scoring_options, texts_options
from assay.cli.output import Output, output_options
from assay.cli.terminal import check_single_input, say, say_loudly, say_notes
from assay.terminal import is_stored, source_of


@subcommand(
    "diff",
    "assay diff qrels.txt bm25.run dense.run",
    "assay diff qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
    "assay diff old.json new.json                  results stored with --save",
    "assay diff qrels.txt bm25.run dense.run -m rr@10 -n 3",
    "assay diff qrels.txt bm25.run dense.run -o moved.json",
    usual="measure top queries corpus convention policies format_ output",
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("before", metavar="RUN_A")
@click.argument("after", required=False, metavar="RUN_B")
@one_measure("Measure to compare by.  [default: ndcg@10, or the first of a stored result]")
@option("-n --number N", "Queries to list in each direction.", to="top", least=1, default=10)
@texts_options
@output_options()
@scoring_options()
def command(*, qrels: str, before: str, after: str | None, out: Output, scoring: Scoring, **shown: Checked) -> None:
    """Shows the queries that improved most and dropped most from RUN_A to RUN_B.

    Each query is listed with the documents that moved the measure most and their ranks in both runs; JSON has all
    judged documents. With --queries and --corpus, also the question, the first line of each passage, and the unjudged
    document that took the top; for it the runs are read once more.

    A run can also be a result that was stored with --save, which has no documents; if both are, there are no QRELS.
    """
    check_single_input(qrels, before, after, shown["queries"], shown["corpus"])
    if after is None and not is_stored(qrels):
        raise click.UsageError("missing RUN_B; assay eval --worst shows the worst queries of a single run")
    how = {"progress": True, **shown, **scoring.reading}
    found = diff(scoring.qrels_or_path(qrels), source_of(before), source_of(after), **how)
    say_loudly(found.notes)
    out.write(out.text_of(found))
    if not found.has_documents:
        say("note: no documents are shown: a stored result has none")
    elif shown["corpus"] is not None and "-" in (before, after):
        say("note: standard input is not read again, so an unjudged document on top of it is not shown")
    say_notes(found.notes)
