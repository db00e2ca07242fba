"""What changed between two runs: the queries that gained and lost most, and where their judged documents went."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.text import printable
from assay.render import Column, Exports, Table

if TYPE_CHECKING:
    import polars

    from assay._kernel import Judge
    from assay.core.judged import IntArray
    from assay.evaluator import Evaluator
    from assay.io.qrels import Qrels


class Document(NamedTuple):
    """A judged document with its rank before and after; None where it was not retrieved."""

    document: str
    grade: float
    before: int | None
    after: int | None


class Move(NamedTuple):
    """A query's score before and after, and its judged documents."""

    query: str
    before: float
    after: float
    documents: tuple[Document, ...]

    @property
    def difference(self) -> float:
        return self.after - self.before


class Ranks:
    """The ranks of the judged documents in each run."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.ranks: dict[str, IntArray] = {}

    def add(self, run: str, ranks: IntArray) -> None:
        """The rank of each judged document in a run, 0 where it was not retrieved."""
        self.ranks[run] = ranks

    def documents(self, query: str, a: str, b: str) -> tuple[Document, ...]:
        """A query's judged documents, highest grade first, with their ranks in both runs."""
        number = self.qrels.number(query)
        first, last = self.qrels.index_starts[number], self.qrels.index_starts[number + 1]
        documents = [
            Document(
                self.qrels.index.document(each),
                self.qrels.grades[each],
                int(self.ranks[a][each]) or None,
                int(self.ranks[b][each]) or None,
            )
            for each in range(first, last)
        ]
        return tuple(sorted(documents, key=lambda each: -each.grade))


def ranks_of(evaluator: Evaluator, judge: Judge, name: str) -> IntArray:
    """The rank of each judged document under the first measure's policies, 0 where it was not retrieved."""
    judged, _, _ = evaluator.ranked(judge, evaluator.parts[0], name)
    ranks = np.zeros(len(evaluator.qrels.grades), dtype=np.int64)
    # Of a repeated document the first rank stays.
    ranks[judged.hits.document[::-1]] = judged.hits.rank[::-1]
    return ranks


class Moves(Exports):
    """The queries that moved most between two runs: those helped, then those hurt."""

    def __init__(self, measure: str, a: str, b: str, helped: tuple[Move, ...], hurt: tuple[Move, ...]) -> None:
        self.measure, self.a, self.b = measure, a, b
        self.helped, self.hurt = helped, hurt

    def __repr__(self) -> str:
        return f"<Moves: {self.measure} from {self.a} to {self.b}, {len(self.helped)} helped, {len(self.hurt)} hurt>"

    def __str__(self) -> str:
        title = printable(f"{self.measure}, from {self.a} to {self.b}")
        parts = [title, *self._text("most helped", self.helped), *self._text("most hurt", self.hurt)]
        return "\n".join(parts)

    def _text(self, title: str, moves: tuple[Move, ...]) -> list[str]:
        lines = ["", f"{title}:" if moves else f"{title}: no query"]
        for move in moves:
            lines.append(f"  {printable(move.query)}  {move.before:.4f} → {move.after:.4f}  ({move.difference:+.4f})")
            lines += [f"      {line}" for line in map(document_line, relevant(move))]
        return lines

    def table(self) -> Table:
        """One row a query."""
        columns = (
            Column("query", is_text=True),
            Column(self.a),
            Column(self.b),
            Column("difference"),
            Column("judged documents", is_text=True),
        )
        rows = tuple(
            (move.query, move.before, move.after, move.difference, "; ".join(map(document_line, relevant(move))))
            for move in (*self.helped, *self.hurt)
        )
        return Table(columns, rows, f"{self.measure}, from {self.a} to {self.b}")

    def to_polars(self) -> polars.DataFrame:
        """One row a query and judged document."""
        import polars

        return polars.DataFrame(
            [
                (move.query, move.before, move.after, *document)
                for move in (*self.helped, *self.hurt)
                for document in move.documents
            ],
            schema=["query_id", self.a, self.b, "doc_id", "grade", "rank_before", "rank_after"],
            orient="row",
        )


def relevant(move: Move) -> list[Document]:
    """The documents that the score is made of."""
    return [each for each in move.documents if each.grade > 0]


def document_line(document: Document) -> str:
    """A document and its ranks in words."""
    before, after = ("–" if rank is None else str(rank) for rank in (document.before, document.after))
    return f"{printable(document.document)} (grade {document.grade:g}): rank {before} → {after}"
