"""What all tables share: rows a batch at a time, ready for the kernel, of only the columns that are needed.

The kernel decodes what is common and well formed. A block with anything else is left to the format's own reader, which
has the words for what is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from assay._kernel import Ranker, RowDecoder
from assay.core.errors import FormatError
from assay.core.text import printable, show
from assay.data.frames.columns import GIVEN_RANK, find_columns, groups_of_iterations, prepare_table, rows_of_table
from assay.files.source import Source

if TYPE_CHECKING:
    import polars


CANNOT_HOLD = ("the run's tag", "queries without documents", "NUL characters in ids")
# Bytes that are decoded at a time, and rows that are read at a time.
BLOCK, BATCH = 1 << 23, 500_000
NUL = "the line has a NUL byte; the file is not text, or it is UTF-16: save it as UTF-8"
INNER_MARK = "a byte-order mark (U+FEFF) begins the field, perhaps where two files were joined; remove it"
# What polars adds to a heading that is in the header a second time.
TWIN = "_duplicated_"


class Placed(NamedTuple):
    """One record of a file, and where it is, for messages."""

    place: str
    fields: Mapping[str, Any]


class Batch(NamedTuple):
    """Some rows of a table, and their lines (or numbers) in the file."""

    frame: polars.DataFrame
    numbers: Sequence[int]
    noun: str = "line"
    is_text: bool = False

    def place(self, row: int) -> str:
        return f"{self.noun} {self.numbers[row]}"


ReadBatches = Callable[[Source], Generator[Batch]]


class Need(NamedTuple):
    """What is needed of a table: judgments or a run, which columns hold them, and on how many threads to read."""

    columns: Mapping[str, str] | None
    judgments: bool
    threads: int = 1

    def find(self, names: Sequence[str], name: str) -> dict[str, str]:
        """The columns that hold judgments or a run."""
        return find_columns(names, self.columns, judgments=self.judgments, name=name)

    def kinds(self, names: Sequence[str]) -> list[bool | None] | None:
        """Whether each column is needed as numbers, as text, or not at all; None if the kernel cannot decode these."""
        try:
            found = self.find(names, "")
        except FormatError:
            # The format's own reader says what is wrong.
            return None
        numbers = {column: role == "value" for role, column in found.items()}
        is_given = not self.judgments and GIVEN_RANK in names
        # A column may be named for what judgments have and runs do not: then it must be there, though it is not read.
        is_surplus = not set((self.columns or {}).values()) <= numbers.keys()
        is_decodable = not (is_given or is_surplus) and len(numbers) == len(found)
        return [numbers.get(each) for each in names] if is_decodable else None

    def decode(self, decoder: RowDecoder | None, file: IO[bytes]) -> Block:
        """The next rows of a file, of which as much is read."""
        import polars

        content = file.read(BLOCK)
        is_last = len(content) < BLOCK
        if decoder is None:
            size, decoded = len(content) if is_last else content.rfind(b"\n") + 1, None
        else:
            size, decoded = decoder.decode(content, is_last, self.threads)
        file.seek(size - len(content), os.SEEK_CUR)
        return Block(content, size, None if decoded is None else polars.DataFrame(decoded))


class Block(NamedTuple):
    """Bytes of a file, how many of them are whole rows, and these; none if they are left to the format's own reader."""

    content: bytes
    size: int
    frame: polars.DataFrame | None


def original_heading(name: str, names: Container[str]) -> str:
    original, mark, _ = name.rpartition(TWIN)
    return original if mark and original in names else name


def read_table(read_batches: ReadBatches, source: Source, need: Need) -> polars.DataFrame:
    import polars

    parts = list(prepare_files(read_batches, source, need))
    if not parts:
        return polars.DataFrame(schema={"query_id": polars.String, "doc_id": polars.String, "value": polars.Float64})
    return groups_of_iterations(polars.concat(parts, how="diagonal"))


def rank_table(read_batches: ReadBatches, source: Source, make_ranker: Callable[[], Ranker], need: Need) -> Ranker:
    """Ranks a run batch by batch; the whole run at once if the rows of a query are not contiguous."""
    ranker = make_ranker()
    seen: set[str] = set()
    with closing(whole_queries(prepare_files(read_batches, source, need))) as parts:
        for part in parts:
            if GIVEN_RANK in part.columns:
                break
            # Most rows have the query of the row before.
            query = part["query_id"]
            queries = query.filter(query.ne_missing(query.shift())).unique().to_list()
            if not seen.isdisjoint(queries):
                break
            seen.update(queries)
            ranker.add_frame(part, source.name, need.threads)
        else:
            return ranker
    ranker, whole = make_ranker(), read_table(read_batches, source, need)
    if GIVEN_RANK in whole.columns:
        ranker.add_rows(rows_of_table(whole, source.name), source.name, need.threads)
    else:
        ranker.add_frame(whole, source.name, need.threads)
    return ranker


def whole_queries(parts: Iterator[polars.DataFrame]) -> Generator[polars.DataFrame]:
    """The parts cut again so that a query is never divided, if its rows are contiguous."""
    import polars

    rest: polars.DataFrame | None = None
    for each in parts:
        part = each if rest is None else polars.concat([rest, each], rechunk=True)
        others = (part["query_id"] != part["query_id"][-1]).arg_true()
        end = int(others[-1]) + 1 if len(others) else 0
        rest = part[end:]
        if end:
            yield part[:end]
    if rest is not None:
        yield rest


def prepare_files(read_batches: ReadBatches, source: Source, need: Need) -> Generator[polars.DataFrame]:
    """Each batch of one file after another, ready for the kernel."""
    known: dict[str, list[str]] = {}
    for file in source.files:
        for frame in prepare_batches(read_batches(file), file.name, need):
            known.setdefault(file.name, frame.columns)
            first, names = next(iter(known.items()))
            if differing := set(names) ^ set(known[file.name]):
                role = min(differing)
                having, lacking = (first, file.name) if role in names else (file.name, first)
                raise FormatError(f"{lacking} has no column for {role}, but {having} has one; all files need the same")
            yield frame


def prepare_batches(batches: Generator[Batch], name: str, need: Need) -> Generator[polars.DataFrame]:
    first: tuple[str, set[str]] | None = None
    # Closed at once where a row is bad, so that no temporary file is left to the garbage collector.
    with closing(batches):
        for batch in batches:
            frame, names = batch.frame, batch.frame.columns
            if batch.is_text:
                known = frozenset(names)
                need.find([original_heading(each, known) for each in names], name)
            if not len(frame):
                continue
            filled = {each for each in need.find(names, name).values() if frame[each].null_count() < len(frame)}
            first = first or (batch.place(0), filled)
            for place, lacking in ((first[0], filled - first[1]), (batch.place(0), first[1] - filled)):
                if lacking:
                    raise FormatError(f"{name}, {place}: the column {show(min(lacking))} is empty")
            ready = prepare_table(frame, need.columns, judgments=need.judgments, name=name, place=batch.place)
            if batch.is_text:
                refuse_marks(ready, batch, name)
            yield ready


def refuse_marks(ready: polars.DataFrame, batch: Batch, name: str) -> None:
    """Raises if an id has a NUL or begins with a byte-order mark: whatever wrote it did not write text like this."""
    import polars

    for column in ready.select(polars.col(polars.String)):
        for row in column.str.contains("\0", literal=True).arg_true():
            raise FormatError(f"{name}, {batch.place(row)}: {NUL}")
        for row in column.str.starts_with("\ufeff").arg_true():
            raise FormatError(f"{name}, {batch.place(row)}: {INNER_MARK}")


def placed_records(batches: Generator[Batch], name: str) -> Generator[Placed]:
    """The records of a table, each with its place: in a text table its first line, as cells may have several."""
    more = 0
    with closing(batches):
        for batch in batches:
            columns = batch.frame.columns
            known = frozenset(columns)
            if batch.is_text and (twins := [each for each in columns if original_heading(each, known) != each]):
                twin = show(original_heading(twins[0], known))
                raise FormatError(f"{name}: duplicate column {twin}; rename one of them")
            for number, fields in zip(batch.numbers, batch.frame.iter_rows(named=True), strict=True):
                yield Placed(f"{name}, {batch.noun} {number + more}", fields)
                if batch.is_text:
                    more += sum(cell.count("\n") for cell in fields.values() if cell is not None)


@contextmanager
def explain_failure(source: Source, format: str, find_fault: Callable[[], str | None] = lambda: None) -> Iterator[None]:
    """Turns errors of polars into assay's; `find_fault` may know better what is wrong, and where."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        if fault := find_fault():
            raise FormatError(f"{source.name}, {fault}") from error
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"{source.name} cannot be read as {format}: {reason}") from error
