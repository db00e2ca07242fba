"""Conventions: how each tool computes, what names of measures mean, and how tools take data given as objects."""

from assay.conventions.prepare import Refused as Refused
from assay.conventions.prepare import prepare as prepare
from assay.conventions.prepare import prepare_every_query as prepare_every_query
from assay.conventions.resolve import Chosen as Chosen
from assay.conventions.resolve import expand as expand
from assay.conventions.resolve import expand_as_printed as expand_as_printed
from assay.conventions.resolve import find_convention as find_convention
from assay.conventions.resolve import judged_names as judged_names
from assay.conventions.resolve import measure_names as measure_names
from assay.conventions.resolve import parse_measure as parse_measure
from assay.conventions.resolve import parse_measures as parse_measures
from assay.conventions.resolve import resolve as resolve
from assay.conventions.resolve import split_measures as split_measures
from assay.conventions.resolve import write_name as write_name
from assay.conventions.tools import CONVENTIONS as CONVENTIONS
