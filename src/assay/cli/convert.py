"""`assay convert`: from one format to another, without losing anything unless told to."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.kind import holds_judgments
from assay.cli.options import format_choice
from assay.cli.terminal import Command, say, watched
from assay.core.text import count
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.source import StandardInput

if TYPE_CHECKING:
    from assay.data.source import Readable


class Kept(io.BytesIO):
    """Standard input, kept so that it can be read twice."""

    name = StandardInput.name


@click.command(
    "convert",
    cls=Command,
    short_help="Convert judgments or a run to another format.",
    examples=(
        "assay convert qrels.txt qrels.json",
        "assay convert scores.csv bm25.run.gz",
        "assay convert bm25.run bm25.parquet --lossy",
        "assay convert judged.json - --qrels --to trec",
    ),
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--qrels", "kind", flag_value="qrels", help="IN holds judgments.")
@click.option("--run", "kind", flag_value="run", help="IN holds a run.")
@click.option("--from", "from_", type=format_choice, help="The format of IN, where it cannot be told.")
@click.option("--to", type=format_choice, help="The format of OUT, where its name does not say it.")
@click.option("--lossy", is_flag=True, help="Go on where OUT cannot hold everything.")
def command(*, source: str, target: str, kind: str | None, from_: str | None, to: str | None, lossy: bool) -> None:
    """Writes the judgments or the run in IN to OUT, in the format and compression that OUT's name says.

    Formats are TREC, BEIR's TSV, JSON, JSON Lines, CSV, TSV and Parquet; compressions .gz, .zst, .bz2 and .xz; - is
    standard input or output. What OUT cannot hold, such as the tag of a run, is refused and named.
    """
    data = read(source, kind, from_)
    if target == "-":
        to_stdout(data, to, lossy=lossy)
    else:
        data.write(target, format=to, lossy=lossy)
    what = "judgments" if data.is_judgments else "a run"
    size = f"{count(len(data), 'query', 'queries')}, {count(len(data.rows), 'row')}"
    say(f"wrote {what} to {'standard output' if target == '-' else target}: {size}")


def read(argument: str, kind: str | None, format_: str | None) -> Qrels | Run:
    """The data, with whatever repeats it has: writing says whether they can be kept."""
    source: Readable = Kept(StandardInput().read()) if argument == "-" else argument
    with watched(argument):
        is_judgments = holds_judgments(source, format_) if kind is None else kind == "qrels"
        if isinstance(source, Kept):
            source.seek(0)
        return Qrels(source, format=format_, duplicates="first") if is_judgments else Run(source, format=format_)


def to_stdout(data: Qrels | Run, format_: str | None, *, lossy: bool) -> None:
    """Written to a file first, so that nothing comes out unless everything can."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder) / "output"
        data.write(path, format=format_ or "trec", lossy=lossy)
        with path.open("rb") as whole:
            shutil.copyfileobj(whole, sys.stdout.buffer)
