"""Tables, written for terminals, Markdown, LaTeX, notebooks and other programs."""

from assay.render.export import FORMATS, Exports, View, json_fields, markdown, records, render, write_json
from assay.render.table import Cell, Column, Marked, Named, Ranged, Table, finite, marks_of, shown, system_table

__all__ = [
    "FORMATS",
    "Cell",
    "Column",
    "Exports",
    "Marked",
    "Named",
    "Ranged",
    "Table",
    "View",
    "finite",
    "json_fields",
    "markdown",
    "marks_of",
    "records",
    "render",
    "shown",
    "system_table",
    "write_json",
]
