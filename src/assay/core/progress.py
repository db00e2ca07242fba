"""Progress of long work: a bar on standard error, if that is a terminal and the work takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from assay.core.text import printable

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

DELAY = 1.0
PAUSE = 0.1

# Called with the share of the work that is done.
Report = Callable[[float], None]


def ignore_progress(share: float) -> None:
    """A report that goes nowhere."""


def part_of(report: Report | None, place: int, parts: int) -> Report | None:
    """Reports one part of the work as a share of the whole."""
    return None if report is None else lambda share: report((place + share) / parts)


class Stage(NamedTuple):
    """How far the work is: done, total, and in words."""

    completed: float
    total: float | None
    amount: str


class Share:
    """The share of the work that is done, as last reported."""

    def __init__(self) -> None:
        self.value = 0.0

    def __call__(self, share: float) -> None:
        self.value = share

    def stage(self) -> Stage:
        return Stage(self.value, 1.0, f"{self.value:.0%}")


@contextmanager
def progress_bar(what: str) -> Iterator[Report]:
    """Shows progress for as long as the context lasts; call what it yields with the share done."""
    if not is_terminal():
        yield ignore_progress
        return
    share = Share()
    with bar(what, share.stage):
        yield share


def is_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(title: str, stage: Callable[[], Stage]) -> Iterator[None]:
    """A bar, drawn by its own thread."""
    import threading

    done = threading.Event()
    watcher = threading.Thread(target=show_after_delay, args=(title, stage, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def show_after_delay(title: str, stage: Callable[[], Stage], done: threading.Event) -> None:
    """Draws the bar, unless the work is done before."""
    if done.wait(DELAY):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    texts = [TextColumn("{task." + part + "}", markup=False) for part in ("description", "fields[amount]")]
    columns = (texts[0], BarColumn(), texts[1], TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(printable(title), total=None, amount="")
        while not done.wait(PAUSE):
            bars.update(task, **stage()._asdict())
