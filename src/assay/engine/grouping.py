"""`Grouping`: ranks the rows of whole queries, where parts of them cannot be counted apart.

That is so for figures of all scores of a ranking, and for duplicate documents of which one is kept. What was found of
different queries is put side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from assay._kernel import Ranker
from assay.core.errors import DataError, FormatError
from assay.core.interface import Option
from assay.data.frames import prepare_frame
from assay.data.qrels import Qrels
from assay.engine.counted import FACTS, HITS, Counted
from assay.engine.counting import from_bytes, to_bytes
from assay.engine.local import kernel_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.engine.counting import Way

# One row for the rows of some queries.
SCHEMA = "facts binary, hits binary"
KEEPS_ONE = ("first", "last")


class Grouping:
    """Ranks whole queries: `judgments` and `rows` of the same queries in, what was counted out."""

    def __init__(self, ways: Sequence[Way], *, has_order: bool) -> None:
        self.ways = list({way.number: way for way in ways}.values())
        self.has_order = has_order

    def __call__(self, judgments: polars.DataFrame, rows: polars.DataFrame) -> polars.DataFrame:
        """What was counted, as bytes."""
        counted = self.count(read_judgments(judgments), rows)
        return polars.DataFrame({"facts": [to_bytes(counted.facts)], "hits": [to_bytes(counted.hits)]})

    def count(self, qrels: Qrels | None, rows: polars.DataFrame) -> Counted:
        """What was counted of each run."""
        parts = [Counted(polars.DataFrame(schema=FACTS), polars.DataFrame(schema=HITS))]
        for run, frame in by_run(rows):
            table = prepare_frame(
                frame.select("query_id", "doc_id", score="value"), None, judgments=False, name="the run"
            )
            if qrels is None:
                parts.append(without_judgments(table, run))
            else:
                parts += self.rank(qrels, table, run)
        return Counted.join(parts)

    def rank(self, qrels: Qrels, table: polars.DataFrame, run: str | None) -> Iterator[Counted]:
        """What the kernel counts of one run under each of its options."""
        options = [kernel_options(way.policies, way.needs) for way in self.ways]
        ranker = Ranker(qrels.index, options)
        ranker.add_frame(table, "the run", 1)
        for place, way in enumerate(self.ways):
            repeated = way.policies.repeated
            if repeated in KEEPS_ONE and ranker.repeats_dropped(place) and not self.has_order:
                raise DataError(
                    f"the run has duplicate documents, and rows of a DataFrame have no {repeated} one; name a column "
                    f"with their order: {Option('order_column', '…')}"
                )
            yield Counted.of_ranker(ranker, qrels, place, run, way.number)


def by_run(rows: polars.DataFrame) -> Iterator[tuple[str | None, polars.DataFrame]]:
    """The rows of each run."""
    if not rows["run"].null_count():
        yield from ((str(name), frame) for (name,), frame in rows.group_by(["run"], maintain_order=True))
    elif rows["run"].null_count() == len(rows):
        yield None, rows
    else:
        raise FormatError("the run: some rows have no run; every row needs one")


def read_judgments(rows: polars.DataFrame) -> Qrels | None:
    """The judgments of some queries; None if they have none."""
    if not len(rows):
        return None
    names = ["query_id", "doc_id", *(["group"] if rows["group"].null_count() < len(rows) else [])]
    return Qrels(rows.select(*names, relevance="value"), duplicates=None)


def without_judgments(table: polars.DataFrame, run: str | None) -> Counted:
    """Queries that only the run has."""
    facts = table.select(polars.col("query_id").unique(), polars.lit(run, polars.String).alias("run"), number=0)
    missing = [name for name in FACTS if name not in facts.columns]
    facts = facts.with_columns(polars.lit(None).alias(name) for name in missing).select(list(FACTS))
    return Counted(facts.cast(FACTS), polars.DataFrame(schema=HITS))  # type: ignore[arg-type]


def collect(made: Iterable[tuple[bytes, bytes]]) -> Counted:
    """What was counted of all queries."""
    return Counted.join([Counted(from_bytes(facts), from_bytes(hits)) for facts, hits in made])
