"""Progress of long work: a bar on standard error, where that is a terminal and the work takes longer than a second."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay._kernel import Progress
from assay.core.text import printable

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

DELAY = 1.0
PAUSE = 0.1


@contextmanager
def watched(name: str) -> Iterator[Progress | None]:
    """Shows how far the reading of a file has come for as long as the context lasts.

    What it gives is handed on to whoever reads. Where nothing is counted on it, the bar only shows that work goes on.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    import threading

    progress, done = Progress(), threading.Event()
    watcher = threading.Thread(target=show_after_delay, args=(name, progress, done), daemon=True)
    watcher.start()
    try:
        yield progress
    finally:
        done.set()
        watcher.join()


def show_after_delay(name: str, progress: Progress, done: threading.Event) -> None:
    """Draws the bar, if the work is not done before."""
    if done.wait(DELAY):
        return
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    size = size_of(name)
    texts = [TextColumn("{task." + part + "}", markup=False) for part in ("description", "fields[amount]")]
    columns = (texts[0], BarColumn(), texts[1], TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(printable(f"reading {name}"), total=None, amount="")
        while not done.wait(PAUSE):
            if (read := progress.bytes_read) and size:
                bars.update(bar, completed=read, total=size, amount=f"{decimal(read)} of {decimal(size)}")


def size_of(name: str) -> int:
    """The bytes of a file; 0 where there is none."""
    try:
        return Path(name).stat().st_size
    except OSError:
        return 0
