"""Heat maps with their numbers: agreement of measures, of runs, and of judges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from assay.core.text import printable
from assay.render.charts.parts import Spec, chart, names, number, quantity, short, values, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.charts.chart import Chart

CELL = 44
# Cells of more names have no numbers, and are smaller.
MOST_WRITTEN = 20
SMALL_CELL = 18
# From this share of the ramp on, a cell takes the text for high values.
HALF = 0.55


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
    for layer in body["layer"]:
        layer["encoding"]["y"] |= {"title": short(judges[0])}
        layer["encoding"]["x"] |= {"title": short(judges[1]), "axis": {"labelAngle": 0}}
    return chart(f"{what.capitalize()} by grade", caption, body, width=max(420, len(grades) * CELL))


def coefficients(grid: Grid) -> Spec:
    """A grid of coefficients from 0 to 1, or from -1 if some are negative."""
    low = -1.0 if any(value < 0 for row in grid.values for value in row) else 0.0
    named = grid._replace(names=list(map(printable, grid.names)))
    return heat_map(named, list(named.names), ".2f", (low, 1.0))


def heat_map(grid: Grid, down: list[str], digits: str, domain: tuple[float, float]) -> Spec:
    """Coloured cells with their numbers; `down` are the names of the rows from the top."""
    low, high = domain
    rows = [
        {
            "row": row,
            "column": column,
            "value": value,
            "strength": 0.0 if math.isnan(value) else (value - low) / (high - low),
        }
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
    layers = [{"mark": {"type": "rect", "style": "cell"}, "encoding": {**places, "color": colour, "tooltip": tooltip}}]
    text = {"field": "value", "type": "quantitative", "format": digits}
    for style, limit in (("on_low", "lt"), ("on_high", "gte")) if len(down) <= MOST_WRITTEN else ():
        chosen = [{"filter": {"field": "strength", limit: HALF}}]
        mark = {"type": "text", "style": style}
        layers.append({"transform": chosen, "mark": mark, "encoding": {**places, "text": text}})
    size = {"step": grid.width // max(1, len(down))}
    return {"data": values(rows), "width": size, "height": size, "layer": layers}
