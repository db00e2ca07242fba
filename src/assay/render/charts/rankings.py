"""Rankings: precision by recall, a measure by cutoff and the share judged as lines; scores by grade as boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.text import printable
from assay.render.charts.parts import (
    HEIGHT,
    STEP,
    WIDTH,
    Spec,
    chart,
    names,
    number,
    panel_width,
    panels,
    quantity,
    run_channels,
    short,
    total_width,
    values,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.render.charts.chart import Chart

    Curves = Mapping[str, Sequence[tuple[float, float]]]

UNIT = {"domain": [0, 1]}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
FIELDS = ("low", "lower", "median", "upper", "high")


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
    scale = {"domain": [1, last], "nice": False, "zero": False}
    return quantity(
        "x", title, scale=scale, axis={"values": [1, *range(10, last + 1, 10)], "grid": False, "format": "d"}
    )


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
    x = {field: {**quantity(field, axis, scale={"zero": False}, axis={"tickCount": 5})} for field in FIELDS}
    tooltip = [word("grade", "grade"), number("documents", "documents", ",d")]
    tooltip += [number(field, f"{share:.0%}") for field, share in zip(FIELDS, QUANTILES, strict=True)]
    line = {"y": y, "x": x["low"], "x2": {"field": "high"}}
    box = {"y": y, "x": x["lower"], "x2": {"field": "upper"}, "tooltip": tooltip}
    middle = {"y": y, "x": x["median"]}
    layers: list[Spec] = [
        {"mark": {"type": "rule", "style": "plain", "strokeWidth": 1.5}, "encoding": line},
        {"mark": {"type": "bar", "style": "plain", "size": 12}, "encoding": box},
        {"mark": {"type": "tick", "style": "strong_line", "thickness": 4, "size": 12}, "encoding": middle},
        {"mark": {"type": "tick", "style": "inside", "thickness": 2, "size": 12}, "encoding": middle},
    ]
    body = panels(rows, "run", layers, {"width": panel_width(len(runs)), "height": {"step": STEP}})
    return chart("Scores by grade", caption, body, width=total_width(len(runs)))
