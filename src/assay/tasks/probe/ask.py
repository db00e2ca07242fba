"""Asks many questions: several at a time, each call within a time limit, failed calls again.

The work runs in an event loop in its own thread, so that it does not matter whether the caller has a running loop (as
notebooks do). A retriever is called in a daemon thread; what it returns is awaited in the loop if it is awaitable. A
call that takes too long is given up: an asynchronous one is cancelled; a synchronous one cannot be stopped, so its
thread is abandoned and the next call gets a new one. It then no longer counts towards the concurrency, though the
server may still be busy with it. If too many calls hang like that, the remaining questions are not asked.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from queue import SimpleQueue
from typing import NamedTuple

from assay.core.errors import PASSING, AssayError
from assay.core.text import count, printable
from assay.files.source import check_spare_files
from assay.net.http import TemporaryError, pause_before_retry
from assay.tasks.probe.response import LiveRanking

MOST_HANGING = 64
LONGEST_MESSAGE = 200
# Seconds between the caller's looks for Ctrl-C, and seconds to wait for what can still be cancelled.
LOOK = 0.1
LAST_WAIT = 0.2


class CallLimits(NamedTuple):
    """Calls at a time, the seconds that each may take (None: no limit), and retries of a failed one."""

    concurrency: int = 8
    timeout: float | None = 30.0
    retries: int = 2


class Outcome(NamedTuple):
    """The outcome of a question: its ranking and the seconds of the successful call, or what went wrong."""

    query: str
    ranking: LiveRanking | None
    seconds: float
    attempts: int
    failure: str = ""


class Job(NamedTuple):
    """How to ask, how to read a response, and whom to tell each outcome, as it comes."""

    ask: Callable[[str], object]
    read: Callable[[object], LiveRanking]
    finish: Callable[[Outcome], None]


def ask_all(questions: Mapping[str, str], job: Job, limits: CallLimits) -> None:
    """Asks every question. An error in `finish` and Ctrl-C end it; an error in the retriever is an outcome."""
    asker = Asker(questions, job, limits)
    thread = threading.Thread(target=asker.run, daemon=True, name="assay-probe-loop")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(LOOK)
    except BaseException:
        asker.stop()
        thread.join(LAST_WAIT)
        raise
    if asker.error is not None:
        raise asker.error


class CallResult(NamedTuple):
    """What a call returned or raised, and the seconds it took."""

    value: object
    error: BaseException | None
    seconds: float


def time_call(function: Callable[[], object]) -> CallResult:
    """Calls a function and catches whatever it raises."""
    started = time.perf_counter()
    value, error = None, None
    try:
        value = function()
    except BaseException as caught:  # noqa: BLE001 - a thread has nobody above it to catch
        error = caught
    return CallResult(value, error, time.perf_counter() - started)


def raise_passing(error: BaseException | None) -> None:
    """Raises an error that is not about the question: it ends the work and passes through unchanged."""
    # A search that was cancelled is a failed question, though Python does not call it an Exception.
    own = (Exception, asyncio.CancelledError)
    if error is not None and (isinstance(error, PASSING) or not isinstance(error, own)):
        raise error


class Caller:
    """A daemon thread that makes one call after another, for a coroutine that awaits them.

    Python cannot stop a thread. One whose call hangs is abandoned: after `leave` it ends when the call returns, and as
    a daemon it does not keep the interpreter alive.
    """

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.is_busy = False
        threading.Thread(target=self.work, daemon=True, name="assay-probe").start()

    def work(self) -> None:
        while (call := self.calls.get()) is not None:
            call()

    def leave(self) -> None:
        self.calls.put(None)

    async def call(self, function: Callable[[], object]) -> CallResult:
        """The result of a function that is called in the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[CallResult] = loop.create_future()

        def hand_over(result: CallResult) -> None:
            """Passes the result to whoever waits; a coroutine that nobody waits for is closed."""
            if not future.done():
                future.set_result(result)
            elif inspect.iscoroutine(result.value):
                result.value.close()

        def run() -> None:
            # It may have been given up before the thread got to it.
            result = None if future.done() else time_call(function)
            self.is_busy = False
            # If the loop is closed, nobody waits any more.
            with suppress(RuntimeError):
                if result is not None:
                    loop.call_soon_threadsafe(hand_over, result)

        self.is_busy = True
        self.calls.put(run)
        return await future


class Slot:
    """One of the concurrent calls, and the thread that makes it."""

    def __init__(self) -> None:
        self.caller = Caller()


class Asker:
    """The event loop, and what runs in it."""

    def __init__(self, questions: Mapping[str, str], job: Job, limits: CallLimits) -> None:
        self.questions = questions
        self.job = job
        self.limits = limits
        self.abandoned: list[Caller] = []
        self.error: BaseException | None = None
        self.is_over = False
        check_spare_files("no question can be asked")
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        self.work: asyncio.Task[None] | None = None

    def run(self) -> None:
        """Runs the loop until everything is done, and closes it without waiting for what does not end."""
        try:
            self.work = self.loop.create_task(self.ask_everything())
            self.loop.run_until_complete(self.work)
        except BaseException as error:  # noqa: BLE001 - passed to the thread that waits
            self.error = error
        finally:
            rest = asyncio.all_tasks(self.loop)
            for each in rest:
                each.cancel()
            if rest:
                self.loop.run_until_complete(asyncio.wait(rest, timeout=LAST_WAIT))
            self.loop.close()

    def stop(self) -> None:
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(lambda: self.work and self.work.cancel())

    async def ask_everything(self) -> None:
        questions = iter(self.questions.items())
        slots = min(self.limits.concurrency, len(self.questions))
        workers = [asyncio.ensure_future(self.ask_in_turn(questions)) for _ in range(slots)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()

    async def ask_in_turn(self, questions: Iterator[tuple[str, str]]) -> None:
        slot = Slot()
        try:
            while not self.is_over and (each := next(questions, None)) is not None:
                self.job.finish(await self.ask_one(*each, slot))
        except BaseException:
            # The others start nothing more, even if they get to it before they are cancelled.
            self.is_over = True
            raise
        finally:
            slot.caller.leave()

    async def ask_one(self, query: str, question: str, slot: Slot) -> Outcome:
        for attempt in range(1, self.limits.retries + 2):
            self.abandoned = [caller for caller in self.abandoned if caller.is_busy]
            if len(self.abandoned) >= MOST_HANGING:
                said = f"not asked: {len(self.abandoned)} earlier calls still hang; give the retriever a time limit"
                return Outcome(query, None, 0.0, attempt - 1, said)
            value, error, seconds = await self.call_in_time(question, slot)
            if error is None and isinstance(value, LiveRanking):
                return Outcome(query, value, seconds, attempt)
            if isinstance(error, AssayError) or attempt > self.limits.retries:
                break
            await asyncio.sleep(pause_before_retry(attempt, error))
        return Outcome(query, None, seconds, attempt, failure_line(error, attempt))

    async def call_in_time(self, question: str, slot: Slot) -> CallResult:
        calling = asyncio.ensure_future(self.call_retriever(question, slot.caller))
        try:
            done, _ = await asyncio.wait({calling}, timeout=self.limits.timeout)
        finally:
            calling.cancel()
        if done:
            if calling.cancelled():
                return CallResult(None, TemporaryError("the call was cancelled"), 0.0)
            return calling.result()
        if slot.caller.is_busy:
            slot.caller.leave()
            self.abandoned.append(slot.caller)
            slot.caller = Caller()
        late = TemporaryError(f"no response within {self.limits.timeout:g} s")
        return CallResult(None, late, self.limits.timeout or 0.0)

    async def call_retriever(self, question: str, caller: Caller) -> CallResult:
        """One call: in the thread, and then in the loop if it returns an awaitable."""
        result = await caller.call(lambda: self.call_in_thread(question))
        raise_passing(result.error)
        if not inspect.isawaitable(result.value):
            return result
        started = time.perf_counter()
        try:
            response = await result.value
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the retriever raises is its outcome
            return CallResult(None, error, time.perf_counter() - started)
        read = time_call(lambda: self.job.read(response))
        raise_passing(read.error)
        return read._replace(seconds=result.seconds + time.perf_counter() - started)

    def call_in_thread(self, question: str) -> object:
        """The ranking, or an awaitable; a response that is generated while it is read takes its time here too."""
        response = self.job.ask(question)
        return response if inspect.isawaitable(response) else self.job.read(response)


def failure_line(error: BaseException | None, attempts: int) -> str:
    """What went wrong, in one line; a message of assay's own is never cut, as what to do comes last.

    >>> failure_line(KeyError("d1"), 3)
    "KeyError: 'd1' (3 attempts)"
    """
    kind = "" if isinstance(error, (AssayError, TemporaryError)) else type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - a message must not fail because of its subject
        message = "an error without a message"
    line = printable(" ".join(": ".join(filter(None, (kind, message))).split()))
    is_whole = isinstance(error, AssayError) or len(line) <= LONGEST_MESSAGE
    shown = line if is_whole else line[:LONGEST_MESSAGE] + "…"
    return shown + (f" ({count(attempts, 'attempt')})" if attempts > 1 else "")
