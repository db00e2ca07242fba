"""Two runs query by query: sorted bars of the differences, or a point per query and a diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.text import count, printable
from assay.render.charts.parts import (
    HEIGHT,
    OUTCOMES,
    WIDTH,
    Spec,
    chart,
    names,
    number,
    quantity,
    short,
    values,
    word,
    zero_line,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import FloatArray
    from assay.render.charts.chart import Chart

# So many queries have their ids below the bars.
MOST_NAMED = 60
WIDEST_BAR = 40
BARS = WIDTH + 80
SQUARE = HEIGHT + 60
# More different points than this are counted in cells.
MOST_POINTS = 2_000
CELLS = 40


def queries(
    ids: Sequence[str], before: FloatArray, after: FloatArray, runs: tuple[str, str], measure: str, *, sign: int = 1
) -> Chart:
    """The difference of each query, from the most helped to the most hurt; queries without a value are left out.

    `sign` is -1 if lower values are better.
    """
    with np.errstate(invalid="ignore"):
        moved = after - before
    kept = np.flatnonzero(np.isfinite(moved))
    order = kept[np.argsort(-sign * moved[kept], kind="stable")]
    outcome = np.where(sign * moved > 0, OUTCOMES[0], np.where(moved == 0, OUTCOMES[2], OUTCOMES[1]))
    rows = [
        {"query": printable(ids[at]), "difference": float(moved[at]), "outcome": str(outcome[at])}
        for at in order.tolist()
    ]
    better, worse, same = (int((outcome[kept] == each).sum()) for each in OUTCOMES)
    a, b = (short(run, 30) for run in runs)
    name = short(measure)
    caption = f"{b} against {a}: better on {better:,} of {count(len(kept), 'query', 'queries')}, "
    caption += f"worse on {worse:,}, the same on {same:,}."
    layers = bars(f"difference in {name}", len(rows))
    body = {"data": values(rows), "width": BARS, "height": HEIGHT - 60, "layer": layers}
    return chart(f"{name} by query: {b} − {a}", caption, body, width=BARS)


def bars(axis: str, number_of_rows: int) -> list[Spec]:
    """The bars, by outcome; with the ids of queries if they are few."""
    legend = {"title": None, "orient": "top", "values": list(OUTCOMES[:2]), "symbolType": "square"}
    encoding: Spec = {
        "y": quantity("difference", axis),
        "color": names("outcome", None, scale={"domain": list(OUTCOMES)}, legend=legend),
        "tooltip": [word("query", "query"), number("difference", "difference", "+.4f")],
    }
    mark: Spec = {"type": "bar"}
    transform: list[Spec] = []
    if number_of_rows <= MOST_NAMED:
        encoding["x"] = names("query", None, axis={"labelAngle": -90, "labelLimit": 90, "labelFontSize": 10})
        mark["width"] = min(WIDEST_BAR, int(BARS / max(1, number_of_rows) * 0.85))
    else:
        # At least a pixel wide: thinner bars would fade.
        extra = max(0.0, number_of_rows / BARS - 1)
        transform = [
            {"window": [{"op": "row_number", "as": "place"}], "sort": []},
            {"calculate": "datum.place - 1", "as": "start"},
            {"calculate": f"datum.place + {extra:.3f}", "as": "end"},
        ]
        scale = {"domain": [0, number_of_rows], "nice": False}
        ticks = {"grid": False, "format": ",d", "tickMinStep": 1}
        across = quantity("start", "queries, sorted", axis=ticks, scale=scale)
        encoding |= {"x": across, "x2": {"field": "end"}, "y2": {"datum": 0}}
        mark["clip"] = True
    return [{"transform": transform, "mark": mark, "encoding": encoding}, zero_line("y", axis)]


def scatter(
    ids: Sequence[str], before: FloatArray, after: FloatArray, runs: tuple[str, str], measure: str, *, sign: int = 1
) -> Chart:
    """Two runs query by query: above the diagonal the second run has the higher value."""
    kept = np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    points = np.stack([before[kept], after[kept]], axis=1)
    a, b = (short(run, 30) for run in runs)
    name = short(measure)
    moved = sign * (points[:, 1] - points[:, 0])
    caption = f"{count(len(points), 'query', 'queries')}: {b} is better on {int((moved > 0).sum()):,}, "
    caption += f"{a} on {int((moved < 0).sum()):,}; on the diagonal they are equal."
    low, high = (float(points.min()), float(points.max())) if len(points) else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 0.5, high + 0.5
    scale = {"domain": [low, high], "nice": True}
    channels = {
        "x": quantity("before", f"{name}, {a}", scale=scale),
        "y": quantity("after", f"{name}, {b}", scale=scale),
    }
    unique, first, times = np.unique(points, axis=0, return_index=True, return_counts=True)
    if len(unique) > MOST_POINTS:
        caption += f" Queries are counted in {CELLS} × {CELLS} cells."
        layer = cells(points, low, high, channels)
    else:
        rows = [
            {"before": float(x), "after": float(y), "queries": int(number_of), "query": printable(ids[kept[at]])}
            for (x, y), at, number_of in zip(unique, first, times, strict=True)
        ]
        most = int(times.max(initial=1))
        caption += " A larger point stands for several queries." if most > 1 else ""
        layer = dots(rows, most, channels)
    diagonal = {
        "data": values([{"before": end, "after": end} for end in (low, high)]),
        "mark": {"type": "line", "style": "line", "strokeDash": [4, 3], "strokeWidth": 1},
        "encoding": channels,
    }
    body = {"width": SQUARE, "height": SQUARE, "layer": [layer, diagonal]}
    return chart(f"{name}, query by query", caption, body, width=SQUARE)


def dots(rows: list[dict[str, object]], most: int, channels: Spec) -> Spec:
    """One point per pair of values, its area in proportion to the queries that have it."""
    tooltip = [word("query", "query"), number("queries", "queries with these values", ",d")]
    tooltip += [number("before", "before"), number("after", "after")]
    encoding = {**channels, "tooltip": tooltip}
    if most > 1:
        legend = {"title": "queries", "values": sorted({1, (most + 1) // 2, most}), "format": ",d"}
        area = {"domain": [1, most], "range": [30, 400]}
        encoding["size"] = quantity("queries", "queries", scale=area, legend=legend)
    mark = {"type": "point", "style": "plain", "filled": True, "opacity": 0.6, "size": 40}
    return {"data": values(rows), "mark": mark, "encoding": encoding}


def cells(points: FloatArray, low: float, high: float, channels: Spec) -> Spec:
    """The number of queries in each cell of a grid."""
    edges = np.linspace(low, high, CELLS + 1)
    counts = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))[0]
    starts, ends = edges[:-1].tolist(), edges[1:].tolist()
    rows = [
        {
            "before": starts[x],
            "before_end": ends[x],
            "after": starts[y],
            "after_end": ends[y],
            "queries": int(number_of),
        }
        for (x, y), number_of in np.ndenumerate(counts)
        if number_of
    ]
    scale = {"type": "log", "range": "ramp"} if counts.max() > CELLS else {"range": "ramp"}
    encoding = {
        **channels,
        "x2": {"field": "before_end"},
        "y2": {"field": "after_end"},
        "color": quantity("queries", "queries", scale=scale, legend={"format": ",d"}),
        "tooltip": [number("queries", "queries", ",d"), number("before", "from"), number("after", "from")],
    }
    return {"data": values(rows), "mark": {"type": "rect"}, "encoding": encoding}
