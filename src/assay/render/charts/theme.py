"""How charts look, in a light and in a dark theme: fonts, colours, and what each style of mark means.

Colours were chosen for contrast (at least 3:1 with the background), for three kinds of colour blindness (simulated as
by Machado, Oliveira and Fernandes, IEEE TVCG 15, 2009), and for grey: no two have the same lightness. Lines differ in
their dashes too, and a difference has its own side of the zero line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from assay.core.errors import PolicyError
from assay.core.text import show

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
    """The theme of that name."""
    if name not in THEMES:
        raise PolicyError(f"theme must be {' or '.join(map(repr, THEMES))}, not {show(name)}")
    return THEMES[name]


def config(theme: str = "light") -> dict[str, Any]:
    """What Vega-Lite calls the configuration of a chart; the background is transparent."""
    colours = find_theme(theme)
    text, faint = colours.text, colours.faint
    better, worse = colours.categories[:2]
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        # The title is at the left, and the caption below it.
        "title": {
            "anchor": "start",
            "frame": "group",
            "color": text,
            "fontSize": 15,
            "fontWeight": 600,
            "offset": 12,
            "subtitleColor": faint,
            "subtitleFontSize": 11,
            "subtitleLineHeight": 15,
            "subtitlePadding": 5,
        },
        "axis": {
            "labelColor": text,
            "labelFontSize": 11,
            "labelLimit": 220,
            "titleColor": faint,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": colours.grid,
            "domainColor": colours.neutral,
            "tickColor": colours.neutral,
        },
        "axisDiscrete": {"grid": False, "domain": False, "ticks": False, "labelPadding": 6},
        "header": {"labelColor": text, "labelFontSize": 12, "labelFontWeight": 600, "title": None},
        "legend": {
            "labelColor": text,
            "labelFontSize": 11,
            "labelLimit": 180,
            "titleColor": faint,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
        },
        "range": {
            "category": list(colours.categories),
            "ramp": list(colours.ramp),
            "heatmap": list(colours.ramp),
        },
        # What marks mean: better and worse, neither, a reference line, text, and text on a cell of a heat map.
        "style": {
            "plain": {"color": better},
            "better": {"color": better},
            "worse": {"color": worse},
            "same": {"color": colours.neutral},
            "inside": {"color": colours.background},
            "line": {"color": colours.neutral},
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
