"""mteb: queries that were asked in parts, merged to one ranking each."""

from typing import cast

from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.data.chunks.derived import QrelsAndRun
from assay.data.qrels import Qrels
from assay.data.run import Run


def merge_subqueries(qrels: object, run: object) -> QrelsAndRun:
    """Merges queries whose ids are the same up to their last underscore, such as `q1_0` and `q1_1`.

    A document gets the highest of its scores. The judgments are those of the last part; the parts have the same ones.
    mteb's `max_over_subqueries_map_at_1000` is `map_at_1000` of the result:

    >>> import assay
    >>> qrels = {"q1_0": {"d1": 1}, "q1_1": {"d1": 1}}
    >>> run = {"q1_0": {"d1": 0.2, "d2": 0.9}, "q1_1": {"d1": 0.7, "d3": 0.3}}
    >>> merged = merge_subqueries(qrels, run)
    >>> merged.run["q1"]
    [('d1', 0.7), ('d2', 0.9), ('d3', 0.3)]
    >>> assay.evaluate(*merged, "map_at_1000", convention="mteb")["map_at_1000"]
    0.5

    An id without an underscore is a query of its own. A query of the run without judgments is never merged; it stays as
    it is, unless a merged query has its id. Duplicate documents are an error.
    """
    judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    parts = {query: query.rpartition("_")[0] if "_" in query else query for query in judgments.queries}
    for query, whole in parts.items():
        if query != whole and parts.get(whole) == whole:
            both = f"{show(whole)} and {show(query)}"
            raise DataError(f"queries {both} would both become {show(whole)}; rename or remove one of them")
    if judgments.repeats:
        raise DuplicateError("the judgments have a document twice; remove duplicates before merging queries")
    grades = judgments.to_dict()
    merged = Qrels({whole: grades[query] for query, whole in parts.items()})
    return QrelsAndRun(merged, merge_rankings(run if isinstance(run, Run) else Run(run), parts, merged))


def merge_rankings(run: Run, parts: dict[str, str], judgments: Qrels) -> Run:
    """The run with one ranking for each query that was asked in parts."""
    scores: dict[str, dict[str, float]] = {}
    for query in run.queries:
        if query not in parts and query in judgments:
            continue
        ranking, where = run[query], f"the ranking of query {show(query)}"
        if ranking and isinstance(ranking[0], str):
            raise DataError(f"{where} has no scores; merging subqueries needs them")
        found = cast("list[tuple[str, float]]", ranking)
        if len({document for document, _ in found}) < len(found):
            raise DuplicateError(f"{where} has a document twice; remove duplicates before merging queries")
        merged = scores.setdefault(parts.get(query, query), {})
        for document, score in found:
            merged[document] = max(score, merged.get(document, score))
    return Run(scores)
