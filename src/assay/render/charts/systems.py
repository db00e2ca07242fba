"""Runs as wholes: their means with intervals, their differences, and the critical-difference diagram; and heat maps.

The diagram: Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006. Its bars are of the
comparison's own tests, pair by pair, rather than of one critical difference. Heat maps, with their numbers, show the
agreement of measures, of runs, and of judges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from assay.core.text import printable
from assay.render.charts.chart import Chart, chart
from assay.render.charts.parts import (
    OUTCOMES,
    STEP,
    WIDTH,
    Spec,
    layer,
    names,
    number,
    panels,
    quantity,
    short,
    values,
    word,
    zero_line,
)

# The height of a row with a run, and of a bar over runs, in the critical-difference diagram.
ROW = 20
BAR = 9
# More pairs stand closer together.
FEW_PAIRS = 20
# The size of a cell of a heat map; with more names, cells are smaller and have no numbers.
CELL = 44
MOST_WRITTEN = 20
SMALL_CELL = 18
# From this share of the ramp on, a cell takes the text for high values.
HALF = 0.55


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
    y = names("measure" if is_single else "run", None)
    axis = short(rows[0].measure) if measures == 1 else None
    x = quantity("mean", axis, scale={"zero": False, "padding": 12}, axis={"tickCount": 5})
    low, high = ({**x, "field": end} for end in ("low", "high"))
    numbers = [number(each, each) for each in ("mean", "low", "high")]
    tooltip = [word("run", "run"), word("measure", "measure"), *numbers]
    text = {"field": "mean", "type": "quantitative", "format": ".4f"}
    layers = [
        layer("rule", "plain", {"y": y, "x": low, "x2": {"field": "high"}, "tooltip": tooltip}, strokeWidth=2),
        *(layer("tick", "plain", {"y": y, "x": end}, thickness=2, size=8) for end in (low, high)),
        layer("point", "plain", {"y": y, "x": x, "tooltip": tooltip}, filled=True, size=60, opacity=1),
        layer("text", "faint_note", {"y": y, "x": x, "text": text}, dy=-10),
    ]
    height = {"step": STEP} if (measures if is_single else runs) > 1 else STEP * 2
    if is_single:
        data = [{**row, "all": ""} for row in data]
    body, width = panels(data, "all" if is_single else "measure", layers, height)
    title = "Means with 95 % intervals" if any(row.low is not None for row in rows) else "Means"
    return chart(title, caption, body, width=WIDTH if is_single else width)


def differences(rows: Sequence[Difference], caption: str) -> Chart:
    """A forest plot: differences with their intervals, one panel per measure; filled points are significant."""
    pairs = pair_labels(rows)
    printed = [{name: printable(getattr(row, name)) for name in ("measure", "a", "b")} for row in rows]
    data = [{**row._asdict(), **each, "pair": pairs[row.a, row.b]} for row, each in zip(rows, printed, strict=True)]
    axis = f"difference in {short(rows[0].measure)}" if len({row.measure for row in rows}) == 1 else "difference"
    y = names("pair", None, axis={"labelLimit": 320}, scale={"domain": list(dict.fromkeys(pairs.values()))})
    x = quantity("difference", axis, scale={"zero": True, "padding": 12}, axis={"tickCount": 5})
    tooltip = [word("b", "run"), word("a", "against"), word("measure", "measure")]
    tooltip += [*(number(each, each) for each in ("difference", "low", "high")), number("p", "p, corrected")]
    layers = [zero_line("x", axis)]
    is_wide = any(row.wide_low is not None for row in rows)
    for outcome in OUTCOMES:
        for low, high, width in (*([("wide_low", "wide_high", 1)] if is_wide else []), ("low", "high", 3)):
            line = layer("rule", outcome, {"y": y, "x": {**x, "field": low}, "x2": {"field": high}}, strokeWidth=width)
            layers.append(of_outcome(outcome) | line)
    # A point that is not significant has a smaller one inside, in the colour of the page.
    for outcome, style, area in (*((each, each, 70) for each in OUTCOMES), ("same", "inside", 22)):
        encoding = {"y": y, "x": x, "tooltip": tooltip}
        layers.append(of_outcome(outcome) | layer("point", style, encoding, filled=True, size=area, opacity=1))
    body, total = panels(data, "measure", layers, {"step": STEP if len(pairs) <= FEW_PAIRS else STEP - 8})
    return chart("Differences between runs", caption, body, width=total + 60)


def of_outcome(outcome: str) -> Spec:
    return {"transform": [{"filter": {"field": "outcome", "equal": outcome}}]}


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
        encoding = {"x": x, "x2": {"field": "last"}, "y": {**y, "field": "y"}}
        bars = layer("rule", "strong_line", encoding, strokeWidth=4, strokeCap="round")
        layers.append({"data": values(rows), **bars})
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
    look = {"align": "right" if at_left else "left", "dx": -6 if at_left else 6, "limit": 240}
    layers = (
        layer("rule", "plain", {"x": x, "y": {**y, "field": "zero"}, "y2": {"field": "y"}}, strokeWidth=1),
        layer("rule", "plain", {"x": x, "x2": edge, "y": level}, strokeWidth=1),
        layer("text", "note", {"x": edge, "y": level, "text": {"field": "text"}}, **look),
    )
    return [{"data": values(rows), **each} for each in layers]


class Grid(NamedTuple):
    """A square of numbers, row by row, the names of its rows and columns, and what it is."""

    title: str
    names: Sequence[str]
    values: Sequence[Sequence[float]]

    @property
    def width(self) -> int:
        """The width of its cells together."""
        return len(self.names) * (CELL if len(self.names) <= MOST_WRITTEN else SMALL_CELL)


def measures(grid: Grid, caption: str) -> Chart:
    """How far measures agree about the order of runs."""
    return chart("Agreement between measures", caption, coefficients(grid), width=grid.width + 120)


def runs(grids: Sequence[Grid], caption: str) -> Chart:
    """How far the rankings of runs agree, by each of some coefficients."""
    beside = [{"title": {"text": grid.title, "fontSize": 12}, **coefficients(grid)} for grid in grids]
    width = sum(grid.width + 140 for grid in grids)
    return chart("Agreement between runs", caption, {"hconcat": beside, "spacing": 30}, width=width)


def agreement(
    grades: Sequence[float], matrix: Sequence[Sequence[int]], judges: tuple[str, str], what: str, caption: str
) -> Chart:
    """The confusion matrix of two judges: rows are the grades of the first, columns those of the second."""
    shown = [f"{grade:g}" for grade in grades]
    most = max((count for row in matrix for count in row), default=0)
    # The highest grade is on top, as numbers grow upwards.
    body = heat_map(Grid(what, shown, matrix), shown[::-1], ",d", (0, max(1, most)))
    for each in body["layer"]:
        each["encoding"]["y"] |= {"title": short(judges[0])}
        each["encoding"]["x"] |= {"title": short(judges[1]), "axis": {"labelAngle": 0}}
    return chart(f"{what.capitalize()} by grade", caption, body, width=max(420, len(grades) * CELL))


def coefficients(grid: Grid) -> Spec:
    """A grid of coefficients from 0 to 1, or from -1 if some are negative."""
    low = -1.0 if any(value < 0 for row in grid.values for value in row) else 0.0
    named = grid._replace(names=list(map(printable, grid.names)))
    return heat_map(named, list(named.names), ".2f", (low, 1.0))


def heat_map(grid: Grid, down: list[str], digits: str, domain: tuple[float, float]) -> Spec:
    """Coloured cells with their numbers; `down` are the names of the rows from the top."""
    low, high = domain
    # Of a number that is not defined, `max` gives 0.
    rows = [
        {"row": row, "column": column, "value": value, "strength": max(0.0, (value - low) / (high - low))}
        for row, line in zip(grid.names, grid.values, strict=True)
        for column, value in zip(grid.names, line, strict=True)
    ]
    axis = {"labelAngle": -40, "orient": "bottom", "labelLimit": 160}
    places = {
        "y": names("row", None, scale={"domain": down}, axis={"labelLimit": 160}),
        "x": names("column", None, scale={"domain": list(grid.names)}, axis=axis),
    }
    tooltip = [word("row", "row"), word("column", "column"), number("value", grid.title, digits)]
    colour = quantity("value", grid.title, scale={"domain": [low, high], "range": "ramp"}, legend=None)
    layers = [layer("rect", "cell", {**places, "color": colour, "tooltip": tooltip})]
    text = {"field": "value", "type": "quantitative", "format": digits}
    for style, limit in (("on_low", "lt"), ("on_high", "gte")) if len(down) <= MOST_WRITTEN else ():
        chosen = [{"filter": {"field": "strength", limit: HALF}}]
        layers.append({"transform": chosen, **layer("text", style, {**places, "text": text})})
    size = {"step": grid.width // max(1, len(down))}
    return {"data": values(rows), "width": size, "height": size, "layer": layers}
