"""Live retrievers: called, timed and scored."""

from assay.tasks.probe.api import probe
from assay.tasks.probe.endpoint import DEFAULT_BODY, HttpSearch
from assay.tasks.probe.latency import Latency
from assay.tasks.probe.result import Probe, check_records_name, write_records

__all__ = ["DEFAULT_BODY", "HttpSearch", "Latency", "Probe", "check_records_name", "probe", "write_records"]
