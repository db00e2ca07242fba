"""How sure a number is."""

from assay.stats.bootstrap import Interval, bootstrap, bootstrap_all

__all__ = ["Interval", "bootstrap", "bootstrap_all"]
