"""Asks many questions: several at a time, each call within a time limit, failed calls again.

A retriever is called in a daemon thread; what it returns is awaited in one event loop for all, in a thread of its own,
if it is awaitable. A call that takes too long is given up: an asynchronous one is cancelled; a synchronous one cannot
be stopped, so its thread is abandoned and the next call gets a new one. It then no longer counts towards the
concurrency, though the server may still be busy with it. If too many calls hang like that, the remaining questions are
not asked.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

from assay.core.errors import PASSING, AssayError
from assay.core.text import count, printable
from assay.files.source import check_spare_files
from assay.net.calls import Callers, CallLoop, LateError, work_through
from assay.net.http import TemporaryError, pause_before_retry
from assay.tasks.probe.response import LiveRanking

MOST_HANGING = 64
LONGEST_MESSAGE = 200


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


class Asker:
    """How to ask and how to read a response, and what the threads that ask have in common."""

    def __init__(self, ask: Callable[[str], object], read: Callable[[object], LiveRanking], limits: CallLimits) -> None:
        self.ask, self.read, self.limits = ask, read, limits
        self.callers, self.loop = Callers("assay-probe"), CallLoop("assay-probe-loop")
        self.lock, self.is_over = threading.Lock(), threading.Event()

    def ask_all(self, questions: Mapping[str, str], finish: Callable[[Outcome], None]) -> None:
        """Asks every question, and tells each outcome as it comes; an error in `finish` and Ctrl-C end it."""
        check_spare_files("no question can be asked")

        def ask_in_turn(rest: Iterator[tuple[str, str]]) -> None:
            for query, question in rest:
                outcome = self.ask_one(query, question)
                with self.lock:
                    if not self.is_over.is_set():
                        finish(outcome)

        def stop() -> None:
            # Nobody is told of an outcome after this returns.
            with self.lock:
                self.is_over.set()

        try:
            slots = min(self.limits.concurrency, len(questions))
            work_through(questions.items(), ask_in_turn, slots, "assay-probe", stop=stop)
        finally:
            self.loop.close()
            self.callers.close()

    def ask_one(self, query: str, question: str) -> Outcome:
        failure: BaseException | None = None
        for attempt in range(1, self.limits.retries + 2):
            if (hanging := self.callers.count_hanging()) >= MOST_HANGING:
                said = f"not asked: {hanging} earlier calls still hang; give the retriever a time limit"
                return Outcome(query, None, 0.0, attempt - 1, said)
            try:
                ranking, seconds = self.call_in_time(question)
            except PASSING:
                # It is not about the question: it ends the work and passes through unchanged.
                raise
            except LateError:
                failure = TemporaryError(f"no response within {self.limits.timeout:g} s")
            except CancelledError:
                failure = TemporaryError("the call was cancelled")
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever a retriever raises
                failure = error
            else:
                return Outcome(query, ranking, seconds, attempt)
            final = isinstance(failure, AssayError) or attempt > self.limits.retries
            if final or self.is_over.wait(pause_before_retry(attempt, failure)):
                break
        return Outcome(query, None, 0.0, attempt, failure_line(failure, attempt))

    def call_in_time(self, question: str) -> tuple[LiveRanking, float]:
        """The ranking and the seconds of a call: in a thread, and then in the loop if it returns an awaitable."""

        def call() -> tuple[Any, float]:
            # A response that is generated while it is read takes its time here too.
            started = time.perf_counter()
            response = self.ask(question)
            found = response if inspect.isawaitable(response) else self.read(response)
            return found, time.perf_counter() - started

        began, limit = time.perf_counter(), self.limits.timeout
        found, seconds = self.callers.call(call, limit)
        if inspect.isawaitable(found):
            left = None if limit is None else max(0.0, limit - (time.perf_counter() - began))
            found, more = self.loop.wait_for(found, left, self.read)
            seconds += more
        return found, seconds


def failure_line(error: BaseException | None, attempts: int) -> str:
    """What went wrong, in one line; a message of assay's own is never cut, as what to do comes last."""
    kind = "" if isinstance(error, (AssayError, TemporaryError)) else type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - a message must not fail because of its subject
        message = "an error without a message"
    line = printable(" ".join(": ".join(filter(None, (kind, message))).split()))
    if not isinstance(error, AssayError) and len(line) > LONGEST_MESSAGE:
        line = line[:LONGEST_MESSAGE] + "…"
    return line + (f" ({count(attempts, 'attempt')})" if attempts > 1 else "")
