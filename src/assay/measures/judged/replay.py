"""`replay`: what a measure finds, given the replies of a judge: for examples, and to try measures of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.prompt import Embed, Reply, Request
from assay.core.ruling import Finding, run_steps
from assay.data.records.read import read_records
from assay.measures import parse
from assay.measures.judged.case import Case


def replay(measure: str | Measure, record: Mapping[str, Any], replies: Sequence[Any]) -> Finding:
    """What a measure finds in a record, given the replies of a judge in the order in which it asks.

    >>> words = {"question": "Why?", "answer": "It rained.", "retrieved_texts": ["It rained."]}
    >>> replay("context_precision(against=answer)", words, [{"reason": "", "verdict": True}]).score
    1.0
    """
    chosen = parse(measure) if isinstance(measure, str) else measure
    (only,) = read_records([{"query_id": "0", **record}]).each
    rest = iter(replies)

    def next_reply(request: Request | Embed) -> Any:  # noqa: ANN401 - a reply or vectors
        given = next(rest, None)
        if given is None:
            raise MeasureError(f"{chosen} asks more than {len(replies)} times")
        if isinstance(given, Exception):
            raise given
        if isinstance(request, Embed) or isinstance(given, Reply):
            return given
        return Reply(request.read(given))

    finding = run_steps(chosen.definition.function(Case(only), **chosen.values), next_reply)
    if left := len(list(rest)):
        raise MeasureError(f"{chosen} asks {len(replies) - left} times, not {len(replies)}")
    return finding
