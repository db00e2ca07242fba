"""`assay votes`: from people's votes to judgments."""

from __future__ import annotations

from typing import Any

import click

from assay import votes
from assay.cli.command import Command, Setting, number, whole
from assay.cli.options import policy_option
from assay.cli.output import FORMATS, write_judgments
from assay.terminal import check_target, source_of

METHODS = ("majority", "mean", "median", "beta", "wilson", "quepid", "dawid_skene")


def read_prior(text: str) -> tuple[float, float]:
    """`UP,DOWN`: the votes that beta adds."""
    try:
        up, down = map(float, text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form UP,DOWN, such as 1,3") from None
    return up, down


@click.command(
    "votes",
    cls=Command,
    short_help="Turn people's votes into judgments.",
    usual="output method voters policies format_",
    examples=(
        "assay votes votes.csv                                each pair with its grade, and how sure it is",
        "assay votes votes.csv -o qrels.txt                   judgments for every other command",
        "assay votes votes.csv --method dawid_skene --voters  how reliable each voter is",
        "assay votes votes.jsonl -o qrels.txt --method dawid_skene --policy min_votes=2",
        "assay votes grades.csv -o qrels.txt --method wilson --policy threshold=2",
    ),
)
@click.argument("votes_file", metavar="FILE")
@click.option("-o", "--output", metavar="FILE", help="File for the judgments. The format is that of its extension.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    metavar="METHOD",
    help=f"How votes become a grade: {', '.join(METHODS)}.",
)
@click.option("--voters", is_flag=True, help="Show one row per voter instead of one per pair.")
@policy_option(
    Setting("min_votes", whole, "votes that a pair needs; with fewer it stays unjudged (default 1)"),
    Setting("scale", str, "what the votes -1, 0 and 1 are: thumbs, grades or auto (default)"),
    Setting("threshold", number, "grade from which a vote counts as up, any other as down"),
    Setting("prior", read_prior, "UP,DOWN: votes that the method beta adds (default 1,1)"),
    Setting("level", number, "level of the intervals, and of the method wilson (default 0.95)"),
    only=(),
)
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Format of the output.  [default: table]")
def command(
    *, votes_file: str, output: str | None, method: str, voters: bool, policies: dict[str, Any], format_: str | None
) -> None:
    """Turns the votes in FILE into judgments: a grade per query and document, and how sure it is.

    FILE is CSV, TSV, JSON Lines, JSON or Parquet, with columns query, document and vote, and optionally voter, time
    and comment; or the file in which a studio keeps its votes. A vote is up or down (yes, no, true, false, 1, -1 …) or
    a grade; an empty one, ? or "cannot tell" counts for nothing. docs/votes.md explains the methods.
    """
    check_target(output)
    found = votes(source_of(votes_file), method=method, **policies)
    write_judgments(found, output, format_, found.voter_table() if voters else None)
