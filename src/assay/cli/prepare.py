"""Judgments and measures made ready, as the options of a command say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.options import given
from assay.cli.terminal import source_of, watched
from assay.data.qrels import Qrels
from assay.tasks.evaluate.api import Scorer, make_scorer

if TYPE_CHECKING:
    from collections.abc import Iterable


def prepare(
    qrels: str | Qrels,
    measures: Iterable[str],
    *,
    convention: str,
    qrels_format: str | None,
    threads: int | None,
    policies: dict[str, Any],
) -> Scorer:
    """What is ready to read runs."""
    judgments = read_judgments(qrels, qrels_format) if isinstance(qrels, str) else qrels
    return make_scorer(judgments, measures, convention=convention, threads=threads, **given(policies))


def read_judgments(qrels: str, qrels_format: str | None) -> Qrels:
    """The judgments; what becomes of repeated ones is left to each measure."""
    with watched(qrels):
        return Qrels(source_of(qrels), format=qrels_format, duplicates=None)
