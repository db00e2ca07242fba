"""What changed between two runs: the queries that gained and lost most, and the ranks of their judged documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import MeasureError
from assay.core.policies import check_whole
from assay.core.text import count, printable
from assay.render import Column, Exports, Table, finite, json_fields, render
from assay.results.align import shared_means
from assay.stats.differences import differences_of
from assay.tasks.compare.ranks import Move, document_lines, move_lines, query_cell

if TYPE_CHECKING:
    import polars

    from assay.core.signature import Signature
    from assay.results.results import Results
    from assay.tasks.compare.ranks import Ranks

# Documents shown per query; exports for programs have all judged documents.
MOST_SHOWN = 10


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
        parts = [*section("most helped", self.helped), *section("most hurt", self.hurt)]
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
        names = ("query", "before", "after", "difference", "documents")
        rows = tuple(
            (
                query_cell(move),
                move.before,
                move.after,
                move.difference,
                "; ".join(document_lines(move, MOST_SHOWN)),
            )
            for move in (*self.helped, *self.hurt)
        )
        columns = tuple(Column(name, is_text=name in (names[0], names[-1])) for name in names)
        return Table(columns, rows, self.title, (self.signature.short,))

    def to_latex(self, *, digits: int | None = None, caption: str | None = None, label: str | None = None) -> str:
        """A LaTeX table in booktabs style."""
        table = self.table()._replace(notes=(self.signature.summary,))
        return render(table.styled(digits, caption, label), "latex")

    def to_polars(self) -> polars.DataFrame:
        """One row per query and judged document."""
        import polars

        text_, number, rank = polars.String, polars.Float64, polars.Int64
        schema = {"query_id": text_, "before": number, "after": number, "doc_id": text_, "grade": number}
        return polars.DataFrame(
            [
                (move.query, move.before, move.after, *document[:5])
                for move in (*self.helped, *self.hurt)
                for document in move.documents
            ],
            schema={**schema, "rank_before": rank, "rank_after": rank, "contribution": number},
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


def find_moves(
    results: Results,
    ranks: Ranks | None,
    measure: str,
    runs: tuple[str, str],
    top: int,
    *,
    queries: object = None,
    corpus: object = None,
) -> Moves:
    """The queries most helped and most hurt from the first run to the second, up to `top` of each.

    `queries` and `corpus` are the questions and the passages to show, in any form.
    """
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
    if queries is not None or corpus is not None:
        from assay.tasks.compare.passages import Changed, add_texts

        first, second = add_texts([Changed(each, key, *runs) for each in most], ranks, queries, corpus)
        most = (first, second)
    mean_before, mean_after = shared_means((before, after), key)
    signature, left_out = before.only([key]).signature, int(np.isnan(moved).sum())
    return Moves(key, runs, (mean_before, mean_after), counts, *most, signature, left_out)


def section(title: str, moves: tuple[Move, ...]) -> list[str]:
    """Queries and their documents, one line each."""
    lines = ["", f"{title}:" if moves else f"{title}: none"]
    return [*lines, *(f"  {line}" for move in moves for line in move_lines(move, MOST_SHOWN))]
