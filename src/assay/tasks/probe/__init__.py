"""Live retrievers: asked, timed and scored."""

from assay.tasks.probe.api import probe
from assay.tasks.probe.http import HttpSearch
from assay.tasks.probe.result import Latency, Probe

__all__ = ["HttpSearch", "Latency", "Probe", "probe"]
