"""Distributions: the scores of documents by grade, and the seconds that calls took."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.render.charts.parts import (
    HEIGHT,
    STEP,
    WIDTH,
    Spec,
    chart,
    label,
    names,
    number,
    panel_width,
    panels,
    quantity,
    total_width,
    values,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.render.charts.chart import Chart

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FIELDS = ("low", "lower", "median", "upper", "high")
BINS = 40
# Times that differ by more than this factor are binned by their logarithm.
WIDE = 20
MILLISECOND = 1000
LOW = HEIGHT - 80


class Grade(NamedTuple):
    """The scores that a run gave to documents of a grade."""

    run: str
    grade: float
    scores: FloatArray


def scores(groups: Sequence[Grade], caption: str) -> Chart:
    """Scores by grade, one panel per run: the middle half as a box, the median, and lines to 5 and 95 %."""
    rows = []
    for group in sorted(groups, key=lambda each: -each.grade):
        numbers = dict(zip(FIELDS, np.quantile(group.scores, QUANTILES).tolist(), strict=True))
        many = len(group.scores)
        grade = f"{group.grade:g}"
        rows.append({"run": label(group.run), "grade": grade, "documents": many, **numbers})
    runs = list(dict.fromkeys(label(group.run) for group in groups))
    rows.sort(key=lambda row: runs.index(str(row["run"])))
    grades = [f"{grade:g}" for grade in sorted({group.grade for group in groups}, reverse=True)]
    y = names("grade", "grade", scale={"domain": grades})
    axis = "score" if len(runs) > 1 else f"score of {runs[0]}"
    size = {"width": panel_width(len(runs)), "height": {"step": STEP}}
    body = panels(rows, "run", box_layers(y, axis), size)
    return chart("Scores by grade", caption, body, width=total_width(len(runs)))


def box_layers(y: Spec, axis: str) -> list[Spec]:
    """A line from 5 to 95 %, a box for the middle half, and the median in it."""
    x = quantity("low", axis, scale={"zero": False}, axis={"tickCount": 5})
    tooltip = [word("grade", "grade"), number("documents", "documents", ",d")]
    tooltip += [number(field, f"{share:.0%}") for field, share in zip(FIELDS, QUANTILES, strict=True)]
    line = {"y": y, "x": x, "x2": {"field": "high"}}
    box = {"y": y, "x": {**x, "field": "lower"}, "x2": {"field": "upper"}, "tooltip": tooltip}
    middle = {"y": y, "x": {**x, "field": "median"}}
    return [
        {"mark": {"type": "rule", "style": "plain", "strokeWidth": 1.5}, "encoding": line},
        {"mark": {"type": "bar", "style": "plain", "size": 12}, "encoding": box},
        {"mark": {"type": "tick", "style": "strong_line", "thickness": 4, "size": 12}, "encoding": middle},
        {"mark": {"type": "tick", "style": "inside", "thickness": 2, "size": 12}, "encoding": middle},
    ]


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
    top = {"domain": [0, float(counts.max()) * 1.3], "nice": False}
    y = quantity("calls", "calls", axis={"tickCount": min(5, int(counts.max())), "format": ",d"}, scale=top)
    tooltip = [number("start", "from", ".1f"), number("end", "to", ".1f"), number("calls", "calls", ",d")]
    bar = {"x": x, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}, "tooltip": tooltip}
    layers = [{"data": values(rows), "mark": {"type": "rect", "style": ["plain", "cell"]}, "encoding": bar}]
    body = {"width": WIDTH, "height": LOW, "layer": [*layers, *percentile_lines(percentiles, x)]}
    return chart("Latency", caption, body)


def percentile_lines(percentiles: Mapping[str, float], x: Spec) -> list[Spec]:
    """A line for each percentile; its name is above those of later ones, and their lines begin below it."""
    rows = [
        {"start": value * MILLISECOND, "name": name, "text": f"{name} {value * MILLISECOND:,.1f} ms"}
        for name, value in percentiles.items()
    ]
    layers: list[Spec] = []
    for place, row in enumerate(rows):
        rule = {"type": "rule", "style": "strong_line", "strokeDash": [4, 2]}
        text = {"type": "text", "style": "note", "align": "left", "dx": 4, "y": 8 + 16 * place}
        down = {"x": x, "y": {"value": 2 + 16 * place}, "y2": {"value": LOW}}
        layers.append({"data": values([row]), "mark": rule, "encoding": down})
        layers.append({"data": values([row]), "mark": text, "encoding": {"x": x, "text": {"field": "text"}}})
    return layers
