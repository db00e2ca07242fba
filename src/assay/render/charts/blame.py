"""Whose fault wrong answers are: correct and wrong ones, with and without a retrieved gold passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.charts.parts import WIDTH, chart, names, number, quantity, values, word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.render.charts.chart import Chart

ANSWERS = ("correct", "wrong", "not scored")
ROW = 46


def blame(counts: Mapping[str, Mapping[str, int]], caption: str) -> Chart:
    """A bar per state of the gold passage, divided by how the answers are; `counts` has questions by both."""
    rows = []
    for gold, answers in counts.items():
        start = 0
        for answer in ANSWERS:
            questions = answers.get(answer, 0)
            if questions:
                middle = start + questions / 2
                rows.append({"gold": gold, "answer": answer, "questions": questions, "start": start, "middle": middle})
            start += questions
    for row in rows:
        row["end"] = int(str(row["start"])) + int(str(row["questions"]))
    found = [answer for answer in ANSWERS if any(row["answer"] == answer for row in rows)]
    y = names("gold", "gold passage", scale={"domain": list(counts)})
    x = quantity("start", "questions", axis={"tickMinStep": 1, "format": ",d"}, scale={"zero": True})
    colour = names("answer", None, scale={"domain": found}, legend={"title": "answer", "orient": "top"})
    tooltip = [word("gold", "gold passage"), word("answer", "answer"), number("questions", "questions", ",d")]
    bar = {"y": y, "x": x, "x2": {"field": "end"}, "color": colour, "tooltip": tooltip}
    text = {
        "y": y,
        "x": {**x, "field": "middle"},
        "text": {"field": "questions", "type": "quantitative", "format": ",d"},
    }
    layers = [
        {"mark": {"type": "bar", "size": 26, "style": "cell"}, "encoding": bar},
        {"mark": {"type": "text", "style": "on_bar"}, "encoding": text},
    ]
    body = {"data": values(rows), "width": WIDTH, "height": {"step": ROW}, "layer": layers}
    return chart("Answers with and without a gold passage", caption, body)
