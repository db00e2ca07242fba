"""How sure a number is: intervals, tests, corrections and effect sizes."""

from assay.stats.intervals import Interval, bootstrap, bootstrap_all

__all__ = ["Interval", "bootstrap", "bootstrap_all"]
