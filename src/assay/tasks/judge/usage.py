"""What judging costs: calls, tokens and money, counted from many threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

from assay.core.errors import PolicyError
from assay.core.text import count, show

MILLION = 1_000_000


class Prices(NamedTuple):
    """What a million tokens cost, sent and replied."""

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
            raise PolicyError(
                f"prices are the cost of a million tokens, sent and replied, such as (0.15, 0.6), not {show(value)}"
            )
        return cls(*pair)

    def cost(self, sent: float, reply: float) -> float:
        return (sent * self.sent + reply * self.reply) / MILLION


class Usage:
    """Counts of what was asked. `cost` is None without prices."""

    def __init__(self, prices: Prices | None = None) -> None:
        self.prices = prices
        self.calls = 0
        self.kept = 0
        self.failed = 0
        self.sent_tokens = 0
        self.reply_tokens = 0
        self._lock = threading.Lock()

    def add(self, *, calls: int = 0, kept: int = 0, failed: int = 0, sent: int = 0, reply: int = 0) -> None:
        """Counts more."""
        with self._lock:
            self.calls += calls
            self.kept += kept
            self.failed += failed
            self.sent_tokens += sent
            self.reply_tokens += reply

    @property
    def cost(self) -> float | None:
        return None if self.prices is None else self.prices.cost(self.sent_tokens, self.reply_tokens)

    def __str__(self) -> str:
        """As people read it.

        >>> usage = Usage(Prices(1.0, 2.0))
        >>> usage.add(calls=2, kept=1, sent=1500, reply=200)
        >>> print(usage)
        2 calls, 1 reply from the cache, 1,500 tokens sent, 200 received, cost 0.0019
        """
        parts = [count(self.calls, "call")]
        if self.kept:
            parts.append(f"{count(self.kept, 'reply', 'replies')} from the cache")
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        parts += [f"{self.sent_tokens:,} tokens sent", f"{self.reply_tokens:,} received"]
        return ", ".join(parts) + ("" if self.cost is None else f", cost {self.cost:.4f}")

    def __repr__(self) -> str:
        return f"<Usage: {self}>"
