"""`assay clicks`: from what people click on to judgments."""

from __future__ import annotations

import click

from assay.cli.options import BARE, FORMATS, format_result, output_format_option
from assay.cli.terminal import Command, check_single_input, check_target, emit, say, say_notes, source_of
from assay.core.text import count
from assay.tasks.click.api import MIN_IMPRESSIONS, MODELS, clicks


@click.command(
    "clicks",
    cls=Command,
    short_help="Make judgments from people's clicks.",
    examples=(
        "assay clicks clicks.csv                             each pair with its grade and how often it was shown",
        "assay clicks clicks.csv -o qrels.txt                judgments for every other command",
        "assay clicks ubi_events.jsonl --queries ubi_queries.jsonl -o qrels.txt",
        "assay clicks clicks.parquet -o qrels.txt --model dbn --min-impressions 50",
        "assay clicks clicks.csv --model pbm --positions     how likely each position is looked at",
    ),
)
@click.argument("clicks_file", metavar="FILE")
@click.option("-o", "--output", metavar="FILE", help="File for the judgments; its name says the format.")
@click.option(
    "--model", type=click.Choice(tuple(MODELS)), default="coec", show_default=True, help="How clicks become a grade."
)
@click.option(
    "--min-impressions",
    type=click.IntRange(min=1),
    default=MIN_IMPRESSIONS,
    show_default=True,
    help="A pair that was shown less often stays unjudged.",
)
@click.option("--queries", metavar="FILE", help="What was typed, for UBI events: a table with query_id and user_query.")
@click.option("--positions", is_flag=True, help="Show one row per position instead of one per pair.")
@output_format_option(FORMATS)
def command(
    *,
    clicks_file: str,
    output: str | None,
    model: str,
    min_impressions: int,
    queries: str | None,
    positions: bool,
    format_: str,
) -> None:
    """Turns the clicks in FILE into judgments: a grade per query and document.

    FILE is CSV, TSV, JSON Lines, JSON or Parquet: a table with columns query, document, position and clicked, and if
    there is one impression, the result page; or events of OpenSearch's User Behavior Insights. docs/votes.md explains
    the models: clicks over expected clicks, the position-based one, and the dynamic Bayesian network.
    """
    check_target(output)
    check_single_input((clicks_file, queries or ""))
    typed = None if queries is None else source_of(queries)
    found = clicks(source_of(clicks_file), model=model, min_impressions=min_impressions, queries=typed)
    if output is not None:
        found.write(output)
        size = f"{count(len(found.qrels), 'query', 'queries')}, {count(len(found), 'judgment')}"
        say(f"wrote judgments to {output}: {size}")
        say_notes(found.notes)
        return
    emit(format_result(found.position_table() if positions else found, format_), None, format_)
    say_notes(found.notes if format_ in BARE or positions else ())
