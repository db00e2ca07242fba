"""Measures of answers, one family a file, in the order in which `assay measures` lists them, and their short names."""
# ruff: noqa: I001, F401 - importing a family enters it; the order is the table's

from assay.measures.answers.data import Answers, pair_answers
from assay.measures.answers.contents import Contents
from assay.measures.answers import (
    overlap,
    contents,
    similarity,
    rouge,
    bleu,
    chrf,
    ter,
    meteor,
)
from assay.measures.answers.meaning import semantic

# What the short names mean where only answers are measured.
SHORT = {"em": "answer_em", "f1": "answer_f1", "precision": "answer_precision", "recall": "answer_recall"}

__all__ = ["SHORT", "Answers", "Contents", "pair_answers", "semantic"]
