"""A run read by trec_eval's own rules, where the kernel rejects it or would read it differently.

Bytes are decoded as Latin-1, which keeps all of them distinct and in order. A score is the number at the start of its
text, or 0 if there is none; NaN ranks lowest.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.compat.trec_eval.options import FILE, Stop, read_real
from assay.core.errors import DuplicateError
from assay.core.limits import LIMITS, refuse, size
from assay.core.parameter import LARGEST
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars

    from assay._kernel import Ranker
    from assay.files.source import Source

ENCODING = "latin-1"
RUN_FIELDS = 6
NEWLINE = ord("\n")
BLOCK = 1 << 23
BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")


class LooseRun(NamedTuple):
    """The documents of the judged topics, as `query_id`, `doc_id` and `value`, and the run's name.

    `surplus` is the number of lines with more than six fields.
    """

    table: polars.DataFrame
    name: bytes
    surplus: int


def read_loosely(source: Source, topics: Iterable[bytes]) -> LooseRun:
    """Reads a whole run, block by block. A line with missing fields ends the program."""
    import polars

    known = [topic.decode(ENCODING) for topic in topics]
    is_known = polars.col("query_id").is_in(polars.Series(known, dtype=polars.String).implode())
    tables, name, lines, surplus = [], b"", 0, 0
    rows: Counter[str] = Counter()
    for block in read_blocks(source):
        fields = split_block(block)
        if not len(fields):
            continue
        short = fields["tag"].is_null().arg_true()
        if len(short):
            raise Stop(FILE, f"trec_eval.get_results: Malformed line {lines + int(short[0]) + 1}\n")
        lines += len(fields)
        name = fields["tag"][-1].encode(ENCODING)
        surplus += fields["rest"].count()
        tables.append(fields.drop("tag", "rest").filter(is_known))
        rows.update(dict(tables[-1]["query_id"].value_counts().rows()))
        check_rows(rows, source.name)
    empty = polars.DataFrame(schema=dict.fromkeys(("query_id", "doc_id", "value"), polars.String))
    table = polars.concat([empty, *tables])
    return LooseRun(table.with_columns(parse_scores(table["value"])), name, surplus)


def read_blocks(source: Source) -> Iterator[bytes]:
    """The content of a file in blocks of whole lines, none of them too long."""
    first = 1
    with source.path.open("rb") as file:
        while block := file.read(BLOCK):
            block += file.readline(LIMITS.get().line + 1)
            first += check_lines(block, source.name, first)
            yield block


def split_block(block: bytes) -> polars.DataFrame:
    """The fields of each line that is neither blank nor a comment; missing fields are null."""
    import polars

    text = b"\n" + block.translate(BLANKS) + b"\n"
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b"\n ", b"\n").replace(b" \n", b"\n")
    lines = polars.Series([text.decode(ENCODING)]).str.split("\n").explode()
    lines = lines.filter((lines != "") & ~lines.str.starts_with("#"))
    fields = lines.str.splitn(" ", RUN_FIELDS + 1).struct
    places = {"query_id": 0, "doc_id": 2, "value": 4, "tag": 5, "rest": 6}
    return polars.DataFrame({name: fields.field(f"field_{place}") for name, place in places.items()})


def parse_scores(texts: polars.Series) -> polars.Series:
    """Scores as comparable numbers."""
    import polars

    numbers = texts.cast(polars.Float64, strict=False)
    odd = texts.filter(numbers.is_null()).unique()
    if len(odd):
        values = [read_real(text.encode(ENCODING)) for text in odd]
        read = texts.replace_strict(odd, polars.Series(values, dtype=polars.Float64), default=None)
        numbers = numbers.fill_null(read)
    return numbers.fill_nan(float("-inf"))


def rank_loosely(
    run: LooseRun, new_ranker: Callable[[], Ranker], depth: int, threads: int, *, ascending: bool
) -> tuple[Ranker, dict[bytes, bytes]]:
    """The ranker after it has read the run, and per topic with duplicates one of the duplicate documents.

    Infinite scores become the largest finite ones, unless the run has those already.
    """
    import polars

    values = run.table["value"]
    if not (values.abs() == LARGEST).any():
        ranker = new_ranker()
        try:
            ranker.add_frame(run.table.with_columns(polars.col("value").clip(-LARGEST, LARGEST)), "the run", threads)
        except DuplicateError:
            pass
        else:
            return ranker, {}
    return rank_sorted(run.table, new_ranker(), depth, threads, ascending=ascending)


def rank_sorted(
    table: polars.DataFrame, ranker: Ranker, depth: int, threads: int, *, ascending: bool
) -> tuple[Ranker, dict[bytes, bytes]]:
    """The same for the first documents of each topic, with ties broken by document id."""
    import polars

    # Adding 0 makes -0 the same as 0.
    ranked = table.with_columns(polars.col("value") + 0.0)
    ranked = ranked.sort("query_id", "value", "doc_id", descending=[False, True, not ascending])
    ranked = ranked.filter(polars.int_range(polars.len()).over("query_id") < depth)
    twice = ranked.filter(polars.struct("query_id", "doc_id").is_duplicated())
    lowest = twice.group_by("query_id").agg(polars.col("doc_id").min())
    repeated = {topic.encode(ENCODING): document.encode(ENCODING) for topic, document in lowest.rows()}
    unique = ranked.unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    falling = polars.int_range(polars.len(), 0, -1).cast(polars.Float64).alias("value")
    ranker.add_frame(unique.with_columns(falling), "the run", threads)
    for topic in set(table["query_id"]) - set(unique["query_id"]):
        ranker.add(topic, [])
    return ranker, repeated


def check_lines(content: bytes, name: str, first: int = 1) -> int:
    """Raises for a line that is too long; the number of lines. `first` is the number of the first one."""
    most = LIMITS.get().line
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == NEWLINE)
    lengths = np.diff(ends, prepend=-1, append=len(content)) - 1
    if lengths.max() > most:
        number = first + int(np.argmax(lengths > most))
        what = f"line longer than {size(most)}; this is probably not a TREC text file"
        raise refuse(f"{name}, line {number}: {what}", "line")
    return len(ends)


def check_rows(rows: Mapping[str, int], name: str) -> None:
    """Raises for a query that has too many rows."""
    most = LIMITS.get().rows
    for query, count in rows.items():
        if count > most:
            raise refuse(f"{name}: query {show(query)} has more than {most:,} rows", "rows")
