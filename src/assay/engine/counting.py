"""Ranks without the whole run in one place: counts add up.

A run that is in parts, on several machines or in several files, is ranked in two passes over its parts. `Finding` finds
the judged documents with their scores; `Counting` counts for each of them how many rows score higher, how many tie and
which of those come first. Both are an `Engine`: `partial` turns some rows into bytes, `merge` adds such bytes up in any
order and grouping, and `finish` makes the result. Rows are frames with columns `query_id`, `doc_id` and `value`, and
`run` and `order` where a run has a name or the place of a row counts.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
import polars

from assay._kernel import Counter
from assay.core.errors import DataError, DuplicateError
from assay.core.text import show
from assay.engine.counted import Counted
from assay.engine.local import integers, kernel_options

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from assay.core.judged import IntArray
    from assay.core.policies import Policies

Finished = TypeVar("Finished", covariant=True)  # noqa: PLC0105 - the name says what it is
# The slots of a gap between judged documents; see kernel/src/levels.rs.
SLOTS = 4
TIED_BELOW, BETWEEN, TIED_ABOVE, ITSELF = range(SLOTS)
# The slot of rows whose query retrieved no judged document.
NO_SLOT = -1
STATE = {
    "way": polars.Int32,
    "slot": polars.Int64,
    "run": polars.String,
    "query_id": polars.String,
    "rows": polars.Int64,
    "excluded": polars.Int64,
}
SUMMED = ("rows", "excluded")


class Engine(Protocol[Finished]):
    """One pass over a run in parts. States can be merged in any order, on any machine, and merged ones again."""

    def partial(self, rows: Any) -> bytes:  # noqa: ANN401 - any Arrow frame
        """What some rows of the run say."""

    def merge(self, states: Iterable[bytes]) -> bytes:
        """What several parts say together."""

    def finish(self, state: bytes) -> Finished:
        """What all parts say."""


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


def ways_of(groups: Iterable[tuple[Policies, Collection[str], int]]) -> list[Way]:
    """The ways to compare that policies ask for, each once; groups have policies, needs and the kernel's options."""
    ways: dict[tuple[int, bool], Way] = {}
    for policies, needs, number in groups:
        by_order = uses_order(policies)
        ways.setdefault((number, by_order), Way(policies, frozenset(needs), number, by_order))
    return list(ways.values())


def uses_order(policies: Policies) -> bool:
    """Whether ranks depend on the place of rows in the run."""
    return policies.order == "given" or policies.ties in ("input", "quicksort")


class Finding:
    """The first pass: the rows of judged documents.

    `judged` has columns `query_id` and `doc_id`. With `foreign`, what only other queries judged is found too.
    """

    def __init__(self, judged: polars.DataFrame, *, foreign: bool = False) -> None:
        self.on = ["doc_id"] if foreign else ["query_id", "doc_id"]
        self.judged = judged.select(self.on).unique()

    def partial(self, rows: Any) -> bytes:  # noqa: ANN401 - any Arrow frame
        return to_bytes(polars.DataFrame(rows).join(self.judged, on=self.on, how="semi"))

    def merge(self, states: Iterable[bytes]) -> bytes:
        return to_bytes(polars.concat(map(from_bytes, states)))

    def finish(self, state: bytes) -> polars.DataFrame:
        """The rows of judged documents; raises if a ranking has one twice."""
        return check_distinct(from_bytes(state))


class Counting:
    """The second pass: counts rows against the judged documents that the first one found."""

    def __init__(self, found: polars.DataFrame, ways: Sequence[Way]) -> None:
        self.ways = ways
        self.levels = [make_levels(found, way) for way in ways]

    def start(self) -> CountingPart:
        """A part of the run without rows, to which batches can be added."""
        return CountingPart(self)

    def partial(self, rows: Any) -> bytes:  # noqa: ANN401 - any Arrow frame
        part = self.start()
        part.add(rows)
        return to_bytes(part.state())

    def merge(self, states: Iterable[bytes]) -> bytes:
        return to_bytes(add_up(polars.concat(map(from_bytes, states))))

    def finish(self, state: bytes) -> Counted:
        """What was counted, for each run."""
        return self.count(from_bytes(state))

    def count(self, state: polars.DataFrame) -> Counted:
        """What merged parts say."""
        parts = [
            count_way(levels, way, state.filter(polars.col("way") == number))
            for number, (levels, way) in enumerate(zip(self.levels, self.ways, strict=True))
        ]
        return Counted.join(parts)


class CountingPart:
    """The counts of one part of a run, while its rows are read in batches."""

    def __init__(self, counting: Counting) -> None:
        self.counting = counting
        self.counters = [
            Counter(levels, kernel_options(way.policies, way.needs), by_order=way.by_order)
            for levels, way in zip(counting.levels, counting.ways, strict=True)
        ]

    def add(self, rows: Any) -> None:  # noqa: ANN401 - any Arrow frame
        """Counts some rows."""
        for counter in self.counters:
            counter.add(rows)

    def state(self) -> polars.DataFrame:
        """The counts that are not 0."""
        return polars.concat(
            [state_of(counter, number, self.counting.levels[number]) for number, counter in enumerate(self.counters)]
        )


def state_of(counter: Counter, number: int, levels: polars.DataFrame) -> polars.DataFrame:
    """The counts of one way as rows: those of slots, and those of rankings without judged documents."""
    state: Any = counter.state()
    slots, rows = integers(state["slot"]), integers(state["count"])
    rankings = Rankings.of(levels)
    owner = np.searchsorted(rankings.first_slot, slots, side="right") - 1
    counted = levels[rankings.first[owner]].select(
        polars.lit(number, polars.Int32).alias("way"),
        polars.Series("slot", slots - rankings.first_slot[owner]),
        run_of(levels).alias("run"),
        "query_id",
        polars.Series("rows", rows),
        polars.lit(0, polars.Int64).alias("excluded"),
    )
    size = len(state["query_id"])
    others = polars.DataFrame(
        {
            "way": np.full(size, number),
            "slot": np.full(size, NO_SLOT),
            "run": state["run"] or [None] * size,
            "query_id": state["query_id"],
            "rows": integers(state["rows"]),
            "excluded": integers(state["excluded"]),
        },
        schema=STATE,
    )
    return polars.concat([counted, others])


def add_up(state: polars.DataFrame) -> polars.DataFrame:
    """The sums of what several parts counted."""
    keys = [name for name in STATE if name not in SUMMED]
    return state.group_by(keys, maintain_order=True).agg(polars.col(SUMMED).sum())


def check_distinct(found: polars.DataFrame) -> polars.DataFrame:
    """The rows of judged documents; raises if a ranking has one twice."""
    keys = [name for name in ("run", "query_id", "doc_id") if name in found.columns]
    twice = found.filter(found.select(keys).is_duplicated())
    if len(twice):
        first = twice.sort(keys).row(0, named=True)
        raise duplicate_error(first["query_id"], first["doc_id"])
    return found


def duplicate_error(query: str, document: str) -> DuplicateError:
    """The error for a document that a ranking has twice."""
    return DuplicateError(
        f"the run: query {show(query)} lists document {show(document)} more than once; remove the duplicates, or keep "
        'one with duplicates="first" or "last" (--duplicates first or last)'
    )


def make_levels(found: polars.DataFrame, way: Way) -> polars.DataFrame:
    """The found documents of each ranking, from low to high as this way compares them."""
    kept = found
    if way.policies.exclude == "query_id":
        kept = found.filter(polars.col("query_id") != polars.col("doc_id"))
    single = way.policies.precision == "float32"
    shown = polars.col("value").cast(polars.Float32).cast(polars.Float64) if single else polars.col("value")
    # Zeros of both signs are the same.
    compared = polars.lit(0.0) if way.is_given else shown + 0.0
    keys = [name for name in ("run", "query_id") if name in found.columns]
    last = "order" if way.by_order else "doc_id"
    levels = kept.with_columns(score=shown, compared=compared).sort(*keys, "compared", last)
    places = [*keys, "compared", last]
    if way.by_order and levels.select(places).is_duplicated().any():
        raise place_error(levels.filter(levels.select(places).is_duplicated())["query_id"][0])
    return levels


def run_of(levels: polars.DataFrame) -> polars.Expr:
    """The name of each ranking's run; null if runs have none."""
    return polars.col("run") if "run" in levels.columns else polars.lit(None, polars.String)


class Rankings(NamedTuple):
    """The rankings that levels belong to: the number of each level's, and where the levels of each begin and end."""

    number: IntArray
    first: IntArray
    end: IntArray

    @classmethod
    def of(cls, levels: polars.DataFrame) -> Rankings:
        """Levels of a ranking stand together."""
        keys = levels.select(query=polars.col("query_id"), run=run_of(levels))
        number = keys.select(polars.struct("run", "query").rle_id()).to_series().to_numpy().astype(np.int64)
        first = np.flatnonzero(np.diff(number, prepend=-1))
        return cls(number, first, np.append(first[1:], len(number)) if len(number) else first)

    @property
    def first_slot(self) -> IntArray:
        """The first slot of each ranking: there is a gap more than there are levels."""
        return SLOTS * (self.first + np.arange(len(self.first)))

    def slots(self, levels: polars.DataFrame, counted: polars.DataFrame) -> IntArray:
        """The slots of counts among those of all rankings; a state has them within their ranking."""
        starts = (
            levels[self.first]
            .select("query_id", run_of(levels).alias("run"))
            .with_columns(polars.Series("start", self.first_slot))
        )
        keys = ["run", "query_id"]
        placed = counted.join(starts, on=keys, how="left", nulls_equal=True, maintain_order="left")
        if placed["start"].null_count():
            raise DataError("these counts belong to other judged documents; merge only counts of one pass")
        return (placed["slot"] + placed["start"]).to_numpy()


def count_way(levels: polars.DataFrame, way: Way, state: polars.DataFrame) -> Counted:
    """The ranks of the levels of one way, from sums of slots; and what is known of every ranking."""
    rankings = Rankings.of(levels)
    size = len(levels) + len(rankings.first)
    rows = np.zeros(SLOTS * size, dtype=np.int64)
    is_slot = state["slot"] != NO_SLOT
    counted = state.filter(is_slot)
    np.add.at(rows, rankings.slots(levels, counted), counted["rows"].to_numpy())
    seen = np.cumsum(rows)
    place = np.arange(len(levels))
    first, last = tie_bounds(levels, rankings)
    # Where the gap below each level, its tie and its ranking begin or end.
    gap, tie, above = (SLOTS * (each + rankings.number) for each in (place, first, last + 1))
    if len(counted):
        check_unchanged(levels, way, rankings, rows[gap + ITSELF])
    whole = seen[SLOTS * (rankings.end[rankings.number] + rankings.number) + TIED_ABOVE]
    before = seen[gap + TIED_ABOVE] - seen[tie + BETWEEN]
    counts = {
        "higher": whole - seen[above + TIED_BELOW],
        "tied": seen[above + TIED_BELOW] - seen[tie + BETWEEN] - 1,
        "before_descending": seen[above + TIED_BELOW] - seen[gap + ITSELF],
        "before_ascending": before,
        "before_input": before,
    }
    return Counted.of_way(way, levels, counts, ranking_facts(levels, rankings, rows, seen, state.filter(~is_slot)))


def tie_bounds(levels: polars.DataFrame, rankings: Rankings) -> tuple[IntArray, IntArray]:
    """The first and the last level that ties with each, itself included."""
    is_new = np.ones(len(levels), dtype=np.bool_)
    score = levels["compared"].to_numpy()
    # Infinite scores are equal, though their difference is not a number.
    is_new[1:] = (score[1:] != score[:-1]) | (np.diff(rankings.number) != 0)
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=len(levels))
    first = np.repeat(starts, sizes)
    return first, first + np.repeat(sizes, sizes) - 1


def check_unchanged(levels: polars.DataFrame, way: Way, rankings: Rankings, itself: IntArray) -> None:
    """Every judged document that the first pass found must be there in the second, once; Spark only counts them."""
    if (itself == 1).all():
        return
    surplus = np.add.reduceat(itself - 1, rankings.first)
    # With the place of a judged document, another one is taken for it.
    if way.by_order and (surplus > 0).any():
        raise place_error(levels["query_id"][int(rankings.first[np.argmax(surplus > 0)])])
    raise changed_error()


def place_error(query: str) -> DataError:
    """The error for two rows at the same place, where places decide."""
    return DataError(
        f"query {show(query)} has two rows with the same number in the order column; every row of a query needs its own"
    )


def changed_error() -> DataError:
    """The error for a run whose rows differ each time it is read."""
    return DataError(
        "the run gave other rows when it was read again; write it to a file or cache it first, so that both "
        "passes see the same"
    )


def ranking_facts(
    levels: polars.DataFrame, rankings: Rankings, rows: IntArray, seen: IntArray, others: polars.DataFrame
) -> polars.DataFrame:
    """How many rows each ranking has, and how many were left out."""
    number = np.arange(len(rankings.first))
    begin, end = SLOTS * (rankings.first + number), SLOTS * (rankings.end + number)
    size = seen[end + TIED_ABOVE] - seen[begin] + rows[begin]
    ranked = levels[rankings.first].select(
        "query_id",
        polars.Series("retrieved", size, dtype=polars.Int64),
        polars.Series("excluded", rows[end + ITSELF], dtype=polars.Int64),
        run=run_of(levels),
    )
    is_seen = polars.col("retrieved") + polars.col("excluded") > 0
    unranked = others.select("query_id", polars.col("rows").alias("retrieved"), "excluded", "run")
    return polars.concat([ranked.filter(is_seen), unranked])


def to_bytes(frame: polars.DataFrame) -> bytes:
    """A frame as Arrow's IPC bytes."""
    file = BytesIO()
    frame.write_ipc(file, compression="zstd")
    return file.getvalue()


def from_bytes(content: bytes) -> polars.DataFrame:
    """A frame from Arrow's IPC bytes."""
    return polars.read_ipc(BytesIO(content))
