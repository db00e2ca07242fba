"""Live retrievers: called, timed and scored."""

from assay.tasks.probe.api import probe
from assay.tasks.probe.endpoint import HttpSearch
from assay.tasks.probe.latency import Latency
from assay.tasks.probe.result import Probe

__all__ = ["HttpSearch", "Latency", "Probe", "probe"]
