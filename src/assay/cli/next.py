"""`assay next`: which documents to judge next, and whether that can change which of two runs is better."""

import click

from assay import next_judgments
from assay.cli.command import Checked, Setting, number, option, subcommand, whole
from assay.cli.options import Scoring, between_option, one_measure, pool_option, scoring_options
from assay.cli.output import Output, output_options
from assay.cli.terminal import check_single_input, say
from assay.terminal import named

# In place of QRELS, if nothing is judged yet.
NONE = "none"
ORDERS = ("worth", "against", "depth", "random")


@subcommand(
    "next",
    "assay next qrels.txt bm25.run dense.run",
    "assay next none bm25.run dense.run -m precision@10 -n 50 -o todo.csv",
    "assay next qrels.txt *.run --first depth --pool 10      a pool of all runs",
    "assay next qrels.txt *.run --between bm25 dense",
    usual="measure order first depth between convention policies format_ output",
)
@click.argument("qrels", metavar="QRELS|none")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@one_measure("Measure to compare by, a sum over ranks.", "dcg@10")
@option(
    "--first",
    "What comes first. `against` is worth, beginning with what speaks for the run that is behind.",
    choices=ORDERS,
    to="order",
)
@option("-n --number N", "Pairs to list.", to="first", least=1, default=20)
@pool_option
@between_option
@output_options()
@scoring_options(
    Setting("top_grade", number, "highest grade a document can get (default: the highest in QRELS, at least 1)"),
    Setting("lowest_grade", number, "lowest grade a document can get (default: the lowest in QRELS, at most 0)"),
    Setting("seed", whole, "seed of the random order (default 0)"),
    only=("doc_id",),
)
def command(*, qrels: str, runs: tuple[str, ...], first: int, out: Output, scoring: Scoring, **how: Checked) -> None:
    """Lists the documents to judge next to compare RUNs, and says whether judging can still change which is better.

    By worth, the documents come first that can move the difference of two runs most; by depth, those with the best
    ranks. QRELS are the judgments so far. docs/votes.md explains when a comparison is settled.
    """
    check_single_input(qrels, *runs)
    read = {name: scoring.run(run) for name, run in named(runs)}
    judged = None if qrels == NONE else scoring.qrels(qrels)
    how |= zip("ab", how.pop("between") or (), strict=False)
    found = next_judgments(judged, read, **how, **scoring.how).first(first)
    out.show(found)
    if out.is_bare:
        say(f"note: {found.settlement or found.reason}")
