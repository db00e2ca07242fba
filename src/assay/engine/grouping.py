"""`Grouping`: ranks the rows of whole queries, where parts of them cannot be counted apart.

That is so for figures of all scores of a ranking, and for duplicate documents of which one is kept. What was found of
different queries is put side by side.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import polars

from assay._kernel import Ranker
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, FormatError
from assay.core.interface import Option
from assay.data.chunks import MOST_SHOWN, ChunkOrder, DocumentRanker
from assay.data.frames import prepare_frame
from assay.data.qrels import Qrels
from assay.engine.counted import CHUNKS, FACTS, HITS, Counted
from assay.engine.counting import from_bytes, place_error, to_bytes
from assay.engine.local import kernel_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.engine.counting import Way

# One row for the rows of some queries.
SCHEMA = "facts binary, hits binary, chunks binary"
KEEPS_ONE = ("first", "last")
# Rows that name the document of a chunk have it in this column.
DOCUMENT_COLUMN = DocIdRule("field", "document")


class Grouping:
    """Ranks whole queries: `judgments` and `rows` of the same queries in, what was counted out."""

    def __init__(self, ways: Sequence[Way], *, has_order: bool) -> None:
        self.ways = list({way.number: way for way in ways}.values())
        self.has_order = has_order

    def __call__(self, judgments: polars.DataFrame, rows: polars.DataFrame) -> polars.DataFrame:
        """What was counted, as bytes."""
        counted = self.count(read_judgments(judgments), rows)
        frames = {"facts": counted.facts, "hits": counted.hits, "chunks": counted.chunks}
        return polars.DataFrame({name: [to_bytes(frame)] for name, frame in frames.items()})

    def count(self, qrels: Qrels | None, rows: polars.DataFrame) -> Counted:
        """What was counted of each run."""
        parts = [Counted(polars.DataFrame(schema=FACTS), polars.DataFrame(schema=HITS))]
        for run, frame in by_run(rows):
            self.check_places(frame)
            table = frame.select("query_id", "doc_id", *(["document"] if self.is_by_field else []), score="value")
            if self.rule is not None:
                parts += self.rank_chunks(qrels, table, run)
                continue
            table = prepare_frame(table, None, judgments=False, name="the run")
            if qrels is None:
                parts.append(without_judgments(table, run))
            else:
                ranker = self.new_ranker(qrels)
                ranker.add_frame(table, "the run", 1)
                self.check_repeats(ranker)
                parts += self.counted(ranker, qrels, run)
        return Counted.join(parts)

    def check_places(self, rows: polars.DataFrame) -> None:
        """Raises if ranks depend on the places of rows, and a row has none or that of another."""
        if not any(way.by_order for way in self.ways):
            return
        if rows["order"].null_count():
            raise FormatError("the run: a row has no number in the order column; every row of a query needs its own")
        twice = rows.filter(rows.select("query_id", "order").is_duplicated())
        if len(twice):
            raise place_error(twice["query_id"][0])

    @property
    def rule(self) -> DocIdRule | None:
        """The rule that finds the documents of chunks."""
        return cast("DocIdRule | None", self.ways[0].policies.doc_id)

    @property
    def is_by_field(self) -> bool:
        """Whether rows name their documents in a column of their own."""
        return self.rule is not None and self.rule.is_field

    def new_ranker(self, qrels: Qrels) -> Ranker:
        """A ranker under the options of all ways."""
        return Ranker(qrels.index, [kernel_options(way.policies, way.needs) for way in self.ways])

    def counted(self, ranker: Ranker | DocumentRanker, qrels: Qrels, run: str | None) -> Iterator[Counted]:
        """What the kernel counted of one run under each of its options."""
        for place, way in enumerate(self.ways):
            yield Counted.of_ranker(ranker, qrels, place, run, way.number)

    def check_repeats(self, ranker: Ranker | DocumentRanker) -> None:
        """Raises if the first or the last of several rows was kept, though rows have no order."""
        for place, way in enumerate(self.ways):
            kept = {way.policies.repeated, way.policies.duplicates}.intersection(KEEPS_ONE)
            if kept and ranker.repeats_dropped(place) and not self.has_order:
                raise DataError(
                    f"the run has duplicate documents, and rows of a DataFrame have no {kept.pop()} one; name a column "
                    f"with their order: {Option('order_column', '…')}"
                )

    def rank_chunks(self, qrels: Qrels | None, table: polars.DataFrame, run: str | None) -> Iterator[Counted]:
        """What the kernel counts of the documents of chunks, and what became of the chunks.

        Chunks of queries without judgments are looked at too, as in a run that is read here.
        """
        orders = [ChunkOrder.of(way.policies) for way in self.ways]
        # Nothing is counted of queries without judgments, but a ranker needs some.
        known = Qrels({"query": {"document": 1}}) if qrels is None else qrels
        rule = DOCUMENT_COLUMN if self.is_by_field else self.rule
        ranker = DocumentRanker(partial(self.new_ranker, known), rule, orders)  # type: ignore[arg-type]
        ranker.add_run(table, threads=1)
        self.check_repeats(ranker)
        counted = [*self.counted(ranker, known, run)] if qrels is not None else [without_judgments(table, run)]
        # Duplicate chunks are counted with the chunks.
        yield from (
            replace(each, facts=each.facts.with_columns(dropped=polars.lit(0, polars.Int64))) for each in counted
        )
        shown = self.unmatched(table) if any(each.unmatched for each in ranker.chunks.values()) else []
        for place, (way, order) in enumerate(zip(self.ways, orders, strict=True)):
            each, repeats = ranker.chunks[order], ranker.repeats_dropped(place)
            row = (run, way.number, str(self.rule), each.retrieved, each.dropped, each.unmatched, repeats, shown)
            chunks = polars.DataFrame([row], schema=CHUNKS, orient="row")
            yield Counted(polars.DataFrame(schema=FACTS), polars.DataFrame(schema=HITS), chunks)

    def unmatched(self, table: polars.DataFrame) -> list[str]:
        """The first few ids, in their order, that the rule does not match: the same however rows are spread."""
        is_none = table["document"] if self.rule is None or self.is_by_field else self.rule.match_all(table["doc_id"])
        ids = table["doc_id"].filter(is_none.is_null() | (is_none == ""))
        return ids.unique().sort().head(MOST_SHOWN).to_list()


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


def collect(made: Iterable[tuple[bytes, ...]]) -> Counted:
    """What was counted of all queries."""
    return Counted.join([Counted(*map(from_bytes, frames)) for frames in made])  # type: ignore[arg-type]
