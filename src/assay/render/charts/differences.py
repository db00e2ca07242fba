"""Differences of runs as a forest plot: one row per pair, a zero line, and which differences are significant."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.render.charts.parts import (
    OUTCOMES,
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
    where,
    word,
    zero_line,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.charts.chart import Chart


class Difference(NamedTuple):
    """A difference of two runs, `b` minus `a`, and its interval; `outcome` is that of `b`, `same` if nothing is sure.

    `wide_low` and `wide_high` are the interval corrected for the number of comparisons, if it differs.
    """

    measure: str
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    outcome: str
    wide_low: float | None = None
    wide_high: float | None = None


def differences(rows: Sequence[Difference], caption: str) -> Chart:
    """Differences with their intervals, one panel per measure; filled points are significant."""
    pairs = pair_labels(rows)
    data = [row_of(row, pairs[row.a, row.b]) for row in rows]
    found = list(dict.fromkeys(row.measure for row in rows))
    count = len({(row.a, row.b) for row in rows})
    is_wide = any(row.wide_low is not None for row in rows)
    axis = f"difference in {short(found[0])}" if len(found) == 1 else "difference"
    size = {"width": panel_width(len(found)), "height": {"step": STEP if count <= 20 else STEP - 8}}  # noqa: PLR2004 - few
    order = list(dict.fromkeys(row["pair"] for row in data))
    body = panels(data, "measure", layers(axis, order, is_wide=is_wide), size)
    return chart("Differences between runs", caption, body, width=total_width(len(found)) + 60)


def pair_labels(rows: Sequence[Difference]) -> dict[tuple[str, str], str]:
    """What each pair of runs is called; long names that begin alike are numbered."""
    labels: dict[tuple[str, str], str] = {}
    times: Counter[str] = Counter()
    for a, b in dict.fromkeys((row.a, row.b) for row in rows):
        text = f"{short(b, 30)} − {short(a, 30)}"
        times[text] += 1
        labels[a, b] = text if times[text] == 1 else f"{text} ({times[text]})"
    return labels


def row_of(row: Difference, pair: str) -> dict[str, Any]:
    named = {name: label(str(getattr(row, name))) for name in ("measure", "a", "b")}
    return {**row._asdict(), **named, "pair": pair}


def layers(axis: str, order: list[str], *, is_wide: bool) -> list[Spec]:
    """The zero line, the intervals, and the points: filled if significant."""
    y = names("pair", None, axis={"labelLimit": 320}, scale={"domain": order})
    x = quantity("difference", axis, scale={"zero": True, "padding": 12}, axis={"tickCount": 5})
    tooltip = [word("b", "run"), word("a", "against"), word("measure", "measure"), number("difference", "difference")]
    tooltip += [number("low", "low"), number("high", "high"), number("p", "p, corrected")]
    found = [zero_line("x", axis)]
    lines = (*([("wide_low", "wide_high", 1)] if is_wide else []), ("low", "high", 3))
    for outcome in OUTCOMES:
        for low, high, width in lines:
            mark = {"type": "rule", "style": outcome, "strokeWidth": width}
            encoding: Spec = {"y": y, "x": {**x, "field": low}, "x2": {"field": high}}
            found.append({"transform": where("outcome", outcome), "mark": mark, "encoding": encoding})
    # A point that is not significant has a smaller one inside, in the colour of the page.
    for outcome, style, size in (*((each, each, 70) for each in OUTCOMES), ("same", "inside", 22)):
        mark = {"type": "point", "style": style, "filled": True, "size": size, "opacity": 1}
        encoding = {"y": y, "x": x, "tooltip": tooltip}
        found.append({"transform": where("outcome", outcome), "mark": mark, "encoding": encoding})
    return found
