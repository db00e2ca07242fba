"""Daemon threads that call a search, and can be left behind where it does not come back."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple


class Returned(NamedTuple):
    """What a call gave or raised, and the seconds that it took."""

    value: object
    error: BaseException | None
    seconds: float


def timed(function: Callable[[], object]) -> Returned:
    """Calls a function, whatever comes of it."""
    started = time.perf_counter()
    value, error = None, None
    try:
        value = function()
    except BaseException as caught:  # noqa: BLE001 - a thread has nobody above it to catch
        error = caught
    return Returned(value, error, time.perf_counter() - started)


class Hand:
    """A daemon thread that makes one call after another, for one who waits in an event loop.

    Python cannot stop a thread. One whose call hangs is left to itself: `leave` ends it when the call comes back, and
    as a daemon it keeps no interpreter alive.
    """

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.is_busy = False
        Thread(target=self.work, daemon=True, name="assay-probe").start()

    def work(self) -> None:
        while (call := self.calls.get()) is not None:
            call()

    def leave(self) -> None:
        """Lets the thread end."""
        self.calls.put(None)

    async def call(self, function: Callable[[], object]) -> Returned:
        """What the function gives, called in the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Returned] = loop.create_future()

        def run() -> None:
            if future.done():
                # Given up before the thread came to it.
                self.is_busy = False
                return
            returned = timed(function)
            self.is_busy = False
            # Where the loop is closed, nobody waits any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(hand_over, future, returned)

        self.is_busy = True
        self.calls.put(run)
        return await future


def hand_over(future: asyncio.Future[Returned], returned: Returned) -> None:
    """Gives the outcome to whoever waits; a coroutine that nobody waits for is closed."""
    if not future.done():
        future.set_result(returned)
    elif inspect.iscoroutine(returned.value):
        returned.value.close()
