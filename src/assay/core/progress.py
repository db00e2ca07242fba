"""Progress of long work: a bar on a terminal's standard error, or in a notebook, if it takes longer than a second.

In a notebook the bar is emptied when the work ends. Where nobody looks on, as in a notebook that nbconvert executes,
there is none.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import NamedTuple

from assay._kernel import Progress
from assay.core.text import printable

DELAY = 1.0
PAUSE = 0.1
NOTEBOOK_PAUSE = 0.25

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


@contextmanager
def progress_bar(what: str) -> Iterator[Report]:
    """Shows progress for as long as the context lasts; call what it yields with the share done."""
    if not is_watched():
        yield ignore_progress
        return
    shares = [0.0]
    with bar(what, lambda: Stage(shares[0], 1.0, f"{shares[0]:.0%}")):
        yield partial(shares.__setitem__, 0)


@contextmanager
def watched(name: str) -> Iterator[Progress | None]:
    """Shows how much of a file has been read, for as long as the context lasts.

    Hand the yielded counter to the reader. If nothing is counted on it, the bar only shows that work goes on.
    """
    if not is_watched():
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
    """The size of a file in bytes; 0 if there is no such file, as a directory or a glob of many."""
    from pathlib import Path

    try:
        return Path(name).stat().st_size if Path(name).is_file() else 0
    except (OSError, ValueError):
        return 0


def is_watched() -> bool:
    """Whether somebody looks on: at a terminal, or at a notebook that could be asked for input."""
    if is_terminal() or "ipykernel" not in sys.modules:
        return is_terminal()
    kernel = getattr(import_module("IPython").get_ipython(), "kernel", None)
    return kernel is not None and bool(getattr(kernel, "_allow_stdin", True))


def is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(title: str, stage: Callable[[], Stage]) -> Iterator[None]:
    done = threading.Event()

    def show_after_delay() -> None:
        if not done.wait(DELAY):
            (draw_in_terminal if is_terminal() else draw_in_notebook)(title, stage, done)

    # A notebook finds the cell that an output belongs to by its context.
    watcher = threading.Thread(target=copy_context().run, args=(show_after_delay,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def draw_in_notebook(title: str, stage: Callable[[], Stage], done: threading.Event) -> None:
    from html import escape

    def drawn(now: Stage) -> dict[str, str]:
        known = f'value="{now.completed / now.total:.4f}"' if now.total else ""
        text = printable(f"{title} {now.amount}".strip())
        return {"text/html": f"{escape(text)} <progress {known}></progress>", "text/plain": text}

    shown = import_module("IPython.display").display(drawn(stage()), raw=True, display_id=True)
    while not done.wait(NOTEBOOK_PAUSE):
        shown.update(drawn(stage()), raw=True)
    shown.update({"text/html": "", "text/plain": ""}, raw=True)


def draw_in_terminal(title: str, stage: Callable[[], Stage], done: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    texts = [TextColumn("{task." + part + "}", markup=False) for part in ("description", "fields[amount]")]
    columns = (texts[0], BarColumn(), texts[1], TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(printable(title), total=None, amount="")
        while not done.wait(PAUSE):
            bars.update(task, **stage()._asdict())
