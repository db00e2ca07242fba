"""`assay votes`: from people's votes to judgments."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.counting_options import counting_options
from assay.cli.options import BARE, FORMATS, format_result, output_format_option
from assay.cli.terminal import Command, check_target, emit, say, say_notes, source_of
from assay.core.text import count
from assay.tasks.vote.api import votes
from assay.tasks.vote.ballots import SCALES


@click.command(
    "votes",
    cls=Command,
    short_help="Make judgments from people's votes.",
    examples=(
        "assay votes votes.csv                                  each pair with its grade, and how sure it is",
        "assay votes votes.csv -o qrels.txt                     judgments for every other command",
        "assay votes votes.jsonl -o qrels.txt --method dawid_skene --min-votes 2",
        "assay votes votes.csv --method dawid_skene --voters    how reliable each voter is",
        "assay votes grades.csv -o qrels.txt --method wilson --threshold 2",
    ),
)
@click.argument("votes_file", metavar="FILE")
@click.option("-o", "--output", metavar="FILE", help="File for the judgments; its name says the format.")
@counting_options
@click.option(
    "--scale", type=click.Choice(SCALES), default=SCALES[0], show_default=True, help="What the votes -1, 0 and 1 are."
)
@click.option("--threshold", type=float, help="A vote of at least this much is up, any other one down.")
@click.option(
    "--prior",
    type=float,
    nargs=2,
    default=(1, 1),
    show_default="1 1",
    metavar="A B",
    help="Votes up and down beta adds.",
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the bounds, and of wilson.")
@click.option("--voters", is_flag=True, help="Show one row per voter instead of one per pair.")
@output_format_option(FORMATS)
def command(
    *,
    votes_file: str,
    output: str | None,
    method: str,
    min_votes: int,
    scale: str,
    threshold: float | None,
    prior: tuple[float, float],
    level: float,
    voters: bool,
    format_: str,
) -> None:
    """Turns the votes in FILE into judgments: a grade per query and document, and how sure it is.

    FILE is CSV, TSV, JSON Lines, JSON or Parquet, with columns query, document and vote, and if there are any voter,
    time and comment; or the file in which a studio keeps its votes. A vote is up or down (yes, no, true, false, 1, -1
    …) or a grade; an empty one, ? or "cannot tell" counts for nothing. docs/votes.md explains the methods.
    """
    check_target(output)
    how: Any = {"min_votes": min_votes, "scale": scale, "threshold": threshold, "prior": prior, "level": level}
    found = votes(source_of(votes_file), method=method, **how)
    if output is not None:
        found.write(output)
        size = f"{count(len(found.qrels), 'query', 'queries')}, {count(len(found), 'judgment')}"
        say(f"wrote judgments to {output}: {size}")
        say_notes(found.notes)
        return
    emit(format_result(found.voter_table() if voters else found, format_), None, format_)
    say_notes(found.notes if format_ in BARE or voters else ())
