"""Only the columns that judgments or a run need, decoded by the kernel a block of rows at a time.

The kernel decodes what is common and well formed. A block with anything else is left to the format's own reader, which
has the words for what is wrong.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

from assay._kernel import RowDecoder
from assay.core.errors import FormatError
from assay.data.frames import GIVEN_RANK, find_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars

# Bytes that are decoded at a time, and the most by which a block grows to end with a row.
BLOCK = 1 << 24
QUOTE = b'"'


class Need(NamedTuple):
    """What is needed of a table: judgments or a run, which columns hold them, and on how many threads to read."""

    columns: Mapping[str, str] | None
    judgments: bool
    threads: int = 1

    def kinds(self, names: Sequence[str]) -> list[bool | None] | None:
        """Whether each column is needed as numbers, as text, or not at all; None if the kernel cannot decode these."""
        try:
            found = find_columns(names, self.columns, judgments=self.judgments, name="")
        except FormatError:
            # The format's own reader says what is wrong.
            return None
        numbers = {column: role == "value" for role, column in found.items()}
        is_given = not self.judgments and GIVEN_RANK in names
        return None if is_given or len(numbers) < len(found) else [numbers.get(each) for each in names]

    def decode(self, decoder: RowDecoder | None, block: bytes) -> polars.DataFrame | None:
        """The rows of a block; None if it is left to the format's own reader."""
        import polars

        decoded = decoder.decode(without_blank_end(block), self.threads) if decoder is not None else None
        return polars.DataFrame(decoded) if decoded is not None else None


def lines_decoder(names: Sequence[str], need: Need, longest: int) -> RowDecoder | None:
    """What decodes JSON Lines with these keys; None if the kernel cannot."""
    kinds = need.kinds(names)
    if kinds is None:
        return None
    try:
        return RowDecoder.json_lines(list(names), kinds, longest)
    except UnicodeEncodeError:
        return None


def read_lines(file: IO[bytes], longest: int) -> bytes:
    """The next lines of a file, of which the last one may be too long."""
    block = file.read(BLOCK)
    return block if not block or block.endswith(b"\n") else block + file.readline(longest + 1)


def read_rows(file: IO[bytes]) -> bytes | None:
    """The next rows of CSV, in which the end of a line may be inside quotes; None if no end of a row is found."""
    parts = [file.read(BLOCK)]
    size, quotes = 0, parts[0].count(QUOTE)
    while parts[-1] and (quotes % 2 or not parts[-1].endswith(b"\n")):
        parts.append(file.readline(BLOCK))
        size += len(parts[-1])
        quotes += parts[-1].count(QUOTE)
        if size > BLOCK:
            return None
    return b"".join(parts)


def without_blank_end(block: bytes) -> bytes:
    r"""A block without the blank lines at its end.

    >>> without_blank_end(b"q1,d1,1\r\n\r\n\n"), without_blank_end(b"q1,d1,1\r\r\n")
    (b'q1,d1,1', b'q1,d1,1\r\r\n')
    """
    kept = block.rstrip(b"\r\n")
    is_blank = not block[len(kept) :].replace(b"\r\n", b"\n").strip(b"\n")
    return kept if is_blank else block
