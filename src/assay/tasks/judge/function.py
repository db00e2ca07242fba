"""`FunctionModel`: a function of yours as a judge: messages in, text out, synchronous or asynchronous."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from assay.core.errors import AssayError
from assay.core.ruling import JudgeFailure, RulingKind
from assay.core.text import printable, show
from assay.data.http import TemporaryError
from assay.tasks.judge.model import Chat, Completion, Vector, call_within, estimate_tokens


class FunctionModel:
    """A function that takes a list of messages, `{"role": …, "content": …}`, and returns the reply as text."""

    def __init__(self, function: Callable[..., Any], name: str | None, timeout: float | None) -> None:
        own = getattr(function, "__qualname__", type(function).__qualname__)
        self.endpoint = f"python:{getattr(function, '__module__', '')}.{own}"
        self.name = name or own
        self._function = function
        self._timeout = timeout
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def chat(self, chat: Chat) -> Completion:
        """The function's reply to the messages."""
        text = self._call([dict(each) for each in chat.messages])
        # Chat models of libraries return a message.
        text = getattr(text, "content", text)
        if not isinstance(text, str):
            raise JudgeFailure(RulingKind.UNPARSABLE, f"the function returned {show(text)}, not text")
        sent = sum(estimate_tokens(each["content"]) for each in chat.messages)
        return Completion(text, sent, estimate_tokens(text))

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """As an embedder: one vector per text."""
        vectors = self._call(list(texts))
        try:
            rows = [[float(value) for value in row] for row in vectors]
        except (TypeError, ValueError):
            raise JudgeFailure(RulingKind.UNPARSABLE, "the function did not return one vector per text") from None
        if len(rows) != len(texts):
            raise JudgeFailure(RulingKind.UNPARSABLE, f"{len(rows)} embeddings for {len(texts)} texts")
        return rows

    def hide(self, text: str) -> str:
        """The function's keys are its own."""
        return text

    def close(self) -> None:
        """Ends the loop of an asynchronous function."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._loop = None

    def _call(self, argument: Any) -> Any:  # noqa: ANN401 - messages or texts in, whatever the function returns
        try:
            value = call_within(lambda: self._function(argument), self._timeout)
            return self._wait_for(value) if inspect.isawaitable(value) else value
        except (AssayError, JudgeFailure, TemporaryError):
            raise
        except TimeoutError:
            raise JudgeFailure(RulingKind.TIMED_OUT, f"no reply within {self._timeout or 0:g} s") from None
        except Exception as error:
            raise TemporaryError(printable(f"{type(error).__name__}: {error}")) from error

    def _wait_for(self, value: Any) -> Any:  # noqa: ANN401 - an awaitable
        async def work() -> Any:  # noqa: ANN401 - its result
            return await value

        waiting: Coroutine[Any, Any, Any] = work()
        future = asyncio.run_coroutine_threadsafe(waiting, self._running_loop())
        try:
            return future.result(self._timeout)
        except BaseException:
            future.cancel()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """One loop for all calls, in a thread of its own: a notebook's own loop is not touched."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=run_loop, args=(self._loop,), daemon=True, name="assay-judge-loop").start()
            return self._loop


def run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop until it is stopped."""
    try:
        loop.run_forever()
    finally:
        loop.close()
