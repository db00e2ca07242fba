"""`NextJudgments`: the pairs to judge next, and whether judging them can still change which run is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from assay.core.judged import IntArray
from assay.core.text import count
from assay.render import Column, Exports, Table, finite, json_fields
from assay.render.export import render
from assay.tasks.next.additive import Settlement
from assay.tasks.next.pool import JudgmentPool, PairToJudge

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

    def __init__(self, pool: JudgmentPool, order: str, rows: IntArray, most: int | None = None) -> None:
        self.pool, self.order, self._rows = pool, order, rows
        self.pairs = PairsToJudge(pool, rows[:most])
        self.settlement: Settlement | None = pool.settlement
        self.reason = pool.reason

    def __repr__(self) -> str:
        return f"<NextJudgments: {len(self.pairs):,} pairs by {self.order}; {self.settlement or self.reason}>"

    def first(self, most: int) -> NextJudgments:
        """The same with the first pairs only."""
        return NextJudgments(self.pool, self.order, self._rows, most)

    @property
    def left(self) -> int:
        """How many pairs are to judge after these."""
        return len(self._rows) - len(self.pairs)

    def table(self) -> Table:
        """One row per pair, in order."""
        columns = [Column("query", is_text=True), Column("document", is_text=True), Column("rank"), Column("worth", 6)]
        rows: list[tuple[Any, ...]] = [(pair.query, pair.document, pair.rank, pair.worth) for pair in self.pairs]
        if self.pool.compared is None:
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        notes = (f"{count(self.left, 'more pair')} to judge",) if self.left else ()
        return Table(tuple(columns), tuple(rows), str(self.settlement or self.reason), notes)

    def __str__(self) -> str:
        shown = self if len(self.pairs) <= MOST_PRINTED else self.first(MOST_PRINTED)
        return render(shown.table(), "table").rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        return json_fields("next") | {
            "order": self.order,
            "settlement": None if self.settlement is None else self.settlement.to_dict(),
            "reason": self.reason,
            "left": self.left,
            "pairs": [
                {"query": each.query, "document": each.document, "rank": each.rank, "worth": finite(each.worth)}
                for each in self.pairs
            ],
        }
