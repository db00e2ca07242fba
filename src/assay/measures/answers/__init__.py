"""Measures of answers, one family per file; `assay.measures` lists them."""

from assay.measures.answers.data import Answers, pair_answers
from assay.measures.answers.similarity import semantic

__all__ = ["Answers", "pair_answers", "semantic"]
