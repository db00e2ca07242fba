"""Charts: pure functions from plain numbers to a `Chart`, one file per kind or family."""

from assay.render.charts.chart import Chart

__all__ = ["Chart"]
