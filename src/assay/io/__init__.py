"""Judgments and runs: read from files, frames and Python objects, and written to files."""

from assay.io.qrels import Qrels, read_qrels
from assay.io.run import Run, read_run

__all__ = ["Qrels", "Run", "read_qrels", "read_run"]
