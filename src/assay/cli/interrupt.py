"""Ctrl-C: ends the command within half a second, without leftovers, whatever it does.

Python raises `KeyboardInterrupt` once a call into a library returns, and does not see a signal that arrives just before
a read blocks. So a thread of the kernel watches too, and ends the process if that takes too long.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from assay.__main__ import INTERRUPTED
from assay._kernel import guard_interrupts, notice_interrupt

# Seconds until Ctrl-C is raised again, and between attempts.
SHORTLY, REPEATED = 0.001, 0.01


def guard() -> None:
    """Starts the watch, unless signals are handled otherwise: a shell's background job ignores Ctrl-C."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    reader, writer = map(above_streams, os.pipe())
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    guard_interrupts(reader)
    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = interrupt_again


@contextmanager
def unguarded() -> Iterator[None]:
    """Leaves Ctrl-C to a server, which answers who waits before it ends: the kernel does not hear of it meanwhile."""
    before = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)


def above_streams(descriptor: int) -> int:
    """The same file under a number that no standard stream has, even if the command was started without them."""
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Raises `KeyboardInterrupt`, and says that it was raised."""
    notice_interrupt()
    if is_between_commands(frame):
        sys.exit(INTERRUPTED)
    signal.default_int_handler(number, frame)


def interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Raises Ctrl-C once more, just after a callback in which Python ignores all errors, as at the end of an import."""
    if issubclass(ignored.exc_type, (KeyboardInterrupt, SystemExit)):
        signal.signal(signal.SIGALRM, interrupt_outside)
        # Until it is seen: a call that blocks just after a signal does not see that one.
        signal.setitimer(signal.ITIMER_REAL, SHORTLY, REPEATED)
    else:
        sys.__unraisablehook__(ignored)


def interrupt_outside(number: int, frame: FrameType | None) -> None:
    """Raises `KeyboardInterrupt` unless `interrupt_again` still runs, from which nothing can be raised either."""
    caller = frame
    while caller is not None:
        if caller.f_code is interrupt_again.__code__:
            return
        caller = caller.f_back
    signal.setitimer(signal.ITIMER_REAL, 0)
    interrupt(number, frame)


def is_between_commands(frame: FrameType | None) -> bool:
    """Whether click is at work before or after a subcommand: it would print "Aborted!" and end with 1."""
    inner = ""
    while frame is not None:
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__", "")
        # In what they call of click, they expect an interrupt themselves.
        if module == "assay.cli.main" and name in ("invoke", "make_context") and inner == "click.core":
            return False
        if module == "click.core" and name == "main":
            return True
        inner, frame = module, frame.f_back
    return False
