"""Counting by sums in Spark, where rankings have few judged documents: how many rows score higher than each of them.

Every level is a column of the table that rows are joined with, and Spark sums a comparison with each: there is no
search, and one group for each ranking. Of a row that ties with a judged document the id or the place decides, which
these sums do not see. They only count such rows: if a ranking has more of them than judged documents, the rows that tie
are read to the driver, where the kernel finds their slots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars

from assay.engine.counting import BETWEEN, ITSELF, NO_SLOT, SLOTS, Counting, changed_error
from assay.engine.spark import to_frame, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from assay.engine.spark_counts import Scale, SparkCounter

# Levels of all scales together: each is a column, a comparison and a sum for every row, where a search halves them.
MOST_COLUMNS = 16
# Scores by which Spark can skip rows before it looks at their query.
MOST_SCORES = 100
# The key of rows without a query.
NO_QUERY = -1


class CountedSlots(NamedTuple):
    """For each scale, rankings with a `slot` each and how many `rows` have it; and whether other rankings have rows."""

    scales: list[polars.DataFrame]
    has_others: bool


class ScaleLevels(NamedTuple):
    """The levels of one scale: how many a ranking has at most, and the columns of their scores and sums."""

    position: int
    scale: Scale
    most_levels: int

    @property
    def score_names(self) -> list[str]:
        return [f"score_{self.position}_{place}" for place in range(self.most_levels)]

    @property
    def sum_names(self) -> list[str]:
        return [f"above_{self.position}_{place}" for place in range(self.most_levels)]

    @property
    def tie_name(self) -> str:
        return f"ties_{self.position}"

    def columns(self) -> list[Column]:
        """What Spark sums for each ranking."""
        from pyspark.sql import functions

        value, names = self.scale.value, zip(self.score_names, self.sum_names, strict=True)
        above = [f"count_if({value} > {score}) AS {name}" for score, name in names]
        is_tied = " OR ".join(["false", *(f"{value} = {score}" for score in self.score_names)])
        return [functions.expr(each) for each in (*above, f"count_if({is_tied}) AS {self.tie_name}")]


class LevelSums:
    """The sums of a counter's rankings, and the state that they say."""

    def __init__(self, counter: SparkCounter) -> None:
        self.counter = counter
        self.scales = [
            ScaleLevels(position, scale, max(levels["size"].to_list(), default=0))
            for position, (scale, levels) in enumerate(zip(counter.scales, counter.levels, strict=True))
        ]

    def is_possible(self) -> bool:
        """Whether levels are few, and a row is above a level by its score alone."""
        by_score = not any(each.scale.is_given or each.scale.excludes for each in self.scales)
        return by_score and sum(each.most_levels for each in self.scales) <= MOST_COLUMNS

    def read(self) -> polars.DataFrame:
        """For each ranking, by its `key`, how many rows it has, and the sums of every scale."""
        from pyspark.sql import functions

        frame = self.counter.rankings
        for each in self.scales:
            scores = [polars.col("scores").list.get(place, null_on_oob=True) for place in range(each.most_levels)]
            names = dict(zip(each.score_names, scores, strict=True))
            chosen = self.counter.levels[each.position].select(*self.counter.keys, **names)
            frame = frame.join(chosen, on=self.counter.keys, how="left", maintain_order="left")
        joined = self.counter.join_rankings(frame)
        columns = [column for each in self.scales for column in each.columns()]
        grouped = joined.groupBy(self.counter.known_or_none("number"))
        return to_frame(grouped.agg(functions.expr("count(*) AS count"), *columns))

    def count(self, most: int) -> CountedSlots | None:
        """The slots of all rows; None if sums are not enough: too many levels, or more than `most` rows that tie."""
        if not self.is_possible():
            return None
        counted = self.read()
        if (counted["key"] == NO_QUERY).any():
            return None
        rankings = counted.join(self.counter.rankings, left_on="key", right_on="number")
        scores = [self.scores_of(each, rankings) for each in self.scales]
        if any(tied_scores(each).unique(self.counter.keys)["ties"].sum() > most for each in scores):
            return None
        slots = [self.slots_of(each, rankings, found) for each, found in zip(self.scales, scores, strict=True)]
        return CountedSlots(slots, has_others=len(rankings) < len(counted))

    def scores_of(self, level: ScaleLevels, rankings: polars.DataFrame) -> polars.DataFrame:
        """The distinct scores of judged documents in each ranking, from low to high.

        They have the `place` of the first level, how many `levels` have the score, and what the sums say: how many rows
        are `above`, and how many the ranking has in all and of those that tie with any level.
        """
        keys, names = self.counter.keys, level.sum_names
        above = polars.concat_list(names) if names else polars.lit([], polars.List(polars.Int64))
        sums = rankings.select(*keys, "count", above=above, ties=level.tie_name)
        place = polars.int_range(polars.len()).over(keys).alias("place")
        levels = self.counter.counting.levels[self.counter.way_of(level.scale)].with_columns(place)
        grouped = levels.group_by(*keys, "compared", maintain_order=True)
        scores = grouped.agg(polars.col("place").min(), levels=polars.len().cast(polars.Int64))
        joined = scores.join(sums, on=keys, maintain_order="left")
        size = polars.col("levels").sum().over(keys)
        return joined.with_columns(polars.col("above").list.get(polars.col("place")), size=size)

    def slots_of(self, level: ScaleLevels, rankings: polars.DataFrame, scores: polars.DataFrame) -> polars.DataFrame:
        """The counts of all slots under one scale."""
        keys, tied = self.counter.keys, tied_scores(scores)
        parts = []
        if len(tied):
            rows = self.read_ties(level, tied)
            parts.append(self.place_ties(level, rows))
            read = rows.group_by(*keys, "compared").agg(read=polars.len().cast(polars.Int64))
            scores = scores.join(read, on=[*keys, "compared"], how="left", maintain_order="left")
        else:
            scores = scores.with_columns(read=polars.lit(0, polars.Int64))
        others = polars.col("ties") > polars.col("size")
        tied_rows = polars.when(others).then(polars.col("read").fill_null(0)).otherwise("levels")
        scores = scores.with_columns(tied=tied_rows)
        alone = scores.join(tied, on=keys, how="anti", maintain_order="left")
        places = polars.int_ranges("place", polars.col("place") + polars.col("levels"))
        itself = alone.select(*keys, slot=SLOTS * places + ITSELF, rows=polars.lit(1, polars.Int64)).explode("slot")
        unranked = rankings.join(scores, on=keys, how="anti", maintain_order="left")
        unranked = unranked.select(*keys, slot=polars.lit(NO_SLOT, polars.Int64), rows="count")
        parts += [*gaps(scores, keys), itself, unranked]
        return polars.concat(parts).with_columns(excluded=polars.lit(0, polars.Int64))

    def read_ties(self, level: ScaleLevels, tied: polars.DataFrame) -> polars.DataFrame:
        """The rows of these rankings that have one of these scores, with their score as it is `compared`."""
        from pyspark.sql import functions

        keys, value = self.counter.keys, functions.expr(level.scale.value)
        rows = self.counter.run.frame
        # Spark decodes the query of a row only if its score may be one of these.
        if tied["compared"].n_unique() <= MOST_SCORES:
            rows = rows.where(value.isin(tied["compared"].unique().to_list()))
        table = to_spark(self.counter.run.session, tied.select(*keys, "compared"))
        table = table.select(functions.xxhash64(*keys, "compared").alias("hash"))
        is_tied = functions.xxhash64(*keys, value) == functions.col("hash")
        read = to_frame(
            rows.join(functions.broadcast(table), is_tied, "left_semi").select("*", value.alias("compared"))
        )
        # Other rows may have the same hash.
        return read.join(tied.select(*keys, "compared"), on=[*keys, "compared"], how="semi")

    def place_ties(self, level: ScaleLevels, read: polars.DataFrame) -> polars.DataFrame:
        """The slots of rows that tie, as the kernel finds them."""
        way = self.counter.ways[self.counter.way_of(level.scale)]
        part = Counting(self.counter.found, [way]).start()
        part.add(read.drop("compared"))
        return part.state().select(*self.counter.keys, "slot", "rows")


def tied_scores(scores: polars.DataFrame) -> polars.DataFrame:
    """The scores of rankings in which other documents tie with judged ones."""
    return scores.filter(polars.col("ties") > polars.col("size"))


def gaps(scores: polars.DataFrame, keys: list[str]) -> list[polars.DataFrame]:
    """How many rows are between the scores of judged documents, and above the highest; raises if these cannot be."""
    before = polars.col("above").shift().over(keys).fill_null(polars.col("count"))
    between = before - polars.col("above") - polars.col("tied")
    below = scores.select(*keys, slot=SLOTS * polars.col("place") + BETWEEN, rows=between)
    is_changed = scores.filter(polars.col("tied").sum().over(keys) != polars.col("ties"))
    if len(is_changed) or (below["rows"] < 0).any():
        raise changed_error()
    highest = scores.group_by(*keys, maintain_order=True).last()
    above = highest.select(*keys, slot=SLOTS * polars.col("size") + BETWEEN, rows="above")
    return [each.filter(polars.col("rows") > 0) for each in (below, above)]
