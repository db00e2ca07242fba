"""`Counted`: what was counted of runs in parts. `CountedRanker`: that of one run, in place of the kernel's ranker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from assay.data.chunks import MOST_SHOWN, Chunks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from assay._kernel import Ranker
    from assay.core.judged import IntArray
    from assay.core.note import Note
    from assay.data.chunks import DocumentRanker
    from assay.data.qrels import Qrels
    from assay.engine.counting import Way

COUNTS = ("higher", "tied", "before_descending", "before_ascending", "before_input")
SPREAD = ("top", "second", "deviation")
# What is known of a ranking under the kernel's options of a number, and of a judged document in it.
FACTS = {
    "run": polars.String,
    "query_id": polars.String,
    "number": polars.Int32,
    "retrieved": polars.Int64,
    "repeats": polars.Int64,
    "excluded": polars.Int64,
    "dropped": polars.Int64,
    **dict.fromkeys(SPREAD, polars.Float64),
}
HITS = {
    "run": polars.String,
    "query_id": polars.String,
    # Null if only other queries judged it.
    "doc_id": polars.String,
    "number": polars.Int32,
    "score": polars.Float64,
    **dict.fromkeys(COUNTS, polars.Int64),
}
# What became of the chunks of a part of a run, if a rule finds their documents; see `assay.data.chunks.Chunks`.
CHUNKS: dict[str, Any] = {
    "run": polars.String,
    "number": polars.Int32,
    "rule": polars.String,
    **dict.fromkeys(("retrieved", "dropped", "unmatched", "repeats"), polars.Int64),
    "shown": polars.List(polars.String),
}
NO_CHUNKS = polars.DataFrame(schema=CHUNKS)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Facts about rankings, the counts of their judged documents, and about chunks, for any number of runs."""

    facts: polars.DataFrame
    hits: polars.DataFrame
    chunks: polars.DataFrame = field(default_factory=lambda: NO_CHUNKS)
    notes: tuple[Note, ...] = ()

    @classmethod
    def of_way(
        cls, way: Way, levels: polars.DataFrame, counts: Mapping[str, IntArray], facts: polars.DataFrame
    ) -> Counted:
        """What was counted in one way; columns that it does not know are 0."""
        zero = np.zeros(len(levels), dtype=np.int64)
        if way.is_given:
            counts = {"higher": counts["before_ascending"]}
        unknown = ("before_descending", "before_ascending") if way.by_order else ("before_input",)
        known = {name: each for name, each in counts.items() if name not in unknown}
        hits = levels.select(
            "query_id",
            "doc_id",
            polars.lit(way.number, polars.Int32).alias("number"),
            polars.Series("score", -counts["higher"].astype(np.float64)) if way.is_given else polars.col("score"),
            *(polars.Series(name, known.get(name, zero)) for name in COUNTS),
            run=polars.col("run") if "run" in levels.columns else polars.lit(None, polars.String),
        )
        missing = {"repeats": 0, "dropped": 0, "number": way.number, **dict.fromkeys(SPREAD, float("nan"))}
        facts = facts.with_columns(polars.lit(each).alias(name) for name, each in missing.items())
        return cls(facts.select(list(FACTS)).cast(FACTS), hits.select(list(HITS)).cast(HITS))  # type: ignore[arg-type]

    @classmethod
    def of_ranker(
        cls, ranker: Ranker | DocumentRanker, qrels: Qrels, place: int, run: str | None, number: int
    ) -> Counted:
        """What the kernel counted of some whole rankings: under options at a place of its own, known by a number."""
        columns: Any = ranker.columns(place)
        arrays = {name: np.frombuffer(columns[name], dtype=np.int64) for name in (*COUNTS, "query", "document")}
        found = np.frombuffer(columns["retrieved"], dtype=np.int64)
        present = np.flatnonzero(found >= 0)
        queries = polars.Series("query_id", qrels.queries, dtype=polars.String)
        spread = {name: np.frombuffer(columns[name], dtype=np.float64)[present] for name in SPREAD}
        repeats = np.frombuffer(columns["repeats"], dtype=np.int64)[present]
        # What is known only of all rankings together is put beside the first of them.
        is_first = np.arange(len(present)) == 0
        totals = {"excluded": ranker.excluded(place), "dropped": ranker.repeats_dropped(place)}
        unjudged = polars.DataFrame({"query_id": ranker.unknown()}, schema={"query_id": polars.String})
        facts = polars.DataFrame(
            {
                "query_id": queries[present],
                "retrieved": found[present],
                "repeats": repeats,
                **{name: is_first * total for name, total in totals.items()},
                **spread,
            }
        )
        facts = polars.concat([facts, unjudged], how="diagonal").with_columns(
            polars.lit(run, polars.String).alias("run"), polars.lit(number).alias("number")
        )
        document = [None if each < 0 else qrels.index.document(each) for each in arrays["document"].tolist()]
        hits = polars.DataFrame(
            {
                "query_id": queries[arrays["query"]],
                "doc_id": polars.Series(document, dtype=polars.String),
                "score": np.frombuffer(columns["score"], dtype=np.float64),
                **{name: arrays[name] for name in COUNTS},
            }
        ).with_columns(polars.lit(run, polars.String).alias("run"), polars.lit(number).alias("number"))
        return cls(facts.select(list(FACTS)).cast(FACTS), hits.select(list(HITS)).cast(HITS))  # type: ignore[arg-type]

    @classmethod
    def join(cls, parts: Sequence[Counted]) -> Counted:
        """What was counted in several ways, or of several parts that share no ranking.

        Two ways with the same options know different columns of the same documents.
        """
        keys = ["run", "query_id", "doc_id", "number", "score"]
        facts = polars.concat([each.facts for each in parts], rechunk=True)
        hits = polars.concat([each.hits for each in parts], rechunk=True)
        chunks = polars.concat([each.chunks for each in parts], rechunk=True)
        if not facts.select("run", "query_id", "number").is_duplicated().any():
            return cls(facts, hits, chunks)
        facts = facts.unique(["run", "query_id", "number"], keep="first", maintain_order=True)
        hits = hits.group_by(keys, maintain_order=True).agg(polars.col(COUNTS).max()).select(list(HITS))
        return cls(facts, hits, chunks)

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in order."""
        return sorted(self.facts["run"].unique().drop_nulls().to_list())

    def ranker(self, qrels: Qrels, run: str | None = None) -> CountedRanker:
        """The ranker of one run; of the only one if runs have no names."""
        is_run = polars.col("run").eq_missing(polars.lit(run, polars.String))
        return CountedRanker(qrels, *(each.filter(is_run) for each in (self.facts, self.hits, self.chunks)))


class CountedRanker:
    """What was counted of a run in parts. It has the methods of the kernel's `Ranker` that scoring needs."""

    scattered = 0
    surplus = 0

    def __init__(
        self, qrels: Qrels, facts: polars.DataFrame, hits: polars.DataFrame, chunks: polars.DataFrame = NO_CHUNKS
    ) -> None:
        self.size = len(qrels)
        self.chunks = chunks
        numbers = polars.DataFrame(
            {"query_id": polars.Series(qrels.queries, dtype=polars.String), "query": np.arange(self.size)}
        )
        all_facts = facts.join(numbers, on="query_id", how="left")
        self.unjudged = sorted(set(all_facts.filter(polars.col("query").is_null())["query_id"].to_list()))
        self.facts = all_facts.drop_nulls("query")
        judged = judged_documents(qrels)
        self.hits = (
            hits.join(numbers, on="query_id")
            .join(judged, on=["query_id", "doc_id"], how="left")
            .with_columns(polars.col("document").fill_null(-1))
            .sort("query", "higher", "before_input", maintain_order=True)
        )

    def columns(self, number: int) -> dict[str, bytes]:
        """The columns that the kernel has for its options of that number."""
        is_number = polars.col("number") == number
        facts, hits = self.facts.filter(is_number), self.hits.filter(is_number)
        places = facts["query"].to_numpy()

        def of_queries(name: str, missing: float, kind: type) -> bytes:
            values: NDArray[Any] = np.full(self.size, missing, dtype=kind)
            values[places] = facts[name].to_numpy()
            return values.tobytes()

        return {
            "retrieved": of_queries("retrieved", -1, np.int64),
            "repeats": of_queries("repeats", 0, np.int64),
            **{name: of_queries(name, np.nan, np.float64) for name in SPREAD},
            **{name: hits[name].to_numpy().astype(np.int64).tobytes() for name in ("query", "document", *COUNTS)},
            "score": hits["score"].to_numpy().tobytes(),
        }

    def unknown(self) -> list[str]:
        """Queries of the run that have no judgments."""
        return self.unjudged

    def repeats_dropped(self, number: int) -> int:
        repeats = self.chunks.filter(polars.col("number") == number)["repeats"].sum()
        return self.total("dropped", number) + int(repeats)

    def excluded(self, number: int) -> int:
        return self.total("excluded", number)

    def total(self, name: str, number: int) -> int:
        return int(self.facts.filter(polars.col("number") == number)[name].sum())

    def notes(self, number: int) -> list[Note]:
        """What became of chunks under the options of that number; ids that the rule does not match in their order."""
        parts = self.chunks.filter(polars.col("number") == number)
        if not len(parts):
            return []
        retrieved, dropped, unmatched = parts.select("retrieved", "dropped", "unmatched").sum().row(0)
        shown = sorted({each for some in parts["shown"] for each in some})[:MOST_SHOWN]
        return Chunks(parts["rule"][0], retrieved, dropped, unmatched, shown).notes()

    def count_hits(self) -> int:
        """How many judged documents were retrieved, under the first options."""
        return int((self.hits.filter(polars.col("number") == 0)["document"] >= 0).sum())


def judged_documents(qrels: Qrels) -> polars.DataFrame:
    """The judged documents: `query_id`, `doc_id`, and the `document` that the kernel's index numbers."""
    rows = polars.DataFrame(qrels.rows).select("query_id", "doc_id")
    numbers = np.frombuffer(qrels.index.row_documents(), dtype=np.int64)
    return rows.with_columns(polars.Series("document", numbers)).unique("document", maintain_order=True)
