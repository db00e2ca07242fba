"""Chunks of documents: rankings of chunks become rankings of documents, by a rule for their ids (`core/doc_id.py`).

`DocumentRanker` ranks the documents of a whole run. A run is held in memory for it, as the chunks of a document may be
anywhere in a ranking.

For rankings in a given order, as those of RAG records and of a live retriever:

    found = Chunks(rule)                        # counts over all rankings what the notes say
    kept = found.collapse(ids, items)           # of one ranking: each document, and the place of its best chunk
    found.notes()                               # what was left out, and what the rule did not match
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DuplicateError
from assay.core.note import Note, NoteKind
from assay.core.text import printable, show, some
from assay.data.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars

    from assay._kernel import Columns, Progress, Ranker, TopColumns
    from assay.core.doc_id import DocIdRule
    from assay.core.policies import Policies

# Ids that a note shows.
MOST_SHOWN = 3


@dataclass(slots=True)
class Chunks:
    """What became of the chunks of a run under a rule: how many there were, were left out, or have no document."""

    rule: DocIdRule
    retrieved: int = 0
    dropped: int = 0
    unmatched: int = 0
    shown: list[str] = field(default_factory=list)

    def documents(self, chunks: Sequence[str], items: Sequence[object] | None = None) -> list[str]:
        """The document of each chunk of a ranking, as a list with duplicates; `items` are what was retrieved.

        A chunk that the rule does not match is a document of its own.
        """
        if self.rule.is_field:
            found = [self.rule.match(*each) for each in zip(chunks, items or [None] * len(chunks), strict=True)]
        else:
            found = self.rule.match_all(chunks).to_list()
        lacking = [chunk for chunk, document in zip(chunks, found, strict=True) if document is None]
        self.count(len(chunks), len(lacking), lacking)
        return [document or chunk for chunk, document in zip(chunks, found, strict=True)]

    def count(self, retrieved: int, unmatched: int, lacking: Iterable[str]) -> None:
        """Adds chunks that were retrieved, and how many the rule does not match, with examples of them."""
        self.retrieved += retrieved
        self.unmatched += unmatched
        self.shown = list(dict.fromkeys([*self.shown, *lacking]))[:MOST_SHOWN]

    def collapse(self, chunks: Sequence[str], items: Sequence[object] | None = None) -> dict[str, int]:
        """The documents of a ranking, best first, each with the place of its first chunk, from 0.

        >>> from assay.core.doc_id import DocIdRule
        >>> Chunks(DocIdRule.parse("before:#")).collapse(["b#2", "a#1", "b#1", "c"])
        {'b': 0, 'a': 1, 'c': 3}
        """
        kept: dict[str, int] = {}
        for place, document in enumerate(self.documents(chunks, items)):
            kept.setdefault(document, place)
        self.dropped += len(chunks) - len(kept)
        return kept

    def notes(self) -> list[Note]:
        """How many chunks were left out, and which ids the rule does not match."""
        notes = []
        if self.dropped:
            notes.append(Note.of(NoteKind.CHUNKS, count=self.dropped))
        if self.unmatched:
            about = "none" if self.unmatched == self.retrieved else "some"
            how = {"rule": printable(self.rule), "ids": some(self.shown), "retrieved": f"{self.retrieved:,}"}
            notes.append(Note.of(NoteKind.CHUNKS, about=about, count=self.unmatched, **how))
        return notes


class ChunkOrder(NamedTuple):
    """What decides which chunk of a document ranks highest, and which of duplicate chunks count."""

    is_given: bool
    is_single: bool
    duplicates: str
    is_kept: bool

    @classmethod
    def of(cls, policies: Policies) -> ChunkOrder:
        return cls(
            policies.order == "given", policies.precision == "float32", policies.duplicates, policies.chunks != "best"
        )

    def without_duplicates(self, rows: polars.DataFrame) -> polars.DataFrame:
        """The rows without chunks that a query has twice, as the policy for duplicates says."""
        if (
            self.duplicates not in ("error", "first", "last")
            or not rows.select("number", "chunk").is_duplicated().any()
        ):
            return rows
        if self.duplicates == "error":
            query, chunk = rows.filter(rows.select("number", "chunk").is_duplicated()).row(0)[:2]
            raise DuplicateError(
                f"query {show(query)} lists chunk {show(chunk)} more than once; remove the duplicates, or keep "
                'one with duplicates="first" or "last" (--duplicates first or last)'
            )
        keep: Any = self.duplicates
        return rows.unique(["number", "chunk"], keep=keep, maintain_order=True)

    def best(self, rows: polars.DataFrame) -> polars.DataFrame:
        """The rows with the highest chunk of each document only, in their order; all rows if all are kept.

        The first of several chunks with the same score is the highest.
        """
        import polars

        if self.is_kept:
            return rows
        score = rows["value"].cast(polars.Float32 if self.is_single else polars.Float64)
        falls = (score.diff() <= 0) | (rows["number"].diff() != 0)
        if self.is_given or falls.fill_null(value=True).all():
            return rows.unique(["number", "doc_id"], keep="first", maintain_order=True)
        ordered = rows.with_row_index("place").sort(score, descending=True, maintain_order=True)
        return ordered.unique(["number", "doc_id"], keep="first", maintain_order=True).sort("place").drop("place")


class DocumentRanker:
    """Ranks the documents of chunks. It has the methods of the kernel's `Ranker`.

    Options of the kernel that differ in which chunk ranks highest have a ranker each; `orders` says it by their number.
    """

    def __init__(self, make_ranker: Callable[[], Ranker], rule: DocIdRule, orders: Sequence[ChunkOrder]) -> None:
        self.rule = rule
        self.orders = orders
        self.rankers = {order: make_ranker() for order in orders}
        self.chunks = {order: Chunks(rule) for order in orders}
        self.repeats = dict.fromkeys(orders, 0)

    def add_run(
        self,
        data: object,
        *,
        threads: int,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,  # noqa: ARG002 - a run that is read whole shows none
    ) -> None:
        """Adds a whole run, in any form."""
        if self.rule.is_field:
            from assay.data.chunk_fields import read_by_field

            run, lacking = read_by_field(data, self.rule, format, columns)
        else:
            run, lacking = data if isinstance(data, Run) else Run(data, format=format, columns=columns), None
        rows = self.documents(run, lacking)
        listed = [query for number, query in enumerate(run.queries) if run.rows.is_ordered(number)]
        empty: dict[str, list[str]] = {}
        if run.has_empty_queries:
            sizes = zip(run.queries, run.starts, run.starts[1:], strict=False)
            empty = {query: [] for query, start, end in sizes if start == end}
        for order, ranker in self.rankers.items():
            kept = self.collapse(order, rows)
            if listed:
                lists = (
                    kept.filter(kept["query_id"].is_in(listed)).group_by("query_id", maintain_order=True).agg("doc_id")
                )
                ranker.add_rankings(dict(lists.iter_rows()) | empty)
                kept = kept.filter(~kept["query_id"].is_in(listed))
            elif empty:
                ranker.add_rankings(empty)
            if len(kept):
                ranker.add_frame(kept.select("query_id", "doc_id", "value"), "the run", threads)

    def add(self, query: object, ranking: object) -> None:
        """Adds the ranking of one query."""
        run = Run({query: ranking})
        rows = self.documents(run, None)
        for order, ranker in self.rankers.items():
            kept = self.collapse(order, rows)
            is_listed = run.rows.is_ordered(0)
            ranker.add(
                query, kept["doc_id"].to_list() if is_listed else list(kept.select("doc_id", "value").iter_rows())
            )

    def documents(self, run: Run, lacking: Sequence[str] | None) -> polars.DataFrame:
        """The rows of a run with the document of each chunk and the number of its query; counts those without one.

        `lacking` are the chunks without a document, if the documents were read from a field.
        """
        import polars

        rows = polars.DataFrame(run.rows).rename({"doc_id": "chunk"})
        number = polars.Series("number", np.repeat(np.arange(len(run)), np.diff(run.starts)))
        if run.rows.has_order():
            # Where the order is given, scores beside it do not count.
            is_scored = np.array([not run.rows.is_ordered(each) for each in range(len(run))])
            rows = rows.with_columns(polars.col("value") * is_scored[number.to_numpy()])
        if lacking is None:
            found = self.rule.match_all(rows["chunk"])
            none = rows["chunk"].filter(found.is_null())
            unmatched, shown = len(none), none.head(1000).unique(maintain_order=True).to_list()
        else:
            found, unmatched, shown = rows["chunk"], len(lacking), list(lacking[:1000])
        for each in self.chunks.values():
            each.count(len(rows), unmatched, shown)
        return rows.with_columns(found.fill_null(rows["chunk"]).alias("doc_id"), number)

    def collapse(self, order: ChunkOrder, rows: polars.DataFrame) -> polars.DataFrame:
        """The rows that stay under an order; counts the others."""
        distinct = rows if self.rule.is_field else order.without_duplicates(rows)
        kept = order.best(distinct)
        self.repeats[order] += len(rows) - len(distinct)
        self.chunks[order].dropped += len(distinct) - len(kept)
        return kept

    def columns(self, number: int) -> Columns:
        return self.rankers[self.orders[number]].columns(number)

    def tops(self, number: int) -> TopColumns:
        return self.rankers[self.orders[number]].tops(number)

    def unknown(self) -> list[str]:
        return self.rankers[self.orders[0]].unknown()

    @property
    def scattered(self) -> int:
        """Rows are grouped by query when a run is read whole."""
        return 0

    @property
    def surplus(self) -> int:
        """Lines with too many fields are an error when a run is read whole."""
        return 0

    def repeats_dropped(self, number: int) -> int:
        order = self.orders[number]
        return self.repeats[order] + self.rankers[order].repeats_dropped(number)

    def excluded(self, number: int) -> int:
        return self.rankers[self.orders[number]].excluded(number)

    def notes(self, number: int) -> list[Note]:
        """What became of the chunks under the options of that number."""
        return self.chunks[self.orders[number]].notes()
