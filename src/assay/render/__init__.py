"""Plain tables, written for terminals, Markdown, LaTeX, notebooks and other programs."""

from assay.render.exports import Exports
from assay.render.formats import FORMATS, render
from assay.render.table import Column, Table

__all__ = ["FORMATS", "Column", "Exports", "Table", "render"]
