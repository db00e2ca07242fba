"""Below the means: two runs query by query, rankings as curves and boxes, and the records of a RAG system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray
from assay.core.text import count, printable
from assay.render.charts.chart import Chart, chart
from assay.render.charts.parts import (
    HEIGHT,
    OUTCOMES,
    STEP,
    WIDTH,
    Spec,
    layer,
    names,
    number,
    panels,
    quantity,
    run_channels,
    short,
    values,
    word,
    zero_line,
)

Curves = Mapping[str, Sequence[tuple[float, float]]]
# So many queries have their ids below the bars.
MOST_NAMED = 60
WIDEST_BAR = 40
BARS = WIDTH + 80
SQUARE = HEIGHT + 60
# More different points than this are counted in cells.
MOST_POINTS = 2_000
CELLS = 40
UNIT = {"domain": [0, 1]}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FIELDS = ("low", "lower", "median", "upper", "high")
ANSWERS = ("correct", "wrong", "not scored")
# The height of a bar of answers, and of the histogram of latencies.
ROW = 46
LOW = HEIGHT - 80
BINS = 40
# Times that differ by more than this factor are binned by their logarithm.
WIDE = 20
MILLISECOND = 1000


def queries(
    ids: Sequence[str], before: FloatArray, after: FloatArray, runs: tuple[str, str], measure: str, *, sign: int = 1
) -> Chart:
    """The difference of each query that has both values, the most helped first; `sign` is -1 if low is better."""
    with np.errstate(invalid="ignore"):
        moved = after - before
    kept = np.flatnonzero(np.isfinite(moved))
    outcome = np.select([sign * moved > 0, moved == 0], [OUTCOMES[0], OUTCOMES[2]], OUTCOMES[1])
    rows = [
        {"query": printable(ids[at]), "difference": float(moved[at]), "outcome": str(outcome[at])}
        for at in kept[np.argsort(-sign * moved[kept], kind="stable")].tolist()
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
        points_layer = cells(points, low, high, channels)
    else:
        rows = [
            {"before": float(x), "after": float(y), "queries": int(number_of), "query": printable(ids[kept[at]])}
            for (x, y), at, number_of in zip(unique, first, times, strict=True)
        ]
        most = int(times.max(initial=1))
        caption += " A larger point stands for several queries." if most > 1 else ""
        points_layer = dots(rows, most, channels)
    ends = values([{"before": end, "after": end} for end in (low, high)])
    diagonal = layer("line", "line", channels, strokeDash=[4, 3], strokeWidth=1)
    body = {"width": SQUARE, "height": SQUARE, "layer": [points_layer, {"data": ends, **diagonal}]}
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
    return {"data": values(rows), **layer("point", "plain", encoding, filled=True, opacity=0.6, size=40)}


def cells(points: FloatArray, low: float, high: float, channels: Spec) -> Spec:
    """The number of queries in each cell of a grid."""
    edges = np.linspace(low, high, CELLS + 1)
    counts = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))[0]
    at = edges.tolist()
    rows = [
        {"before": at[x], "before_end": at[x + 1], "after": at[y], "after_end": at[y + 1], "queries": int(number_of)}
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


class Grade(NamedTuple):
    """The scores that a run gave to documents of a grade."""

    run: str
    grade: float
    scores: FloatArray


def precision_recall(curves: Curves, caption: str) -> Chart:
    """Interpolated precision at levels of recall: one curve of (recall, precision) per run."""
    x = quantity("x", "recall", scale=UNIT)
    y = quantity("y", "interpolated precision", scale=UNIT)
    mark = {"point": {"size": 30, "filled": True}, "clip": False}
    return chart("Precision and recall", caption, lines(curves, x, y, ("recall", "precision"), mark))


def cutoff(curves: Curves, name: str, caption: str) -> Chart:
    """A measure at each cutoff: one curve of (cutoff, mean) per run."""
    y = quantity("y", short(name), scale={"zero": True})
    body = lines(curves, cutoff_axis("cutoff k", curves), y, ("k", "mean"))
    return chart(f"{short(name)} by cutoff", caption, body)


def judged(curves: Curves, caption: str) -> Chart:
    """The share of the first k documents that are judged: one curve of (k, share) per run."""
    y = quantity("y", "share judged", scale=UNIT, axis={"format": ".0%"})
    body = lines(curves, cutoff_axis("first k documents", curves), y, ("k", "share judged"))
    return chart("Judged documents by rank", caption, body)


def cutoff_axis(title: str, curves: Curves) -> Spec:
    last = int(max(place for curve in curves.values() for place, _ in curve))
    axis = {"values": [1, *range(10, last + 1, 10)], "grid": False, "format": "d"}
    return quantity("x", title, scale={"domain": [1, last], "nice": False, "zero": False}, axis=axis)


def lines(curves: Curves, x: Spec, y: Spec, named: tuple[str, str], mark: Spec | None = None) -> Spec:
    """The curves, told apart by colour and dashes."""
    rows = [{"run": printable(run), "x": at, "y": value} for run, curve in curves.items() for at, value in curve]
    tooltip = [word("run", "run"), number("x", named[0], "~g"), number("y", named[1])]
    encoding = {"x": x, "y": y, **run_channels(list(curves)), "tooltip": tooltip}
    mark = {"type": "line", "strokeWidth": 2, "clip": True, **(mark or {})}
    return {"data": values(rows), "width": WIDTH, "height": HEIGHT, "mark": mark, "encoding": encoding}


def scores(groups: Sequence[Grade], caption: str) -> Chart:
    """Scores by grade, one panel per run: the middle half as a box, the median, and lines to 5 and 95 %."""
    runs = list(dict.fromkeys(printable(group.run) for group in groups))
    rows = [
        {
            "run": printable(group.run),
            "grade": f"{group.grade:g}",
            "documents": len(group.scores),
            **dict(zip(FIELDS, np.quantile(group.scores, QUANTILES).tolist(), strict=True)),
        }
        for group in sorted(groups, key=lambda each: (runs.index(printable(each.run)), -each.grade))
    ]
    domain = [f"{grade:g}" for grade in sorted({group.grade for group in groups}, reverse=True)]
    y = names("grade", "grade", scale={"domain": domain})
    axis = "score" if len(runs) > 1 else f"score of {runs[0]}"
    x = {field: quantity(field, axis, scale={"zero": False}, axis={"tickCount": 5}) for field in FIELDS}
    tooltip = [word("grade", "grade"), number("documents", "documents", ",d")]
    tooltip += [number(field, f"{share:.0%}") for field, share in zip(FIELDS, QUANTILES, strict=True)]
    middle = {"y": y, "x": x["median"]}
    layers = [
        layer("rule", "plain", {"y": y, "x": x["low"], "x2": {"field": "high"}}, strokeWidth=1.5),
        layer("bar", "plain", {"y": y, "x": x["lower"], "x2": {"field": "upper"}, "tooltip": tooltip}, size=12),
        layer("tick", "strong_line", middle, thickness=4, size=12),
        layer("tick", "inside", middle, thickness=2, size=12),
    ]
    body, width = panels(rows, "run", layers, {"step": STEP})
    return chart("Scores by grade", caption, body, width=width)


def blame(counts: Mapping[str, Mapping[str, int]], caption: str) -> Chart:
    """A bar per state of the gold passage, divided by how the answers are; `counts` has questions by both."""
    rows = []
    for gold, answers in counts.items():
        start = 0
        for answer in ANSWERS:
            if questions := answers.get(answer, 0):
                ends = {"start": start, "middle": start + questions / 2, "end": start + questions}
                rows.append({"gold": gold, "answer": answer, "questions": questions, **ends})
            start += questions
    found = [answer for answer in ANSWERS if any(row["answer"] == answer for row in rows)]
    y = names("gold", "gold passage", scale={"domain": list(counts)})
    x = quantity("start", "questions", axis={"tickMinStep": 1, "format": ",d"}, scale={"zero": True})
    colour = names("answer", None, scale={"domain": found}, legend={"title": "answer", "orient": "top"})
    tooltip = [word("gold", "gold passage"), word("answer", "answer"), number("questions", "questions", ",d")]
    bar = {"y": y, "x": x, "x2": {"field": "end"}, "color": colour, "tooltip": tooltip}
    written = {"field": "questions", "type": "quantitative", "format": ",d"}
    text = {"y": y, "x": {**x, "field": "middle"}, "text": written}
    layers = [layer("bar", "cell", bar, size=26), layer("text", "on_bar", text)]
    body = {"data": values(rows), "width": WIDTH, "height": {"step": ROW}, "layer": layers}
    return chart("Answers with and without a gold passage", caption, body)


def latency(seconds: FloatArray, percentiles: Mapping[str, float], caption: str) -> Chart:
    """How long calls took, as a histogram, with lines at percentiles given by name."""
    taken = np.asarray(seconds) * MILLISECOND
    low, high = float(taken.min()), float(taken.max())
    is_wide = low > 0 and high / low > WIDE
    room = 0.0 if high > low else max(low, 1.0) / 10
    edges = np.geomspace(low, high, BINS + 1) if is_wide else np.linspace(low - room, high + room, BINS + 1)
    counts = np.histogram(np.clip(taken, edges[0], edges[-1]), bins=edges)[0]
    rows = [
        {"start": start, "end": end, "calls": calls}
        for start, end, calls in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        if calls
    ]
    scale: Spec = {"type": "log" if is_wide else "linear", "domain": edges[[0, -1]].tolist(), "nice": False}
    title = "milliseconds, logarithmic" if is_wide else "milliseconds"
    x = quantity("start", title, scale=scale, axis={"grid": False, "tickCount": 8, "format": "~g"})
    # The names of percentiles are above the bars.
    above = {"domain": [0, float(counts.max()) * 1.3], "nice": False}
    y = quantity("calls", "calls", axis={"tickCount": min(5, int(counts.max())), "format": ",d"}, scale=above)
    tooltip = [number("start", "from", ".1f"), number("end", "to", ".1f"), number("calls", "calls", ",d")]
    bar = {"x": x, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}, "tooltip": tooltip}
    layers = [{"data": values(rows), **layer("rect", ["plain", "cell"], bar)}]
    for place, (name, value) in enumerate(percentiles.items()):
        # Each name is above those of later ones, and their lines begin below it.
        start = value * MILLISECOND
        data = values([{"start": start, "name": name, "text": f"{name} {start:,.1f} ms"}])
        down = {"x": x, "y": {"value": 2 + 16 * place}, "y2": {"value": LOW}}
        layers.append({"data": data, **layer("rule", "strong_line", down, strokeDash=[4, 2])})
        beside = layer("text", "note", {"x": x, "text": {"field": "text"}}, align="left", dx=4, y=8 + 16 * place)
        layers.append({"data": data, **beside})
    return chart("Latency", caption, {"width": WIDTH, "height": LOW, "layer": layers})
