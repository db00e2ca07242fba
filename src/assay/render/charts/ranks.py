"""The critical-difference diagram: runs by their mean rank, and bars over those that cannot be told apart.

Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006. The bars are of the comparison's
own tests, pair by pair, rather than of one critical difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.charts.parts import WIDTH, Spec, chart, label, quantity, values

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from assay.render.charts.chart import Chart

ROW = 20
BAR = 9


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
    top = len(joined) * BAR + 8
    half = (len(order) + 1) // 2
    height = top + half * ROW + 10
    scale = {"domain": [1, max(2, len(order))], "nice": False, "zero": False}
    step = max(1, len(order) // 12)
    ticks = list(range(1, max(2, len(order)) + 1, step))
    axis = {"orient": "top", "values": ticks, "format": "d", "grid": False}
    x = quantity("rank", "mean rank (1 is best)", scale=scale, axis=axis)
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, height], "nice": False, "reverse": True}}
    layers = [*bars(joined, ranks, x, y), *stems(order[:half], ranks, x, y, top, at_left=True)]
    layers += stems(order[half:][::-1], ranks, x, y, top, at_left=False)
    body = {
        "width": WIDTH,
        "height": height,
        "layer": layers,
        "padding": {"left": 12, "right": 12, "top": 8, "bottom": 8},
    }
    return chart(f"Mean ranks by {name}", caption, body)


def bars(joined: Sequence[tuple[str, ...]], ranks: Mapping[str, float], x: Spec, y: Spec) -> list[Spec]:
    """One bar per clique, a little longer than from its first to its last run."""
    rows = [
        {"rank": ranks[clique[0]], "last": ranks[clique[-1]], "y": 8 + BAR * place, "runs": len(clique)}
        for place, clique in enumerate(joined)
    ]
    mark = {"type": "rule", "style": "strong_line", "strokeWidth": 4, "strokeCap": "round"}
    encoding = {"x": x, "x2": {"field": "last"}, "y": {**y, "field": "y"}}
    return [{"data": values(rows), "mark": mark, "encoding": encoding}] if rows else []


def stems(order: Sequence[str], ranks: Mapping[str, float], x: Spec, y: Spec, top: int, *, at_left: bool) -> list[Spec]:
    """A line down from the axis and out to the name, at the left or at the right."""
    rows = [
        {
            "run": label(run),
            "rank": ranks[run],
            "y": top + ROW * (place + 0.5),
            "zero": 0,
            "text": text_of(run, ranks[run]),
        }
        for place, run in enumerate(order)
    ]
    down = {"x": x, "y": {**y, "field": "zero"}, "y2": {"field": "y"}}
    edge = 0 if at_left else WIDTH
    out = {"x": x, "x2": {"value": edge}, "y": {**y, "field": "y"}}
    text = {"x": {"value": edge}, "y": {**y, "field": "y"}, "text": {"field": "text"}}
    look = {"align": "right" if at_left else "left", "dx": -6 if at_left else 6, "limit": 240}
    line = {"type": "rule", "style": "plain", "strokeWidth": 1}
    return [
        {"data": values(rows), "mark": line, "encoding": down},
        {"data": values(rows), "mark": line, "encoding": out},
        {"data": values(rows), "mark": {"type": "text", "style": "note", **look}, "encoding": text},
    ]


def text_of(run: str, rank: float) -> str:
    return f"{label(run)} ({rank:.2f})"
