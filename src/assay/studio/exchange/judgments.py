"""Writes judgments: TREC, CSV, JSON Lines and Parquet as everywhere in assay, and Quepid's ratings."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from assay.core.errors import DataError, FormatError
from assay.core.text import show
from assay.data.formats import BY_NAME
from assay.data.qrels import Qrels
from assay.data.write import refuse_losses
from assay.studio.exchange.quepid import write_ratings

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES = ("trec", "csv", "jsonl", "parquet")
JUDGMENT_FORMATS = (*TABLES, "quepid")


def export_judgments(
    grades: Mapping[str, Mapping[str, float]], format: str, *, questions: Mapping[str, str] | None = None
) -> bytes:
    """The grades of documents by query as a file; `quepid` has the texts of queries where `questions` has them."""
    if format == "quepid-book":
        raise FormatError("a book of Quepid holds votes; export the votes as quepid-book, or the judgments as quepid")
    if format not in JUDGMENT_FORMATS:
        raise FormatError(f"unknown format {show(format)}; choose one of {', '.join(JUDGMENT_FORMATS)}")
    judged = {query: documents for query, documents in grades.items() if documents}
    if not judged:
        raise DataError("there is no judgment yet; vote first")
    if format == "quepid":
        return write_ratings(judged, questions or {})
    return write_table(Qrels(judged), format)


def write_table(qrels: Qrels, format: str) -> bytes:
    chosen = BY_NAME[format]
    refuse_losses(qrels, chosen)
    file = io.BytesIO()
    if chosen.write is None:
        raise FormatError(f"{format} can only be read; choose another format")
    chosen.write(qrels, file)
    return file.getvalue()
