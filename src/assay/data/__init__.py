"""Judgments and runs: read from files, frames, texts and Python objects, and written to files."""

from assay.data.qrels import Qrels, read_qrels
from assay.data.run import Run, read_run
from assay.data.subqueries import merge_subqueries
from assay.data.texts import match_texts

__all__ = ["Qrels", "Run", "match_texts", "merge_subqueries", "read_qrels", "read_run"]
