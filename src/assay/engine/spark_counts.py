"""The counting pass as Spark SQL: rows stay in the JVM, and go to Python only where scores tie.

The judged documents of a ranking are few, so their scores are columns of a small table that every executor gets. A row
of the run is joined with those of its ranking and finds the gap that its score falls into by a tree of comparisons,
which Spark compiles. Its place is then a number, and Spark counts how often each occurs. Ids are joined by their hash,
a single long, and compared afterwards.

A score that equals one of the columns is counted as such. Where more rows have it than judged documents do, those rows,
and only those, are read again with their document ids or their order and counted by the kernel.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars

from assay.engine.counting import (
    BETWEEN,
    ITSELF,
    NO_SLOT,
    SLOTS,
    STATE,
    Counting,
    add_up,
    run_of,
)
from assay.engine.spark import count, same_value, to_frame, to_spark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from assay.engine.counting import Way
    from assay.engine.spark import SparkRun

# Levels of one ranking that the trees of comparisons may have together, one tree for each scale: Java does not compile
# a method of more than 8,000 bytes, and a level takes about 205.
MOST_LEVELS = 31
# Scores in the table that every executor gets, for each judgment that it may hold: both are about 32 bytes.
MOST_SCORES = 4
# All places of a row together are a number of 63 bits.
MOST_PLACES = 1 << 62
KEYS = ("run", "query_id")


class Scale(NamedTuple):
    """How scores are compared, whatever the rule of ties: the precision, and whether the query itself is left out."""

    is_single: bool
    excludes: bool

    @classmethod
    def of(cls, way: Way) -> Scale:
        return cls(way.policies.precision == "float32", way.policies.exclude == "query_id")

    def value(self) -> Column:
        """The score of a row as it is compared; zeros of both signs are the same."""
        from pyspark.sql import functions

        value = functions.col("value")
        return (value.cast("float").cast("double") if self.is_single else value) + functions.lit(0.0)

    def excluded(self) -> Column:
        """Whether a row is left out."""
        from pyspark.sql import functions

        return functions.col("doc_id") == functions.col("query_id") if self.excludes else functions.expr("false")


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
        """The scores of each ranking's judged documents from low to high, how many have each, and how many it has."""
        way = next(number for number, way in enumerate(self.ways) if Scale.of(way) == scale)
        equal = polars.len().over(*self.keys, "compared").cast(polars.Int64)
        return (
            self.counting.levels[way]
            .with_columns(equal=equal)
            .group_by(self.keys, maintain_order=True)
            .agg(scores=polars.col("compared"), equal=polars.col("equal"), size=polars.len().cast(polars.Int64))
        )

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
    def places(self) -> int:
        """How many places a row may have under one scale: two for each level, one above, and one if it is left out."""
        return 2 * self.most_levels + 2

    def is_possible(self, most: int) -> bool:
        """Whether the table is small enough for executors that may hold so many judgments, and scores are compared."""
        runs = self.found["run"].n_unique() if self.run.has_runs else 1
        # More than there are, if only some of the judged queries were retrieved.
        rankings = runs * len(self.queries) + self.found.select(self.keys).n_unique()
        levels = self.most_levels * len(self.scales)
        return (
            levels <= MOST_LEVELS
            and rankings * (1 + levels) <= MOST_SCORES * most
            and rankings * self.places ** len(self.scales) < MOST_PLACES
            and not any(way.is_given for way in self.ways)
        )

    def state(self, *, names: bool) -> polars.DataFrame:
        """The counts, as those of `Counting` are."""
        placed = self.count_places()
        known = placed.drop_nulls("key")
        parts = [polars.DataFrame(schema=STATE)]
        for position, scale in enumerate(self.scales):
            parts += self.state_of(position, scale, self.split(known, position))
        # A run of which no judged document was found has other rankings only.
        if (names or self.run.has_runs) and len(known) < len(placed):
            parts += self.other_rankings()
        return add_up(polars.concat(parts))

    def table(self) -> DataFrame:
        """The rankings with their levels, as every executor gets them."""
        from pyspark.sql import functions

        frame = self.rankings
        for position, levels in enumerate(self.levels):
            # NaN is above every score and equal to none.
            columns = [
                polars.col("scores").list.get(place, null_on_oob=True).fill_null(np.nan).alias(f"{position}_{place}")
                for place in range(self.most_levels)
            ]
            chosen = levels.select(*self.keys, *columns)
            frame = frame.join(chosen, on=self.keys, how="left", maintain_order="left")
        frame = frame.with_columns(polars.selectors.float().fill_null(np.nan))
        return functions.broadcast(self.hashed(to_spark(self.run.session, frame)))

    def hashed(self, frame: DataFrame) -> DataFrame:
        """A table of rankings with the hash that they are joined by, and names that no column of a run has."""
        from pyspark.sql import functions

        renamed = {name: f"ranking_{name}" for name in self.keys}
        return frame.withColumn("hash", functions.xxhash64(*self.keys)).withColumnsRenamed(renamed)

    def is_ranking(self) -> Column:
        """Whether a row of the run is one of the ranking."""
        from pyspark.sql import functions

        return (functions.xxhash64(*self.keys) == functions.col("hash")) & self.has_names()

    def has_names(self) -> Column:
        """Whether a row has the names of the ranking that it is joined with."""
        same = [same_value(name, f"ranking_{name}") for name in self.keys]
        return same[0] if len(same) == 1 else same[0] & same[1]

    def count_places(self) -> polars.DataFrame:
        """How many rows have each key: the number of their ranking and their places. It is null for other rankings."""
        from pyspark.sql import functions

        joined = self.run.frame.join(self.table(), self.is_ranking(), "left")
        key = functions.col("number")
        for position, scale in enumerate(self.scales):
            key = key * functions.lit(self.places) + self.place(position, scale)
        return to_frame(joined.select(key.alias("key")).groupBy("key").count())

    def place(self, position: int, scale: Scale) -> Column:
        """Twice the number of levels below a row, one more if it ties with the next; the last number if left out."""
        from pyspark.sql import functions

        value = scale.value()
        levels = [functions.col(f"{position}_{place}") for place in range(self.most_levels)]
        tree = search(value, levels, 0, len(levels))
        if not scale.excludes:
            return tree
        return functions.when(scale.excluded(), functions.lit(self.places - 1)).otherwise(tree)

    def split(self, placed: polars.DataFrame, position: int) -> polars.DataFrame:
        """The `number` of each ranking, a `place` under one scale, and how many `rows` have it."""
        after = self.places ** (len(self.scales) - 1 - position)
        place = polars.col("key") // after % self.places
        number = polars.col("key") // self.places ** len(self.scales)
        chosen = placed.select(number=number, place=place, rows=polars.col("count").cast(polars.Int64))
        return chosen.group_by("number", "place", maintain_order=True).agg(polars.col("rows").sum())

    def state_of(self, position: int, scale: Scale, placed: polars.DataFrame) -> list[polars.DataFrame]:
        """The counts under one scale, for every way that has it."""
        rows = placed.join(self.rankings, on="number").join(self.levels[position], on=self.keys, how="left")
        rows = rows.with_columns(polars.col("size").fill_null(0), is_out=polars.col("place") == self.places - 1)
        is_tied = (polars.col("place") % 2 == 1) & ~polars.col("is_out")
        tied = rows.filter(is_tied).with_columns(first=polars.col("place") // 2)
        value, equal = (polars.col(name).list.get(polars.col("first")) for name in ("scores", "equal"))
        tied = tied.with_columns(value=value, equal=equal)
        # Rows beyond the judged documents that have the score are others that tie.
        is_more = polars.col("rows") > polars.col("equal")
        single = [untied(rows.filter(~is_tied)), themselves(tied.filter(~is_more))]
        numbers = [number for number, way in enumerate(self.ways) if Scale.of(way) == scale]
        parts = [in_state(each, number) for number in numbers for each in single]
        more = tied.filter(is_more)
        if len(more):
            parts.append(self.count_ties(scale, more.select(*self.keys, "value"), numbers))
        return parts

    def count_ties(self, scale: Scale, tied: polars.DataFrame, numbers: Sequence[int]) -> polars.DataFrame:
        """The counts of the rows that have these scores."""
        from pyspark.sql import functions

        table = self.hashed(to_spark(self.run.session, tied).withColumnRenamed("value", "tied"))
        # The hash is that of the ranking and the score.
        key = functions.xxhash64(*(f"ranking_{name}" for name in self.keys), "tied")
        table = table.withColumn("hash", key)
        condition = functions.xxhash64(*self.keys, scale.value()) == functions.col("hash")
        condition = condition & self.has_names() & same_value(scale.value(), "tied")
        rows = self.run.frame.where(~scale.excluded()).join(functions.broadcast(table), condition, "left_semi")
        ways = [self.ways[number] for number in numbers]
        state = to_frame(count(self.run._replace(frame=rows), self.found, ways)).cast(STATE)  # type: ignore[arg-type]
        renumbered = polars.col("way").replace_strict(range(len(numbers)), numbers, return_dtype=polars.Int32)
        return state.select(list(STATE)).with_columns(renumbered)

    def other_rankings(self) -> list[polars.DataFrame]:
        """How many rows the rankings have that no judgments are for."""
        from pyspark.sql import functions

        others = self.run.frame.join(self.table(), self.is_ranking(), "left_anti").groupBy(*self.keys)
        excluded = functions.count_if(functions.col("doc_id") == functions.col("query_id"))
        leaves_out = any(scale.excludes for scale in self.scales)
        sums = [functions.count("*").alias("all"), (excluded if leaves_out else functions.lit(0)).alias("own")]
        made = to_frame(others.agg(*sums)).with_columns(slot=polars.lit(NO_SLOT))
        parts = []
        for number, way in enumerate(self.ways):
            out = polars.col("own") if Scale.of(way).excludes else polars.lit(0)
            parts.append(in_state(made.with_columns(rows=polars.col("all") - out, excluded=out), number))
        return parts


def search(value: Column, levels: Sequence[Column], low: int, high: int) -> Column:
    """The place of a score among levels, of which at least `low` and at most `high` are below it."""
    from pyspark.sql import functions

    if low < high:
        middle = (low + high) // 2
        above, below = search(value, levels, middle + 1, high), search(value, levels, low, middle)
        return functions.when(value > levels[middle], above).otherwise(below)
    between = functions.lit(2 * low)
    if low == len(levels):
        return between
    return functions.when(value == levels[low], functions.lit(2 * low + 1)).otherwise(between)


def untied(rows: polars.DataFrame) -> polars.DataFrame:
    """The slots of rows that tie with no judged document, or are left out."""
    is_out, has_levels = polars.col("is_out"), polars.col("size") > 0
    gap = SLOTS * (polars.col("place") // 2) + BETWEEN
    slot = polars.when(is_out).then(SLOTS * polars.col("size") + ITSELF).otherwise(gap)
    apart = is_out & ~has_levels
    return rows.with_columns(
        slot=polars.when(has_levels).then(slot).otherwise(NO_SLOT),
        rows=polars.when(apart).then(0).otherwise("rows"),
        excluded=polars.when(apart).then("rows").otherwise(0),
    )


def themselves(tied: polars.DataFrame) -> polars.DataFrame:
    """The slots of judged documents whose scores no other row has."""
    places = polars.int_ranges("first", polars.col("first") + polars.col("rows"))
    each = tied.with_columns(slot=places, rows=1, excluded=0).explode("slot")
    return each.with_columns(slot=SLOTS * polars.col("slot") + ITSELF)


def in_state(rows: polars.DataFrame, way: int) -> polars.DataFrame:
    """Counts as those of `Counting` are; columns that they do not have are of a way, or of a run without a name."""
    return rows.select(
        way=way, slot="slot", run=run_of(rows), query_id="query_id", rows="rows", excluded="excluded"
    ).cast(
        STATE  # type: ignore[arg-type]
    )
