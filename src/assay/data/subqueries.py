"""Queries that were asked in several parts: one ranking of what all parts found."""

from __future__ import annotations

from typing import NamedTuple, cast

from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.data.qrels import Qrels
from assay.data.run import Run


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

    An id without a low line is a query of its own. A query of the run that has no judgments is no part of another; it
    stays as it is, unless its id is that of a query that was merged. Repeated documents are an error.
    """
    parts = Subqueries(qrels if isinstance(qrels, Qrels) else Qrels(qrels))
    return Merged(parts.qrels, parts.merge(run if isinstance(run, Run) else Run(run)))


class Subqueries:
    """Judgments of queries that were asked in parts, ready for the runs in which the parts are."""

    def __init__(self, judgments: Qrels) -> None:
        self.whole = {query: whole_query(query) for query in judgments.queries}
        for query, whole in self.whole.items():
            if query != whole and whole in self.whole and self.whole[whole] == whole:
                named = f"{show(whole)} and {show(query)}"
                raise DataError(f"queries {named} would both be {show(whole)}; rename or remove one of them")
        if judgments.repeats:
            raise DuplicateError(
                "the judgments list a document more than once; take repeats out before queries are merged"
            )
        grades = judgments.to_dict()
        self.qrels = Qrels({whole: grades[query] for query, whole in self.whole.items()})

    def merge(self, run: Run) -> Run:
        """The run in which each query that was asked in parts has one ranking."""
        scores: dict[str, dict[str, float]] = {}
        for query in run.queries:
            if query not in self.whole and query in self.qrels:
                continue
            merged = scores.setdefault(self.whole.get(query, query), {})
            found = scored(run, query)
            if len({document for document, _ in found}) < len(found):
                where = f"the ranking of query {show(query)}"
                raise DuplicateError(
                    f"{where} lists a document more than once; take repeats out before queries are merged"
                )
            for document, score in found:
                merged[document] = max(score, merged.get(document, score))
        return Run(scores)


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
