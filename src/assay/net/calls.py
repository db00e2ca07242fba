"""Calls of other people's functions: several at a time, each within a time limit, awaited if they are asynchronous.

Python cannot stop a thread. One whose call takes too long is left to itself: it ends when the call returns, and as a
daemon it does not keep the interpreter alive.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

# Seconds between the caller's looks for Ctrl-C, and seconds to wait for what can still end.
LOOK = 0.1
LAST_WAIT = 0.3

Item = TypeVar("Item")
Calls = SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]


class LateError(TimeoutError):
    """The time limit passed before the call ended."""


def work_through(
    items: Iterable[Item],
    run: Callable[[Iterator[Item]], None],
    threads: int,
    name: str,
    *,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Runs a function in several threads, which take the items from one iterator between them.

    An error in one of them, and Ctrl-C, end it: the iterator ends, `stop` is called, and the error is raised here.
    """
    errors: list[BaseException] = []
    rest = deque(items)

    def work() -> None:
        try:
            run(take_in_turn(rest, errors))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errors.append(error)

    workers = [threading.Thread(target=work, daemon=True, name=name) for _ in range(threads)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(LOOK)
    except BaseException as error:  # noqa: BLE001 - raised below
        errors.append(error)
    if errors:
        stop()
        for worker in workers:
            if worker.is_alive():
                worker.join(LAST_WAIT / threads)
        raise errors[0]


def take_in_turn(rest: deque[Item], errors: list[BaseException]) -> Iterator[Item]:
    """What is left of the items that several threads share, until there is an error."""
    with suppress(IndexError):
        while not errors:
            yield rest.popleft()


class Callers:
    """Threads that make calls within a time limit; one whose call takes too long is left to itself."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: list[tuple[Calls, threading.Thread]] = []
        self._left: list[threading.Thread] = []

    def call(self, function: Callable[[], Any], seconds: float | None) -> Any:  # noqa: ANN401 - whatever it returns
        """What a function returns; raises `LateError` if that takes too long."""
        if seconds is None:
            return function()
        try:
            calls, thread = self._idle.pop()
        except IndexError:
            calls = SimpleQueue()
            thread = threading.Thread(target=make_calls, args=(calls,), daemon=True, name=self._name)
            thread.start()
        future: Future[Any] = Future()
        calls.put((function, future))
        with suppress(TimeoutError):
            future.exception(seconds)
        if future.cancel():
            calls.put(None)
            self._left.append(thread)
            raise LateError
        self._idle.append((calls, thread))
        return future.result()

    def count_hanging(self) -> int:
        """How many calls that took too long have not ended yet."""
        self._left = [thread for thread in self._left if thread.is_alive()]
        return len(self._left)

    def close(self) -> None:
        """Lets the threads end that have nothing to do."""
        while self._idle:
            self._idle.pop()[0].put(None)


def make_calls(calls: Calls) -> None:
    while (each := calls.get()) is not None:
        function, future = each
        value = None
        try:
            try:
                value = function()
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                future.set_exception(error)
            else:
                future.set_result(value)
        except InvalidStateError:
            # Nobody waits for it any more.
            if inspect.iscoroutine(value):
                value.close()


class CallLoop:
    """One event loop for all that is awaited, in a thread of its own: a notebook's own loop is not touched."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def wait_for(
        self, awaitable: Awaitable[Any], seconds: float | None, read: Callable[[Any], Any] = lambda value: value
    ) -> tuple[Any, float]:
        """What is read from an awaitable, and the seconds it took; raises `LateError` if that is too long."""

        async def settle() -> tuple[Any, BaseException | None, float]:
            started = time.perf_counter()
            try:
                value = read(await awaitable)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                return None, error, 0.0
            return value, None, time.perf_counter() - started

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop.set_exception_handler(lambda *_: None)
                self._thread = threading.Thread(target=run_loop, args=(self._loop,), daemon=True, name=self._name)
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(settle(), self._loop)
        try:
            value, error, taken = future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise LateError from None
        if error is not None:
            raise error
        return value, taken

    def close(self) -> None:
        """Cancels what is still awaited; what is awaited later gets another loop."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            if threading.current_thread() is not self._thread:
                self._thread.join(2 * LAST_WAIT)


def run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop until it is stopped, and closes it without waiting for what does not end."""
    try:
        loop.run_forever()
    finally:
        rest = asyncio.all_tasks(loop)
        for each in rest:
            each.cancel()
        if rest:
            loop.run_until_complete(asyncio.wait(rest, timeout=LAST_WAIT))
        loop.close()
