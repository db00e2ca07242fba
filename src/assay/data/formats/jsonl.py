"""JSON Lines: one JSON object per line. Blank lines are skipped; a duplicate key is an error."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

from assay._kernel import RowDecoder, SharedStrings, decode_json_lines
from assay.core.errors import FormatError
from assay.core.json_text import decode_json, explain_json_error
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import show
from assay.data.formats.tabular import Batch, Need, Placed
from assay.data.frames.columns import KNOWN, normalise_name
from assay.files.source import Source

if TYPE_CHECKING:
    import polars


CANNOT_HOLD = ("the run's tag", "queries without documents")
# An object on the first line, and another one after it.
MARK = r"\{[^\n]*\}[ \t\r]*\n\s*\{"
BATCH = 100_000
# Bytes of lines that the kernel decodes at a time.
BATCH_SIZE = 1 << 18
# Rows with more keys than this are not a table: of these keys, only those that can matter become columns.
WIDEST = 100
HEAD = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def filled_lines(
    lines: Iterable[bytes], name: str, longest: int | None = None, first: int = 1
) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers among all lines."""
    for number, raw in enumerate(lines, start=first):
        line = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
        if not line or line.isspace():
            continue
        if longest is not None and len(line) > longest:
            said = f"longer than {size(longest)}; this is probably not a row of data"
            raise refuse(f"{name}, line {number}: {said}", "line")
        yield number, line


def parse_json_line(line: bytes, number: int, name: str) -> dict[str, Any]:
    try:
        value = decode_json(line.decode())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}, line {number}: {explain_json_error(error)}") from None
    if not isinstance(value, dict):
        raise FormatError(f"{name}, line {number}: expected an object, found {show(value)}")
    return value


def parse_objects(
    batch: list[tuple[int, bytes]], name: str, shared: SharedStrings | None = None
) -> Iterator[dict[str, Any]]:
    """The objects on lines; the kernel leaves to Python what is rare, or wrong, which is an error once reached."""
    for (number, line), value in zip(batch, decode_json_lines([line for _, line in batch], shared), strict=True):
        yield value if type(value) is dict else parse_json_line(line, number, name)


def placed_records(source: Source) -> Generator[Placed]:
    """The records of a file, however long their lines are."""
    for numbers, rows in record_blocks(source):
        yield from (Placed(f"{source.name}, line {number}", row) for number, row in zip(numbers, rows, strict=True))


def record_blocks(
    source: Source, shared: SharedStrings | None = None
) -> Generator[tuple[list[int], Iterator[dict[str, Any]]]]:
    """The records of a file, some at a time, and their lines; strings in many records are one object if `shared`."""
    name, first = source.name, 1
    with source.plain() as path, path.open("rb") as file:
        while lines := file.readlines(BATCH_SIZE):
            batch = list(filled_lines(lines, name, first=first))
            yield [number for number, _ in batch], parse_objects(batch, name, shared)
            first += len(lines)


def starts_with_row(head: str) -> bool:
    """Whether a text begins with a line that is a row: an object in which not every value is an object or a list."""
    with suppress(ValueError, RecursionError):
        first = decode_json(head.partition("\n")[0])
        return isinstance(first, dict) and not all(isinstance(each, (dict, list)) for each in first.values())
    return False


def read_batches(source: Source) -> Generator[Batch]:
    with source.plain() as path, path.open("rb") as file:
        yield from parse_lines(file, source.name, {})


def parse_lines(
    file: IO[bytes], name: str, names: dict[str, None], first: int = 1
) -> Generator[Batch, None, dict[str, None]]:
    """The rows on the lines of a file, of which some were read before; returns the names of all columns."""
    import polars

    longest = LIMITS.get().line
    lines = filled_lines(iter(lambda: file.readline(longest + 1), b""), name, longest, first)
    while batch := list(islice(lines, BATCH)):
        rows = list(parse_objects(batch, name))
        every = names | dict.fromkeys(chain.from_iterable(rows))
        kept = names or rows[0]
        is_table = len(every) <= WIDEST
        names = {each: None for each in every if is_table or each in kept or normalise_name(each) in KNOWN}
        columns = [as_series(each, [row.get(each) for row in rows]) for each in names]
        yield Batch(polars.DataFrame(columns), [number for number, _ in batch])
    return names


def read_needed(source: Source, need: Need) -> Generator[Batch]:
    """The rows with the columns that are needed, decoded by the kernel as far as it can."""
    first, longest = 1, LIMITS.get().line
    with source.plain() as path, path.open("rb") as file:
        names = dict.fromkeys(first_keys(file, longest))
        mark = BYTE_ORDER_MARK if file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else b""
        file.seek(len(mark))
        while True:
            decoder = None
            kinds = need.kinds(list(names)) if len(names) <= WIDEST else None
            if kinds is not None:
                with suppress(UnicodeEncodeError):
                    decoder = RowDecoder.json_lines(list(names), kinds, longest)
            block = need.decode(decoder, file)
            if not block.content:
                return
            if block.frame is not None and block.size:
                yield Batch(block.frame, range(first, first + len(block.frame)))
                first += len(block.frame)
                continue
            # A line that does not end in the block is too long, or its end follows.
            lines = block.content[: block.size] or file.read(len(block.content)) + file.readline(longest + 1)
            names = yield from parse_lines(BytesIO(mark + lines if first == 1 else lines), source.name, names, first)
            first += lines.count(b"\n")


def as_series(name: str, values: list[Any]) -> polars.Series:
    """A column of values from JSON; of objects unless all are text or all are floats."""
    import polars

    kinds = set(map(type, values))
    kind = {str: polars.String, float: polars.Float64}.get(next(iter(kinds)), polars.Object)
    shown = name.encode(errors="replace").decode()
    try:
        return polars.Series(shown, values, dtype=kind if len(kinds) == 1 else polars.Object)
    except UnicodeEncodeError:
        return polars.Series(shown, values, dtype=polars.Object)


def column_names(source: Source) -> list[str]:
    return first_keys(BytesIO(source.read(HEAD)), HEAD)


def first_keys(file: IO[bytes], longest: int) -> list[str]:
    """The keys of the first object in a file, which is read again from its start; none if it cannot be read."""
    number, line = next(filled_lines(iter(lambda: file.readline(longest + 1), b""), ""), (1, b""))
    file.seek(0)
    with suppress(FormatError):
        return list(parse_json_line(line, number, ""))
    return []


def write(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels or Run
    data.to_polars().write_ndjson(file)
