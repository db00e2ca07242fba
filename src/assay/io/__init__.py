"""Judgments and runs: read from files, frames, texts and Python objects, and written to files."""

from assay.io.qrels import Qrels, read_qrels
from assay.io.run import Run, read_run
from assay.io.subqueries import merge_subqueries
from assay.io.texts import match_texts

__all__ = ["Qrels", "Run", "match_texts", "merge_subqueries", "read_qrels", "read_run"]
