"""`assay convert`: from one format to another, losing nothing without permission."""

from typing import Any

import click

from assay import Qrels, read_data
from assay.cli.command import option, subcommand
from assay.cli.terminal import say
from assay.terminal import copy_to_output, count, source_of, watched


def read_kind(_: click.Context, __: click.Parameter, value: str | None) -> tuple[Any, str | None]:
    """What a file holds and in which format: `qrels`, `run=csv`."""
    kind, format_ = (value or "").partition("=")[::2]
    if value is not None and kind not in ("qrels", "run"):
        raise click.BadParameter(f"{value!r} does not say what the file holds; write qrels, run, or run={value}")
    return kind or None, format_ or None


@subcommand(
    "convert",
    "assay convert qrels.txt qrels.json",
    "assay convert scores.csv bm25.run.gz",
    "assay convert runs/bm25/ bm25.run.gz",
    "assay convert bm25.run bm25.csv --lossy",
    "assay convert judged.json - --from qrels --to trec",
    usual="from_ to lossy",
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@option(
    "--from qrels|run[=FORMAT]",
    "What IN holds, and its format, if that cannot be inferred: judgments (qrels) or a run, in trec, json, jsonl, "
    "csv, tsv, beir or parquet, as in run=csv.",
    to="from_",
    callback=read_kind,
)
@option("--to FORMAT", "Format of OUT.  [default: from its extension]")
@option("--lossy", "Leave out what OUT cannot hold.")
def command(*, source: str, target: str, from_: tuple[Any, str | None], to: str | None, lossy: bool) -> None:
    """Writes the judgments or the run in IN to OUT, in the format and compression of OUT's extension.

    Formats are TREC, BEIR's TSV, JSON, JSON Lines, CSV, TSV and Parquet; compressions are .gz, .zst, .bz2 and .xz; -
    is standard input or output. If OUT cannot hold something, such as the tag of a run, that is an error.
    """
    with watched(source):
        data = read_data(source_of(source), from_[0], format=from_[1])
    if target == "-":
        copy_to_output(data, to or "trec", lossy=lossy)
    else:
        data.write(target, format=to, lossy=lossy)
    what = "judgments" if isinstance(data, Qrels) else "a run"
    amount = f"{count(len(data), 'query', 'queries')}, {count(len(data.rows), 'row')}"
    say(f"wrote {what} to {'standard output' if target == '-' else target}: {amount}")
