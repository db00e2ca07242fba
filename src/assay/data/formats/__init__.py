"""The table of file formats: how each is recognised, read, read in batches and written, and what it cannot hold.

Judgments, runs, questions, passages and RAG records are all read through it. A new format is a file beside this one
and a row in `FORMATS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from assay._kernel import Rows
from assay.core.errors import FileError, FormatError
from assay.core.text import show
from assay.data.formats import json, jsonl, parquet, tabular, trec
from assay.data.frames import DOCUMENT, QUERY
from assay.data.source import COMPRESSIONS, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from assay._kernel import Progress, Ranker
    from assay.data.formats.tabular import Batch
    from assay.data.source import Source

    Columns: TypeAlias = Mapping[str, str] | None

HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    - `suffixes`: endings of a file name that identify it
    - `mark`: a pattern that its content starts with, for files whose name does not tell
    - `batches`: of a table, its rows in pieces
    - `objects`: of JSON, the reader of its entries
    - `rows`: a reader of its own, for judgments only
    - `content`: what a file of questions, passages or RAG records holds: Python objects, or one `Placed` per record
    - `column_names`: of a table, its columns
    - `write`: how judgments and runs are written
    - `cannot_hold`: what is lost in it, as `assay.data.write` names it
    - `separator`: of a text table, what separates its cells
    """

    name: str
    suffixes: tuple[str, ...] = ()
    mark: re.Pattern[str] | None = None
    batches: Callable[[Source], Generator[Batch]] | None = None
    rows: Callable[[Source], Rows] | None = None
    content: Callable[[Source], Any] | None = None
    column_names: Callable[[Source], list[str]] | None = None
    write: Callable[[Any, IO[bytes]], None] | None = None
    cannot_hold: tuple[str, ...] = ()
    separator: str = ""

    def read(self, source: Source, columns: Columns, *, judgments: bool) -> Rows:
        """The judgments or the run in a file."""
        if self is TREC:
            return Rows.from_file(source.path, source.name, judgments=judgments)
        if self.batches is not None:
            table = tabular.read_table(self.batches(source), source.name, columns, judgments=judgments)
            return Rows.from_frame(table, source.name)
        if self.rows is None:
            return json.read_rows(source, judgments=judgments)
        if not judgments:
            raise FormatError(f"{self.name} is a format for judgments, not for runs")
        return self.rows(source)

    def rank(
        self,
        source: Source,
        make_ranker: Callable[[], Ranker],
        columns: Columns,
        *,
        threads: int,
        progress: Progress | None = None,
    ) -> Ranker:
        """Ranks the judged documents of a run while its file is read, so that it is never held whole."""
        ranker = make_ranker()
        if self is TREC:
            ranker.add_file(source.path, source.name, threads, progress)
        elif self.batches is not None:
            return tabular.rank_table(self.batches, source, make_ranker, columns, threads)
        elif self.rows is None:
            json.rank(ranker, source)
        else:
            ranker.add_rows(self.read(source, columns, judgments=False), source.name, threads)
        return ranker


TREC = Format(
    "trec",
    (".trec", ".run", ".qrels", ".qrel"),
    content=trec.refuse_records,
    write=trec.write,
    cannot_hold=trec.CANNOT_HOLD,
)
JSON = Format(
    "json",
    (".json",),
    re.compile(rf"(?!{jsonl.MARK})[{{\[]"),
    content=json.read_content,
    write=json.write,
    cannot_hold=json.CANNOT_HOLD,
)
TSV = Format(
    "tsv",
    (),
    re.compile(tabular.header_mark("\t", QUERY, DOCUMENT)),
    batches=tabular.batches_of("\t"),
    content=tabular.content_of("\t"),
    column_names=tabular.column_names_of("\t"),
    write=tabular.writer("\t"),
    cannot_hold=tabular.CANNOT_HOLD,
    separator="\t",
)
FORMATS = (
    TREC,
    JSON,
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        re.compile(jsonl.MARK),
        batches=jsonl.read_batches,
        content=jsonl.read_content,
        column_names=jsonl.column_names,
        write=jsonl.write,
        cannot_hold=jsonl.CANNOT_HOLD,
    ),
    Format(
        "csv",
        (".csv",),
        re.compile(tabular.header_mark(",", QUERY, DOCUMENT)),
        batches=tabular.batches_of(","),
        content=tabular.content_of(","),
        column_names=tabular.column_names_of(","),
        write=tabular.writer(","),
        cannot_hold=tabular.CANNOT_HOLD,
        separator=",",
    ),
    TSV,
    Format(
        "beir",
        batches=tabular.batches_of("\t"),
        content=tabular.content_of("\t"),
        column_names=tabular.column_names_of("\t"),
        write=tabular.write_beir,
        cannot_hold=tabular.BEIR_CANNOT_HOLD,
        separator="\t",
    ),
    Format(
        "parquet",
        (".parquet", ".pq"),
        re.compile("PAR1"),
        batches=parquet.read_batches,
        content=parquet.read_content,
        column_names=parquet.column_names,
        write=parquet.write,
        cannot_hold=parquet.CANNOT_HOLD,
    ),
    # trec_eval's preferences, which are only read.
    Format("prefs", rows=trec.read_preferences),
)
BY_NAME = {each.name: each for each in FORMATS}
BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
# What options offer: the formats that can be written as well as read.
NAMES = tuple(each.name for each in FORMATS if each.write is not None)


def find_format(name: str | None) -> Format | None:
    """The format of that name; none where no name is given."""
    if name is None:
        return None
    if not isinstance(name, str) or name not in BY_NAME:
        raise FormatError(f"unknown format {show(name)}; choose one of {', '.join(NAMES)}")
    return BY_NAME[name]


def recognise(source: Source, name: str | None = None, *, default: Format = TREC) -> Format:
    """The format of a file: the one named, or else what its name or its first lines say."""
    chosen = find_format(name)
    if chosen is not None:
        return chosen
    if source.path.is_dir():
        raise FileError(f"{quoted(source.name)} is a directory, not a file")
    return by_suffix(source.path) or by_content(source, default)


def by_suffix(path: Path) -> Format | None:
    """The format that the name says. `.tsv` and `.txt` say nothing: TREC files have those endings too."""
    return BY_SUFFIX.get(ending(path))


def ending(path: Path) -> str:
    """The ending of a file name, before that of a compression.

    >>> ending(Path("bm25.RUN.gz"))
    '.run'
    """
    name = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    return name.suffix.lower()


def by_content(source: Source, default: Format) -> Format:
    """The format that the first lines say."""
    text = source.read(HEAD).decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    return next((each for each in FORMATS if each.mark is not None and each.mark.match(text)), default)
