"""Only the columns that judgments or a run need, decoded by the kernel a block of rows at a time.

The kernel decodes what is common and well formed. A block with anything else is left to the format's own reader, which
has the words for what is wrong.
"""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, NamedTuple

from assay._kernel import RowDecoder
from assay.core.errors import FormatError
from assay.data.frames.frame import find_columns
from assay.data.frames.given import GIVEN_RANK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars

# Bytes that are decoded at a time.
BLOCK = 1 << 23


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


def lines_decoder(names: Sequence[str], need: Need, longest: int) -> RowDecoder | None:
    """What decodes JSON Lines with these keys; None if the kernel cannot."""
    kinds = need.kinds(names)
    if kinds is None:
        return None
    try:
        return RowDecoder.json_lines(list(names), kinds, longest)
    except UnicodeEncodeError:
        return None
