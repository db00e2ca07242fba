"""What judging may cost: how many requests at a time, calls, tokens and money, counted or estimated beforehand.

A server that says it is asked too much halves the number of requests at a time; each success lets it climb again.

An estimate runs every measure with made-up replies of a usual length. Replies that the cache has are taken from there,
and cost nothing. Tokens are counted as four characters each, and how many statements an answer has is a guess: it is
good to a factor of about two.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from assay.core.errors import PolicyError
from assay.core.ruling import Embed, JudgeFailure, Reply, Request, RulingKind, Scale, Steps, run_steps
from assay.core.text import count, show
from assay.tasks.judge.model import estimate_tokens

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

# Seconds between looks for the end of the work.
LOOK = 0.1
MINUTE = 60.0


class Throttle:
    """Lets requests through; from many threads."""

    def __init__(self, concurrency: int, tokens_per_minute: float | None = None) -> None:
        self.most = self.limit = float(concurrency)
        self.is_over = False
        self._rate = tokens_per_minute
        # Requests that started before the last halving, in another epoch, say nothing about the number since then.
        self._running = self._epoch = 0
        self._free = threading.Condition()
        self._tokens = tokens_per_minute or 0.0
        self._filled = time.monotonic()

    @contextmanager
    def slot(self, tokens: int = 0) -> Iterator[int]:
        """Waits for its turn; what it yields is handed to `halve`."""
        with self._free:
            while not self.is_over and (self._running >= max(1, int(self.limit)) or not self._has(tokens)):
                self._free.wait(LOOK)
            if self.is_over:
                raise JudgeFailure(RulingKind.NOT_ASKED, "stopped")
            self._running += 1
            self._tokens -= tokens if self._rate else 0
            epoch = self._epoch
        try:
            yield epoch
        finally:
            with self._free:
                self._running -= 1
                self._free.notify_all()

    def _has(self, tokens: int) -> bool:
        """Whether the rate allows a request; one larger than a minute's tokens waits for a full minute."""
        if self._rate is None:
            return True
        now = time.monotonic()
        self._tokens = min(self._rate, self._tokens + (now - self._filled) * self._rate / MINUTE)
        self._filled = now
        return self._tokens >= min(tokens, self._rate)

    def halve(self, epoch: int) -> None:
        """The server is asked too much."""
        with self._free:
            if epoch == self._epoch:
                self.limit, self._epoch = max(1.0, self.limit / 2), epoch + 1

    def climb(self) -> None:
        """A request succeeded: about one more at a time after as many successes as there are requests at a time."""
        with self._free:
            self.limit = min(self.most, self.limit + 1 / self.limit)

    def pause(self, seconds: float) -> None:
        """Waits, unless it is stopped."""
        with self._free:
            self._free.wait_for(lambda: self.is_over, seconds)

    def stop(self) -> None:
        with self._free:
            self.is_over = True
            self._free.notify_all()


class Prices(NamedTuple):
    """Price per million input and output tokens."""

    sent: float
    reply: float

    @classmethod
    def read(cls, value: object) -> Prices | None:
        """Prices as a pair, or as `{"input": 0.15, "output": 0.6}`."""
        if value is None:
            return None
        if isinstance(value, Mapping):
            value = (value.get("input"), value.get("output"))
        pair = tuple(value) if isinstance(value, (list, tuple)) else ()
        if len(pair) != 2 or not all(isinstance(each, (int, float)) and each >= 0 for each in pair):  # noqa: PLR2004 - a pair
            expected = "the price per million input and output tokens, such as (0.15, 0.6)"
            raise PolicyError(f"prices must be {expected}, not {show(value)}")
        return cls(*pair)

    def cost(self, sent: float, reply: float) -> float:
        return (sent * self.sent + reply * self.reply) / 1_000_000


class Usage:
    """Counts of what was asked. `cost` is None without prices."""

    about, source = "", "from"

    def __init__(self, prices: Prices | None = None) -> None:
        self.prices = prices
        self.calls = self.kept = self.failed = self.sent_tokens = self.reply_tokens = 0
        self._lock = threading.Lock()

    def add(self, **counts: int) -> None:
        with self._lock:
            for name, number in counts.items():
                setattr(self, name, getattr(self, name) + number)

    @property
    def cost(self) -> float | None:
        return None if self.prices is None else self.prices.cost(self.sent_tokens, self.reply_tokens)

    def __str__(self) -> str:
        """As people read it.

        >>> usage = Usage(Prices(1.0, 2.0))
        >>> usage.add(calls=2, kept=1, sent_tokens=1500, reply_tokens=200)
        >>> print(usage)
        2 calls, 1 reply from the cache, 1,500 tokens sent, 200 received, cost 0.0019
        """
        parts = [self.about + count(self.calls, "call")]
        parts += [f"{count(self.kept, 'reply', 'replies')} {self.source} the cache"] if self.kept else []
        parts += [f"{self.failed:,} failed"] if self.failed else []
        parts += [f"{self.sent_tokens:,} tokens sent", f"{self.reply_tokens:,} received"]
        return ", ".join(parts) + ("" if self.cost is None else f", cost {self.cost:.4f}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


Item = TypeVar("Item")
# A made-up text in a reply, and how many items a list has if nothing says so.
SENTENCE = "A sentence of about sixty characters, as a reason usually has."
ITEMS = 4


class JudgeEstimate(Usage):
    """Requests that would be made, those that the cache answers, tokens, and what they would cost (None: no prices)."""

    about, source = "about ", "in"


class EstimateOnly(Exception):  # noqa: N818 - the end of a dry run, no error
    """Ends a call once its cost is estimated."""


def estimate_all(
    items: Sequence[Item], columns: Mapping[str, Callable[[Item], Steps]], judge: Judge, total: JudgeEstimate
) -> NoReturn:
    """Adds what `judge_all` would cost, and ends the call."""
    for item, ask, sample in product(items, columns.values(), range(judge.samples)):
        # What a record lacks, no judge is asked for.
        with suppress(JudgeFailure):
            run_steps(ask(item), partial(guess, judge=judge, sample=sample, total=total))
    raise EstimateOnly


def guess(request: Request | Embed, judge: Judge, sample: int, total: JudgeEstimate) -> Any:  # noqa: ANN401 - a reply or vectors
    """The reply of the cache, or one of a usual length; counted."""
    if isinstance(request, Embed):
        total.add(calls=1, sent_tokens=sum(map(estimate_tokens, request.texts)))
        return [[1.0]] * len(request.texts)
    if (known := judge.find(request, sample=sample)) is not None:
        total.add(kept=1)
        return known
    value = made_up(request.prompt.reply, request.count)
    sent = sum(estimate_tokens(each["content"]) for each in judge.messages(request))
    total.add(calls=1, sent_tokens=sent, reply_tokens=estimate_tokens(json.dumps(value)))
    return Reply(value)


def made_up(shape: Any, items: int | None = None) -> Any:  # noqa: ANN401 - a shape
    """A value of a shape."""
    if isinstance(shape, Mapping):
        return {name: made_up(each, items) for name, each in shape.items()}
    if isinstance(shape, list):
        return [made_up(shape[0])] * (ITEMS if items is None else items)
    if isinstance(shape, Scale):
        return shape.high
    return shape[0] if isinstance(shape, tuple) else {str: SENTENCE, bool: True, int: 1, float: 1.0}[shape]
