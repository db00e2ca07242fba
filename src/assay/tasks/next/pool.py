"""`JudgmentPool`: the pairs to judge, kept up to date while they are judged.

It is built once from the runs. A judgment then changes one entry of a few arrays, and the next pair and the settlement
are found without starting over.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice, pairwise, product
from typing import Any, NamedTuple

import numpy as np

from assay.core.errors import MeasureError, PolicyError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.policies import check_whole
from assay.core.text import EMPTY_ID, show
from assay.tasks.next.additive import ROUNDING, Settlement, check_grade, settle
from assay.tasks.next.collect import Compared, Pairs

ORDERS = ("worth", "against", "depth", "random", "votes")
# Votes that a pair should get, where those with the fewest come first.
WANTED = 3
# Rows that are looked at together.
BLOCK = 1 << 12
# Random orders that are remembered, one per seed.
MOST_ORDERS = 16


class PairToJudge(NamedTuple):
    """A document to judge for a query.

    `worth` is how far its judgment can move the difference of the two runs, per query; None if no measure tells.
    `rank` is its best rank over the runs.
    """

    query: str
    document: str
    worth: float | None
    rank: int


class JudgmentPool:
    """The pairs of a pool with their judgments so far: what to judge next, and whether that can change anything.

    `depth` bounds the pool; by worth, documents further down are judged too if the measure sees them. `reason` says
    why there is no settlement, if there is none.
    """

    def __init__(self, pairs: Pairs, depth: int, compared: Compared | None, reason: str = "") -> None:
        self.pairs, self.depth, self.compared, self.reason = pairs, depth, compared, reason
        self._numbers = {query: number for number, query in enumerate(pairs.queries)}
        self._is_judged: BoolArray = ~np.isnan(pairs.grade)
        self._votes = self._is_judged.astype(np.int32)
        self._known: OrderedDict[tuple[str, int], IntArray] = OrderedDict()
        self._settlement: Settlement | None = None
        # Numbers of 16 bits are sorted by their digits.
        best = pairs.best.astype(np.uint16) if pairs.best.max(initial=0) < 1 << 16 else pairs.best
        by_rank = np.argsort(best, kind="stable").astype(np.int32)
        self._by_depth = by_rank[: np.count_nonzero(pairs.best <= depth)]
        # The pairs that can move the difference, the largest move first, and of equal ones the best rank.
        by_rank = by_rank[pairs.coefficient[by_rank] != 0]
        self._movers = by_rank[np.argsort(-np.abs(pairs.coefficient[by_rank]), kind="stable")]
        self._place = np.full(len(pairs), -1, dtype=np.int32)
        self._place[self._movers] = np.arange(len(self._movers))
        # What each of them adds to the difference, and how far it can still move it.
        self._added, self._down, self._up = (np.zeros(len(self._movers)) for _ in range(3))
        if compared is not None:
            gained = np.zeros(len(pairs))
            known, places = np.unique(pairs.grade[self._is_judged], return_inverse=True)
            gained[self._is_judged] = compared.additive.check_gains(known)[places]
            self._set_moves(slice(None), gained[self._movers], ~self._is_judged[self._movers])
            self._largest = max(map(abs, compared.additive.bounds))
            self._rounding = ROUNDING * self._largest * float(np.abs(pairs.coefficient).sum())
            # What a sum over queries is divided by.
            is_mean = compared.additive.measure.definition.aggregate == "mean"
            self._per = max(pairs.counted, 1) if is_mean else 1

    def __len__(self) -> int:
        """How many pairs there are, judged or not."""
        return len(self.pairs)

    def __repr__(self) -> str:
        left = len(self.pairs) - int(self._is_judged.sum())
        return f"<JudgmentPool: {len(self.pairs):,} pairs of {len(self.pairs.queries):,} queries, {left:,} to judge>"

    def find(self, query: str, document: str) -> int | None:
        """The row of a pair; None if it is not in the pool."""
        first, last = self._range(str(query))
        wanted = (str(document) or EMPTY_ID).encode(errors="surrogatepass")
        places = pairwise(self.pairs.offsets[first : last + 1].tolist())
        found = (row for row, place in enumerate(places, start=first) if self.pairs.text[slice(*place)] == wanted)
        return next(found, None)

    def _range(self, query: str) -> tuple[int, int]:
        """The rows of a query: the first, and the one after the last."""
        number = self._numbers.get(query)
        return (0, 0) if number is None else (int(self.pairs.starts[number]), int(self.pairs.starts[number + 1]))

    def judge(
        self, query: str, document: str, grade: float | None, *, votes: int | None = None, is_final: bool = True
    ) -> bool:
        """Takes a judgment in, or with None takes it back; `votes` is how many there are on the pair.

        A grade that is not final counts, but may still become any other: further votes are to come. A pair outside the
        pool changes nothing; whether it is inside is what is returned.
        """
        row = self.find(query, document)
        gained = 0.0
        if grade is not None:
            grade = check_grade("grade", grade)
            if self.compared is not None:
                gained = float(self.compared.additive.check_gains(np.array([grade]))[0])
        if votes is not None:
            check_whole("votes", votes, 0)
        if row is None:
            return False
        self.pairs.grade[row] = np.nan if grade is None else grade
        self._is_judged[row] = grade is not None
        if (place := int(self._place[row])) >= 0:
            self._set_moves(slice(place, place + 1), np.array([gained]), np.array([grade is None or not is_final]))
        self._votes[row] = max(self._votes[row], 1) * (grade is not None) if votes is None else votes
        return True

    def count_votes(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Takes in how many votes there are on pairs; those outside the pool change nothing."""
        for (query, document), votes in counts.items():
            number = check_whole("counts", votes, 0)
            if (row := self.find(query, document)) is not None:
                self._votes[row] = number

    def set_judged_votes(self, votes: int) -> None:
        """Says that every pair that is judged has so many votes."""
        self._votes[self._is_judged] = check_whole("votes", votes, 1)

    def next(
        self,
        order: str = "worth",
        *,
        most: int = 1,
        skip: Collection[tuple[str, str]] = (),
        seed: int = 0,
        wanted: int | None = None,
    ) -> list[PairToJudge]:
        """The first pairs still to judge in an order, without those in `skip`.

        `seed` is that of a random order. Pairs with fewer than `wanted` votes are still to judge: by default those
        without any, in the order of votes those with fewer than 3. A judged pair has at least one vote.
        """
        pairs = (self.pair(int(row)) for block in self._open_rows(order, seed, wanted) for row in block)
        return list(islice((pair for pair in pairs if not skip or pair[:2] not in skip), most))

    def count_judged(self, query: str | None = None) -> tuple[int, int]:
        """How many pairs are judged, and how many there are: of all queries or of one."""
        if query is None:
            return int(self._is_judged.sum()), len(self.pairs)
        first, last = self._range(query)
        return int(self._is_judged[first:last].sum()), last - first

    def count_open(self, wanted: int = 1) -> int:
        return int((self._votes < wanted).sum())

    def rows(self, order: str = "worth", *, seed: int = 0, wanted: int | None = None) -> IntArray:
        """The rows of all pairs still to judge, in an order."""
        blocks = list(self._open_rows(order, seed, wanted))
        return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int32)

    def pair(self, row: int) -> PairToJudge:
        worth = None if self.compared is None else abs(float(self.pairs.coefficient[row])) * self._largest / self._per
        return PairToJudge(self.pairs.query(row), self.pairs.document(row), worth, int(self.pairs.best[row]))

    def _open_rows(self, order: str, seed: int, wanted: int | None) -> Iterator[IntArray]:
        """The rows still to judge, in blocks."""
        check_order(order)
        if order in ("worth", "against") and self.compared is None:
            raise MeasureError(f"cannot order by worth: {self.reason}")
        most = check_whole("wanted", (WANTED if order == "votes" else 1) if wanted is None else wanted, 1)
        rows = self._ordered({"votes": "depth", "against": "worth"}.get(order, order), seed)
        # Which rows speak for the run that is behind; all do if none is.
        settlement = self.settlement if order == "against" else None
        sign = 0.0 if settlement is None else np.sign(settlement.difference)
        levels = [(level, level + 1) for level in range(most)] if order == "votes" else [(0, most)]
        for (least, below), side in product(levels, (True, False) if order == "against" else (None,)):
            for start in range(0, len(rows), BLOCK):
                block = rows[start : start + BLOCK]
                is_open = (self._votes[block] >= least) & (self._votes[block] < below)
                if side is not None:
                    is_open &= ((self.pairs.coefficient[block] * sign < 0) | (sign == 0)) == side
                yield block[is_open]

    def _ordered(self, order: str, seed: int) -> IntArray:
        """All rows in an order, judged or not."""
        key = order, seed if order == "random" else 0
        if key not in self._known:
            if order == "random":
                rows = np.random.default_rng(check_whole("seed", seed, 0)).permutation(self._by_depth)
            elif order == "depth":
                rows = self._by_depth
            else:
                # Those that move nothing come last.
                rows = np.concatenate((self._movers, self._by_depth[self._place[self._by_depth] < 0]))
            self._known[key] = rows
            if len(self._known) > MOST_ORDERS:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def _set_moves(self, places: slice, gained: FloatArray, is_open: BoolArray) -> None:
        """Takes in what some of the pairs that can move the difference gained, and whether that may still change."""
        if self.compared is None:
            return
        low, high = self.compared.additive.bounds
        coefficient = self.pairs.coefficient[self._movers[places]]
        self._added[places] = coefficient * gained
        one, other = coefficient * (high - gained) * is_open, coefficient * (low - gained) * is_open
        self._down[places], self._up[places] = -np.minimum(one, other), np.maximum(one, other)
        self._settlement = None

    @property
    def settlement(self) -> Settlement | None:
        """How far judgments can still move the difference of the two runs; None if `reason` says why not."""
        if self.compared is None:
            return None
        if self._settlement is None:
            _, measure, a, b = self.compared
            how: dict[str, Any] = {"rounding": self._rounding, "queries": self.pairs.counted, "per": self._per}
            moves = self._down, self._up
            self._settlement = settle(float(self._added.sum()), *moves, measure=measure, a=a, b=b, **how)
        return self._settlement


def check_order(order: str) -> None:
    if order not in ORDERS:
        raise PolicyError(f"unknown order {show(order)}; choose one of {', '.join(ORDERS)}")
