"""Scores of single queries, computed on the executors: each scores the queries whose counts it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from assay.conventions import Chosen, find_convention
from assay.core.policies import Policies
from assay.data.qrels import Qrels
from assay.engine.counting import NO_SLOT, STATE, Counting, from_bytes, to_bytes
from assay.engine.grouping import read_judgments
from assay.engine.local import rank_hits
from assay.engine.spark import quoted, to_batches
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.score import merge_parts, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.engine.counted import Counted
    from assay.engine.counting import Way
    from assay.engine.grouping import Grouping
    from assay.engine.spark import Batches
    from assay.results.result import Result

# The way of rows that only say whose query it is.
NO_WAY = -1


class Scoring(NamedTuple):
    """How queries are scored, in a form that executors get; `runs` are the names of the runs, if they have names."""

    measures: dict[str, Chosen]
    convention: str
    policies: Policies
    runs: list[str] | None

    @property
    def schema(self) -> str:
        """The columns of the scores, as Spark writes them."""
        keys = ["query_id string"] if self.runs is None else ["run string", "query_id string"]
        return ", ".join([*keys, *(f"{quoted(name)} double" for name in self.measures)])

    def owners(self, qrels: Qrels) -> polars.DataFrame:
        """A row for each judged query, in the form of counts, so that queries missing from the run are scored too."""
        size = len(qrels)
        columns: dict[str, Any] = {"way": [NO_WAY] * size, "slot": [NO_SLOT] * size, "run": [None] * size}
        zeros = {"rows": [0] * size, "excluded": [0] * size}
        return polars.DataFrame({**columns, "query_id": qrels.queries, **zeros}, schema=STATE)

    def score(self, qrels: Qrels, counted: Counted) -> polars.DataFrame:
        """The scores of all queries that `qrels` has, for every run."""
        scorer = Scorer(qrels, self.measures, find_convention(self.convention), self.policies, threads=1)
        names: list[str | None] = [None] if self.runs is None else [*self.runs]
        frames = [self.table(score_run(scorer, counted, run), run) for run in names]
        return polars.concat(frames)

    def table(self, result: Result, run: str | None) -> polars.DataFrame:
        """The scores of one run; a query that is left out has no row."""
        names: dict[str, Any] = {} if run is None else {"run": [run] * len(result.queries)}
        scores = {name: result.scores[name] for name in self.measures}
        text = dict.fromkeys((*names, "query_id"), polars.String)
        return polars.DataFrame({**names, "query_id": result.queries, **scores}, schema_overrides=text)


def score_run(scorer: Scorer, counted: Counted, run: str | None) -> Result:
    """The scores of one run; it need not have a query in common with these judgments."""
    ranker, qrels = counted.ranker(scorer.qrels, run), scorer.qrels
    parts = []
    for group in scorer.groups:
        index = qrels.index_under(group.policies.duplicates)
        judged, found = rank_hits(qrels.rows, index, ranker.columns(group.number), group.policies)
        parts.append(score(judged, group.measures, group.policies, queries=qrels.queries, present=found >= 0))
    how: Any = {"convention": scorer.convention.name, "policies": scorer.policies}
    return merge_parts(parts, scorer.measures, queries=qrels.queries, **how)


class GroupScores:
    """Scores whole queries from their judgments and rows."""

    def __init__(self, scoring: Scoring, grouping: Grouping) -> None:
        self.scoring = scoring
        self.grouping = grouping

    def __call__(self, judgments: polars.DataFrame, rows: polars.DataFrame) -> polars.DataFrame:
        qrels = read_judgments(judgments)
        if qrels is None:
            return polars.DataFrame()
        return self.scoring.score(qrels, self.grouping.count(qrels, rows))


class CountScores:
    """Scores queries from their counts."""

    def __init__(
        self, scoring: Scoring, ways: Sequence[Way], found: polars.DataFrame, judgments: polars.DataFrame
    ) -> None:
        self.scoring = scoring
        self.ways = list(ways)
        self.found = to_bytes(found)
        self.judgments = to_bytes(judgments)

    def __call__(self, batches: Batches) -> Batches:
        frames: Any = [polars.from_arrow(batch) for batch in batches]
        state = polars.concat(frames) if frames else polars.DataFrame(schema=STATE)
        is_own = polars.col("query_id").is_in(state["query_id"].unique().to_list())
        judgments = from_bytes(self.judgments).filter(is_own)
        if not len(judgments):
            return
        qrels = Qrels(judgments.rename({"value": "relevance"}), duplicates=None)
        counting = Counting(from_bytes(self.found).filter(is_own), self.ways)
        counted = counting.count(state.filter(polars.col("way") != NO_WAY))
        yield from to_batches(self.scoring.score(qrels, counted))
