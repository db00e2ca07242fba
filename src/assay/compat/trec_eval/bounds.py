"""The limits `line` and `rows` (`assay.limits`), for what the kernel does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.limits import LIMITS, refuse, size
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Mapping

NEWLINE = ord("\n")


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
