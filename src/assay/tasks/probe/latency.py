"""How long calls of a live retriever took: percentiles, in words, and as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.text import count

if TYPE_CHECKING:
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice

SECOND = 1.0


class Latency(NamedTuple):
    """The seconds that calls took: the median, the 95th and 99th percentile, and the mean."""

    p50: float
    p95: float
    p99: float
    mean: float


def latency_of(seconds: Sequence[float]) -> Latency:
    p50, p95, p99 = np.quantile(seconds, [0.5, 0.95, 0.99]).tolist()
    return Latency(p50, p95, p99, float(np.mean(seconds)))


def duration(seconds: float) -> str:
    """Seconds as people write them.

    >>> duration(0.01234), duration(1.5), duration(0.00005)
    ('12.3 ms', '1.50 s', '0.05 ms')
    """
    if seconds >= SECOND:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds >= SECOND / 1000 else f"{seconds * 1000:.2f} ms"


class Calls(NamedTuple):
    """How long the calls took that succeeded, in seconds, and how many failed."""

    seconds: Sequence[float]
    failed: int = 0


def draw_latency(calls: Calls, _: Choice) -> Chart:
    from assay.render.charts.queries import latency

    seconds, failed = calls
    *percentiles, mean = latency_of(seconds)
    words = f"{count(len(seconds), 'successful call')}" + (f", {failed:,} failed" if failed else "")
    named = dict(zip(("p50", "p95", "p99"), percentiles, strict=True))
    return latency(np.array(seconds), named, f"{words}; mean {mean * 1000:,.1f} ms.")


def recorded_calls(records: object) -> Calls:
    """The calls of records that `assay probe --save-records` wrote; a record without a latency is a failed call."""
    from assay.data.passages import is_number
    from assay.data.records.fields import RecordFields
    from assay.data.records.read import read_records

    rows = read_records(records, RecordFields(any_field=True), name="the records").each
    values: list[Any] = [(each.fields or {}).get("latency") for each in rows]
    taken = [float(value) for value in values if is_number(value) and 0 <= value < float("inf")]
    if not taken:
        raise DataError(
            "no record has a latency: a field of that name with a number of seconds, as `assay probe` writes"
        )
    return Calls(taken, len(values) - len(taken))
