"""Live retrievers: called, timed and scored."""

from assay.tasks.probe.api import probe
from assay.tasks.probe.result import Latency, Probe, check_records_name, write_records
from assay.tasks.probe.retrievers import DEFAULT_BODY, HttpSearch

__all__ = ["DEFAULT_BODY", "HttpSearch", "Latency", "Probe", "check_records_name", "probe", "write_records"]
