"""CSV and TSV (BEIR's judgments are TSV): the kernel decodes plain rows; from the first that is not, polars reads.

Blank lines are skipped, but counted.
"""

import csv
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from assay._kernel import RowDecoder
from assay.core.errors import FormatError
from assay.core.text import show
from assay.data.formats.tabular import BATCH, CANNOT_HOLD, NUL, TWIN, Batch, Need, explain_failure
from assay.data.frames.columns import replace_unwritable, shortest_text
from assay.files.source import NOT_UTF_8, Source, undecodable_line

BEIR_CANNOT_HOLD = (*CANNOT_HOLD, "groups of judgments")
NAMES = {",": "csv", "\t": "tsv"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_CELL = 1 << 24
UNCLOSED = "a quote is not closed; close it, or double it if it belongs to the text"
HEAD = 1 << 16
# Blank lines before the header: more is not a table.
MOST_BLANK = 1 << 24
# What separates cells where the locale, a database or another ending says so.
OTHER_SEPARATORS = (";", "\t", "|", "\x01", ",")


def read_head(source: Source) -> bytes:
    """The first lines of a file, with the header among them, however much is blank before it."""
    size = HEAD
    while not (head := source.read(size)).strip() and len(head) == size:
        if size >= MOST_BLANK:
            line = head.count(b"\n") + 1
            raise FormatError(f"{source.name}, line {line}: no header after {size >> 20} MiB of blanks; remove them")
        size <<= 4
    return head


def read_header(source: Source, separator: str) -> list[str]:
    line = read_head(source).decode("utf-8-sig", errors="replace").lstrip().partition("\n")[0]
    return [name.strip().strip('"') for name in line.split(separator)]


def header_mark(separator: str, *roles: tuple[str, ...]) -> str:
    """A pattern for a header with a column for each of the roles."""
    every = ("|".join(name.replace("_", "[-_ ]") for name in names) for names in roles)
    columns = (rf'(?=(?:[^\n]*{separator})?[ ]*"?(?:{names})"?[ \r]*(?:{separator}|\n|$))' for names in every)
    return "(?i)" + "".join(columns)


def fault_of_header(line: bytes, separator: str, *, is_cut: bool) -> str:
    """What is wrong with the first line of a text table; empty if it can be a header."""
    if b"\0" in line:
        return NUL
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return "" if is_cut else NOT_UTF_8
    if text.lower().startswith("sep="):
        return f"{show(text)} is for Excel alone; remove the line"
    other = next((each for each in OTHER_SEPARATORS if each in text), None)
    if separator in text or other is None:
        return ""
    return f"the columns are separated by {show(other)}, not by {show(separator)}; save the file as CSV or TSV"


def leading_blank_lines(head: bytes) -> int:
    text = head.removeprefix(BYTE_ORDER_MARK)
    return text[: len(text) - len(text.lstrip())].count(b"\n")


def read_needed(source: Source, need: Need, *, separator: str) -> Generator[Batch]:
    """The rows with the columns that are needed; with all columns from where the kernel cannot decode them."""
    left = yield from decode_rows(source, need, separator)
    if left is None:
        return
    with closing(read_separated(source, separator)) as batches:
        for batch in batches:
            place = bisect_left(batch.numbers, left)
            if place < len(batch.frame) or not len(batch.frame):
                yield batch._replace(frame=batch.frame[place:], numbers=batch.numbers[place:])


def decode_rows(source: Source, need: Need, separator: str) -> Generator[Batch, None, int | None]:
    """The rows as far as the kernel decodes them; returns the number of the first that it leaves, if there is one."""
    head = read_head(source)
    lead = leading_blank_lines(head)
    first = lead + 2
    names = plain_header(head, lead, separator)
    kinds = need.kinds(names)
    if kinds is None:
        return first
    decoder = RowDecoder.separated(names, kinds, separator)
    with source.plain() as path, path.open("rb") as file:
        for _ in range(lead + 1):
            file.readline()
        while (block := need.decode(decoder, file)).content:
            if block.frame is None or not block.size:
                return first
            yield Batch(block.frame, range(first, first + len(block.frame)))
            first += len(block.frame)
    # A header alone is left as well.
    return first if first == lead + 2 else None


def plain_header(head: bytes, lead: int, separator: str) -> list[str]:
    """The names of the columns; none if the header is not so plain that everyone reads it alike."""
    line, end, _ = head.removeprefix(BYTE_ORDER_MARK).split(b"\n", lead)[lead].partition(b"\n")
    try:
        text = line.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        return []
    names = text.split(separator)
    is_plain = end and not any(each in text for each in ('"', "\r", "\0", "\ufeff", TWIN))
    return names if is_plain and all(names) and len(set(names)) == len(names) else []


class Cells(NamedTuple):
    """One row of a text table as it is in the file, and its line."""

    line: int
    cells: list[str]


def read_separated(source: Source, separator: str) -> Generator[Batch]:
    import polars

    head = read_head(source)
    lead = leading_blank_lines(head)
    if b"\n" not in head and b"\r" in head.strip():
        raise FormatError(f"{source.name}: the lines end with CR alone; save the file with LF or CRLF as line ends")
    if fault := fault_of_header(head.split(b"\n", lead + 1)[lead], separator, is_cut=len(head) >= HEAD):
        raise FormatError(f"{source.name}, line {lead + 1}: {fault}")
    first = lead + 2
    with source.plain() as path, explain_failure(source, NAMES[separator], lambda: find_fault(path, separator)):
        find_blank_lines = cache(lambda: scan_blank_lines(path, separator, lead + 2))
        table = polars.scan_csv(path, separator=separator, infer_schema=False, glob=False, skip_lines=lead)
        try:
            for frame in table.collect_batches(chunk_size=BATCH, maintain_order=True):
                yield drop_blank_rows(Batch(frame, range(first, first + len(frame)), is_text=True), find_blank_lines)
                first += len(frame)
        except polars.exceptions.NoDataError:
            return
        if first == lead + 2:
            # A header alone; its columns may be wrong.
            yield Batch(table.limit(0).collect(), [], is_text=True)


def drop_blank_rows(batch: Batch, find_blank_lines: Callable[[], set[int]]) -> Batch:
    """The batch without the rows that polars made of blank lines, which it cannot tell from lines of empty cells."""
    import polars

    frame = batch.frame
    if not frame.width or not frame.to_series(frame.width - 1).null_count():
        return batch
    is_empty = polars.all().is_null() | (polars.all().str.strip_chars() == "")
    blank = frame.select(polars.all_horizontal(is_empty)).to_series()
    if not blank.any():
        return batch
    # Rows are numbered as if each were one line, as the batch numbers them.
    kept = [row for row, empty in enumerate(blank) if not (empty and batch.numbers[row] in find_blank_lines())]
    return batch._replace(frame=frame[kept], numbers=[batch.numbers[row] for row in kept])


def scan_blank_lines(path: Path, separator: str, first: int) -> set[int]:
    """The numbers of all rows that are blank lines; `first` is that of the row after the header."""
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        while rows.line_num < first - 1:
            next(rows)
        return {first + row for row, cells in enumerate(rows) if is_blank_line(cells)}


def is_blank_line(cells: list[str]) -> bool:
    return len(cells) <= 1 and not "".join(cells).strip()


def read_cells(source: Source, separator: str) -> Generator[Cells]:
    """The rows of a text table as they are, whether the first is a header or not; a cell in quotes loses them.

    In TSV, whose texts are often unquoted, a row is one line, and a quote that does not enclose a whole cell is text.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines: list[str] = []
    last: list[str] = []
    with source.plain() as path, path.open(encoding="utf-8-sig", newline="") as file:
        is_tsv = separator == "\t"
        plain = csv.reader(file, delimiter=separator, quoting=csv.QUOTE_NONE)
        rows = plain if is_tsv else csv.reader(remember(file, lines), delimiter=separator)
        try:
            for cells in rows:
                last, lines[:] = lines[:], []
                if not is_blank_line(cells):
                    yield Cells(rows.line_num, unquote(cells) if is_tsv else cells)
            if is_unclosed(last):
                raise FormatError(f"{source.name}, line {rows.line_num - len(last) + 1}: {UNCLOSED}")
        except csv.Error as error:
            raise FormatError(f"{source.name}, line {rows.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise FormatError(f"{source.name}, line {undecodable_line(path)}: {NOT_UTF_8}") from None


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
    """The cells of a line of TSV without the quotes around them; as they are if some cell only starts with a quote."""
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


def find_fault(path: Path, separator: str) -> str | None:
    """The first line that cannot be read, and why; none if that cannot be found out."""
    if number := undecodable_line(path):
        return f"line {number}: {NOT_UTF_8}"
    open_since = None
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.count(b'"') % 2:
                open_since = number if open_since is None else None
    if open_since:
        return f"line {open_since}: {UNCLOSED}"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        try:
            width = len(next((row for row in rows if not is_blank_line(row)), []))
            wide = next((row for row in rows if len(row) > width), None)
        except csv.Error:
            return None
        return None if wide is None else f"line {rows.line_num}: {len(wide)} fields, but the header has {width}"
