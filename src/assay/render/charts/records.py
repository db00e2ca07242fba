"""Records of a RAG system: whose fault wrong answers are, and the seconds that calls took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.render.charts.parts import HEIGHT, WIDTH, Spec, chart, names, number, quantity, values, word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.judged import FloatArray
    from assay.render.charts.chart import Chart

ANSWERS = ("correct", "wrong", "not scored")
ROW = 46
BINS = 40
# Times that differ by more than this factor are binned by their logarithm.
WIDE = 20
MILLISECOND = 1000
LOW = HEIGHT - 80


def blame(counts: Mapping[str, Mapping[str, int]], caption: str) -> Chart:
    """A bar per state of the gold passage, divided by how the answers are; `counts` has questions by both."""
    rows = []
    for gold, answers in counts.items():
        start = 0
        for answer in ANSWERS:
            if questions := answers.get(answer, 0):
                ends = {"start": start, "middle": start + questions / 2, "end": start + questions}
                rows.append({"gold": gold, "answer": answer, "questions": questions, **ends})
            start += questions
    found = [answer for answer in ANSWERS if any(row["answer"] == answer for row in rows)]
    y = names("gold", "gold passage", scale={"domain": list(counts)})
    x = quantity("start", "questions", axis={"tickMinStep": 1, "format": ",d"}, scale={"zero": True})
    colour = names("answer", None, scale={"domain": found}, legend={"title": "answer", "orient": "top"})
    tooltip = [word("gold", "gold passage"), word("answer", "answer"), number("questions", "questions", ",d")]
    bar = {"y": y, "x": x, "x2": {"field": "end"}, "color": colour, "tooltip": tooltip}
    written = {"field": "questions", "type": "quantitative", "format": ",d"}
    layers = [
        {"mark": {"type": "bar", "size": 26, "style": "cell"}, "encoding": bar},
        {
            "mark": {"type": "text", "style": "on_bar"},
            "encoding": {"y": y, "x": {**x, "field": "middle"}, "text": written},
        },
    ]
    body = {"data": values(rows), "width": WIDTH, "height": {"step": ROW}, "layer": layers}
    return chart("Answers with and without a gold passage", caption, body)


def latency(seconds: FloatArray, percentiles: Mapping[str, float], caption: str) -> Chart:
    """How long calls took, as a histogram, with lines at percentiles given by name."""
    taken = np.asarray(seconds) * MILLISECOND
    low, high = float(taken.min()), float(taken.max())
    is_wide = low > 0 and high / low > WIDE
    room = 0.0 if high > low else max(low, 1.0) / 10
    edges = np.geomspace(low, high, BINS + 1) if is_wide else np.linspace(low - room, high + room, BINS + 1)
    counts = np.histogram(np.clip(taken, edges[0], edges[-1]), bins=edges)[0]
    rows = [
        {"start": start, "end": end, "calls": calls}
        for start, end, calls in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        if calls
    ]
    scale: Spec = {"type": "log" if is_wide else "linear", "domain": edges[[0, -1]].tolist(), "nice": False}
    title = "milliseconds, logarithmic" if is_wide else "milliseconds"
    x = quantity("start", title, scale=scale, axis={"grid": False, "tickCount": 8, "format": "~g"})
    # The names of percentiles are above the bars.
    above = {"domain": [0, float(counts.max()) * 1.3], "nice": False}
    y = quantity("calls", "calls", axis={"tickCount": min(5, int(counts.max())), "format": ",d"}, scale=above)
    tooltip = [number("start", "from", ".1f"), number("end", "to", ".1f"), number("calls", "calls", ",d")]
    bar = {"x": x, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}, "tooltip": tooltip}
    layers = [{"data": values(rows), "mark": {"type": "rect", "style": ["plain", "cell"]}, "encoding": bar}]
    for place, (name, value) in enumerate(percentiles.items()):
        # Each name is above those of later ones, and their lines begin below it.
        start = value * MILLISECOND
        row = {"start": start, "name": name, "text": f"{name} {start:,.1f} ms"}
        rule = {"type": "rule", "style": "strong_line", "strokeDash": [4, 2]}
        text = {"type": "text", "style": "note", "align": "left", "dx": 4, "y": 8 + 16 * place}
        down = {"x": x, "y": {"value": 2 + 16 * place}, "y2": {"value": LOW}}
        layers.append({"data": values([row]), "mark": rule, "encoding": down})
        layers.append({"data": values([row]), "mark": text, "encoding": {"x": x, "text": {"field": "text"}}})
    return chart("Latency", caption, {"width": WIDTH, "height": LOW, "layer": layers})
