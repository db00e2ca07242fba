"""`Counted`: what was counted of runs in parts. `CountedRanking`: that of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars

from assay.core.judged import floats, integers
from assay.core.note import Note
from assay.data.chunks.fields import MOST_SHOWN
from assay.engine.chunks import Chunks
from assay.engine.ranking import Counts, Ranking
from assay.engine.tops import Tops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.data.qrels import Qrels

Schema: TypeAlias = Mapping[str, Any]
COUNTS = ("higher", "tied", "before_descending", "before_ascending", "before_input")
SPREAD = ("top", "second", "deviation")
# What is known of a ranking under the kernel's options of a number, of a judged document in it, and of a part of a run.
FACTS: Schema = {
    **dict.fromkeys(("run", "query_id"), polars.String),
    "number": polars.Int32,
    **dict.fromkeys(("retrieved", "repeats"), polars.Int64),
    **dict.fromkeys(SPREAD, polars.Float64),
}
HITS: Schema = {
    # The document is null if only other queries judged it.
    **dict.fromkeys(("run", "query_id", "doc_id"), polars.String),
    "number": polars.Int32,
    "score": polars.Float64,
    **dict.fromkeys(COUNTS, polars.Int64),
}
TOTALS: Schema = {
    "run": polars.String,
    "number": polars.Int32,
    **dict.fromkeys(("dropped", "excluded"), polars.Int64),
    # The rule that finds the documents of chunks, and what became of these; see `Chunks`.
    "rule": polars.String,
    **dict.fromkeys(("chunks", "collapsed", "unmatched"), polars.Int64),
    "shown": polars.List(polars.String),
}


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Facts about rankings, the counts of their judged documents, and totals of parts, for any number of runs."""

    facts: polars.DataFrame = field(default_factory=lambda: polars.DataFrame(schema=FACTS))
    hits: polars.DataFrame = field(default_factory=lambda: polars.DataFrame(schema=HITS))
    totals: polars.DataFrame = field(default_factory=lambda: polars.DataFrame(schema=TOTALS))

    @classmethod
    def of_ranking(cls, ranking: Ranking, number: int, run: str | None, **chunks: Any) -> Counted:  # noqa: ANN401 - totals
        """What is known of some whole rankings under the options of a number, in which they share no other part."""
        counts, qrels = ranking.counts(number), ranking.qrels
        queries = polars.Series(qrels.queries, dtype=polars.String)
        facts = polars.DataFrame(
            {
                "query_id": queries,
                **{name: integers(counts[name]) for name in ("retrieved", "repeats")},
                **{name: floats(counts[name]) for name in SPREAD},
            }
        ).filter(polars.col("retrieved") >= 0)
        unjudged = polars.DataFrame({"query_id": ranking.unknown()}, schema={"query_id": polars.String})
        documents = integers(counts["document"]).tolist()
        hits = polars.DataFrame(
            {
                "query_id": queries[integers(counts["query"])],
                "doc_id": [None if each < 0 else qrels.index.document(each) for each in documents],
                "score": floats(counts["score"]),
                **{name: integers(counts[name]) for name in COUNTS},
            },
            schema_overrides={"doc_id": polars.String},
        )
        totals: dict[str, Any] = {"dropped": ranking.repeats_dropped(number), "excluded": ranking.excluded(number)}
        totals |= {name: [each] for name, each in chunks.items()}
        of_run = [polars.lit(run, polars.String).alias("run"), polars.lit(number).alias("number")]
        facts = polars.concat([facts, unjudged], how="diagonal")
        frames = ((facts, FACTS), (hits, HITS), (polars.DataFrame(totals), TOTALS))
        return cls(*(shaped(frame.with_columns(of_run), schema) for frame, schema in frames))

    @classmethod
    def join(cls, parts: Sequence[Counted]) -> Counted:
        """What was counted of parts that share no ranking, or in ways, which know different columns of one document."""
        facts, hits, totals = (
            polars.concat([getattr(each, name) for each in parts], rechunk=True) for name in cls.__slots__
        )
        ranking = ["run", "query_id", "number"]
        if facts.select(ranking).is_duplicated().any():
            facts = facts.unique(ranking, keep="first", maintain_order=True)
            totals = totals.unique(["run", "number"], keep="first", maintain_order=True)
            hits = hits.group_by([*ranking, "doc_id", "score"], maintain_order=True).agg(polars.col(COUNTS).max())
        return cls(facts, shaped(hits, HITS), totals)

    def ranking(self, qrels: Qrels, run: str | None = None) -> CountedRanking:
        """That of one run; of the only one if runs have no names."""
        return CountedRanking(qrels, self, run)


class CountedRanking(Ranking):
    """A run whose judged documents were counted in parts."""

    is_read_in_order = False

    def __init__(self, qrels: Qrels, counted: Counted, run: str | None) -> None:
        super().__init__(qrels)
        self.size = len(qrels)
        is_run = polars.col("run").eq_missing(polars.lit(run, polars.String))
        self.totals = counted.totals.filter(is_run)
        names = polars.Series(qrels.queries, dtype=polars.String)
        queries = polars.DataFrame({"query_id": names, "query": np.arange(self.size)})
        facts = counted.facts.filter(is_run).join(queries, on="query_id", how="left")
        self.unjudged = sorted(set(facts.filter(polars.col("query").is_null())["query_id"].to_list()))
        self.facts = facts.drop_nulls("query")
        documents = polars.Series("document", integers(qrels.index.row_documents()))
        judged = polars.DataFrame(qrels.rows).select("query_id", "doc_id").with_columns(documents).unique("document")
        hits = (
            counted.hits.filter(is_run).join(queries, on="query_id").join(judged, on=["query_id", "doc_id"], how="left")
        )
        hits = hits.with_columns(polars.col("document").fill_null(-1))
        self.hits = hits.sort("query", "higher", "before_input", maintain_order=True)

    def counts(self, number: int) -> Counts:
        facts, hits = self.facts.filter(number=number), self.hits.filter(number=number)
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

    def kept_tops(self) -> Tops:
        """None: nothing but judged documents is known."""
        return Tops.pack([[]] * self.size)

    def unknown(self) -> list[str]:
        return self.unjudged

    def repeats_dropped(self, number: int) -> int:
        return int(self.totals.filter(number=number)["dropped"].sum())

    def excluded(self, number: int) -> int:
        return int(self.totals.filter(number=number)["excluded"].sum())

    def chunk_notes(self, number: int) -> list[Note]:
        """What became of the chunks; ids that the rule does not match in their order."""
        parts = self.totals.filter(number=number).drop_nulls("rule")
        if not len(parts):
            return []
        retrieved, collapsed, unmatched = parts.select("chunks", "collapsed", "unmatched").sum().row(0)
        shown = sorted({each for some in parts["shown"] for each in some})[:MOST_SHOWN]
        return Chunks(parts["rule"][0], retrieved, collapsed, unmatched, shown).notes()


def shaped(frame: polars.DataFrame, schema: Schema) -> polars.DataFrame:
    """The columns of a schema; those that the frame does not have are null."""
    missing = [polars.lit(None).alias(name) for name in schema if name not in frame.columns]
    return frame.with_columns(missing).select(list(schema)).cast(dict(schema))  # type: ignore[arg-type]
