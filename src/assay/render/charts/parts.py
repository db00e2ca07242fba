"""What all charts have in common: the frame with title and caption, axes, layers, and names from the data."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from assay.core.text import printable, shorten_text
from assay.render.charts.chart import Chart
from assay.render.charts.theme import DASHES
from assay.render.table import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 480
# The height of a row with a name, and of lines and scatters.
STEP = 26
HEIGHT = 300
# The average width of a character in a caption.
CHARACTER = 5.6
LONGEST_NAME = 48
OUTCOMES = ("better", "worse", "same")

Spec = dict[str, Any]


def chart(title: str, caption: str, body: Mapping[str, Any], *, width: float = WIDTH) -> Chart:
    """A chart of these parts; the caption is broken into lines as wide as the chart."""
    lines = wrap(printable(caption), max(40, int(width / CHARACTER)))
    heading: Spec = {"text": printable(title), **({"subtitle": lines} if lines else {})}
    return Chart({"$schema": SCHEMA, "title": heading, **body})


def short(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as it stands in a title, an axis or a caption."""
    return shorten_text(printable(name), longest) or ""


def values(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Rows as data of a chart; what is not finite is null."""
    return {"values": [{name: finite(value) for name, value in row.items()} for row in rows]}


def quantity(field: str, title: str | None = None, **more: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """A channel that shows a number."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def names(field: str, title: str | None = None, **more: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """A channel that shows a name, in the order of the data."""
    return {"field": field, "type": "nominal", "sort": None, "title": title, **more}


def number(field: str, title: str, digits: str = ".4f") -> Spec:
    """A line of a tooltip with a number."""
    return {"field": field, "type": "quantitative", "title": title, "format": digits}


def word(field: str, title: str) -> Spec:
    """A line of a tooltip with a name."""
    return {"field": field, "type": "nominal", "title": title}


def zero_line(channel: str, title: str) -> Spec:
    """A line across the chart where nothing differs; an axis has one title, so all its layers name it."""
    mark = {"type": "rule", "style": "line", "strokeDash": [4, 3]}
    return {"data": {"values": [{"zero": 0}]}, "mark": mark, "encoding": {channel: quantity("zero", title)}}


def run_channels(runs: Sequence[str]) -> Spec:
    """The channels that tell lines of runs apart, colour and dashes; the legend is at the right."""
    domain = [printable(run) for run in runs]
    legend = {"title": None, "symbolType": "stroke", "symbolSize": 300} if len(runs) > 1 else None
    pattern = [list(DASHES[number % len(DASHES)]) for number in range(len(runs))]
    return {
        "color": names("run", None, scale={"domain": domain}, legend=legend),
        "strokeDash": names("run", None, scale={"domain": domain, "range": pattern}, legend=legend),
    }


def panels(rows: Sequence[Mapping[str, Any]], field: str, layers: list[Spec], size: Spec) -> Spec:
    """One panel per value of a field, with a scale of its own; without panels if there is only one value."""
    found = list(dict.fromkeys(row[field] for row in rows))
    if len(found) == 1:
        return {"data": values(rows), **size, "layer": layers}
    header = {"field": field, "type": "nominal", "sort": found, "title": None}
    return {
        "data": values(rows),
        "facet": header,
        "columns": panel_columns(len(found)),
        "spec": {**size, "layer": layers},
        "resolve": {"scale": {"x": "independent"}},
    }


def panel_columns(number: int) -> int:
    """How many of so many panels stand side by side."""
    return 2 if number in (2, 4) else min(number, 3)


def panel_width(number: int) -> int:
    """The width of a panel, if there are so many."""
    return {1: WIDTH, 2: 300, 3: 230}[panel_columns(number)]


def total_width(number: int) -> float:
    """The width of so many panels, with room for names."""
    return panel_columns(number) * (panel_width(number) + 20)
