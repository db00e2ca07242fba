"""CSV and TSV (BEIR's judgments are TSV), read with polars; and what all tables share: batches ready for the kernel.

Rows of judgments and runs are read a batch at a time. Blank lines are skipped, but counted.
"""

from __future__ import annotations

import csv
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import FormatError
from assay.core.text import printable, show
from assay.data.formats.header import HEAD, NUL, fault_of_header, leading_blank_lines, original_heading, read_head
from assay.data.frames.frame import (
    NO_ITERATION,
    find_columns,
    groups_of_iterations,
    prepare_table,
    replace_unwritable,
    rows_of_table,
    shortest_text,
)
from assay.data.frames.given import GIVEN_RANK
from assay.files.source import Batch, Placed, undecodable_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
    from pathlib import Path

    import polars

    from assay._kernel import Ranker
    from assay.files.source import Source

CANNOT_HOLD = ("the run's tag", "queries without documents", "NUL characters in ids")
BEIR_CANNOT_HOLD = (*CANNOT_HOLD, "groups of judgments")
NAMES = {",": "csv", "\t": "tsv"}
BATCH = 500_000
LONGEST_CELL = 1 << 24
INNER_MARK = "a byte-order mark (U+FEFF) begins the field, perhaps where two files were joined; remove it"
UNCLOSED = "a quote is not closed; close it, or double it if it belongs to the text"


class Cells(NamedTuple):
    """One row of a text table as it is in the file, and its line."""

    line: int
    cells: list[str]


def read_table(
    read_batches: Callable[[Source], Generator[Batch]],
    source: Source,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
) -> polars.DataFrame:
    """A whole file, ready for the kernel."""
    import polars

    parts = list(prepare_files(read_batches, source, columns, judgments=judgments))
    empty = {"query_id": polars.String, "doc_id": polars.String, "value": polars.Float64}
    if not parts:
        return polars.DataFrame(schema=empty)
    whole = polars.concat(parts, how="diagonal")
    if "iteration" in whole.columns:
        whole = whole.with_columns(polars.col("iteration").fill_null(NO_ITERATION))
    return groups_of_iterations(whole)


def rank_table(
    read_batches: Callable[[Source], Generator[Batch]],
    source: Source,
    make_ranker: Callable[[], Ranker],
    columns: Mapping[str, str] | None,
    threads: int,
) -> Ranker:
    """Ranks a run batch by batch; the whole run at once if the rows of a query are not contiguous."""
    ranker = make_ranker()
    seen: set[str] = set()
    with closing(whole_queries(prepare_files(read_batches, source, columns, judgments=False))) as parts:
        for part in parts:
            if GIVEN_RANK in part.columns:
                break
            queries = query_names(part["query_id"])
            if not seen.isdisjoint(queries):
                break
            seen.update(queries)
            ranker.add_frame(part, source.name, threads)
        else:
            return ranker
    ranker = make_ranker()
    whole = read_table(read_batches, source, columns, judgments=False)
    if GIVEN_RANK in whole.columns:
        ranker.add_rows(rows_of_table(whole, source.name), source.name, threads)
    else:
        ranker.add_frame(whole, source.name, threads)
    return ranker


def query_names(column: polars.Series) -> list[str]:
    """The different queries; most rows have the query of the row before."""
    return column.filter(column.ne_missing(column.shift())).unique().to_list()


def whole_queries(parts: Iterator[polars.DataFrame]) -> Generator[polars.DataFrame]:
    """The parts cut anew so that a query is never divided, if its rows are contiguous."""
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


def prepare_files(
    read_batches: Callable[[Source], Generator[Batch]],
    source: Source,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
) -> Generator[polars.DataFrame]:
    """Each batch of one file after another, ready for the kernel."""
    known: dict[str, list[str]] = {}
    for file in source.files:
        for frame in prepare_batches(read_batches(file), file.name, columns, judgments=judgments):
            known.setdefault(file.name, frame.columns)
            first, names = next(iter(known.items()))
            if differing := set(names) ^ set(known[file.name]):
                role = min(differing)
                having, lacking = (first, file.name) if role in names else (file.name, first)
                raise FormatError(f"{lacking} has no column for {role}, but {having} has one; all files need the same")
            yield frame


def prepare_batches(
    batches: Generator[Batch], name: str, columns: Mapping[str, str] | None, *, judgments: bool
) -> Generator[polars.DataFrame]:
    """Each batch, ready for the kernel."""
    first: tuple[str, set[str]] | None = None
    # Closed at once where a row is bad, so that no temporary file is left to the garbage collector.
    with closing(batches):
        for batch in batches:
            if batch.is_text:
                names = batch.frame.columns
                known = frozenset(names)
                headings = [original_heading(each, known) for each in names]
                find_columns(headings, columns, judgments=judgments, name=name)
            if len(batch.frame):
                used = find_columns(batch.frame.columns, columns, judgments=judgments, name=name).values()
                filled = {each for each in used if batch.frame[each].null_count() < len(batch.frame)}
                first = first or (batch.place(0), filled)
                for place, lacking in ((first[0], filled - first[1]), (batch.place(0), first[1] - filled)):
                    if lacking:
                        raise FormatError(f"{name}, {place}: the column {show(min(lacking))} is empty")
                ready = prepare_table(batch.frame, columns, judgments=judgments, name=name, place=batch.place)
                if batch.is_text:
                    refuse_marks(ready, batch, name)
                yield ready


def read_separated(source: Source, separator: str) -> Generator[Batch]:
    """The rows of a text table, in frames of texts."""
    import polars

    head = read_head(source)
    lead = leading_blank_lines(head)
    if b"\n" not in head and b"\r" in head.strip():
        raise FormatError(f"{source.name}: the lines end with CR alone; save the file with LF or CRLF as line ends")
    if fault := fault_of_header(head.split(b"\n", lead + 1)[lead], separator, is_cut=len(head) >= HEAD):
        raise FormatError(f"{source.name}, line {lead + 1}: {fault}")
    first = lead + 2
    with source.plain() as path, explain_failure(source, NAMES[separator], path, separator):
        blank = BlankRows(path, separator, lead)
        table = polars.scan_csv(path, separator=separator, infer_schema=False, glob=False, skip_lines=lead)
        try:
            for frame in table.collect_batches(chunk_size=BATCH, maintain_order=True):
                yield blank.drop(Batch(frame, range(first, first + len(frame)), is_text=True))
                first += len(frame)
        except polars.exceptions.NoDataError:
            return
        if first == lead + 2:
            # A header alone; its columns may be wrong.
            yield Batch(table.limit(0).collect(), [], is_text=True)


class BlankRows:
    """Finds the rows that polars made of blank lines, which it cannot tell from lines of empty cells."""

    def __init__(self, path: Path, separator: str, lead: int) -> None:
        self.path, self.separator, self.first = path, separator, lead + 2
        self.found: set[int] | None = None

    def drop(self, batch: Batch) -> Batch:
        """The batch without rows of blank lines."""
        import polars

        frame = batch.frame
        if not frame.width or not frame.to_series(frame.width - 1).null_count():
            return batch
        blank = frame.select(
            polars.all_horizontal(polars.all().is_null() | (polars.all().str.strip_chars() == ""))
        ).to_series()
        if not blank.any():
            return batch
        if self.found is None:
            self.found = self.scan()
        # Rows are numbered as if each were one line, as the batch numbers them.
        kept = [row for row, empty in enumerate(blank) if not (empty and batch.numbers[row] in self.found)]
        return batch._replace(frame=frame[kept], numbers=[batch.numbers[row] for row in kept])

    def scan(self) -> set[int]:
        """The numbers of all rows that are blank lines."""
        csv.field_size_limit(LONGEST_CELL)
        with self.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            rows = csv.reader(file, delimiter=self.separator)
            while rows.line_num < self.first - 1:
                next(rows)
            return {self.first + row for row, cells in enumerate(rows) if is_blank_line(cells)}


def is_blank_line(cells: list[str]) -> bool:
    return len(cells) <= 1 and not "".join(cells).strip()


def refuse_marks(ready: polars.DataFrame, batch: Batch, name: str) -> None:
    """Raises if an id has a NUL or begins with a byte-order mark: whatever wrote it did not write text like this."""
    import polars

    for column in ready.select(polars.col(polars.String)):
        for wrong, message in (
            (column.str.contains("\0", literal=True).arg_true(), NUL),
            (column.str.starts_with("\ufeff").arg_true(), INNER_MARK),
        ):
            if len(wrong):
                raise FormatError(f"{name}, {batch.place(int(wrong[0]))}: {message}")


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


def read_cells(source: Source, separator: str) -> Generator[Cells]:
    """The rows of a text table as they are, whether the first is a header or not.

    A cell in quotes loses them. In TSV, where texts are often written without quoting, a row is one line, and a quote
    that does not enclose a whole cell is text.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines: list[str] = []
    last: list[str] = []
    with source.plain() as path, path.open(encoding="utf-8-sig", newline="") as file:
        if separator == "\t":
            rows = csv.reader(file, delimiter=separator, quoting=csv.QUOTE_NONE)
        else:
            rows = csv.reader(remember(file, lines), delimiter=separator)
        try:
            for cells in rows:
                last, lines[:] = lines[:], []
                if not is_blank_line(cells):
                    yield Cells(rows.line_num, unquote(cells) if separator == "\t" else cells)
            if is_unclosed(last):
                raise FormatError(f"{source.name}, line {rows.line_num - len(last) + 1}: {UNCLOSED}")
        except csv.Error as error:
            raise FormatError(f"{source.name}, line {rows.line_num}: {error}") from None
        except UnicodeDecodeError:
            where = f"{source.name}, line {undecodable_line(path)}"
            raise FormatError(f"{where}: bytes that are not UTF-8; save the file as UTF-8") from None


def remember(file: Iterable[str], lines: list[str]) -> Iterator[str]:
    """The lines of a file, each of which is kept."""
    for line in file:
        lines.append(line)
        yield line


def is_unclosed(lines: list[str]) -> bool:
    """Whether a row of CSV ends inside quotes, which only the end of the file can do."""
    try:
        list(csv.reader(lines, strict=True))
    except csv.Error as error:
        return "end of data" in str(error)
    return False


def unquote(cells: list[str]) -> list[str]:
    r"""The cells of a line of TSV without the quotes around them; as they are if some cell only starts with a quote.

    >>> unquote(['q1', '"who ""was"" it?"']), unquote(['q2', '"Hamlet" author'])
    (['q1', 'who "was" it?'], ['q2', '"Hamlet" author'])
    """
    if not any(cell.startswith('"') for cell in cells):
        return cells
    try:
        return next(csv.reader(["\t".join(cells)], delimiter="\t", strict=True))
    except csv.Error:
        return cells


def write_text_table(data: Any, file: IO[bytes], separator: str) -> None:  # noqa: ANN401 - Qrels or Run
    replace_unwritable(data.to_polars(), NAMES[separator]).write_csv(file, separator=separator)


def write_beir(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels
    """Judgments as BEIR has them: `query-id`, `corpus-id` and `score`."""
    frame = replace_unwritable(data.to_polars(), "beir")
    frame = frame.select("query_id", "doc_id", shortest_text(frame["relevance"]))
    frame.rename({"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"}).write_csv(file, separator="\t")


@contextmanager
def explain_failure(
    source: Source, format: str, path: Path | None = None, separator: str | None = None
) -> Iterator[None]:
    """Turns errors of polars into assay's."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        fault = find_fault(path, separator) if path is not None and separator is not None else None
        if fault is not None:
            raise FormatError(f"{source.name}, {fault}") from error
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"{source.name} cannot be read as {format}: {reason}") from error


def find_fault(path: Path, separator: str) -> str | None:
    """The first line that cannot be read, and why; none if that cannot be found out."""
    number = undecodable_line(path)
    if number is not None:
        return f"line {number}: bytes that are not UTF-8; save the file as UTF-8"
    number = unclosed_quote(path)
    if number is not None:
        return f"line {number}: {UNCLOSED}"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        try:
            width = len(next((row for row in rows if not is_blank_line(row)), []))
            wide = next((row for row in rows if len(row) > width), None)
        except csv.Error:
            return None
        return None if wide is None else f"line {rows.line_num}: {len(wide)} fields, but the header has {width}"


def unclosed_quote(path: Path) -> int | None:
    """The line with the quote that is open at the end of a file."""
    since = None
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.count(b'"') % 2:
                since = number if since is None else None
    return since
