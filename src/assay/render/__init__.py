"""Plain tables, written for terminals, Markdown, LaTeX, notebooks and other programs."""

from assay.render.exports import Exports
from assay.render.formats import FORMATS, render
from assay.render.table import Column, Table
from assay.render.view import View

__all__ = ["FORMATS", "Column", "Exports", "Table", "View", "render"]
