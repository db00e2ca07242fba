"""Counting by sums in Spark, where rankings have few judged documents: how many rows score higher than each of them.

Every level is a column of the table that rows are joined with, and Spark sums a comparison with each: there is no
search, and one group for each ranking. Of a row that ties with a judged document the id or the place decides, which
these sums do not see. They only count such rows: if a ranking has more of them than judged documents, the rows that tie
are read to the driver, where the kernel finds their slots.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import polars

from assay.engine.counting import BETWEEN, ITSELF, NO_SLOT, SLOTS, Counting, changed_error
from assay.engine.spark import to_frame, to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from assay.engine.spark_counts import Scale, SparkCounter

# Levels of all scales together. More comparisons take longer than a search.
MOST_COLUMNS = 16
# Scores by which Spark can skip rows before it looks at their query.
MOST_SCORES = 100


class ScaleSums(NamedTuple):
    """The levels of one scale: how many a ranking has at most, and the columns of their scores and sums."""

    position: int
    scale: Scale
    most_levels: int

    def scores(self) -> list[str]:
        return [f"score_{self.position}_{place}" for place in range(self.most_levels)]

    def sums(self) -> list[str]:
        return [f"above_{self.position}_{place}" for place in range(self.most_levels)]

    @property
    def ties(self) -> str:
        return f"ties_{self.position}"

    def columns(self) -> list[Column]:
        """What Spark sums for each ranking."""
        from pyspark.sql import functions

        value, scores = self.scale.value(), [functions.col(name) for name in self.scores()]
        above = [functions.count_if(value > score) for score in scores]
        is_tied = reduce(or_, (value == score for score in scores), functions.lit(False))
        return [each.alias(name) for each, name in zip(above, self.sums(), strict=True)] + [
            functions.count_if(is_tied).alias(self.ties)
        ]


class LevelSums:
    """The sums of a counter's rankings, and the state that they say."""

    def __init__(self, counter: SparkCounter) -> None:
        self.counter = counter
        self.scales = [
            ScaleSums(position, scale, max(levels["size"].to_list(), default=0))
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
            names = dict(zip(each.scores(), scores, strict=True))
            chosen = self.counter.levels[each.position].select(*self.counter.keys, **names)
            frame = frame.join(chosen, on=self.counter.keys, how="left", maintain_order="left")
        joined = self.counter.join_rankings(frame)
        columns = [column for each in self.scales for column in each.columns()]
        key = self.counter.known_or_none(functions.col("number"))
        return to_frame(joined.groupBy(key.alias("key")).agg(functions.count("*").alias("count"), *columns))

    def slots(self, counted: polars.DataFrame, most: int) -> list[polars.DataFrame] | None:
        """The rankings of every scale with a `slot` each, and how many `rows` have it.

        None if more than `most` rows would have to be read because they tie.
        """
        named = counted.join(self.counter.rankings, left_on="key", right_on="number")
        made = [self.scores_of(each, named) for each in self.scales]
        if any(tied_scores(scores).unique(self.counter.keys)["ties"].sum() > most for scores in made):
            return None
        return [self.slots_of(each, named, scores) for each, scores in zip(self.scales, made, strict=True)]

    def scores_of(self, sums: ScaleSums, named: polars.DataFrame) -> polars.DataFrame:
        """The distinct scores of judged documents in each ranking, from low to high.

        They have the `place` of the first level, how many `levels` have the score, and what the sums say: how many rows
        are `above`, and how many the ranking has in all and of those that tie with any level.
        """
        keys, names = self.counter.keys, sums.sums()
        above = polars.concat_list(names) if names else polars.lit([], polars.List(polars.Int64))
        said = named.select(*keys, "count", above=above, ties=sums.ties)
        place = polars.int_range(polars.len()).over(keys).alias("place")
        levels = self.counter.counting.levels[self.counter.way_of(sums.scale)].with_columns(place)
        grouped = levels.group_by(*keys, "compared", maintain_order=True)
        scores = grouped.agg(polars.col("place").min(), levels=polars.len().cast(polars.Int64))
        joined = scores.join(said, on=keys, maintain_order="left")
        size = polars.col("levels").sum().over(keys)
        return joined.with_columns(polars.col("above").list.get(polars.col("place")), size=size)

    def slots_of(self, sums: ScaleSums, named: polars.DataFrame, scores: polars.DataFrame) -> polars.DataFrame:
        """The counts of all slots under one scale."""
        keys = self.counter.keys
        tied = tied_scores(scores)
        read = self.read_ties(sums, tied) if len(tied) else None
        if read is None:
            scores = scores.with_columns(tied="levels")
        else:
            found = read.group_by(*keys, "compared").agg(tied=polars.len().cast(polars.Int64))
            scores = scores.join(found, on=[*keys, "compared"], how="left", maintain_order="left")
            scores = scores.with_columns(polars.col("tied").fill_null(polars.col("levels")))
        before = polars.col("above").shift().over(keys).fill_null(polars.col("count"))
        below = scores.select(
            *keys, slot=SLOTS * polars.col("place") + BETWEEN, rows=before - polars.col("above") - polars.col("tied")
        )
        top = scores.group_by(*keys, maintain_order=True).last()
        over = top.select(*keys, slot=SLOTS * polars.col("size") + BETWEEN, rows="above")
        is_changed = scores.filter(polars.col("tied").sum().over(keys) != polars.col("ties"))
        if len(is_changed) or (below["rows"] < 0).any():
            raise changed_error()
        alone = scores.join(tied.select(keys), on=keys, how="anti", maintain_order="left")
        places = polars.int_ranges("place", polars.col("place") + polars.col("levels"))
        itself = alone.select(*keys, slot=SLOTS * places + ITSELF, rows=polars.lit(1, polars.Int64)).explode("slot")
        parts = [below.filter(polars.col("rows") > 0), over.filter(polars.col("rows") > 0), itself]
        if read is not None:
            parts.append(self.place_ties(sums, read))
        others = named.join(scores.select(keys), on=keys, how="anti", maintain_order="left")
        parts.append(others.select(*keys, slot=polars.lit(NO_SLOT, polars.Int64), rows="count"))
        return polars.concat(parts).with_columns(excluded=polars.lit(0, polars.Int64))

    def read_ties(self, sums: ScaleSums, tied: polars.DataFrame) -> polars.DataFrame:
        """The rows of these rankings that have one of these scores, with their score as it is `compared`."""
        from pyspark.sql import functions

        keys, value = self.counter.keys, sums.scale.value()
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

    def place_ties(self, sums: ScaleSums, read: polars.DataFrame) -> polars.DataFrame:
        """The slots of rows that tie, as the kernel finds them."""
        way = self.counter.ways[self.counter.way_of(sums.scale)]
        part = Counting(self.counter.found, [way]).start()
        part.add(read.drop("compared"))
        return part.state().select(*self.counter.keys, "slot", "rows")


def tied_scores(scores: polars.DataFrame) -> polars.DataFrame:
    """The scores of rankings in which other documents tie with judged ones."""
    return scores.filter(polars.col("ties") > polars.col("size"))
