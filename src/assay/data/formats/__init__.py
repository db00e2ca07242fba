"""The table of file formats: how each is recognised, read, read in batches and written, and what it cannot hold.

Judgments, runs, questions, passages and RAG records are all read through it. A new format is a file beside this one
and a row in `FORMATS`.
"""

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from assay._kernel import Progress, Ranker, Rows
from assay.core.errors import FormatError
from assay.core.limits import LIMITS
from assay.core.text import Task, show
from assay.data.formats import json, jsonl, parquet, separated, tabular, trec
from assay.data.formats.tabular import Batch, Need, Placed, ReadBatches
from assay.data.frames.columns import DOCUMENT, QUERY, rows_of_table
from assay.files.source import COMPRESSIONS, Readable, Source, open_source

Columns = Mapping[str, str] | None
HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    - `suffixes`: endings of a file name that identify it
    - `mark`: a pattern that its content starts with, for files whose name does not tell
    - `batches`: of a table, the reader of its rows, some at a time
    - `needed`: of a table, the reader of only the columns of judgments or a run, if that is faster than `batches`
    - `rows`: of a format that is not a table, the reader of judgments and runs
    - `rank`: of a format that is not a table, what ranks a run while it is read; none if it holds only judgments
    - `rank_table`: of a table, what ranks a run in the kernel alone, or says that it cannot
    - `content`: the reader of questions, passages and RAG records: objects, or one `Placed` each; a table needs none
    - `names`: of a table, the reader of its column names
    - `tag`: of a table that can hold a run's tag, the reader of it
    - `write`: the writer of judgments and runs; a format without one is only read
    - `cannot_hold`: what is lost in it, as `assay.data.write` names it
    - `runs_as`: of a format that is written only for judgments, the one to write runs in
    - `is_compressed`: whether its files are compressed inside already
    - `separator`: of a text table, what separates its cells
    """

    name: str
    suffixes: tuple[str, ...] = ()
    mark: re.Pattern[str] | None = None
    batches: ReadBatches | None = None
    needed: Callable[..., Generator[Batch]] | None = None
    rows: Callable[..., Rows] | None = None
    rank: Callable[[Ranker, Source, int, Progress | None], None] | None = None
    rank_table: Callable[[Source, Callable[[], Ranker], Columns, int, Progress | None], Ranker | None] | None = None
    content: Callable[[Source], Any] | None = None
    names: Callable[[Source], list[str]] | None = None
    tag: Callable[[Source], str] | None = None
    write: Callable[[Any, IO[bytes]], None] | None = None
    cannot_hold: tuple[str, ...] = ()
    runs_as: str = ""
    is_compressed: bool = False
    separator: str = ""

    def read(self, source: Source, columns: Columns, *, judgments: bool) -> Rows:
        if self.batches is not None:
            need = Need(columns, judgments)
            rows = rows_of_table(tabular.read_table(self.reader(self.batches, need), source, need), source.name)
            tag = self.tag(source.files[0]) if self.tag is not None and not judgments else ""
            return rows.with_tag(tag) if tag else rows
        if self.rows is None or not (judgments or self.rank):
            raise self.not_for_runs()
        return self.rows(source, judgments=judgments)

    def rank_run(
        self,
        source: Source,
        make_ranker: Callable[[], Ranker],
        columns: Columns,
        *,
        threads: int,
        progress: Progress | None = None,
    ) -> Ranker:
        """Ranks the judged documents of a run while its file is read, so that it is never held whole."""
        if self.rank_table and (ranked := self.rank_table(source, make_ranker, columns, threads, progress)):
            return ranked
        if self.batches is not None:
            need = Need(columns, judgments=False, threads=threads)
            return tabular.rank_table(self.reader(self.batches, need), source, make_ranker, need)
        if self.rank is None:
            raise self.not_for_runs()
        ranker = make_ranker()
        self.rank(ranker, source, threads, progress)
        return ranker

    def reader(self, batches: ReadBatches, need: Need) -> ReadBatches:
        """The fastest reader of what is needed."""
        return batches if self.needed is None else partial(self.needed, need=need)

    def not_for_runs(self) -> FormatError:
        return FormatError(f"{self.name} is a format for judgments, not for runs")

    def read_content(self, source: Source) -> Any:  # noqa: ANN401 - whatever the file holds
        """The questions, passages or RAG records in a file: Python objects, or one `Placed` per record."""
        if self.batches is not None:
            return self.placed_records(source)
        if self.content is not None:
            return self.content(source)
        advice = f"use JSON Lines, JSON, Parquet, CSV or TSV, or pass judgments and runs to {Task('evaluate')}"
        raise FormatError(f"{source.name}: not a file of records; {advice}")

    def placed_records(self, source: Source) -> Generator[Placed]:
        for file in source.files:
            if self.content is not None:
                yield from self.content(file)
            elif self.batches is not None:
                yield from tabular.placed_records(self.batches(file), file.name)

    def column_names(self, source: Source) -> list[str]:
        """The columns of the first file that has any."""
        return next((names for file in source.files if self.names and (names := self.names(file))), [])


def text_table(name: str, separator: str, suffixes: tuple[str, ...] = ()) -> Format:
    return Format(
        name,
        suffixes,
        re.compile(separated.header_mark(separator, QUERY, DOCUMENT)),
        batches=partial(separated.read_separated, separator=separator),
        needed=partial(separated.read_needed, separator=separator),
        names=partial(separated.read_header, separator=separator),
        write=partial(separated.write_text_table, separator=separator),
        cannot_hold=tabular.CANNOT_HOLD,
        separator=separator,
    )


def read_trec(source: Source, *, judgments: bool) -> Rows:
    return Rows.from_files([each[:2] for each in source.files], source.name, judgments, LIMITS.get())


def rank_trec(ranker: Ranker, source: Source, threads: int, progress: Progress | None) -> None:
    ranker.add_files([each[:2] for each in source.files], source.name, threads, progress, LIMITS.get())


TREC = Format(
    "trec",
    (".trec", ".run", ".qrels", ".qrel"),
    rows=read_trec,
    rank=rank_trec,
    write=trec.write,
    cannot_hold=trec.CANNOT_HOLD,
)
JSON = Format(
    "json",
    (".json",),
    re.compile(rf"(?!{jsonl.MARK})[{{\[]"),
    rows=json.rows_of_json,
    rank=json.rank,
    content=json.read_objects,
    write=json.write,
    cannot_hold=json.CANNOT_HOLD,
)
TSV = text_table("tsv", "\t")
JSON_LINES = Format(
    "jsonl",
    (".jsonl", ".ndjson"),
    re.compile(jsonl.MARK),
    batches=jsonl.read_batches,
    needed=jsonl.read_needed,
    content=jsonl.placed_records,
    names=jsonl.column_names,
    write=jsonl.write,
    cannot_hold=jsonl.CANNOT_HOLD,
)
FORMATS = (
    TREC,
    JSON,
    JSON_LINES,
    text_table("csv", ",", (".csv",)),
    TSV,
    replace(TSV, name="beir", write=separated.write_beir, cannot_hold=separated.BEIR_CANNOT_HOLD, runs_as="tsv"),
    Format(
        "parquet",
        (".parquet", ".pq"),
        re.compile("PAR1"),
        batches=parquet.read_batches,
        rank_table=parquet.rank,
        names=parquet.column_names,
        tag=parquet.read_tag,
        write=parquet.write,
        cannot_hold=parquet.CANNOT_HOLD,
        is_compressed=True,
    ),
    Format("prefs", rows=trec.read_preferences),
)
BY_NAME = {each.name: each for each in FORMATS}
BY_SUFFIX = {suffix: each for each in FORMATS for suffix in each.suffixes}
# What options offer: the formats that can be written as well as read.
NAMES = tuple(each.name for each in FORMATS if each.write is not None)


def find_format(name: str | None) -> Format | None:
    if name is not None and (not isinstance(name, str) or name not in BY_NAME):
        raise FormatError(f"unknown format {show(name)}; choose one of {', '.join(NAMES)}")
    return None if name is None else BY_NAME[name]


def recognise(source: Source, name: str | None = None, *, default: Format = TREC) -> Format:
    """The format of a file, or of all files of a set: the one named, or else what names or first lines say."""
    if chosen := find_format(name):
        return chosen
    found: dict[Format, str] = {}
    for file in source.files:
        if chosen := recognise_file(file, default, is_part=bool(source.parts)):
            found.setdefault(chosen, file.path.name)
    if len(found) > 1:
        kinds = " and ".join(f"{each.name} ({show(name)})" for each, name in found.items())
        advice = "name those that belong together with a glob in quotes, such as 'folder/*.parquet'"
        raise FormatError(f"{source.name} holds files of several formats: {kinds}; {advice}")
    return next(iter(found), default)


def recognise_files(data: Readable) -> Generator[tuple[Source, Format]]:
    """Each file of questions, passages or events, with its format: rows that say nothing else are TSV."""
    with open_source(data) as source:
        chosen = recognise(source, default=TSV)
        yield from ((file, TSV if chosen is TREC else chosen) for file in source.files)


def recognise_file(file: Source, default: Format, *, is_part: bool) -> Format | None:
    """The format that the name of a file says, or else its first lines; None for a part without content."""
    chosen = BY_SUFFIX.get(ending(file.path))
    if chosen not in (None, JSON):
        return chosen
    head = file.read(HEAD).decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if is_part and not head:
        return None
    marked = next((each for each in FORMATS if each.mark is not None and each.mark.match(head)), default)
    # JSON Lines are often called .json; no JSON begins like them. Spark calls them so, and a part may have one line.
    is_lines = (is_part or marked is JSON_LINES) and jsonl.starts_with_row(head)
    chosen = chosen or marked
    return JSON_LINES if chosen is JSON and is_lines else chosen


def ending(path: Path) -> str:
    """The ending of a file name, before that of a compression. `.tsv` and `.txt` are endings of TREC files too."""
    return (Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path).suffix.lower()
