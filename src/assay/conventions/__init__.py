"""Conventions: one tool a file, the table of them, and what names of measures stand for under each."""

from assay.conventions.choosing import (
    Chosen,
    choose,
    parse_measure,
    parse_measures,
    reading_convention,
    spelled,
    spelling,
)
from assay.conventions.table import CONVENTIONS, find_convention

__all__ = [
    "CONVENTIONS",
    "Chosen",
    "choose",
    "find_convention",
    "parse_measure",
    "parse_measures",
    "reading_convention",
    "spelled",
    "spelling",
]
