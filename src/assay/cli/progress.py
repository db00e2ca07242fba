"""How far the reading of a file has come."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay._kernel import Progress
from assay.core.progress import Stage, bar, heard, is_seen

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["heard", "watched"]


@contextmanager
def watched(name: str) -> Iterator[Progress | None]:
    """Shows how far the reading of a file has come for as long as the context lasts.

    What it gives is handed on to whoever reads. Where nothing is counted on it, the bar only shows that work goes on.
    """
    if not is_seen():
        yield None
        return
    progress, size = Progress(), size_of(name)

    def stage() -> Stage:
        from rich.filesize import decimal

        read = progress.bytes_read
        return Stage(read, size, f"{decimal(read)} of {decimal(size)}") if read and size else Stage(0, None, "")

    with bar(f"reading {name}", stage):
        yield progress


def size_of(name: str) -> int:
    """The bytes of a file; 0 where there is none."""
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
