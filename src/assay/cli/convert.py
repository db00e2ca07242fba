"""`assay convert`: from one format to another, losing nothing without permission."""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from assay import Qrels, Run
from assay.cli.command import Command
from assay.cli.terminal import say, watched
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import count
from assay.data.formats import HEAD, TREC, recognise
from assay.data.formats.json import read_rankings
from assay.data.frames.columns import GRADE, SCORE, normalise_name
from assay.errors import FileError, FormatError
from assay.files.source import CHUNK, StandardInput, cannot_put_aside, open_source, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.data.formats import Format
    from assay.files.source import Readable, Source

QRELS_FIELDS = 4
RUN_FIELDS = 6
PAIR = 2
# What a kind of value indicates, judgments or a run, and the share of all values it needs. Some scores are whole.
NEEDED = {"grade": (True, 1.0), "group": (True, 1.0), "fraction": (False, 0.9), "pair": (False, 1.0)}
# Whole numbers up to this are grades, larger ones may be either.
HIGHEST_GRADE = 10
# BEIR calls grades scores; its names for the other columns give it away.
BEIR = {"query_id", "corpus_id", "score"}


class KeptInput(io.BytesIO):
    """Standard input, kept so that it can be read twice."""

    name = StandardInput.name


def read_kind(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str | None, str | None]:
    """What a file holds and in which format: `qrels`, `run=csv`."""
    kind, format_ = (value or "").partition("=")[::2]
    if value is not None and kind not in ("qrels", "run"):
        raise click.BadParameter(f"{value!r} does not say what the file holds; write qrels, run, or run={value}")
    return kind or None, format_ or None


@click.command(
    "convert",
    cls=Command,
    short_help="Convert judgments or a run to another format.",
    examples=(
        "assay convert qrels.txt qrels.json",
        "assay convert scores.csv bm25.run.gz",
        "assay convert runs/bm25/ bm25.run.gz",
        "assay convert bm25.run bm25.csv --lossy",
        "assay convert judged.json - --from qrels --to trec",
    ),
    usual="from_ to lossy",
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from",
    "from_",
    metavar="qrels|run[=FORMAT]",
    callback=read_kind,
    help="What IN holds, and its format, if that cannot be inferred: judgments (qrels) or a run, in trec, json, jsonl, "
    "csv, tsv, beir or parquet, as in run=csv.",
)
@click.option("--to", metavar="FORMAT", help="Format of OUT, if not that of its extension.")
@click.option("--lossy", is_flag=True, help="Leave out what OUT cannot hold.")
def command(*, source: str, target: str, from_: tuple[str | None, str | None], to: str | None, lossy: bool) -> None:
    """Writes the judgments or the run in IN to OUT, in the format and compression of OUT's extension.

    Formats are TREC, BEIR's TSV, JSON, JSON Lines, CSV, TSV and Parquet; compressions are .gz, .zst, .bz2 and .xz; -
    is standard input or output. If OUT cannot hold something, such as the tag of a run, that is an error.
    """
    data = read_data(source, *from_)
    if target == "-":
        write_stdout(data, to, lossy=lossy)
    else:
        data.write(target, format=to, lossy=lossy)
    what = "judgments" if data.is_judgments else "a run"
    size = f"{count(len(data), 'query', 'queries')}, {count(len(data.rows), 'row')}"
    say(f"wrote {what} to {'standard output' if target == '-' else target}: {size}")


def read_data(argument: str, kind: str | None, format_: str | None) -> Qrels | Run:
    """The data, with its duplicates: whether they can be kept is decided when writing."""
    source: Readable = keep_input() if argument == "-" else argument
    with watched(argument):
        is_judgments = holds_judgments(source, format_) if kind is None else kind == "qrels"
        if isinstance(source, KeptInput):
            source.seek(0)
        return Qrels(source, format=format_, duplicates="first") if is_judgments else Run(source, format=format_)


def keep_input() -> KeptInput:
    """Standard input in memory, as it is read twice; not more of it than a temporary file would take."""
    kept, most = KeptInput(), LIMITS.get().temporary
    while chunk := StandardInput().read(CHUNK):
        if kept.write(chunk) and kept.tell() > most:
            raise refuse(f"standard input: more than {size(most)}", "temporary")
    kept.seek(0)
    return kept


def write_stdout(data: Qrels | Run, format_: str | None, *, lossy: bool) -> None:
    """Writes to a file first, so that nothing is printed unless everything can be."""
    with temporary_folder() as folder:
        path = folder / "output"
        try:
            data.write(path, format=format_ or "trec", lossy=lossy)
        except FileError as error:
            # A file that nobody has asked for.
            if isinstance(error.__cause__, OSError):
                raise cannot_put_aside(error.__cause__) from error
            raise
        with path.open("rb") as whole:
            shutil.copyfileobj(whole, sys.stdout.buffer)
    sys.stdout.flush()


def holds_judgments(data: Readable, format_: str | None) -> bool:
    """True for judgments, false for a run; an error if the content does not tell."""
    with open_source(data) as source:
        chosen = recognise(source, format_)
        answers = (by_format(file, chosen) for file in source.files)
        answer = next((each for each in answers if each is not None), None)
        if answer is None:
            raise FormatError(
                f"cannot tell whether {source.name} holds judgments or a run; say which with --from qrels or --from run"
            )
        return answer


def by_format(source: Source, format_: Format) -> bool | None:
    if format_.name == "beir":
        return True
    if format_ is TREC:
        return by_fields(source)
    if format_.is_table:
        return by_columns(format_.column_names(source))
    content = read_rankings(source)
    return by_values(content.values() if isinstance(content, dict) else content)


def by_fields(source: Source) -> bool | None:
    """TREC: a judgment has four fields, a retrieved document six."""
    for line in source.read(HEAD).decode("utf-8", errors="replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return {QRELS_FIELDS: True, RUN_FIELDS: False}.get(len(line.split()))
    return None


def by_columns(names: Sequence[str]) -> bool | None:
    """A column of grades means judgments, one of scores a run."""
    found = {normalise_name(name) for name in names}
    if found == BEIR:
        return True
    has_grades, has_scores = bool(found & (set(GRADE) - set(SCORE))), bool(found & set(SCORE))
    return has_grades if has_grades != has_scores else None


def by_values(queries: Iterable[Any]) -> bool | None:
    """JSON: small whole numbers are grades and nested lists are groups; fractions and pairs are scores."""
    kinds = Counter(kind for query in queries for kind in value_kinds(query))
    for kind, (is_judgments, share) in NEEDED.items():
        if kinds[kind] and kinds[kind] >= share * kinds.total():
            return is_judgments
    return None


def value_kinds(query: Any) -> Iterator[str]:  # noqa: ANN401 - whatever the file holds
    """What the values of one query look like."""
    if isinstance(query, dict):
        return map(number_kind, query.values())
    return map(entry_kind, query if isinstance(query, list) else [])


def number_kind(value: object) -> str:
    if not isinstance(value, (int, float)):
        return "other"
    return "fraction" if value % 1 else "grade" if abs(value) <= HIGHEST_GRADE else "whole"


def entry_kind(entry: object) -> str:
    """What one entry of a list is: an id, a document with its score and perhaps its rank, or a group of ids."""
    if not isinstance(entry, list):
        return "id"
    is_pair = len(entry) in (PAIR, PAIR + 1) and all(isinstance(each, (int, float)) for each in entry[1:])
    return "pair" if is_pair else "group"
