"""Runs that are Spark DataFrames, scored where they are; and files that Spark reads, as runs."""

from assay.engine.spark.files import read_file, start_session
from assay.tasks.evaluate.spark import evaluate

__all__ = ["evaluate", "read_file", "start_session"]
