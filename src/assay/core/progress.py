"""Progress of long work: a bar on standard error, where that is a terminal and the work takes longer than a second."""

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

# Is told what share of the work is done.
Report = Callable[[float], None]


def unheard(share: float) -> None:
    """Where nobody asks how far the work has come."""


def part_of(report: Report | None, place: int, parts: int) -> Report | None:
    """Tells of one part of the work as its share of the whole."""
    return None if report is None else lambda share: report((place + share) / parts)


class Stage(NamedTuple):
    """How far the work is: so much, of so much, and in words."""

    completed: float
    total: float | None
    amount: str


class Share:
    """What share of the work is done, as it was last told."""

    def __init__(self) -> None:
        self.value = 0.0

    def __call__(self, share: float) -> None:
        self.value = share

    def stage(self) -> Stage:
        return Stage(self.value, 1.0, f"{self.value:.0%}")


@contextmanager
def heard(what: str) -> Iterator[Report]:
    """Shows how far some work has come for as long as the context lasts; what it gives is told the share done."""
    if not is_seen():
        yield unheard
        return
    share = Share()
    with bar(what, share.stage):
        yield share


def is_seen() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(title: str, stage: Callable[[], Stage]) -> Iterator[None]:
    """A bar that a thread of its own draws."""
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
    """Draws the bar, if the work is not done before."""
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
