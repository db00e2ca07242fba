"""How sure a number is."""

from assay.stats.bootstrap import Interval, bootstrap

__all__ = ["Interval", "bootstrap"]
