"""Runs as wholes: their means with intervals, their differences, and the critical-difference diagram.

The diagram: Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006. Its bars are of the
comparison's own tests, pair by pair, rather than of one critical difference.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from assay.core.text import printable
from assay.render.charts.parts import (
    OUTCOMES,
    STEP,
    WIDTH,
    Spec,
    chart,
    names,
    number,
    panel_width,
    panels,
    quantity,
    short,
    total_width,
    values,
    word,
    zero_line,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from assay.render.charts.chart import Chart

# The height of a run, and of a bar over runs, in the critical-difference diagram.
ROW = 20
BAR = 9
# More pairs stand closer together.
FEW_PAIRS = 20


class Mean(NamedTuple):
    """A mean of a run, with its interval; None if there is none."""

    run: str
    measure: str
    mean: float
    low: float | None = None
    high: float | None = None


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


def means(rows: Sequence[Mean], caption: str) -> Chart:
    """Means with intervals: runs as rows and measures as panels, or measures as rows if there is one run."""
    data = [{**row._asdict(), "run": printable(row.run), "measure": printable(row.measure)} for row in rows]
    measures, runs = (len({getattr(row, name) for row in rows}) for name in ("measure", "run"))
    is_single = runs == 1 and measures > 1
    panel_count, row_count = (1, measures) if is_single else (measures, runs)
    axis = short(rows[0].measure) if measures == 1 else None
    y = names("measure" if is_single else "run", None)
    x = quantity("mean", axis, scale={"zero": False, "padding": 12}, axis={"tickCount": 5})
    low, high = ({**x, "field": end} for end in ("low", "high"))
    tooltip = [
        word("run", "run"),
        word("measure", "measure"),
        *(number(each, each) for each in ("mean", "low", "high")),
    ]
    tick = {"type": "tick", "style": "plain", "thickness": 2, "size": 8}
    point = {"type": "point", "style": "plain", "filled": True, "size": 60, "opacity": 1}
    text = {"field": "mean", "type": "quantitative", "format": ".4f"}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "style": "plain", "strokeWidth": 2},
            "encoding": {"y": y, "x": low, "x2": {"field": "high"}, "tooltip": tooltip},
        },
        {"mark": tick, "encoding": {"y": y, "x": low}},
        {"mark": tick, "encoding": {"y": y, "x": high}},
        {"mark": point, "encoding": {"y": y, "x": x, "tooltip": tooltip}},
        {"mark": {"type": "text", "style": "faint_note", "dy": -10}, "encoding": {"y": y, "x": x, "text": text}},
    ]
    size = {"width": panel_width(panel_count), "height": {"step": STEP} if row_count > 1 else STEP * 2}
    if is_single:
        data = [{**row, "all": ""} for row in data]
    body = panels(data, "all" if is_single else "measure", layers, size)
    title = "Means with 95 % intervals" if any(row.low is not None for row in rows) else "Means"
    return chart(title, caption, body, width=WIDTH if is_single else total_width(measures))


def differences(rows: Sequence[Difference], caption: str) -> Chart:
    """A forest plot: differences with their intervals, one panel per measure; filled points are significant."""
    pairs = pair_labels(rows)
    data = [
        {
            **row._asdict(),
            **{name: printable(getattr(row, name)) for name in ("measure", "a", "b")},
            "pair": pairs[row.a, row.b],
        }
        for row in rows
    ]
    measures = list(dict.fromkeys(row.measure for row in rows))
    axis = f"difference in {short(measures[0])}" if len(measures) == 1 else "difference"
    y = names("pair", None, axis={"labelLimit": 320}, scale={"domain": list(dict.fromkeys(pairs.values()))})
    x = quantity("difference", axis, scale={"zero": True, "padding": 12}, axis={"tickCount": 5})
    tooltip = [word("b", "run"), word("a", "against"), word("measure", "measure")]
    tooltip += [*(number(each, each) for each in ("difference", "low", "high")), number("p", "p, corrected")]
    layers = [zero_line("x", axis)]
    is_wide = any(row.wide_low is not None for row in rows)
    lines = (*([("wide_low", "wide_high", 1)] if is_wide else []), ("low", "high", 3))
    for outcome in OUTCOMES:
        for low, high, width in lines:
            rule = {"type": "rule", "style": outcome, "strokeWidth": width}
            encoding: Spec = {"y": y, "x": {**x, "field": low}, "x2": {"field": high}}
            layers.append({"transform": of_outcome(outcome), "mark": rule, "encoding": encoding})
    # A point that is not significant has a smaller one inside, in the colour of the page.
    for outcome, style, area in (*((each, each, 70) for each in OUTCOMES), ("same", "inside", 22)):
        point = {"type": "point", "style": style, "filled": True, "size": area, "opacity": 1}
        encoding = {"y": y, "x": x, "tooltip": tooltip}
        layers.append({"transform": of_outcome(outcome), "mark": point, "encoding": encoding})
    step = STEP if len(pairs) <= FEW_PAIRS else STEP - 8
    body = panels(data, "measure", layers, {"width": panel_width(len(measures)), "height": {"step": step}})
    return chart("Differences between runs", caption, body, width=total_width(len(measures)) + 60)


def of_outcome(outcome: str) -> list[Spec]:
    return [{"filter": {"field": "outcome", "equal": outcome}}]


def pair_labels(rows: Sequence[Difference]) -> dict[tuple[str, str], str]:
    """What each pair of runs is called; long names that begin alike are numbered."""
    labels: dict[tuple[str, str], str] = {}
    times: Counter[str] = Counter()
    for a, b in dict.fromkeys((row.a, row.b) for row in rows):
        text = f"{short(b, 30)} − {short(a, 30)}"
        times[text] += 1
        labels[a, b] = text if times[text] == 1 else f"{text} ({times[text]})"
    return labels


def cliques(order: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """The longest stretches of an order in which no two differ.

    >>> cliques(["a", "b", "c"], {frozenset("ac")})
    [('a', 'b'), ('b', 'c')]
    """
    found: list[tuple[str, ...]] = []
    end_before = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not any(frozenset((each, order[end])) in different for each in order[start:end]):
            end += 1
        if end - start > 1 and end > end_before:
            found.append(tuple(order[start:end]))
        end_before = max(end, end_before)
    return found


def critical_difference(
    ranks: Mapping[str, float], different: Collection[frozenset[str]], name: str, caption: str
) -> Chart:
    """Runs by their mean rank, the best at the left; a bar joins runs none of which differ significantly."""
    order = sorted(ranks, key=lambda run: ranks[run])
    joined = cliques(order, different)
    top, half, last = len(joined) * BAR + 8, (len(order) + 1) // 2, max(2, len(order))
    height = top + half * ROW + 10
    ticks = list(range(1, last + 1, max(1, len(order) // 12)))
    axis = {"orient": "top", "values": ticks, "format": "d", "grid": False}
    scale = {"domain": [1, last], "nice": False, "zero": False}
    x = quantity("rank", "mean rank (1 is best)", scale=scale, axis=axis)
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, height], "nice": False, "reverse": True}}
    layers = []
    if joined:
        rows = [
            {"rank": ranks[clique[0]], "last": ranks[clique[-1]], "y": 8 + BAR * place, "runs": len(clique)}
            for place, clique in enumerate(joined)
        ]
        mark = {"type": "rule", "style": "strong_line", "strokeWidth": 4, "strokeCap": "round"}
        encoding = {"x": x, "x2": {"field": "last"}, "y": {**y, "field": "y"}}
        layers.append({"data": values(rows), "mark": mark, "encoding": encoding})
    layers += stems(order[:half], ranks, x, y, top, at_left=True)
    layers += stems(order[half:][::-1], ranks, x, y, top, at_left=False)
    padding = {"left": 12, "right": 12, "top": 8, "bottom": 8}
    body = {"width": WIDTH, "height": height, "layer": layers, "padding": padding}
    return chart(f"Mean ranks by {name}", caption, body)


def stems(order: Sequence[str], ranks: Mapping[str, float], x: Spec, y: Spec, top: int, *, at_left: bool) -> list[Spec]:
    """A line down from the axis and out to the name, at the left or at the right."""
    rows = [
        {
            "run": printable(run),
            "rank": ranks[run],
            "y": top + ROW * (place + 0.5),
            "zero": 0,
            "text": f"{printable(run)} ({ranks[run]:.2f})",
        }
        for place, run in enumerate(order)
    ]
    edge = {"value": 0 if at_left else WIDTH}
    level = {**y, "field": "y"}
    line = {"type": "rule", "style": "plain", "strokeWidth": 1}
    look = {"align": "right" if at_left else "left", "dx": -6 if at_left else 6, "limit": 240}
    encodings = (
        (line, {"x": x, "y": {**y, "field": "zero"}, "y2": {"field": "y"}}),
        (line, {"x": x, "x2": edge, "y": level}),
        ({"type": "text", "style": "note", **look}, {"x": edge, "y": level, "text": {"field": "text"}}),
    )
    return [{"data": values(rows), "mark": mark, "encoding": encoding} for mark, encoding in encodings]
