"""The counting pass as Spark SQL: rows stay in the JVM; counts leave it, and rows that tie with judged documents.

The judged documents of a ranking are few, so a small table that every executor gets has them: a row of the run is
joined with those of its ranking, by the hash of ids, a single long, and ids are compared afterwards. If they are very
few, `spark_sums` counts how many rows are above each. Otherwise a row finds its slot among them (see
kernel/src/levels.rs) by binary search in arrays of their scores and of the ids or places that decide among equal ones,
each step a column that Spark compiles. Ranking and slot are then one number, and Spark counts how often each occurs.
Spark compares texts as the kernel does, by the bytes of UTF-8.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import polars

from assay.engine.counting import (
    BETWEEN,
    ITSELF,
    NO_SLOT,
    SLOTS,
    STATE,
    TIED_ABOVE,
    TIED_BELOW,
    Counting,
    add_up,
    run_of,
)
from assay.engine.spark import hash_of, same_value, to_frame, to_spark
from assay.engine.spark_hash import xxhash64
from assay.engine.spark_sums import NO_QUERY, CountedSlots, LevelSums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

    from assay.engine.counting import Way
    from assay.engine.spark import SparkRun

# Entries of the table that every executor gets, for each judgment that it may hold: both are about 32 bytes.
MOST_ENTRIES = 4
# Steps of the searches under all scales, with two for what each scale needs beside them: Java does not compile a method
# of more than 8,000 bytes, and a step by score and one among ties take about 700 together.
MOST_STEPS = 12
# The slots of a row under all scales together are a number of 63 bits.
MOST_KEYS = 1 << 62
KEYS = ("run", "query_id")


class Scale(NamedTuple):
    """How rows are compared: by place or by score, in which precision, and whether the query itself is left out."""

    is_given: bool
    is_single: bool
    excludes: bool
    by_order: bool

    @classmethod
    def of(cls, way: Way) -> Scale:
        policies = way.policies
        return cls(way.is_given, policies.precision == "float32", policies.exclude == "query_id", way.by_order)

    @property
    def last(self) -> str:
        """The column that decides among equal scores."""
        return "order" if self.by_order else "doc_id"

    @property
    def value(self) -> str:
        """The score of a row as it is compared, in SQL; zeros of both signs are the same."""
        if self.is_given:
            return "0D"
        return "(double(float(value)) + 0D)" if self.is_single else "(value + 0D)"


class SparkCounter:
    """Counts the rows of a run against judged documents that were found.

    `queries` are those that have judgments. Rows of others are counted in a pass of their own, if there are any.
    """

    def __init__(self, run: SparkRun, found: polars.DataFrame, ways: Sequence[Way], queries: Sequence[str]) -> None:
        self.run = run
        self.found = found
        self.ways = ways
        self.counting = Counting(found, ways)
        self.scales = list(dict.fromkeys(map(Scale.of, ways)))
        self.keys = [name for name in KEYS if name in run.frame.columns]
        self.levels = [self.levels_of(scale) for scale in self.scales]
        self.queries = queries

    def levels_of(self, scale: Scale) -> polars.DataFrame:
        """The judged documents of each ranking from low to high: scores, what decides among equal ones, how many."""
        lasts, size = polars.col(scale.last).alias("lasts"), polars.len().cast(polars.Int64).alias("size")
        levels = self.counting.levels[self.way_of(scale)].group_by(self.keys, maintain_order=True)
        return levels.agg(polars.col("compared").alias("scores"), lasts, size)

    def way_of(self, scale: Scale) -> int:
        """The first way that compares so; the others differ in what is made of the counts."""
        return next(number for number, way in enumerate(self.ways) if Scale.of(way) == scale)

    @cached_property
    def rankings(self) -> polars.DataFrame:
        """The rankings that rows are expected to belong to, with a `number` each."""
        judged = polars.DataFrame({"query_id": polars.Series(self.queries, dtype=polars.String)})
        if self.run.has_runs:
            judged = self.found.select(polars.col("run").unique()).join(judged, how="cross")
        known = polars.concat([self.found.select(self.keys), judged.select(self.keys)]).unique(maintain_order=True)
        return known.with_row_index("number").with_columns(polars.col("number").cast(polars.Int64))

    @property
    def most_levels(self) -> int:
        return max((max(each["size"].to_list(), default=0) for each in self.levels), default=0)

    @property
    def slots(self) -> int:
        """How many slots a row may have under one scale. The last one is for rows that are left out."""
        return SLOTS * (self.most_levels + 1)

    def is_small(self, most: int) -> bool:
        """Whether the table is small enough for executors that may hold so many judgments."""
        return self.most_rankings + len(self.found) * len(self.scales) <= MOST_ENTRIES * most

    @property
    def most_rankings(self) -> int:
        """How many rankings there may be: more than there are, if only some of the judged queries were retrieved."""
        runs = self.found["run"].n_unique() if self.run.has_runs else 1
        return runs * len(self.queries) + self.found.select(self.keys).n_unique()

    def state(self, *, names: bool, most: int) -> polars.DataFrame | None:
        """The counts, as those of `Counting` are; None if they are for the kernel.

        That is so if there are rows without a query, or too many levels. Up to `most` rows may be read to the driver.
        """
        counted = LevelSums(self).count(most) or self.search_all()
        if counted is None:
            return None
        parts = [polars.DataFrame(schema=STATE)]
        for scale, rows in zip(self.scales, counted.scales, strict=True):
            parts += [in_state(rows, number) for number, way in enumerate(self.ways) if Scale.of(way) == scale]
        # A run of which no judged document was found has other rankings only.
        if (names or self.run.has_runs) and counted.has_others:
            parts += self.other_rankings()
        return add_up(polars.concat(parts))

    def search_all(self) -> CountedSlots | None:
        """The slots of all rows by search; None if it would be too long for Java, or rows have no query."""
        steps = (self.most_levels.bit_length() + 2) * len(self.scales)
        if steps > MOST_STEPS or self.most_rankings * self.slots ** len(self.scales) >= MOST_KEYS:
            return None
        counted = self.count_keys()
        if (counted["key"] == NO_QUERY).any():
            return None
        known = counted.drop_nulls("key")
        scales = [self.split(known, position) for position in range(len(self.scales))]
        return CountedSlots(scales, has_others=len(known) < len(counted))

    def table(self, frame: polars.DataFrame) -> DataFrame:
        """Rankings and what belongs to them, as every executor gets them."""
        from pyspark.sql import functions

        table = frame.with_columns(xxhash64(*frame.select(self.keys)))
        table = table.rename({name: f"ranking_{name}" for name in self.keys})
        return functions.broadcast(to_spark(self.run.session, table))

    def join_rankings(self, frame: polars.DataFrame, how: str = "left") -> DataFrame:
        """The rows of the run with what belongs to their ranking."""
        from pyspark.sql import functions

        is_same = [f"{hash_of(self.keys)} = hash", *(same_value(name, f"ranking_{name}") for name in self.keys)]
        return self.run.frame.join(self.table(frame), functions.expr(" AND ".join(is_same)), how)

    def known_or_none(self, key: str) -> Column:
        """The key of a row; null for rows of other rankings, and `NO_QUERY` for rows of none."""
        from pyspark.sql import functions

        has_query = "coalesce(query_id != '', false)"
        return functions.expr(f"coalesce({key}, if({has_query}, null, {NO_QUERY}L))").alias("key")

    def count_keys(self) -> polars.DataFrame:
        """How many rows have each key: the number of their ranking and their slots, found by search."""
        from pyspark.sql import functions

        frame = self.rankings
        for position, levels in enumerate(self.levels):
            chosen = levels.select(*self.keys, polars.col("scores", "lasts").name.suffix(f"_{position}"))
            # A ranking without levels has no arrays.
            frame = frame.join(chosen, on=self.keys, how="left", maintain_order="left")
        joined, key = self.join_rankings(frame), functions.col("number")
        for position, scale in enumerate(self.scales):
            joined, slot = self.search(joined, position, scale)
            key = key * functions.lit(self.slots) + slot
        return to_frame(joined.withColumn("slots", key).groupBy(self.known_or_none("slots")).count())

    def search(self, rows: DataFrame, position: int, scale: Scale) -> tuple[DataFrame, Column]:
        """Rows with the steps of two binary searches, and their slot among the levels of their ranking.

        The first search is by score. Few rows tie: only of these Spark decodes what decides, for the second search. An
        array has no value after its end: no row is above it, or ties with it.
        """
        from pyspark.sql import functions

        value, scores = functions.expr(scale.value), functions.col(f"scores_{position}")
        lasts, tied = functions.col(f"lasts_{position}"), functions.col(f"tied_{position}")
        rows, first = self.steps(rows, f"first_{position}", lambda place: value > functions.get(scores, place))
        is_tied = functions.get(scores, first) == value
        rows = rows.withColumn(f"tied_{position}", functions.when(is_tied, functions.col(scale.last)))

        def is_above(place: Column) -> Column:
            equal = tied.isNotNull() & (functions.get(scores, place) == value)
            return equal & (tied > functions.get(lasts, place))

        rows, below = self.steps(rows, f"below_{position}", is_above, first)
        is_itself = (functions.get(scores, below) == value) & (functions.get(lasts, below) == tied)
        gap = functions.lit(SLOTS) * below
        slot = (
            functions.when(tied.isNull(), gap + functions.lit(BETWEEN))
            .when(is_itself, functions.lit(ITSELF))
            .otherwise(gap + functions.when(below > first, TIED_BELOW).otherwise(TIED_ABOVE))
        )
        if scale.excludes:
            is_own = functions.col("doc_id") == functions.col("query_id")
            slot = functions.when(is_own, functions.lit(self.slots - 1)).otherwise(slot)
        return rows, slot

    def steps(
        self, rows: DataFrame, name: str, is_above: Callable[[Column], Column], start: Column | None = None
    ) -> tuple[DataFrame, Column]:
        """Rows with the steps of a binary search from a place on, and the first place that they are not above."""
        from pyspark.sql import functions

        found = functions.lit(0) if start is None else start
        for power in reversed(range(self.most_levels.bit_length())):
            place = found + functions.lit((1 << power) - 1)
            step = functions.when(is_above(place), place + functions.lit(1)).otherwise(found)
            rows = rows.withColumn(f"{name}_{power}", step)
            found = functions.col(f"{name}_{power}")
        return rows, found

    def split(self, counted: polars.DataFrame, position: int) -> polars.DataFrame:
        """The rankings with a `slot` each under one scale, and how many `rows` have it or are `excluded`."""
        after = self.slots ** (len(self.scales) - 1 - position)
        slot = polars.col("key") // after % self.slots
        number = polars.col("key") // self.slots ** len(self.scales)
        chosen = counted.select(number=number, slot=slot, rows=polars.col("count").cast(polars.Int64))
        rows = chosen.group_by("number", "slot", maintain_order=True).agg(polars.col("rows").sum())
        rows = rows.join(self.rankings, on="number").join(self.levels[position], on=self.keys, how="left")
        rows = one_each(rows, self.slots - 1)
        size, is_out = polars.col("size").fill_null(0), polars.col("slot") == self.slots - 1
        # Where there are levels, rows that are left out have a slot of their own.
        apart = is_out & (size == 0)
        return rows.with_columns(
            slot=polars.when(size == 0).then(NO_SLOT).when(is_out).then(SLOTS * size + ITSELF).otherwise("slot"),
            rows=polars.when(apart).then(0).otherwise("rows"),
            excluded=polars.when(apart).then("rows").otherwise(0),
        )

    def other_rankings(self) -> list[polars.DataFrame]:
        """How many rows the rankings have that no judgments are for."""
        from pyspark.sql import functions

        others = self.join_rankings(self.rankings, "left_anti").groupBy(*self.keys)
        excluded = functions.count_if(functions.col("doc_id") == functions.col("query_id"))
        leaves_out = any(scale.excludes for scale in self.scales)
        sums = [functions.count("*").alias("all"), (excluded if leaves_out else functions.lit(0)).alias("own")]
        made = to_frame(others.agg(*sums)).with_columns(slot=polars.lit(NO_SLOT))
        parts = []
        for number, way in enumerate(self.ways):
            out = polars.col("own") if Scale.of(way).excludes else polars.lit(0)
            parts.append(in_state(made.with_columns(rows=polars.col("all") - out, excluded=out), number))
        return parts


def one_each(rows: polars.DataFrame, out: int) -> polars.DataFrame:
    """Rows of judged documents themselves, which are counted together, one for each if there are as many."""
    is_itself = (
        (polars.col("slot") == ITSELF) & (polars.col("slot") != out) & (polars.col("rows") == polars.col("size"))
    )
    slots = SLOTS * polars.int_ranges(0, polars.col("size")) + ITSELF
    each = rows.filter(is_itself).with_columns(slot=slots, rows=polars.lit(1, polars.Int64)).explode("slot")
    return polars.concat([rows.filter(~is_itself.fill_null(value=False)), each])


def in_state(rows: polars.DataFrame, way: int) -> polars.DataFrame:
    """Counts as those of `Counting` are; columns that they do not have are of a way, or of a run without a name."""
    return rows.select(
        way=way, slot="slot", run=run_of(rows), query_id="query_id", rows="rows", excluded="excluded"
    ).cast(
        STATE  # type: ignore[arg-type]
    )
