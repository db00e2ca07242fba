"""Charts of a live retriever: how long its calls took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.text import count
from assay.data.records.fields import RecordFields
from assay.data.records.read import read_records
from assay.tasks.probe.latency import latency_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice


class Calls(NamedTuple):
    """How long the calls took that succeeded, in seconds, and how many failed."""

    seconds: Sequence[float]
    failed: int = 0


def draw_latency(calls: Calls, _: Choice) -> Chart:
    """How long calls took, with the percentiles that a probe shows."""
    from assay.render.charts.boxes import latency

    seconds, failed = calls
    found = latency_of(seconds)
    words = f"{count(len(seconds), 'successful call')}" + (f", {failed:,} failed" if failed else "")
    percentiles = {"p50": found.p50, "p95": found.p95, "p99": found.p99}
    return latency(np.array(seconds), percentiles, f"{words}; mean {found.mean * 1000:,.1f} ms.")


def recorded_calls(records: object) -> Calls:
    """The calls of records that `assay probe --save-records` wrote; a record without a latency is a failed call."""
    rows = read_records(records, RecordFields(any_field=True), name="the records").each
    values = [seconds_of(each.fields or {}) for each in rows]
    taken = [value for value in values if value is not None]
    if not taken:
        raise DataError(
            "no record has a latency: a field of that name with a number of seconds, as `assay probe` writes"
        )
    return Calls(taken, len(values) - len(taken))


def seconds_of(fields: Any) -> float | None:  # noqa: ANN401 - a record as it was given
    """The latency of a record; None if it has none."""
    value = fields.get("latency")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < float("inf") else None
