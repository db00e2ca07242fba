"""`assay clicks`: from what people click on to judgments."""

import click

from assay import clicks
from assay.cli.command import Checked, option, subcommand
from assay.cli.options import take_source
from assay.cli.output import judgments_option, table_option, write_judgments
from assay.cli.terminal import check_single_input
from assay.terminal import check_target, source_of

MODELS = ("coec", "pbm", "dbn")


@subcommand(
    "clicks",
    "assay clicks clicks.csv                          each pair with its grade and how often it was shown",
    "assay clicks clicks.csv -o qrels.txt             judgments for every other command",
    "assay clicks clicks.csv --model pbm --positions  how likely people look at each position",
    "assay clicks ubi_events.jsonl --queries ubi_queries.jsonl -o qrels.txt",
    "assay clicks clicks.parquet -o qrels.txt --model dbn --min-impressions 50",
    usual="output model min_impressions queries positions format_",
)
@click.argument("clicks_file", metavar="FILE")
@judgments_option
@option("--model MODEL", "How clicks become a grade", choices=MODELS)
@option("--min-impressions N", "Impressions that a pair needs. With fewer it stays unjudged.", least=1, default=10)
@option("--queries FILE", "Texts of the queries, for UBI events: query_id and user_query.", callback=take_source)
@option("--positions", "Show one row per position instead of one per pair.")
@table_option
def command(*, clicks_file: str, output: str | None, positions: bool, format_: str | None, **how: Checked) -> None:
    """Turns the clicks in FILE into judgments: a grade per query and document.

    FILE is CSV, TSV, JSON Lines, JSON or Parquet: a table with columns query, document, position and clicked, and
    optionally impression, the result page; or events of OpenSearch's User Behavior Insights. docs/votes.md explains the
    models: clicks over expected clicks (coec), the position-based model (pbm) and the dynamic Bayesian network (dbn).
    """
    check_target(output)
    check_single_input(clicks_file, how["queries"])
    found = clicks(source_of(clicks_file), **how)
    write_judgments(found, output, format_, found.position_table() if positions else None)
