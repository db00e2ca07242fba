"""Conventions: one tool a file, the table of them, and what names of measures stand for under each."""

from assay.conventions.choosing import choose, parse_measure, parse_measures, tool_of
from assay.conventions.expanding import Chosen, expand, spelled
from assay.conventions.preparing import Refused, read_as
from assay.conventions.reading import Reading, find_readings, start_note
from assay.conventions.table import CONVENTIONS, find_convention
from assay.conventions.writing import spelling

__all__ = [
    "CONVENTIONS",
    "Chosen",
    "Reading",
    "Refused",
    "choose",
    "expand",
    "find_convention",
    "find_readings",
    "parse_measure",
    "parse_measures",
    "read_as",
    "spelled",
    "spelling",
    "start_note",
    "tool_of",
]
