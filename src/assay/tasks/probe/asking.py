"""Asks many questions: a few at a time, each call within a time limit, with retries.

The work is done in an event loop in a thread of its own, so that it makes no difference whether the caller has a
running loop (as notebooks have) or none. A search is called in a daemon thread; what it returns is awaited in the loop
if it can be. A call that is not back in time is given up: an asynchronous one is cancelled; a synchronous one cannot be
stopped, so its thread is left to it and the next call gets a new thread. It therefore does not count as one of those at
a time, though the other side may still be busy with it. Where too many hang like that, the rest is not asked.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from assay.core.errors import AssayError
from assay.tasks.probe.failures import TryAgain, failure, pause_after
from assay.tasks.probe.found import Answer
from assay.tasks.probe.hands import Hand, Returned, timed

MOST_HANGING = 64
# How often the caller looks for Ctrl-C, and how long it waits for what can still be cancelled.
LOOK = 0.1
LAST_WAIT = 1.0


class Limits(NamedTuple):
    """How many calls at a time, the seconds that one may take (None for ever), how often a failed one is repeated."""

    concurrency: int = 8
    timeout: float | None = 30.0
    retries: int = 2


class Outcome(NamedTuple):
    """What came of a question: an answer with the seconds of the call that gave it, or what went wrong."""

    query: str
    answer: Answer | None
    seconds: float
    attempts: int
    failure: str = ""


class Task(NamedTuple):
    """How to ask, how to read what comes back, and whom to tell of each outcome, in the order that they come."""

    ask: Callable[[str], object]
    read: Callable[[object], Answer]
    finish: Callable[[Outcome], None]


def ask_all(questions: Mapping[str, str], task: Task, limits: Limits) -> None:
    """Asks every question. An error of `finish`, and Ctrl-C, end it; an error of the search is an outcome."""
    asker = Asker(questions, task, limits)
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


class Slot:
    """One of the calls at a time: the hand that makes it."""

    def __init__(self) -> None:
        self.hand = Hand()


class Asker:
    """The event loop, and what runs in it."""

    def __init__(self, questions: Mapping[str, str], task: Task, limits: Limits) -> None:
        self.questions = questions
        self.task = task
        self.limits = limits
        self.left: list[Hand] = []
        self.error: BaseException | None = None
        self.is_over = False
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        self.work: asyncio.Task[None] | None = None

    def run(self) -> None:
        """Runs the loop until all is done, and closes it without waiting for what will not end."""
        try:
            self.work = self.loop.create_task(self.everything())
            self.loop.run_until_complete(self.work)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self.error = error
        finally:
            rest = asyncio.all_tasks(self.loop)
            for each in rest:
                each.cancel()
            if rest:
                self.loop.run_until_complete(asyncio.wait(rest, timeout=LAST_WAIT))
            self.loop.close()

    def stop(self) -> None:
        """Ends the work from another thread."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(lambda: self.work and self.work.cancel())

    async def everything(self) -> None:
        questions = iter(self.questions.items())
        slots = min(self.limits.concurrency, len(self.questions))
        workers = [asyncio.ensure_future(self.one_after_another(questions)) for _ in range(slots)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()

    async def one_after_another(self, questions: Iterator[tuple[str, str]]) -> None:
        slot = Slot()
        try:
            while not self.is_over and (each := next(questions, None)) is not None:
                self.task.finish(await self.settle(*each, slot))
        except BaseException:
            # The others begin nothing any more, even if they come to it before they are cancelled.
            self.is_over = True
            raise
        finally:
            slot.hand.leave()

    async def settle(self, query: str, question: str, slot: Slot) -> Outcome:
        """Asks one question until it is answered, or as often as it may be asked."""
        for attempt in range(1, self.limits.retries + 2):
            self.left = [hand for hand in self.left if hand.is_busy]
            if len(self.left) >= MOST_HANGING:
                said = f"not asked: {len(self.left)} earlier calls have not come back; give the search a time limit"
                return Outcome(query, None, 0.0, attempt - 1, said)
            value, error, seconds = await self.attempt(question, slot)
            if error is None and isinstance(value, Answer):
                return Outcome(query, value, seconds, attempt)
            if isinstance(error, AssayError) or attempt > self.limits.retries:
                break
            await asyncio.sleep(pause_after(attempt, error))
        return Outcome(query, None, seconds, attempt, failure(error, attempt))

    async def attempt(self, question: str, slot: Slot) -> Returned:
        """One call within the time limit."""
        calling = asyncio.ensure_future(self.call(question, slot.hand))
        try:
            done, _ = await asyncio.wait({calling}, timeout=self.limits.timeout)
        finally:
            calling.cancel()
        if done:
            return Returned(None, TryAgain("the call was cancelled"), 0.0) if calling.cancelled() else calling.result()
        if slot.hand.is_busy:
            slot.hand.leave()
            self.left.append(slot.hand)
            slot.hand = Hand()
        return Returned(None, TryAgain(f"no answer within {self.limits.timeout:g} s"), self.limits.timeout or 0.0)

    async def call(self, question: str, hand: Hand) -> Returned:
        """One call: in the thread, and in the loop where what it returns can be awaited."""
        returned = await hand.call(lambda: self.in_thread(question))
        if isinstance(returned.error, (KeyboardInterrupt, SystemExit)):
            raise returned.error
        if not inspect.isawaitable(returned.value):
            return returned
        started = time.perf_counter()
        try:
            found = await returned.value
        except Exception as error:  # noqa: BLE001 - whatever the search raises is its outcome
            return Returned(None, error, time.perf_counter() - started)
        read = timed(lambda: self.task.read(found))
        return read._replace(seconds=returned.seconds + time.perf_counter() - started)

    def in_thread(self, question: str) -> object:
        """What the search gives, read; lists that are made while they are read take their time here too."""
        found = self.task.ask(question)
        return found if inspect.isawaitable(found) else self.task.read(found)
