"""Lines, one per run: precision against recall, a measure against its cutoff, the share judged by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.charts.parts import (
    HEIGHT,
    WIDTH,
    Spec,
    chart,
    label,
    number,
    quantity,
    run_channels,
    short,
    values,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.render.charts.chart import Chart

UNIT = {"domain": [0, 1]}


def precision_recall(curves: Mapping[str, Sequence[tuple[float, float]]], caption: str) -> Chart:
    """Interpolated precision at levels of recall: one curve of (recall, precision) per run."""
    x = quantity("x", "recall", scale=UNIT)
    y = quantity("y", "interpolated precision", scale=UNIT)
    body = lines(curves, x, y, names=("recall", "precision"), points=True)
    return chart("Precision and recall", caption, body)


def cutoff(curves: Mapping[str, Sequence[tuple[int, float]]], name: str, caption: str) -> Chart:
    """A measure at each cutoff: one curve of (cutoff, mean) per run."""
    x = cutoff_axis("cutoff k", curves)
    y = quantity("y", short(name), scale={"zero": True})
    return chart(f"{short(name)} by cutoff", caption, lines(curves, x, y, names=("k", "mean")))


def judged(curves: Mapping[str, Sequence[tuple[int, float]]], caption: str) -> Chart:
    """The share of the first k documents that are judged: one curve of (k, share) per run."""
    x = cutoff_axis("first k documents", curves)
    y = quantity("y", "share judged", scale=UNIT, axis={"format": ".0%"})
    return chart("Judged documents by rank", caption, lines(curves, x, y, names=("k", "share judged")))


def cutoff_axis(title: str, curves: Mapping[str, Sequence[tuple[int, float]]]) -> Spec:
    last = max(place for curve in curves.values() for place, _ in curve)
    scale = {"domain": [1, last], "nice": False, "zero": False}
    ticks = [1, *range(10, last + 1, 10)]
    return quantity("x", title, scale=scale, axis={"values": ticks, "grid": False, "format": "d"})


def lines(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    x: Spec,
    y: Spec,
    *,
    names: tuple[str, str],
    points: bool = False,
) -> Spec:
    """The curves, told apart by colour and dashes."""
    rows = [{"run": label(run), "x": at, "y": value} for run, curve in curves.items() for at, value in curve]
    tooltip = [word("run", "run"), number("x", names[0], "~g"), number("y", names[1])]
    encoding = {"x": x, "y": y, **run_channels(list(curves)), "tooltip": tooltip}
    mark: Spec = {"type": "line", "strokeWidth": 2, "clip": True}
    if points:
        mark |= {"point": {"size": 30, "filled": True}, "clip": False}
    return {"data": values(rows), "width": WIDTH, "height": HEIGHT, "mark": mark, "encoding": encoding}
