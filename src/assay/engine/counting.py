"""Ranks without the whole run in one place: counts add up.

A run that is in parts, on several machines or in several files, is ranked in two passes over its parts. `FindingPass`
finds the judged documents with their scores; `Counting` counts for each of them how many rows score higher, how many
tie and which of those come first. Both have three methods: `partial` turns some rows into bytes where they are, `merge`
adds such bytes up in any order and grouping, and `finish` makes of them what the pass is for: a `Counted` in the end,
from which each run gets its `CountedRanking`. Rows are frames with columns `query_id`, `doc_id` and `value`, and `run`
and `order` where a run has a name or the place of a row counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import polars

from assay._kernel import Counter
from assay.core.errors import DataError, DuplicateError
from assay.core.judged import IntArray, integers
from assay.core.policies import Policies
from assay.core.text import show
from assay.engine.counted import COUNTS, FACTS, HITS, SPREAD, TOTALS, Counted, Schema, shaped
from assay.engine.kernel import kernel_options

# The slots of a gap between judged documents; see kernel/src/rank/levels.rs.
SLOTS = 4
TIED_BELOW, BETWEEN, TIED_ABOVE, ITSELF = range(SLOTS)
# The slot of rows whose ranking has no judged document.
NO_SLOT = -1
# What was counted in a way: the rows of a slot, or those of a ranking without judged documents.
STATE: Schema = {
    "way": polars.Int32,
    "slot": polars.Int64,
    **dict.fromkeys(("run", "query_id"), polars.String),
    **dict.fromkeys(("rows", "excluded"), polars.Int64),
}


class Way(NamedTuple):
    """One way to compare rows: policies, what measures need, the number of the kernel's options, the rule of ties."""

    policies: Policies
    needs: frozenset[str]
    number: int
    by_order: bool

    @property
    def is_given(self) -> bool:
        """Whether rows are ranked by their place, whatever their scores."""
        return self.policies.order == "given"

    @property
    def excludes(self) -> bool:
        return self.policies.exclude == "query_id"

    @property
    def last(self) -> str:
        """The column that decides among equal scores."""
        return "order" if self.by_order else "doc_id"


def ways_of(groups: Iterable[Any]) -> list[Way]:
    """The ways to compare that the groups of a plan ask for, each once."""
    ways: dict[tuple[int, bool], Way] = {}
    for group in groups:
        by_order = uses_order(group.policies)
        ways.setdefault((group.number, by_order), Way(group.policies, group.needs, group.number, by_order))
    return list(ways.values())


def uses_order(policies: Policies) -> bool:
    """Whether ranks depend on the place of rows in the run."""
    return policies.order == "given" or policies.ties in ("input", "quicksort")


class FindingPass:
    """The first pass: the rows of judged documents.

    `judged` has columns `query_id` and `doc_id`. With `foreign`, what only other queries judged is found too.
    """

    def __init__(self, judged: polars.DataFrame, *, foreign: bool = False) -> None:
        self.on = ["doc_id"] if foreign else ["query_id", "doc_id"]
        self.judged = judged.select(self.on).unique()

    def partial(self, rows: Any) -> bytes:  # noqa: ANN401 - any Arrow frame
        """The rows of judged documents among some."""
        return to_bytes(polars.DataFrame(rows).join(self.judged, on=self.on, how="semi"))

    def merge(self, states: Iterable[bytes]) -> bytes:
        return to_bytes(polars.concat(map(from_bytes, states)))

    def finish(self, state: bytes) -> polars.DataFrame:
        """The rows of judged documents; raises if a ranking has one twice."""
        return check_distinct(from_bytes(state))


def check_distinct(found: polars.DataFrame) -> polars.DataFrame:
    """The rows of judged documents; raises if a ranking has one twice."""
    keys = [name for name in ("run", "query_id", "doc_id") if name in found.columns]
    twice = found.filter(found.select(keys).is_duplicated())
    if len(twice):
        first = twice.sort(keys).row(0, named=True)
        raise DuplicateError(
            f"the run: query {show(first['query_id'])} lists document {show(first['doc_id'])} more than once; remove "
            'the duplicates, or keep one with duplicates="first" or "last" (--policy duplicates=first or last)'
        )
    return found


class Counting:
    """The second pass: counts rows against the judged documents that the first one found."""

    def __init__(self, found: polars.DataFrame, ways: Sequence[Way]) -> None:
        self.ways = ways
        self.levels = [Levels(found, way) for way in ways]

    def partial(self, rows: Any) -> bytes:  # noqa: ANN401 - any Arrow frame
        """What the kernel counts of some rows in each way: the counts that are not 0."""
        parts = []
        for number, (levels, way) in enumerate(zip(self.levels, self.ways, strict=True)):
            counter = Counter(levels.frame, kernel_options(way.policies, way.needs), by_order=way.by_order)
            counter.add(rows)
            state: Any = counter.state()
            slots = {"slot": integers(state["slot"]), "rows": integers(state["count"])}
            others = {"query_id": state["query_id"], "slot": [NO_SLOT] * len(state["query_id"])}
            others |= {name: integers(state[name]) for name in ("rows", "excluded")}
            others |= {"run": state["run"]} if state["run"] else {}
            frames = [shaped(polars.DataFrame(each), STATE) for each in (slots, others)]
            parts += [frame.with_columns(polars.lit(number, polars.Int32).alias("way")) for frame in frames]
        return to_bytes(polars.concat(parts))

    def merge(self, states: Iterable[bytes]) -> bytes:
        keys = ["way", "slot", "run", "query_id"]
        state = polars.concat(map(from_bytes, states))
        return to_bytes(state.group_by(keys, maintain_order=True).agg(polars.col("rows", "excluded").sum()))

    def finish(self, state: bytes) -> Counted:
        return self.count(from_bytes(state))

    def count(self, state: polars.DataFrame) -> Counted:
        ways = zip(self.levels, self.ways, strict=True)
        parts = [levels.count(way, state.filter(way=number)) for number, (levels, way) in enumerate(ways)]
        return Counted.join(parts)


class Levels:
    """The found documents of each ranking, from low to high as a way compares them; see kernel/src/rank/levels.rs.

    `ranking` is the number of each level's ranking, `first` and `end` are where the levels of each begin and end, and
    `first_slot` is where its slots do: there is a gap more than there are levels.
    """

    def __init__(self, found: polars.DataFrame, way: Way) -> None:
        kept = found.filter(polars.col("query_id") != polars.col("doc_id")) if way.excludes else found
        is_single = way.policies.precision == "float32"
        shown = polars.col("value").cast(polars.Float32).cast(polars.Float64) if is_single else polars.col("value")
        # Zeros of both signs are the same.
        compared = polars.lit(0.0) if way.is_given else shown + 0.0
        self.keys = [name for name in ("run", "query_id") if name in found.columns]
        places = [*self.keys, "compared", way.last]
        self.frame = kept.with_columns(score=shown, compared=compared).sort(places)
        if way.by_order and (twice := self.frame.select(places).is_duplicated()).any():
            raise place_error(self.frame.filter(twice)["query_id"][0])
        numbers = self.frame.select(polars.struct(self.keys).rle_id()).to_series()
        self.ranking: IntArray = numbers.to_numpy().astype(np.int64)
        self.first = np.flatnonzero(np.diff(self.ranking, prepend=-1))
        self.end = np.append(self.first[1:], len(self.ranking)) if len(self.ranking) else self.first
        self.first_slot = SLOTS * (self.first + np.arange(len(self.first)))

    def count(self, way: Way, state: polars.DataFrame) -> Counted:
        """The ranks of the levels, from sums of slots; and what is known of every ranking."""
        is_slot = polars.col("slot") != NO_SLOT
        counted = state.filter(is_slot)
        rows = np.zeros(SLOTS * (len(self.ranking) + len(self.first)), dtype=np.int64)
        slots = counted["slot"].to_numpy()
        if slots.max(initial=-1) >= len(rows):
            raise DataError("these counts belong to other judged documents; merge only counts of one pass")
        np.add.at(rows, slots, counted["rows"].to_numpy())
        seen, place = np.cumsum(rows), np.arange(len(self.ranking))
        first, last = self.tie_bounds()
        # Where the gap below each level, its tie and what is above this begin.
        gap, tie, above = (SLOTS * (each + self.ranking) for each in (place, first, last + 1))
        if len(counted):
            self.check_unchanged(way, rows[gap + ITSELF])
        whole = seen[SLOTS * (self.end[self.ranking] + self.ranking) + TIED_ABOVE]
        before = seen[gap + TIED_ABOVE] - seen[tie + BETWEEN]
        columns = {
            "higher": whole - seen[above + TIED_BELOW],
            "tied": seen[above + TIED_BELOW] - seen[tie + BETWEEN] - 1,
            "before_descending": seen[above + TIED_BELOW] - seen[gap + ITSELF],
            "before_ascending": before,
            "before_input": before,
        }
        return self.counted(way, columns, self.ranking_facts(rows, seen, state.filter(~is_slot)))

    def tie_bounds(self) -> tuple[IntArray, IntArray]:
        """The first and the last level that ties with each, itself included."""
        is_new = np.ones(len(self.ranking), dtype=np.bool_)
        score = self.frame["compared"].to_numpy()
        # Infinite scores are equal, though their difference is not a number.
        is_new[1:] = (score[1:] != score[:-1]) | (np.diff(self.ranking) != 0)
        starts = np.flatnonzero(is_new)
        sizes = np.diff(starts, append=len(is_new))
        first = np.repeat(starts, sizes)
        return first, first + np.repeat(sizes, sizes) - 1

    def check_unchanged(self, way: Way, itself: IntArray) -> None:
        """Every judged document that the first pass found must be there in the second, once."""
        if (itself == 1).all():
            return
        surplus = np.add.reduceat(itself - 1, self.first)
        # With the place of a judged document, another one is taken for it.
        if way.by_order and (surplus > 0).any():
            raise place_error(self.frame["query_id"][int(self.first[np.argmax(surplus > 0)])])
        raise DataError(
            "the run gave other rows when it was read again; write it to a file or cache it first, so that both "
            "passes see the same"
        )

    def ranking_facts(self, rows: IntArray, seen: IntArray, others: polars.DataFrame) -> polars.DataFrame:
        """How many rows each ranking has, and how many were left out."""
        begin, end = self.first_slot, SLOTS * (self.end + np.arange(len(self.end)))
        ranked = self.frame[self.first].select(
            *self.keys,
            polars.Series("retrieved", seen[end + TIED_ABOVE] - seen[begin] + rows[begin]),
            polars.Series("excluded", rows[end + ITSELF]),
        )
        ranked = ranked.filter(polars.col("retrieved") + polars.col("excluded") > 0)
        return polars.concat([ranked, others.select(*self.keys, "excluded", retrieved="rows")], how="diagonal")

    def counted(self, way: Way, counts: dict[str, IntArray], facts: polars.DataFrame) -> Counted:
        """What was counted in a way; columns that it does not know are 0."""
        unknown = ("before_descending", "before_ascending") if way.by_order else ("before_input",)
        score = self.frame["score"]
        if way.is_given:
            counts = {"higher": counts["before_ascending"]}
            score = polars.Series("score", -counts["higher"].astype(np.float64))
        known = {name: each for name, each in counts.items() if name not in unknown}
        number, zeros = polars.lit(way.number).alias("number"), np.zeros(len(score), dtype=np.int64)
        ranks = [polars.Series(name, known.get(name, zeros)) for name in COUNTS]
        facts = facts.with_columns(number, repeats=0, **dict.fromkeys(SPREAD, np.nan))
        totals = facts.group_by("run" if "run" in self.keys else "number").agg(polars.col("excluded").sum())
        return Counted(
            shaped(facts, FACTS),
            shaped(self.frame.select(*self.keys, "doc_id", number, score, *ranks), HITS),
            shaped(totals.with_columns(number), TOTALS),
        )


def place_error(query: str) -> DataError:
    return DataError(
        f"query {show(query)} has two rows with the same number in the order column; every row of a query needs its own"
    )


def to_bytes(frame: polars.DataFrame) -> bytes:
    file = BytesIO()
    frame.write_ipc(file, compression="zstd")
    return file.getvalue()


def from_bytes(content: bytes) -> polars.DataFrame:
    return polars.read_ipc(BytesIO(content))
