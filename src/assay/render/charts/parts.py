"""How charts look, and what they have in common: themes, channels, layers and panels, and names from the data.

Colours were chosen for contrast (at least 3:1 with the background), for three kinds of colour blindness (simulated as
by Machado, Oliveira and Fernandes, IEEE TVCG 15, 2009), and for grey: no two have the same lightness. Lines differ in
their dashes too, and a difference has its own side of the zero line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.core.errors import PolicyError
from assay.core.text import printable, shorten_text, show
from assay.render.table import finite

WIDTH = 480
# The height of a row with a name, and of lines and scatters.
STEP = 26
HEIGHT = 300
LONGEST_NAME = 48
OUTCOMES = ("better", "worse", "same")

Spec = dict[str, Any]

FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"
# Dashes of lines: with six colours, thirty lines that differ.
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4))


class Theme(NamedTuple):
    """The colours of a theme: of the page, of text, of thin lines; of runs, and from low values to high ones."""

    background: str
    text: str
    faint: str
    grid: str
    neutral: str
    categories: tuple[str, ...]
    ramp: tuple[str, ...]
    on_low: str
    on_high: str


THEMES = {
    "light": Theme(
        background="#FFFFFF",
        text="#1B1F24",
        faint="#59636E",
        grid="#E4E7EB",
        neutral="#7A828C",
        categories=("#0072B2", "#D18200", "#872A5B", "#472D0F", "#977D57", "#300C68"),
        ramp=("#F2F7FB", "#C3DCEE", "#7FB5DA", "#2277B0", "#0A5A8C", "#053B5E"),
        on_low="#1B1F24",
        on_high="#FFFFFF",
    ),
    "dark": Theme(
        background="#15181D",
        text="#E8EAED",
        faint="#A6ADB7",
        grid="#2C323A",
        neutral="#8F98A3",
        categories=("#2F9BE0", "#F2B134", "#E45277", "#C7F6A4", "#EECCF6", "#807926"),
        ramp=("#1C2630", "#1D3F5A", "#1F6491", "#3385B8", "#86C1E8", "#D3EBFB"),
        on_low="#FFFFFF",
        on_high="#0B0D10",
    ),
}


def find_theme(name: str) -> Theme:
    if name not in THEMES:
        raise PolicyError(f"theme must be {' or '.join(map(repr, THEMES))}, not {show(name)}")
    return THEMES[name]


def config(theme: str = "light") -> Spec:
    """What Vega-Lite calls the configuration of a chart; the background is transparent."""
    colours = find_theme(theme)
    text, faint, neutral = colours.text, colours.faint, colours.neutral
    better, worse = ({"color": each} for each in colours.categories[:2])
    labels = {"labelColor": text, "labelFontSize": 11}
    titles = {"titleColor": faint, "titleFontWeight": "normal"}
    lines = {"gridColor": colours.grid, "domainColor": neutral, "tickColor": neutral}
    # The title is at the left, and the caption below it.
    heading = {"anchor": "start", "frame": "group", "color": text, "fontSize": 15, "fontWeight": 600, "offset": 12}
    caption = {"Color": faint, "FontSize": 11, "LineHeight": 15, "Padding": 5}
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "title": {**heading, **{f"subtitle{name}": value for name, value in caption.items()}},
        "axis": {**labels, "labelLimit": 220, **titles, "titleFontSize": 12, "titlePadding": 8, **lines},
        "axisDiscrete": {"grid": False, "domain": False, "ticks": False, "labelPadding": 6},
        "header": {"labelColor": text, "labelFontSize": 12, "labelFontWeight": 600, "title": None},
        "legend": {**labels, "labelLimit": 180, **titles, "titleFontSize": 11, "symbolStrokeWidth": 2},
        "range": {"category": list(colours.categories), "ramp": list(colours.ramp), "heatmap": list(colours.ramp)},
        # What marks mean: better and worse, neither, a reference line, text, and text on a cell of a heat map.
        "style": {
            "plain": better,
            "better": better,
            "worse": worse,
            "same": {"color": neutral},
            "inside": {"color": colours.background},
            "line": {"color": neutral},
            "faint_line": {"color": colours.grid},
            "strong_line": {"color": text},
            "note": {"color": text, "fontSize": 11},
            "faint_note": {"color": faint, "fontSize": 10},
            "on_low": {"color": colours.on_low, "fontSize": 11},
            "on_high": {"color": colours.on_high, "fontSize": 11},
            "on_bar": {"color": colours.background, "fontSize": 12, "fontWeight": 600},
            "cell": {"stroke": colours.background, "strokeWidth": 1},
        },
    }


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


def layer(kind: str, style: str | list[str], encoding: Spec, **look: Any) -> Spec:  # noqa: ANN401 - Vega-Lite's
    """Marks of one kind in a style of the theme."""
    return {"mark": {"type": kind, "style": style, **look}, "encoding": encoding}


def zero_line(channel: str, title: str) -> Spec:
    """A line across the chart where nothing differs; an axis has one title, so all its layers name it."""
    zero = {"data": {"values": [{"zero": 0}]}}
    return zero | layer("rule", "line", {channel: quantity("zero", title)}, strokeDash=[4, 3])


def run_channels(runs: Sequence[str]) -> Spec:
    """The channels that tell lines of runs apart, colour and dashes; the legend is at the right."""
    domain = [printable(run) for run in runs]
    legend = {"title": None, "symbolType": "stroke", "symbolSize": 300} if len(runs) > 1 else None
    pattern = [list(DASHES[number % len(DASHES)]) for number in range(len(runs))]
    return {
        "color": names("run", None, scale={"domain": domain}, legend=legend),
        "strokeDash": names("run", None, scale={"domain": domain, "range": pattern}, legend=legend),
    }


def panels(rows: Sequence[Mapping[str, Any]], field: str, layers: list[Spec], height: object) -> tuple[Spec, float]:
    """One panel per value of a field, if there are several, each with a scale of its own; and the width of all."""
    found = list(dict.fromkeys(row[field] for row in rows))
    columns = 2 if len(found) in (2, 4) else min(len(found), 3)
    width = {1: WIDTH, 2: 300, 3: 230}[columns]
    panel = {"width": width, "height": height, "layer": layers}
    body: Spec = {"data": values(rows)}
    if len(found) == 1:
        return body | panel, width + 20
    header = {"field": field, "type": "nominal", "sort": found, "title": None}
    body |= {"facet": header, "columns": columns, "spec": panel, "resolve": {"scale": {"x": "independent"}}}
    return body, columns * (width + 20)
