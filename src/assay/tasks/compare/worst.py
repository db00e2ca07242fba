"""`worst_queries`: where one run fails, and the documents that cost most against the ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import MeasureError
from assay.core.policies import check_whole
from assay.core.text import printable, show
from assay.render import Column, Exports, Table, json_fields
from assay.tasks.compare.ranks import Move, Ranks, document_lines, move_lines, query_cell
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES, make_scorer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from assay.core.measure import Measure
    from assay.core.signature import Signature
    from assay.results.result import Result
    from assay.tasks.compare.ranks import Ranks

RUN = "run"
WORST = 5
# Documents shown per query; exports for programs have all judged documents.
MOST_SHOWN = 3


@dataclass(frozen=True, repr=False, eq=False)
class WorstQueries(Exports):
    """The queries with the worst values of a measure, the worst first; see `assay.worst_queries`."""

    measure: str
    queries: tuple[Move, ...]
    signature: Signature

    def __iter__(self) -> Iterator[Move]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return printable(f"<WorstQueries: {self.measure}; {', '.join(each.query for each in self.queries)}>")

    def __str__(self) -> str:
        lines = [f"  {line}" for move in self.queries for line in move_lines(move, MOST_SHOWN)]
        return "\n".join([f"worst queries by {printable(self.measure)}", *lines])

    def table(self) -> Table:
        """One row per query."""
        columns = (Column("query", is_text=True), Column(self.measure), Column("documents", is_text=True))
        rows = tuple(
            (query_cell(move), move.after, "; ".join(document_lines(move, MOST_SHOWN))) for move in self.queries
        )
        return Table(columns, rows, self.signature.summary)

    def to_polars(self) -> polars.DataFrame:
        """One row per query and judged document."""
        import polars

        text, number, rank = polars.String, polars.Float64, polars.Int64
        schema = {"query_id": text, "value": number, "doc_id": text, "grade": number, "rank": rank}
        return polars.DataFrame(
            [
                (move.query, move.after, each.document, each.grade, each.after, each.contribution)
                for move in self.queries
                for each in move.documents
            ],
            schema={**schema, "contribution": number},
            orient="row",
        )

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the queries with all their judged documents."""
        queries = [move.to_dict() for move in self.queries]
        return json_fields("worst") | {"signature": str(self.signature), "measure": self.measure, "queries": queries}


def worst_queries(
    qrels: object,
    run: object,
    measure: str | Measure = DEFAULT_MEASURES[0],
    number: int = WORST,
    *,
    queries: object = None,
    corpus: object = None,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> WorstQueries:
    """The queries of a run with the worst values of a measure, each with the documents that cost most.

    The contribution of a document is what its rank costs, compared with the ideal ranking.

    >>> import assay
    >>> qrels, run = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "y", "b"]}
    >>> print(assay.worst_queries(qrels, run, "rr", 1))
    worst queries by rr
      q2  0.3333
          b (grade 1): rank 3 (-0.6667)

    With `queries` and `corpus`, the texts of questions and passages by id or files of them, also the question, the
    first line of each passage, and the unjudged document on top; for it the run is read once more. The run is scored as
    by `evaluate`, under a `convention` and its policies.
    """
    check_whole("the number of queries", number, 0)
    scorer = make_scorer(qrels, [measure], convention=convention, threads=threads, **policies)
    results, kept = scorer.score_all({RUN: run})
    ranks = Ranks(scorer, *kept)
    result = warned(results[RUN])
    if len(result) > 1:
        raise MeasureError(f"{show(measure)} names several measures: {', '.join(result)}; name one")
    return find_worst(result, ranks, RUN, next(iter(result)), number, queries=queries, corpus=corpus)


def find_worst(
    result: Result,
    ranks: Ranks,
    run: str,
    measure: str,
    number: int,
    *,
    queries: object = None,
    corpus: object = None,
) -> WorstQueries:
    """The worst queries of a run that was read, which has this name among the ranks."""
    key = result.key(measure)
    if result.measures[key].definition.corpus is not None:
        raise MeasureError(f"{key} is one number for all queries; no query has a value of its own")
    sign = 1 if result.measures[key].definition.higher_is_better else -1
    scores = result.scores[key]
    order = [each for each in np.argsort(sign * scores, kind="stable") if not np.isnan(scores[each])][:number]
    moves = tuple(
        Move(name, None, float(scores[each]), ranks.documents(name, key, None, run), ranked_before=False)
        for each in order
        for name in [result.queries[each]]
    )
    if queries is not None or corpus is not None:
        from assay.tasks.compare.passages import Changed, add_texts

        moves = add_texts([Changed(moves, key, None, run)], ranks, queries, corpus)[0]
    return WorstQueries(key, moves, result.only([key]).signature)
