"""`assay measures`: lists all measures, or explains one."""

import click

from assay import explain
from assay.cli.command import option, subcommand
from assay.cli.options import load_option, loaded
from assay.cli.terminal import emit


@subcommand(
    "measures",
    "assay measures",
    "assay measures ndcg",
    "assay measures nDCG@10",
    "assay measures recip_rank --format json",
    usual="format_ files",
)
@click.argument("name", required=False)
@option("--format", "Format of the output.", choices=("table", "json", "markdown"), to="format_")
@load_option
def command(*, name: str | None, format_: str, files: tuple[str, ...]) -> None:
    """Lists every measure; with NAME, explains one: formula, parameters, aliases, reference and a worked example.

    Any spelling of the name works, including other tools' spellings.
    """
    with loaded(files):
        found = explain(name)
        pages = {"table": found.to_text, "json": found.to_json, "markdown": found.to_markdown}
        emit(pages[format_](), format_=format_)
