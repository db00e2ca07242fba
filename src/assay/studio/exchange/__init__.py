"""Votes and judgments of a studio as files, in and out."""

from assay.studio.exchange.reading import READ_FORMATS, read_votes
from assay.studio.exchange.writing import JUDGMENT_FORMATS, VOTE_FORMATS, export_judgments, export_votes

__all__ = ["JUDGMENT_FORMATS", "READ_FORMATS", "VOTE_FORMATS", "export_judgments", "export_votes", "read_votes"]
