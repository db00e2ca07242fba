"""Means with their intervals: one row per run, one panel per measure; or one row per measure of a single run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.render.charts.parts import (
    STEP,
    Spec,
    chart,
    label,
    names,
    number,
    panel_width,
    panels,
    quantity,
    short,
    total_width,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.charts.chart import Chart


class Mean(NamedTuple):
    """A mean of a run, with its interval; None if there is none."""

    run: str
    measure: str
    mean: float
    low: float | None = None
    high: float | None = None


def means(rows: Sequence[Mean], caption: str, *, level: float = 0.95) -> Chart:
    """Means with intervals: runs as rows and measures as panels, or measures as rows if there is one run."""
    data = [{**row._asdict(), "run": label(row.run), "measure": label(row.measure)} for row in rows]
    found = list(dict.fromkeys(row.measure for row in rows))
    has_intervals = any(row.low is not None for row in rows)
    title = f"Means with {level:.0%} intervals".replace("%", " %") if has_intervals else "Means"
    if len({row.run for row in rows}) == 1 and len(found) > 1:
        body = panels([{**row, "all": ""} for row in data], "all", layers("measure", None), size(1, len(found)))
        return chart(title, caption, body)
    axis = short(found[0]) if len(found) == 1 else None
    runs = len(dict.fromkeys(row.run for row in rows))
    body = panels(data, "measure", layers("run", axis), size(len(found), runs))
    return chart(title, caption, body, width=total_width(len(found)))


def size(panel_count: int, rows: int) -> Spec:
    return {"width": panel_width(panel_count), "height": {"step": STEP} if rows > 1 else STEP * 2}


def layers(field: str, axis: str | None) -> list[Spec]:
    """An interval, a point on it, and the number above."""
    y = names(field, None)
    x = quantity("mean", axis, scale={"zero": False, "padding": 12}, axis={"tickCount": 5})
    tooltip = [word("run", "run"), word("measure", "measure"), number("mean", "mean")]
    tooltip += [number("low", "low"), number("high", "high")]
    interval = {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "tooltip": tooltip}
    text = {"field": "mean", "type": "quantitative", "format": ".4f"}
    return [
        {"mark": {"type": "rule", "style": "plain", "strokeWidth": 2}, "encoding": interval},
        {
            "mark": {"type": "tick", "style": "plain", "thickness": 2, "size": 8},
            "encoding": {"y": y, "x": {**x, "field": "low"}},
        },
        {
            "mark": {"type": "tick", "style": "plain", "thickness": 2, "size": 8},
            "encoding": {"y": y, "x": {**x, "field": "high"}},
        },
        {
            "mark": {"type": "point", "style": "plain", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"y": y, "x": x, "tooltip": tooltip},
        },
        {"mark": {"type": "text", "style": "faint_note", "dy": -10}, "encoding": {"y": y, "x": x, "text": text}},
    ]
