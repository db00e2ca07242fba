"""Charts: pure functions from plain numbers to a `Chart`; `kinds.py` is the table of their kinds."""

from assay.render.charts.chart import Chart

__all__ = ["Chart"]
