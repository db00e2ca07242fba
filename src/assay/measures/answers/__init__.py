"""Measures of answers, one family per file, in the order in which `assay measures` lists them, and short names."""
# ruff: noqa: I001, F401 - importing a family enters it; the order is the table's

from assay.measures.answers.data import Answers, pair_answers
from assay.measures.answers import overlap
from assay.measures import passages
from assay.measures.answers import similarity, rouge, sacrebleu, meteor
from assay.measures.answers.similarity import semantic

# What the short names mean where only answers are measured.
SHORT = {"em": "answer_em", "f1": "answer_f1", "precision": "answer_precision", "recall": "answer_recall"}

__all__ = ["SHORT", "Answers", "pair_answers", "semantic"]
