"""CSV and TSV decoded by the kernel: only the columns that are needed, as far as the rows are plain.

From the first block that is not, polars reads the file (`tabular.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import closing
from typing import TYPE_CHECKING

from assay._kernel import RowDecoder
from assay.data.formats.header import TWIN, leading_blank_lines, read_head
from assay.data.formats.tabular import read_separated
from assay.files.source import Batch

if TYPE_CHECKING:
    from collections.abc import Generator

    from assay.data.formats.needed import Need
    from assay.files.source import Source

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


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
