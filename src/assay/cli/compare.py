"""`assay compare`: which of several runs is better, and whether the difference is significant."""

import click

from assay import compare
from assay.cli.command import Checked, option, subcommand
from assay.cli.options import TESTING, Scoring, given, human_option, measure_options, scoring_options, testing_options
from assay.cli.output import Output, output_options, save_option, save_results
from assay.cli.terminal import check_single_input, say
from assay.terminal import is_stored, source_of


@subcommand(
    "compare",
    "assay compare qrels.txt bm25.run dense.run",
    "assay compare qrels.txt bm25.run dense.run hybrid.run --baseline bm25 -m ndcg@10 -m recall@100",
    "assay compare old.json new.json               results stored with --save",
    "assay compare qrels.txt *.run -m ndcg@10 --test tukey_randomized --policy alpha=0.01",
    "assay compare qrels.txt bm25.run dense.run -o table.tex --style caption='Main results' --style label=tab:main",
    "assay compare judge.txt bm25.run dense.run --human human.txt",
    "assay compare report.html                     the runs of a report",
    usual="measures baseline test sort pairs human convention policies format_ output save",
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@measure_options()
@testing_options
@option(
    "--sort MEASURE|name|given",
    "Order of the runs: best first by this measure, by name, or as given.  "
    "[default: given for up to three runs, else the first measure]",
)
@option(
    "--pairs",
    "Pairs to list.  [default: all for up to three runs, else significant]",
    type=click.Choice(("all", "significant", "none")),
)
@human_option
@save_option
@output_options(styled=True)
@scoring_options(*TESTING)
def command(
    *, qrels: str, runs: tuple[str, ...], save: str | None, out: Output, scoring: Scoring, **how: Checked
) -> None:
    """Compares RUNs on the judgments in QRELS: differences with confidence intervals, p-values and effect sizes.

    A RUN can also be a result that was stored with --save; if all are, there are no QRELS.

    The verdict comes first, in words. Every pair of runs is compared, or every run with the baseline. Letters after a
    number name the runs that it is significantly better than. JSON, CSV and TSV always have all pairs.
    docs/comparing.md explains which test and which correction to choose.
    """
    check_single_input(qrels, *runs, how["human"])
    if not runs and not is_stored(qrels):
        raise click.UsageError("missing RUN RUN...; name at least two runs after QRELS")
    shown = given(sort=how.pop("sort"), pairs=how.pop("pairs"))
    judgments, read = scoring.qrels_or_path(qrels), [source_of(run) for run in runs]
    found = compare(judgments, read, progress=True, **how, **scoring.reading)
    if not is_stored(qrels) and all(map(is_stored, runs)):
        say(f"note: {qrels} is not used; every run is a stored result")
    save_results(found.results, save)
    out.show(found, **shown)
