"""Judgments and measures made ready, as the options of a command say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.options import given
from assay.cli.progress import watched
from assay.cli.streams import source_of
from assay.evaluator import Evaluator
from assay.io.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Iterable


def prepare(
    qrels: str,
    measures: Iterable[str],
    *,
    convention: str,
    qrels_format: str | None,
    threads: int | None,
    policies: dict[str, Any],
) -> Evaluator:
    """What is ready to read runs."""
    with watched(qrels):
        judgments = Qrels(source_of(qrels), format=qrels_format, duplicates=None)
        return Evaluator(judgments, measures, convention=convention, threads=threads, **given(policies))
