"""How long calls of a live retriever took: percentiles, and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


SECOND = 1.0


class Latency(NamedTuple):
    """The seconds that calls took: the median, the 95th and 99th percentile, and the mean."""

    p50: float
    p95: float
    p99: float
    mean: float


def latency_of(seconds: Sequence[float]) -> Latency:
    """The percentiles and the mean of so many seconds."""
    taken = np.array(seconds)
    p50, p95, p99 = np.quantile(taken, [0.5, 0.95, 0.99])
    return Latency(float(p50), float(p95), float(p99), float(taken.mean()))


def duration(seconds: float) -> str:
    """Seconds as people write them.

    >>> duration(0.01234), duration(1.5), duration(0.00005)
    ('12.3 ms', '1.50 s', '0.05 ms')
    """
    if seconds >= SECOND:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds >= SECOND / 1000 else f"{seconds * 1000:.2f} ms"
