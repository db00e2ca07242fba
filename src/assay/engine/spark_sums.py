"""The counting pass for rankings with few judged documents: one sum for every comparison with one of these.

A query that retrieved ten judged documents has more than ten slots, and each would be a group for Spark: finding the
group of a row takes far longer than adding to one group per ranking. So the judged documents are columns beside the
rows of their ranking, and for each Spark counts the rows that score higher, that score at least as high, and that are
above it in the order of ties. What is in each slot (see kernel/src/levels.rs) are differences of these sums.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars

from assay.engine.counting import BETWEEN, ITSELF, SLOTS, TIED_ABOVE, TIED_BELOW
from assay.engine.spark import to_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column

    from assay.core.judged import IntArray
    from assay.engine.spark_counts import Scale, SparkCounter

# Comparisons of a row with judged documents, under all scales: with more of them a search takes less time.
MOST_COMPARISONS = 12
# What is summed for each judged document, and for each ranking under a scale.
OF_LEVELS = ("higher", "least", "above")
OF_RANKINGS = ("rows", "itself", "own")


class SlotCounts(NamedTuple):
    """The `rows` in each `slot` of rankings by `number`, under each scale, and whether there are other rankings."""

    slots: list[polars.DataFrame]
    has_others: bool


def count_sums(counter: SparkCounter) -> SlotCounts | None:
    """The slots of all rows; None if there are rows without a query."""
    from pyspark.sql import functions

    joined = counter.run.frame.join(counter.table(flat_levels(counter)), counter.is_ranking(), "left")
    has_query = functions.coalesce(functions.col("query_id") != "", functions.expr("false"))
    sums = [functions.count_if(~has_query).alias("no_query")]
    for position, scale in enumerate(counter.scales):
        compared = comparisons(scale, position, counter.most_levels)
        sums += [functions.count_if(condition).alias(f"{name}_{position}") for name, condition in compared]
    summed = to_frame(joined.groupBy("number").agg(*sums))
    if summed["no_query"].sum():
        return None
    known = summed.drop_nulls("number").sort("number")
    slots = [slots_of(known, counter, position) for position in range(len(counter.scales))]
    return SlotCounts(slots, len(known) < len(summed))


def flat_levels(counter: SparkCounter) -> polars.DataFrame:
    """The rankings with a column for each level; no score is above one that is not there, or equal to it."""
    frame = counter.rankings
    for position, levels in enumerate(counter.levels):
        chosen = levels.select(
            *counter.keys,
            *(each for place in range(counter.most_levels) for each in level_columns(position, place)),
        )
        frame = frame.join(chosen, on=counter.keys, how="left", maintain_order="left")
    return frame.with_columns(polars.col(polars.Float64).fill_null(float("nan")))


def level_columns(position: int, place: int) -> Iterator[polars.Expr]:
    """The score of a level, and what decides among equal ones."""
    for name in ("scores", "lasts"):
        yield polars.col(name).list.get(place, null_on_oob=True).alias(f"{name}_{position}_{place}")


def comparisons(scale: Scale, position: int, levels: int) -> Iterator[tuple[str, Column]]:
    """What is counted under a scale, by name. A row that is left out is not compared."""
    from pyspark.sql import functions

    value, last = scale.value(), functions.col(scale.last)
    is_own = functions.col("doc_id") == functions.col("query_id") if scale.excludes else functions.expr("false")

    def counted(condition: Column) -> Column:
        return condition & ~is_own if scale.excludes else condition

    yield "rows", counted(functions.expr("true"))
    yield "own", is_own
    itself = []
    for place in range(levels):
        score, decides = (functions.col(f"{name}_{position}_{place}") for name in ("scores", "lasts"))
        yield f"higher_{place}", counted(value > score)
        yield f"least_{place}", counted(value >= score)
        yield f"above_{place}", counted((value > score) | ((value == score) & (last > decides)))
        itself.append((value == score) & (last == decides))
    yield "itself", counted(reduce(or_, itself)) if itself else functions.expr("false")


def slots_of(summed: polars.DataFrame, counter: SparkCounter, position: int) -> polars.DataFrame:
    """The slots of rankings under one scale, from sums."""
    rankings = summed.select("number").join(
        counter.rankings.join(counter.levels[position], on=counter.keys, how="left"), on="number", maintain_order="left"
    )
    sizes = rankings["size"].fill_null(0).to_numpy()
    rows, itself, own = (summed[f"{name}_{position}"].to_numpy() for name in OF_RANKINGS)
    slots = np.zeros((len(summed), counter.slots), dtype=np.int64)
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        sums = {name: matrix(summed[chosen], name, position, size) for name in OF_LEVELS}
        scores = np.array(rankings["scores"][chosen].to_list(), dtype=np.float64).reshape(len(chosen), -1)[:, :size]
        slots[chosen, : SLOTS * (size + 1)] = gaps(sums, scores, rows[chosen] - size).reshape(len(chosen), -1)
    # Those of all levels together, and rows that are left out.
    slots[:, ITSELF] = itself
    slots[:, counter.slots - 1] += own
    ranking, slot = np.nonzero(slots)
    numbers: Any = summed["number"].to_numpy()[ranking]
    return polars.DataFrame({"number": numbers, "slot": slot, "rows": slots[ranking, slot]})


def matrix(summed: polars.DataFrame, name: str, position: int, size: int) -> IntArray:
    """The sums of the levels of some rankings: a row for each ranking."""
    columns = [summed[f"{name}_{place}_{position}"].to_numpy() for place in range(size)]
    return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((len(summed), 0), dtype=np.int64)


def gaps(sums: dict[str, IntArray], scores: Any, others: IntArray) -> IntArray:  # noqa: ANN401 - a matrix of floats
    """The rows in each gap of rankings with as many levels, by slot; `others` are those that are not levels."""
    higher, least, above = (sums[name] for name in OF_LEVELS)
    count, size = above.shape
    # Rows above each gap's lower end that are not levels, then those inside the gap.
    over = np.column_stack([others, above - np.arange(size - 1, -1, -1), np.zeros(count, dtype=np.int64)])
    inside = over[:, :-1] - over[:, 1:]
    slots = np.zeros((count, size + 1, SLOTS), dtype=np.int64)
    is_tie = scores[:, 1:] == scores[:, :-1]
    # Between two levels with the same score all rows tie; elsewhere those that tie with the level below or above.
    slots[:, 1:, TIED_BELOW] = above - higher
    slots[:, :-1, TIED_ABOVE] = least - above - 1
    slots[:, 1:-1, TIED_BELOW][is_tie] = inside[:, 1:-1][is_tie]
    slots[:, 1:-1, TIED_ABOVE][is_tie] = 0
    slots[:, :, BETWEEN] = inside - slots[:, :, TIED_BELOW] - slots[:, :, TIED_ABOVE]
    return slots
