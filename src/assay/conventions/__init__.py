"""Conventions: how each tool computes, what names of measures mean, and how tools take data given as objects."""

from assay.conventions.prepare import Prepared, Refused, prepare, prepare_every_query
from assay.conventions.resolve import (
    Chosen,
    expand,
    expand_as_printed,
    find_convention,
    judged_names,
    measure_names,
    parse_measure,
    parse_measures,
    resolve,
    split_measures,
    tool_of,
    write_name,
)
from assay.conventions.tools import CONVENTIONS

__all__ = [
    "CONVENTIONS",
    "Chosen",
    "Prepared",
    "Refused",
    "expand",
    "expand_as_printed",
    "find_convention",
    "judged_names",
    "measure_names",
    "parse_measure",
    "parse_measures",
    "prepare",
    "prepare_every_query",
    "resolve",
    "split_measures",
    "tool_of",
    "write_name",
]
