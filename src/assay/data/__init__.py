"""Judgments, runs, texts and records: read from files, frames and Python objects, and written to files."""

from assay.data.derived import match_texts, merge_subqueries
from assay.data.qrels import Qrels, read_qrels
from assay.data.run import Run, read_run

__all__ = ["Qrels", "Run", "match_texts", "merge_subqueries", "read_qrels", "read_run"]
