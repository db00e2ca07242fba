"""How many requests a judge makes at a time, and how many tokens per minute.

A server that says it is asked too much halves the number of requests at a time; each success lets it climb again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assay.core.ruling import JudgeFailure, RulingKind

# Seconds between looks for the end of the work.
LOOK = 0.1
MINUTE = 60.0


class Throttle:
    """Lets requests through; from many threads."""

    def __init__(self, concurrency: int, tokens_per_minute: float | None = None) -> None:
        self.most = concurrency
        self.limit = float(concurrency)
        self._rate = tokens_per_minute
        self._running = 0
        # Requests that started before the last halving say nothing about the number since then.
        self._epoch = 0
        self._free = threading.Condition()
        self._tokens = tokens_per_minute or 0.0
        self._filled = time.monotonic()
        self.is_over = False

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
                self.limit = max(1.0, self.limit / 2)
                self._epoch += 1

    def climb(self) -> None:
        """A request succeeded: about one more at a time after as many successes as there are requests at a time."""
        with self._free:
            self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def start(self) -> None:
        """Lets requests through, also after `stop`."""
        self.is_over = False

    def stop(self) -> None:
        """Lets nothing more through."""
        with self._free:
            self.is_over = True
            self._free.notify_all()
