"""What changed between two runs: the queries that gained and lost most, and the ranks of their judged documents."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import MeasureError
from assay.core.policies import check_whole
from assay.core.text import count, printable
from assay.data.source import describe
from assay.render import Column, Exports, Table, finite, json_fields, render
from assay.results.align import shared_means
from assay.stats.paired import differences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    import polars
    from numpy.typing import NDArray

    from assay._kernel import Progress
    from assay.core.judged import Judged
    from assay.core.signature import Signature
    from assay.results.result import Result
    from assay.results.results import Results
    from assay.tasks.evaluate.api import PolicyGroup, Scorer

# Relevant documents shown per query; exports for programs have all judged documents.
MOST_SHOWN = 10


class Document(NamedTuple):
    """A judged document with its rank before and after; None if it was not retrieved."""

    document: str
    grade: float
    before: int | None
    after: int | None


class Move(NamedTuple):
    """A query's score before and after, and its judged documents.

    `before` is None if there is nothing to compare with, and `ranked_before` says whether the earlier ranks are known.
    """

    query: str
    before: float | None
    after: float
    documents: tuple[Document, ...]
    ranked_before: bool = True

    @property
    def difference(self) -> float:
        """How much the score changed; NaN without an earlier one."""
        return math.nan if self.before is None else self.after - self.before

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.query}  {self.after:.4f}"
        return f"{self.query}  {self.before:.4f} → {self.after:.4f}  ({self.difference:+.4f})"

    def to_dict(self) -> dict[str, Any]:
        """The query as JSON has it, with all its judged documents; those whose earlier rank is unknown have none."""
        scores = {"before": self.before, "after": self.after, "difference": self.difference}
        documents = [document._asdict() for document in self.documents]
        for document in documents if not self.ranked_before else ():
            del document["before"]
        numbers = {name: finite(value) for name, value in scores.items()}
        return {"query": self.query, **numbers, "documents": documents}


class Ranks(NamedTuple):
    """The judged documents that each run retrieved.

    `hits` has, by run and measure, the numbers of these documents among all judged ones, and their ranks under the
    policies of the measure.
    """

    scorer: Scorer
    hits: Mapping[tuple[str, str], tuple[NDArray[np.uint32], NDArray[np.uint32]]]

    def documents(self, query: str, measure: str, a: str, b: str) -> tuple[Document, ...]:
        """A query's judged documents, highest grade first, with their ranks in both runs."""
        qrels = self.scorer.qrels
        index = qrels.index_under(self.scorer.measures[measure].policies.duplicates)
        grades = np.frombuffer(index.grades())
        number = qrels.number(query)
        judged = range(qrels.index_starts[number], qrels.index_starts[number + 1])
        before, after = (self._ranks(run, measure, judged) for run in (a, b))
        documents = [
            Document(index.document(each), float(grades[each]), before.get(each), after.get(each)) for each in judged
        ]
        return tuple(sorted(documents, key=lambda each: -each.grade))

    def _ranks(self, run: str, measure: str, judged: range) -> dict[int, int]:
        """The ranks of some documents by number; the first rank of one that was retrieved more than once."""
        documents, ranks = self.hits[run, measure]
        places = np.flatnonzero((documents >= judged.start) & (documents < judged.stop))[::-1]
        return dict(zip(documents[places].tolist(), ranks[places].tolist(), strict=True))


def read_runs(
    scorer: Scorer,
    runs: Mapping[str, object],
    *,
    format: str | None = None,
    watch: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext(),
) -> tuple[dict[str, Result], Ranks]:
    """The result of each run and the ranks of its judged documents; `watch` shows the progress of reading each."""
    results, hits = {}, {}

    def keep(name: str, group: PolicyGroup, judged: Judged) -> None:
        found = judged.hits.document.astype(np.uint32), judged.hits.rank.astype(np.uint32)
        hits.update({(name, measure): found for measure in group.measures})

    for name, run in runs.items():
        with watch(describe(run)) as progress:
            read = scorer.read(run, format=format, progress=progress)
            results[name] = scorer.score(read, keep=partial(keep, name))
    return results, Ranks(scorer, hits)


@dataclass(frozen=True, repr=False, eq=False)
class Moves(Exports):
    """The queries that changed most between two runs: those helped, then those hurt.

    `means` are over the queries with a value in both runs, and `counts` says how many of them are better, the same and
    worse; `left_out` counts the others.
    """

    measure: str
    runs: tuple[str, str]
    means: tuple[float, float]
    counts: tuple[int, int, int]
    helped: tuple[Move, ...]
    hurt: tuple[Move, ...]
    signature: Signature
    left_out: int = 0

    def __repr__(self) -> str:
        return printable(f"<Moves: {self.title}>")

    def __str__(self) -> str:
        parts = [*move_lines("most helped", self.helped), *move_lines("most hurt", self.hurt)]
        return "\n".join([printable(self.title), *parts, "", printable(self.signature.short)])

    @property
    def title(self) -> str:
        """The measure and the runs in a line."""
        before, after = self.means
        better, same, worse = self.counts
        queries = f"{count(better, 'query', 'queries')} better, {same:,} the same, {worse:,} worse"
        queries += f"; {self.left_out:,} left out (no value in one of the runs)" if self.left_out else ""
        return f"{self.measure}, from {self.runs[0]} to {self.runs[1]}: {before:.4f} → {after:.4f}; {queries}"

    def table(self) -> Table:
        """One row per query."""
        names = ("query", "before", "after", "difference", "relevant documents")
        rows = tuple(
            (move.query, move.before, move.after, move.difference, "; ".join(document_lines(move)))
            for move in (*self.helped, *self.hurt)
        )
        columns = tuple(Column(name, is_text=name in (names[0], names[-1])) for name in names)
        return Table(columns, rows, self.title, (self.signature.short,))

    def to_latex(self) -> str:
        """A LaTeX table in booktabs style."""
        return render(self.table()._replace(notes=(self.signature.summary,)), "latex")

    def to_polars(self) -> polars.DataFrame:
        """One row per query and judged document."""
        import polars

        text_, number, rank = polars.String, polars.Float64, polars.Int64
        schema = {"query_id": text_, "before": number, "after": number, "doc_id": text_, "grade": number}
        return polars.DataFrame(
            [
                (move.query, move.before, move.after, *document)
                for move in (*self.helped, *self.hurt)
                for document in move.documents
            ],
            schema={**schema, "rank_before": rank, "rank_after": rank},
            orient="row",
        )

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the queries with all their judged documents."""
        return json_fields("diff") | {
            "signature": str(self.signature),
            "measure": self.measure,
            **dict(zip(("a", "b"), self.runs, strict=True)),
            **dict(zip(("mean_a", "mean_b"), map(finite, self.means), strict=True)),
            **dict(zip(("wins", "ties", "losses"), self.counts, strict=True)),
            "left_out": self.left_out,
            "helped": [move.to_dict() for move in self.helped],
            "hurt": [move.to_dict() for move in self.hurt],
        }


def find_moves(results: Results, ranks: Ranks | None, measure: str, runs: tuple[str, str], top: int) -> Moves:
    """The queries most helped and most hurt from the first run to the second, up to `top` of each."""
    check_whole("top", top, 1)
    before, after = (results[name] for name in runs)
    key = before.key(measure)
    if before.measures[key].definition.corpus is not None:
        raise MeasureError(f"{key} is one number for all queries; it has no values per query that could change")
    sign = 1 if before.measures[key].definition.higher_is_better else -1
    moved = sign * differences_of(before.scores[key], after.scores[key])
    # A NaN sorts last in both directions.
    helped = [number for number in np.argsort(-moved, kind="stable") if moved[number] > 0]
    hurt = [number for number in np.argsort(moved, kind="stable") if moved[number] < 0]

    def move(number: int) -> Move:
        query = before.queries[number]
        documents = () if ranks is None else ranks.documents(query, key, *runs)
        return Move(query, float(before.scores[key][number]), float(after.scores[key][number]), documents)

    counts = (len(helped), int((moved == 0).sum()), len(hurt))
    most = (tuple(map(move, helped[:top])), tuple(map(move, hurt[:top])))
    mean_before, mean_after = shared_means((before, after), key)
    signature, left_out = before.only([key]).signature, int(np.isnan(moved).sum())
    return Moves(key, runs, (mean_before, mean_after), counts, *most, signature, left_out)


def move_lines(title: str, moves: tuple[Move, ...]) -> list[str]:
    """Queries and their documents, one line each."""
    lines = ["", f"{title}:" if moves else f"{title}: none"]
    for move in moves:
        lines.append(f"  {printable(str(move))}")
        lines += [f"      {line}" for line in document_lines(move)]
    return lines


def document_lines(move: Move, most: int = MOST_SHOWN) -> list[str]:
    """The relevant documents, the highest grades first."""
    relevant = [each for each in move.documents if each.grade > 0]
    if not move.ranked_before:
        relevant = [each._replace(before=each.after) for each in relevant]
    more = len(relevant) - most
    return [*map(document_line, relevant[:most]), *([f"and {more:,} more"] if more > 0 else [])]


def document_line(document: Document) -> str:
    """A document with its ranks before and after."""
    before, after = ("not retrieved" if rank is None else f"rank {rank}" for rank in (document.before, document.after))
    ranks = before if before == after else f"{before} → {after.removeprefix('rank ') if document.before else after}"
    return f"{printable(document.document)} (grade {document.grade:g}): {ranks}"
