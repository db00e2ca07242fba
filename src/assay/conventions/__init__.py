"""Conventions: one tool a file, the table of them, and what names of measures stand for under each."""

from assay.conventions.choosing import choose, parse_measure, parse_measures, tool_of
from assay.conventions.expanding import Chosen, expand, spelled
from assay.conventions.preparing import Refused, read_as
from assay.conventions.tools import CONVENTIONS, find_convention
from assay.conventions.writing import spelling

__all__ = [
    "CONVENTIONS",
    "Chosen",
    "Refused",
    "choose",
    "expand",
    "find_convention",
    "parse_measure",
    "parse_measures",
    "read_as",
    "spelled",
    "spelling",
    "tool_of",
]
