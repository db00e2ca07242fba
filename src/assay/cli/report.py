"""`assay report`: one HTML file, from the verdict down to the passages."""

from typing import Any

import click

from assay import Result, compare, evaluate, load_result
from assay.cli.command import Checked, is_told, option, refuse, subcommand
from assay.cli.options import (
    MEASURES,
    TESTING,
    Scoring,
    measure_options,
    scoring_options,
    testing_options,
    texts_options,
)
from assay.cli.output import check_page, slice_option
from assay.cli.terminal import check_single_input, say, say_loudly, this_command
from assay.terminal import is_stored, name_all, source_of, split_measures, watched

TITLE = "assay report"


@subcommand(
    "report",
    "assay report qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
    "assay report qrels.txt *.run -m ndcg@10 -m recall@100 --baseline bm25 -o report.html",
    "assay report old.json new.json                results stored with --save, without rankings",
    "assay report qrels.txt bm25.run dense.run --queries queries.jsonl --slice language --slice length",
    usual="page_file measures queries corpus slices top title baseline test convention policies",
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option("-o --output FILE", "File to write.", to="page_file", default="report.html", callback=check_page)
@measure_options()
@texts_options
@slice_option
@option("--top N", "Documents to show of each ranking.", type=click.IntRange(1, 1_000), default=20)
@option("--title TEXT", f"Title of the page.  [default: {TITLE}]")
@testing_options
@scoring_options(*TESTING)
def command(
    *, qrels: str, runs: tuple[str, ...], page_file: str, measures: str | None, scoring: Scoring, **shown: Checked
) -> None:
    """Writes a report on one or more RUNs: one HTML file that needs no network and no server.

    It opens with the verdict, the means with intervals and the differences, and goes down to each query: the rankings
    side by side, grades in colour, what each document is worth, the passages. docs/report.md explains what it shows.

    A RUN can also be a result that was stored with --save, or another report; if all are, there are no QRELS.
    """
    check_single_input(qrels, *runs, shown["queries"], shown["corpus"])
    if not runs and not is_stored(qrels):
        raise click.UsageError("missing RUN; name at least one run after QRELS")
    testing = {name: shown.pop(name) for name in ("baseline", "test")}
    shown |= {"title": shown["title"] or TITLE, "reproduce": this_command()}
    judgments, known = name_all(scoring.qrels_or_path(qrels), [source_of(run) for run in runs])
    found: Any
    if len(known) > 1:
        how = {"top": shown["top"], "progress": True, **testing, **scoring.reading}
        found = compare(judgments, known, measures, **how)
    else:
        ((shown["name"], run),) = known.items()
        refuse({f"--{name} is for two or more runs; leave it out": is_told(name) for name in testing})
        found = only_result(judgments, run, measures, scoring, shown["top"])
    say_loudly(found.notes)
    found.report(page_file, **shown)
    say(f"report written to {page_file}")


def only_result(qrels: object, run: Any, measures: str | None, scoring: Scoring, top: int) -> Result:  # noqa: ANN401 - a source
    """The result of a single run, which may be a stored one."""
    if not (isinstance(run, str) and is_stored(run)):
        with watched(str(run)) as progress:
            return evaluate(qrels, run, measures or MEASURES, top=top, progress=progress, **scoring.reading)
    refuse(
        {
            "a stored result is not scored again; leave out --convention, --policy and --from": scoring.reading,
            "a stored result has no rankings; leave out --top": is_told("top"),
        }
    )
    result = load_result(run)
    return result.only(split_measures(measures)) if measures else result
