"""`assay votes`: from people's votes to judgments."""

import click

from assay import votes
from assay.cli.command import Checked, Setting, number, option, pair_of, subcommand, whole
from assay.cli.options import policy_option
from assay.cli.output import judgments_option, table_option, write_judgments
from assay.terminal import check_target, source_of

METHODS = ("majority", "mean", "median", "beta", "wilson", "quepid", "dawid_skene")


@subcommand(
    "votes",
    "assay votes votes.csv                                each pair with its grade, and how sure it is",
    "assay votes votes.csv -o qrels.txt                   judgments for every other command",
    "assay votes votes.csv --method dawid_skene --voters  how reliable each voter is",
    "assay votes votes.jsonl -o qrels.txt --method dawid_skene --policy min_votes=2",
    "assay votes grades.csv -o qrels.txt --method wilson --policy threshold=2",
    usual="output method voters policies format_",
)
@click.argument("votes_file", metavar="FILE")
@judgments_option
@option("--method METHOD", "How votes become a grade", choices=METHODS)
@option("--voters", "Show one row per voter instead of one per pair.")
@policy_option(
    Setting("min_votes", whole, "votes that a pair needs; with fewer it stays unjudged (default 1)"),
    Setting("scale", str, "what the votes -1, 0 and 1 are: thumbs, grades or auto (default)"),
    Setting("threshold", number, "grade from which a vote counts as up, any other as down"),
    Setting("prior", pair_of("UP,DOWN", "1,3"), "UP,DOWN: votes that the method beta adds (default 1,1)"),
    Setting("level", number, "level of the intervals, and of the method wilson (default 0.95)"),
    only=(),
)
@table_option
def command(
    *, votes_file: str, output: str | None, method: str, voters: bool, policies: Checked, format_: str | None
) -> None:
    """Turns the votes in FILE into judgments: a grade per query and document, and how sure it is.

    FILE is CSV, TSV, JSON Lines, JSON or Parquet, with columns query, document and vote, and optionally voter, time
    and comment; or the file in which a studio keeps its votes. A vote is up or down (yes, no, true, false, 1, -1 …) or
    a grade; an empty one, ? or "cannot tell" counts for nothing. docs/votes.md explains the methods.
    """
    check_target(output)
    found = votes(source_of(votes_file), method=method, **policies)
    write_judgments(found, output, format_, found.voter_table() if voters else None)
