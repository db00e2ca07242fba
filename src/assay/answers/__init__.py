"""Measures of answers, one family a file, and their short names."""

from assay.answers import bleu, chrf, overlap, rouge, ter  # noqa: F401 - each enters its measures into the table
from assay.answers.data import Answers, pair_answers

# What the short names mean where only answers are measured.
SHORT = {"em": "answer_em", "f1": "answer_f1", "precision": "answer_precision", "recall": "answer_recall"}

__all__ = ["SHORT", "Answers", "pair_answers"]
