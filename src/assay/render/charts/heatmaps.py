"""Heat maps with their numbers: agreement of measures, of runs, and of judges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from assay.render.charts.parts import (
    Spec,
    cell_texts,
    chart,
    label,
    names,
    number,
    quantity,
    short,
    values,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.charts.chart import Chart

CELL = 44
# Cells of more names have no numbers, and are smaller.
MOST_WRITTEN = 20
SMALL_CELL = 18


class Grid(NamedTuple):
    """A square of numbers, row by row, the names of its rows and columns, and what it is."""

    title: str
    names: Sequence[str]
    values: Sequence[Sequence[float]]


def measures(grid: Grid, caption: str) -> Chart:
    """How far measures agree about the order of runs."""
    body = square(grid)
    return chart("Agreement between measures", caption, body, width=width_of(grid) + 120)


def runs(grids: Sequence[Grid], caption: str) -> Chart:
    """How far the rankings of runs agree, by each of some coefficients."""
    beside = [{"title": {"text": grid.title, "fontSize": 12}, **square(grid)} for grid in grids]
    width = sum(width_of(grid) + 140 for grid in grids)
    return chart("Agreement between runs", caption, {"hconcat": beside, "spacing": 30}, width=width)


def width_of(grid: Grid) -> int:
    return len(grid.names) * cell_size(len(grid.names))


def cell_size(count: int) -> int:
    return CELL if count <= MOST_WRITTEN else SMALL_CELL


def square(grid: Grid) -> Spec:
    """A grid of coefficients from 0 to 1, or from -1 if some are negative."""
    shown = [label(name) for name in grid.names]
    known = [value for row in grid.values for value in row if not math.isnan(value)]
    low = -1.0 if min(known, default=0.0) < 0 else 0.0
    rows = [
        {"row": row, "column": column, "value": value, "strength": strength(value, low, 1.0)}
        for row, line in zip(shown, grid.values, strict=True)
        for column, value in zip(shown, line, strict=True)
    ]
    return cells(rows, (shown, shown), grid.title, ".2f", [low, 1.0])


def strength(value: float, low: float, high: float) -> float:
    """How far up a ramp a value is."""
    return 0.0 if math.isnan(value) or high <= low else (value - low) / (high - low)


def cells(
    rows: list[dict[str, object]], order: tuple[list[str], list[str]], what: str, digits: str, domain: list[float]
) -> Spec:
    """Coloured cells with their numbers; `order` has the names of rows and of columns."""
    down, across = order
    axis = {"labelAngle": -40, "orient": "bottom", "labelLimit": 160}
    places = {
        "y": names("row", None, scale={"domain": down}, axis={"labelLimit": 160}),
        "x": names("column", None, scale={"domain": across}, axis=axis),
    }
    tooltip = [word("row", "row"), word("column", "column"), number("value", what, digits)]
    colour = quantity("value", what, scale={"domain": domain, "range": "ramp"}, legend=None)
    rect = {"mark": {"type": "rect", "style": "cell"}, "encoding": {**places, "color": colour, "tooltip": tooltip}}
    count = max(len(down), len(across))
    texts = cell_texts("value", digits, places) if count <= MOST_WRITTEN else []
    size = {"step": cell_size(count)}
    return {"data": values(rows), "width": size, "height": size, "layer": [rect, *texts]}


def agreement(
    grades: Sequence[float], matrix: Sequence[Sequence[int]], judges: tuple[str, str], what: str, caption: str
) -> Chart:
    """The confusion matrix of two judges: rows are the grades of the first, columns those of the second."""
    shown = [f"{grade:g}" for grade in grades]
    most = max((count for row in matrix for count in row), default=0)
    rows: list[dict[str, object]] = [
        {"row": row, "column": column, "value": count, "strength": strength(count, 0, most)}
        for row, line in zip(shown, matrix, strict=True)
        for column, count in zip(shown, line, strict=True)
    ]
    # The highest grade is on top, as numbers grow upwards.
    body = cells(rows, (shown[::-1], shown), what, ",d", [0, max(1, most)])
    for layer in body["layer"]:
        layer["encoding"]["y"] |= {"title": short(judges[0])}
        layer["encoding"]["x"] |= {"title": short(judges[1]), "axis": {"labelAngle": 0}}
    return chart(f"{what.capitalize()} by grade", caption, body, width=max(420, len(grades) * CELL))
