"""Queries that were asked in several parts: one ranking of what all parts found."""

from __future__ import annotations

from typing import NamedTuple, cast

from assay.core.errors import DataError
from assay.core.text import show
from assay.io.qrels import Qrels
from assay.io.run import Run


class Merged(NamedTuple):
    """Judgments and a run, ready for `evaluate`."""

    qrels: Qrels
    run: Run


def merge_subqueries(qrels: object, run: object) -> Merged:
    """Makes one query of those whose ids are the same up to their last low line, such as `q1_0` and `q1_1`.

    A document has the highest of its scores. The judgments are those of the last part, as the parts have the same ones.
    What mteb calls `max_over_subqueries_map_at_1000` is `map_at_1000` of this:

    >>> import assay
    >>> qrels = {"q1_0": {"d1": 1}, "q1_1": {"d1": 1}}
    >>> run = {"q1_0": {"d1": 0.2, "d2": 0.9}, "q1_1": {"d1": 0.7, "d3": 0.3}}
    >>> merged = merge_subqueries(qrels, run)
    >>> merged.run["q1"]
    [('d1', 0.7), ('d2', 0.9), ('d3', 0.3)]
    >>> assay.evaluate(*merged, "map_at_1000", convention="mteb")["map_at_1000"]
    0.5

    An id without a low line is a query of its own, and so is one of the run that has no judgments.
    """
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    rankings = run if isinstance(run, Run) else Run(run)
    grades = judgments.to_dict()
    scores: dict[str, dict[str, float]] = {}
    for query in rankings.queries:
        merged = scores.setdefault(whole_query(query) if query in judgments else query, {})
        for document, score in scored(rankings, query):
            merged[document] = max(score, merged.get(document, score))
    return Merged(Qrels({whole_query(query): grades[query] for query in judgments.queries}), Run(scores))


def whole_query(query: str) -> str:
    """The id of the query that a part belongs to."""
    whole, line, _ = query.rpartition("_")
    return whole if line else query


def scored(run: Run, query: str) -> list[tuple[str, float]]:
    """A query's documents with their scores, without which rankings cannot be merged."""
    ranking = run[query]
    if ranking and isinstance(ranking[0], str):
        raise DataError(f"the ranking of query {show(query)} has no scores; give scores, which say how to merge parts")
    return cast("list[tuple[str, float]]", ranking)
