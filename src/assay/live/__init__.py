"""Live retrievers: asked, timed and scored."""

from assay.live.http import HttpSearch
from assay.live.probed import Latency, Probe
from assay.live.probing import probe

__all__ = ["HttpSearch", "Latency", "Probe", "probe"]
