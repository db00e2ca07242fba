"""Two runs query by query: sorted bars of the differences, or a point per query and a diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.text import count
from assay.render.charts.parts import (
    HEIGHT,
    OUTCOMES,
    WIDTH,
    Spec,
    chart,
    label,
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
        {"query": label(ids[at]), "difference": float(moved[at]), "outcome": str(outcome[at])} for at in order.tolist()
    ]
    totals = [int((outcome[kept] == each).sum()) for each in OUTCOMES]
    a, b = (short(run, 30) for run in runs)
    name = short(measure)
    caption = f"{b} against {a}: better on {totals[0]:,} of {count(len(kept), 'query', 'queries')}, worse on "
    caption += f"{totals[1]:,}, the same on {totals[2]:,}."
    body = {
        "data": values(rows),
        "width": WIDTH + 80,
        "height": HEIGHT - 60,
        **bars(f"difference in {name}", len(rows)),
    }
    return chart(f"{name} by query: {b} − {a}", caption, body, width=WIDTH + 80)


def bars(axis: str, number_of_rows: int) -> Spec:
    """The bars, by outcome; with the ids of queries if they are few."""
    y = quantity("difference", axis)
    tooltip = [word("query", "query"), number("difference", "difference", "+.4f")]
    legend = {"title": None, "orient": "top", "values": list(OUTCOMES[:2]), "symbolType": "square"}
    colour = names("outcome", None, scale={"domain": list(OUTCOMES)}, legend=legend)
    mark: Spec = {"type": "bar"}
    base: Spec = {}
    if number_of_rows <= MOST_NAMED:
        x = {"x": names("query", None, axis={"labelAngle": -90, "labelLimit": 90, "labelFontSize": 10})}
        transform: list[Spec] = []
        mark["width"] = min(WIDEST_BAR, int((WIDTH + 80) / max(1, number_of_rows) * 0.85))
    else:
        place = {"window": [{"op": "row_number", "as": "place"}], "sort": []}
        # At least a pixel wide: thinner bars would fade.
        extra = max(0.0, number_of_rows / (WIDTH + 80) - 1)
        ends = {"calculate": f"datum.place + {extra:.3f}", "as": "end"}
        transform = [place, {"calculate": "datum.place - 1", "as": "start"}, ends]
        axis_of = {"grid": False, "format": ",d", "tickMinStep": 1}
        scale = {"domain": [0, number_of_rows], "nice": False}
        x = {"x": quantity("start", "queries, sorted", axis=axis_of, scale=scale), "x2": {"field": "end"}}
        mark["clip"] = True
        base = {"y2": {"datum": 0}}
    bar = {"transform": transform, "mark": mark, "encoding": {**x, "y": y, **base, "color": colour, "tooltip": tooltip}}
    return {"layer": [bar, zero_line("y", axis)]}


def scatter(
    ids: Sequence[str], before: FloatArray, after: FloatArray, runs: tuple[str, str], measure: str, *, sign: int = 1
) -> Chart:
    """Two runs query by query: above the diagonal the second run has the higher value."""
    kept = np.isfinite(before) & np.isfinite(after)
    points = np.stack([before[kept], after[kept]], axis=1)
    a, b = (short(run, 30) for run in runs)
    name = short(measure)
    better = int((sign * (points[:, 1] - points[:, 0]) > 0).sum())
    worse = int((sign * (points[:, 1] - points[:, 0]) < 0).sum())
    low, high = bounds_of(points)
    caption = (
        f"{count(len(points), 'query', 'queries')}: {b} is better on {better:,}, {a} on {worse:,}; on the diagonal "
    )
    caption += "they are equal."
    unique, first, times = np.unique(points, axis=0, return_index=True, return_counts=True)
    scale = {"domain": [low, high], "nice": True}
    channels = {
        "x": quantity("before", f"{name}, {a}", scale=scale),
        "y": quantity("after", f"{name}, {b}", scale=scale),
    }
    if len(unique) > MOST_POINTS:
        caption += f" Queries are counted in {CELLS} × {CELLS} cells."
        layers = [cells(points, low, high, channels)]
    else:
        kept_ids = [ids[at] for at in np.flatnonzero(kept).tolist()]
        rows = [
            {"before": float(x), "after": float(y), "queries": int(number_of), "query": label(kept_ids[at])}
            for (x, y), at, number_of in zip(unique, first.tolist(), times.tolist(), strict=True)
        ]
        if times.max(initial=1) > 1:
            caption += " A larger point stands for several queries."
        layers = [dots(rows, int(times.max(initial=1)), channels)]
    body = {"width": HEIGHT + 60, "height": HEIGHT + 60, "layer": [*layers, diagonal(low, high, channels)]}
    return chart(f"{name}, query by query", caption, body, width=HEIGHT + 60)


def bounds_of(points: FloatArray) -> tuple[float, float]:
    """The lowest and the highest value of both runs; from 0 to 1 if they are within it."""
    if not len(points):
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def dots(rows: list[dict[str, object]], most: int, channels: Spec) -> Spec:
    """One point per pair of values, its area in proportion to the queries that have it."""
    tooltip = [word("query", "query"), number("queries", "queries with these values", ",d")]
    tooltip += [number("before", "before"), number("after", "after")]
    encoding = {**channels, "tooltip": tooltip}
    if most > 1:
        legend = {"title": "queries", "values": sorted({1, (most + 1) // 2, most}), "format": ",d"}
        encoding["size"] = quantity(
            "queries", "queries", scale={"domain": [1, most], "range": [30, 400]}, legend=legend
        )
    mark = {"type": "point", "style": "plain", "filled": True, "opacity": 0.6, "size": 40}
    return {"data": values(rows), "mark": mark, "encoding": encoding}


def cells(points: FloatArray, low: float, high: float, channels: Spec) -> Spec:
    """The number of queries in each cell of a grid."""
    edges = np.linspace(low, high, CELLS + 1)
    counts = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))[0]
    rows = [
        {
            "before": float(edges[x]),
            "before_end": float(edges[x + 1]),
            "after": float(edges[y]),
            "after_end": float(edges[y + 1]),
            "queries": int(counts[x, y]),
        }
        for x, y in zip(*np.nonzero(counts), strict=True)
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


def diagonal(low: float, high: float, channels: Spec) -> Spec:
    """Where both runs have the same value."""
    rows = [{"before": low, "after": low}, {"before": high, "after": high}]
    mark = {"type": "line", "style": "line", "strokeDash": [4, 3], "strokeWidth": 1}
    return {"data": values(rows), "mark": mark, "encoding": channels}
