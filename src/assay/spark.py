"""Runs that are Spark DataFrames, scored where they are."""

from assay.tasks.evaluate.spark import evaluate

__all__ = ["evaluate"]
