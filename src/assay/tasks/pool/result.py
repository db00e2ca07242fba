"""`NextJudgments`: the pairs to judge next, and whether judging them can still change which run is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from assay.render import Column, Exports, Table, finite, json_fields
from assay.render.export import render

if TYPE_CHECKING:
    from assay.core.judged import IntArray
    from assay.tasks.pool.pool import JudgmentPool, PairToJudge
    from assay.tasks.pool.settle import Settlement

# Pairs that are printed; exports for programs have all.
MOST_PRINTED = 20


class PairsToJudge(Sequence["PairToJudge"]):
    """Pairs in an order, made when they are looked at."""

    def __init__(self, pool: JudgmentPool, rows: IntArray) -> None:
        self._pool, self._rows = pool, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> PairToJudge: ...
    @overload
    def __getitem__(self, place: slice) -> list[PairToJudge]: ...
    def __getitem__(self, place: int | slice) -> PairToJudge | list[PairToJudge]:
        if isinstance(place, slice):
            return [self._pool.pair(row) for row in self._rows[place].tolist()]
        return self._pool.pair(int(self._rows[place]))

    def __repr__(self) -> str:
        return f"<{len(self):,} pairs to judge>"


class NextJudgments(Exports):
    """What to judge next: `pairs`, in `order`, and `settlement`, whether that can change which run is better.

    `settlement` is None if that cannot be told, and `reason` says why. `pool` takes further judgments in.
    """

    def __init__(self, pool: JudgmentPool, order: str, rows: IntArray) -> None:
        self.pool, self.order = pool, order
        self.pairs = PairsToJudge(pool, rows)
        self.settlement: Settlement | None = pool.settlement
        self.reason = pool.reason

    def __repr__(self) -> str:
        return f"<NextJudgments: {len(self.pairs):,} pairs by {self.order}; {self.settlement or self.reason}>"

    def table(self) -> Table:
        """One row per pair, in order."""
        return self.first(len(self.pairs))

    def first(self, most: int) -> Table:
        """A table of the first pairs."""
        has_worth = self.pool.compared is not None
        columns = [Column("query", is_text=True), Column("document", is_text=True), Column("rank")]
        rows: list[tuple[Any, ...]] = [(pair.query, pair.document, pair.rank) for pair in self.pairs[:most]]
        if has_worth:
            columns.append(Column("worth", 6))
            rows = [(*row, pair.worth) for row, pair in zip(rows, self.pairs[:most], strict=True)]
        left = len(self.pairs) - len(rows)
        notes = (f"{left:,} more pairs",) if left else ()
        return Table(tuple(columns), tuple(rows), str(self.settlement or self.reason), notes)

    def __str__(self) -> str:
        return render(self.first(MOST_PRINTED), "table").rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        return json_fields("next") | {
            "order": self.order,
            "settlement": None if self.settlement is None else self.settlement.to_dict(),
            "reason": self.reason,
            "pairs": [
                {"query": each.query, "document": each.document, "rank": each.rank, "worth": finite(each.worth)}
                for each in self.pairs
            ],
        }
