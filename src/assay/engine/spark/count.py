"""The two passes of counting as Spark SQL: rows stay in the JVM, and only judged documents and counts leave it.

`find` looks up the judged documents. Those that a ranking retrieved are its levels, and every row has a slot among them
(see kernel/src/rank/levels.rs): `count` joins each row with the levels of its ranking and finds its slot by binary
search, each step a column that Spark compiles; then Spark counts how often each slot occurs. Spark compares texts as
the kernel does, by the bytes of UTF-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import polars

from assay.engine.counted import shaped
from assay.engine.counting import BETWEEN, ITSELF, NO_SLOT, SLOTS, STATE, TIED_ABOVE, TIED_BELOW, Counting, Levels, Way
from assay.engine.spark.frames import SparkRun, to_frame, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The most judged documents of a ranking: Java does not compile a method of more than 8,000 bytes, and a step by score
# and one among ties take about 700 together.
MOST_LEVELS = (1 << 10) - 1
# Rows that cannot be used, of which the kernel says what is wrong with them.
MOST_REFUSED = 1_000


def find(run: SparkRun, judged: polars.DataFrame, ways: Sequence[Way], most: int) -> polars.DataFrame | None:
    """The rows of judged documents; None if there are more than `most`. Raises for rows that cannot be used.

    `judged` has columns `query_id` and `doc_id`. Most rows have a document that no query judged: documents are looked
    up first, so that Spark need not decode the query of such a row.
    """
    from pyspark.sql import functions

    # Only of a finite score the difference to itself is 0. Queries are looked at when rows are counted.
    by_order, foreign = any(way.by_order for way in ways), any("foreign" in way.needs for way in ways)
    needs = ["doc_id != ''", "value - value = 0", *(["order IS NOT NULL"] if by_order else [])]
    unusable = f"NOT coalesce({' AND '.join(needs)}, false)"
    rows = run.frame
    for names in [["doc_id"]] if foreign else [["doc_id"], ["query_id", "doc_id"]]:
        table = judged.select(polars.col(names).name.prefix("judged_")).unique()
        is_same = functions.expr(" AND ".join(f"{name} = judged_{name}" for name in names))
        joined = rows.join(functions.broadcast(to_spark(run.session, table)), is_same, "left")
        rows = joined.where(f"judged_doc_id IS NOT NULL OR {unusable}").select(rows.columns)
    found = to_frame(rows.selectExpr("*", f"{unusable} AS is_unusable").limit(most + 1))
    refuse(found.filter("is_unusable").drop("is_unusable"), ways)
    return None if len(found) > most else found.filter(polars.col("query_id") != "").drop("is_unusable")


def refuse(rows: polars.DataFrame, ways: Sequence[Way]) -> None:
    """Raises what the kernel says of rows that cannot be used, if there are some."""
    if len(rows):
        Counting(rows[:0], ways).partial(rows)


def count(run: SparkRun, counting: Counting) -> polars.DataFrame | None:
    """The state of a counting after all rows of a run; None if a ranking has too many levels."""
    counted: dict[tuple[object, ...], polars.DataFrame] = {}
    parts = []
    for number, (levels, way) in enumerate(zip(counting.levels, counting.ways, strict=True)):
        if (levels.end - levels.first).max(initial=0) > MOST_LEVELS:
            return None
        # Other ways may compare rows the same, and differ in what is made of the counts.
        scale = (way.is_given, way.policies.precision, way.excludes, way.by_order)
        if scale not in counted:
            counted[scale] = count_slots(run, levels, way)
        parts.append(counted[scale].with_columns(way=polars.lit(number)))
    state = polars.concat(parts)
    keys = counting.levels[0].keys
    is_nobody = polars.any_horizontal(polars.col(name).is_null() | (polars.col(name) == "") for name in keys)
    if len(state.filter(polars.col("slot") == NO_SLOT, is_nobody)):
        rows = run.frame.where(" OR ".join(f"coalesce({name} = '', true)" for name in keys))
        refuse(to_frame(rows.limit(MOST_REFUSED)), counting.ways)
    return shaped(state, STATE)


def count_slots(run: SparkRun, levels: Levels, way: Way) -> polars.DataFrame:
    """How many rows each slot has, and how many rows each ranking without levels has."""
    from pyspark.sql import functions

    rows, slot = search(run, levels, way)
    own = functions.expr("doc_id = query_id" if way.excludes else "false")
    top = functions.expr(f"first_slot + {SLOTS} * size(scores) + {ITSELF}")
    slot = functions.when(own, top).otherwise(functions.col("first_slot") + slot).alias("slot")
    others = [functions.when(functions.col("first_slot").isNull(), functions.col(name)) for name in levels.keys]
    grouped = rows.groupBy(slot, *(each.alias(name) for each, name in zip(others, levels.keys, strict=True)))
    counted = to_frame(grouped.agg(functions.count("*").alias("all"), functions.count_if(own).alias("own")))
    excluded = polars.when(polars.col("slot").is_null()).then("own").otherwise(0)
    return counted.with_columns(
        polars.col("slot").fill_null(NO_SLOT), rows=polars.col("all") - excluded, excluded=excluded
    )


def search(run: SparkRun, levels: Levels, way: Way) -> tuple[DataFrame, Column]:
    """Rows with the steps of two binary searches, and their slot among the levels of their ranking.

    The first search is by score. Few rows tie: only of these Spark decodes what decides, for the second search. An
    array has no value after its end: no row is above it, or ties with it.
    """
    from pyspark.sql import functions

    is_single = way.policies.precision == "float32"
    # Zeros of both signs are the same.
    value = functions.expr("0D" if way.is_given else "double(float(value)) + 0D" if is_single else "value + 0D")
    grouped = levels.frame.group_by(levels.keys, maintain_order=True).agg(
        scores=polars.col("compared"), lasts=polars.col(way.last)
    )
    table = grouped.with_columns(first_slot=levels.first_slot).rename({name: f"level_{name}" for name in levels.keys})
    is_same = functions.expr(" AND ".join(f"{name} = level_{name}" for name in levels.keys))
    rows = run.frame.join(functions.broadcast(to_spark(run.session, table)), is_same, "left")
    scores, lasts, tied = map(functions.col, ("scores", "lasts", "tied"))
    count = int((levels.end - levels.first).max(initial=0)).bit_length()
    rows, first = steps(rows, "first", count, lambda place: value > functions.get(scores, place))
    is_tied = functions.get(scores, first) == value
    rows = rows.withColumn("tied", functions.when(is_tied, functions.col(way.last)))

    def is_above(place: Column) -> Column:
        equal = tied.isNotNull() & (functions.get(scores, place) == value)
        return equal & (tied > functions.get(lasts, place))

    rows, below = steps(rows, "below", count, is_above, first)
    is_itself = (functions.get(scores, below) == value) & (functions.get(lasts, below) == tied)
    kind = functions.when(tied.isNull(), BETWEEN).when(is_itself, ITSELF).when(below > first, TIED_BELOW)
    return rows, functions.lit(SLOTS) * below + kind.otherwise(TIED_ABOVE)


def steps(
    rows: DataFrame, name: str, count: int, is_above: Callable[[Column], Column], start: Column | None = None
) -> tuple[DataFrame, Column]:
    """Rows with the steps of a binary search from a place on, and the first place that they are not above."""
    from pyspark.sql import functions

    found = functions.lit(0) if start is None else start
    for power in reversed(range(count)):
        place = found + functions.lit((1 << power) - 1)
        step = functions.when(is_above(place), place + functions.lit(1)).otherwise(found)
        rows, found = rows.withColumn(f"{name}_{power}", step), functions.col(f"{name}_{power}")
    return rows, found
