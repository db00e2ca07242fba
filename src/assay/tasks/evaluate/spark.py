"""`assay.spark.evaluate`: a run that is a Spark DataFrame, scored where it is.

The run is not shuffled: `assay.engine.spark` finds the judged documents and counts against them, and what comes back is
scored as a local run is. What cannot be counted (see `must_group`) is grouped by query first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars

from assay.conventions import Chosen
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, PolicyError
from assay.core.interface import Option
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.text import show
from assay.data.frames import find_columns
from assay.data.qrels import Qrels
from assay.engine import grouping
from assay.engine import spark as engine
from assay.engine.counted import FACTS, HITS, Counted, CountedRanker
from assay.engine.counting import Counting, Way, check_distinct, duplicate_error, uses_order, ways_of
from assay.engine.local import rank_hits
from assay.engine.spark_counts import SparkCounter
from assay.results.results import Results
from assay.tasks.evaluate.score import SHARE, warned
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES, RunRead, Scorer, make_scorer
from assay.tasks.evaluate.spark_scores import CountScores, GroupScores, Scoring, add_up_notes, judgment_texts, note_rows
from assay.tasks.evaluate.ties import Added

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from assay.core.measure import Measure
    from assay.results.result import Result

METHODS = ("auto", "count", "group")
# Judgments, or judged documents that were retrieved, that every executor may hold: about 30 bytes each.
RUN = "run"
NOTES = "notes"
# Rows that show how ids differ if hardly a judged document was retrieved.
MOST_SAMPLED = 2_000


def evaluate(
    qrels: object,
    run: DataFrame,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    columns: Mapping[str, str] | None = None,
    run_column: str | None = RUN,
    order_column: str | None = None,
    collect: bool | str = True,
    method: str = "auto",
    broadcast: int = engine.MOST_BROADCAST,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Any:  # noqa: ANN401 - a Result, Results, or a DataFrame
    """Scores a run, or several, in a Spark DataFrame.

    `qrels` are judgments in any form that `assay.evaluate` takes, or a DataFrame. `run` has columns for queries,
    documents and scores, found by their names or named with `columns`. With a column `run` (or `run_column`) there are
    several runs, and `Results` come back instead of a `Result`. Rows of a DataFrame have no order: policies that need
    one, such as `ties="input"`, need an `order_column` of whole numbers.

    With `collect=False` a DataFrame comes back, with the scores of each query, which never reach the driver. With
    `collect="notes"` it has the notes of such scores: their kind, the measures they are about if not all, how many
    queries, documents or grades are concerned, and the first few queries.

    `method="count"` reads the run twice or more and shuffles nothing but counts, `"group"` shuffles the run; `"auto"`
    counts where it can. More than `broadcast` judgments are joined with the run instead of sent to every executor.
    Duplicates are looked for among judged documents, and among all documents if `duplicates` is set.
    """
    if method not in METHODS:
        raise PolicyError(f"method must be {' or '.join(map(repr, METHODS))}, not {show(method)}")
    if not isinstance(collect, bool) and collect != NOTES:
        raise PolicyError(f"collect must be True, False or {NOTES!r}, not {show(collect)}")
    if not engine.is_spark(run):
        raise DataError(
            f"the run must be a Spark DataFrame, not {show(type(run).__name__)}; use assay.evaluate for others"
        )
    named = run_column if run_column != RUN or RUN in run.columns else None
    rule = None if policies.get("doc_id") is None else DocIdRule.parse(policies["doc_id"])
    rows = engine.read_run(run, columns, named, order_column, rule)
    check_whole("broadcast", broadcast, 0)
    judgments = SparkJudgments.of(qrels, broadcast, collect=collect is True)
    scorer = make_scorer(judgments.local, measures, convention=convention, **policies)
    task = Task(scorer, judgments, rows, method, broadcast, is_checked="duplicates" in policies)
    task.check_policies()
    if collect == NOTES:
        return task.notes()
    found = None if collect else task.find()
    # If nothing was found, scores in Spark are surely not what was meant: that is as loud as with a collected result.
    results = task.results() if collect or (found is not None and not len(found.rows)) else {}
    for name, result in results.items():
        warned(result, name or "")
    if not collect:
        return task.scores(found)
    return Results({str(name): result for name, result in results.items()}) if rows.has_runs else results[None]


@dataclass(frozen=True, slots=True)
class SparkJudgments:
    """Judgments: `local` on the driver, or what stands for them there; `given` in Spark; whether they are too many."""

    local: Any
    given: Any
    is_large: bool

    @classmethod
    def of(cls, qrels: object, broadcast: int, *, collect: bool) -> SparkJudgments:
        """Judgments in any form. A large DataFrame of them stays in Spark unless the result is collected."""
        if not engine.is_spark(qrels):
            local = qrels if isinstance(qrels, Qrels) else Qrels(qrels, duplicates=None)
            return cls(local, None, len(local.rows) > broadcast)
        frame = judgment_columns(qrels)
        is_large = frame.count() > broadcast
        if is_large and not collect:
            return cls(grade_range(frame), frame, is_large)
        local = Qrels(engine.to_frame(frame).rename({"value": "relevance"}), duplicates=None)
        return cls(local, frame, is_large)

    def frame(self, session: SparkSession) -> DataFrame:
        """The judgments in Spark."""
        return engine.to_spark(session, with_values(self.local)) if self.given is None else self.given


def check_every_query(qrels: Qrels) -> None:
    """Raises if a query has no judgments: executors get rows of judgments, and it has none."""
    if qrels.has_empty_queries:
        raise DataError("a query in the judgments has no documents; remove it, or collect the result")


def with_values(qrels: Qrels) -> polars.DataFrame:
    """The rows of judgments as executors take them."""
    frame = polars.DataFrame(qrels.rows)
    return frame.with_row_index("order").with_columns(polars.col("order").cast(polars.Int64))


def judgment_columns(qrels: Any) -> DataFrame:  # noqa: ANN401 - a DataFrame
    """A DataFrame of judgments with the columns that assay knows."""
    from pyspark.sql import functions

    found = find_columns(qrels.columns, None, judgments=True, name="the judgments")
    if "iteration" in found:
        several = qrels.select(engine.quoted(found["iteration"])).distinct().limit(2).count() > 1
        column = found.pop("iteration")
        found |= {"group": column} if several else {}
    kinds = {"value": "double"}
    return qrels.select(
        *(
            functions.col(engine.quoted(column)).cast(kinds.get(role, "string")).alias(role)
            for role, column in found.items()
        )
    )


def grade_range(frame: DataFrame) -> dict[str, dict[str, float]]:
    """Judgments with the highest and the lowest grade: what scales of measures depend on."""
    from pyspark.sql import functions

    with engine.executor_errors():
        ends = frame.agg(functions.min("value"), functions.max("value")).collect()[0]
    if ends[0] is None:
        raise DataError("the judgments have no judgments")
    return {"q": {"lowest": ends[0], "highest": ends[1]}}


@dataclass(frozen=True, slots=True)
class Task:
    """Judgments, measures and a run, and how it is counted."""

    scorer: Scorer
    judgments: SparkJudgments
    run: engine.SparkRun
    method: str
    broadcast: int
    is_checked: bool

    @property
    def ways(self) -> list[Way]:
        return ways_of((group.policies, group.needs, group.number) for group in self.scorer.groups)

    def check_policies(self) -> None:
        """Raises if a policy needs what a DataFrame does not have."""
        for group in self.scorer.groups:
            if uses_order(group.policies) and not self.run.has_order:
                how = (
                    Option("order", "given") if group.policies.order == "given" else Option("ties", group.policies.ties)
                )
                raise PolicyError(
                    f"{how} depends on the order of rows, which a DataFrame does not have; name a column of whole "
                    f"numbers that has it: {Option('order_column', '…')}"
                )

    def must_group(self) -> bool:
        """Whether the rows of each query must be brought together.

        That is so for figures of all scores, for the chunks of documents, and for large judgments.
        """
        has_chunks = self.scorer.policies.doc_id is not None
        return self.judgments.is_large or has_chunks or any("spread" in way.needs for way in self.ways)

    def find(self) -> engine.Found | None:
        """The judged documents that were retrieved; None if they cannot be counted against."""
        if self.method == "group" or self.must_group():
            return None
        policies = {way.policies.repeated for way in self.ways}
        pair = engine.check_duplicates(self.run, self.scorer.qrels.queries) if self.is_checked else None
        if pair is not None and "error" in policies:
            raise duplicate_error(*pair)
        if pair is not None:
            return None
        foreign = any("foreign" in way.needs for way in self.ways)
        by_order = any(way.by_order for way in self.ways)
        judged = polars.DataFrame(self.scorer.qrels.rows)
        found = engine.find(self.run, judged, foreign=foreign, by_order=by_order, most=self.broadcast)
        if not found.is_whole:
            return None
        keys = [name for name in ("run", "query_id", "doc_id") if name in found.rows.columns]
        if "error" not in policies and found.rows.select(keys).is_duplicated().any():
            return None
        check_distinct(found.rows)
        return found

    def state(self, found: engine.Found, *, names: bool) -> polars.DataFrame | DataFrame:
        """The sums of counts: on the driver if Spark itself can count, otherwise of the kernel on the executors.

        Rows that cannot be used are for the kernel too, which says what is wrong with them. Rankings without judgments
        are counted if their `names` are asked for.
        """
        counter = SparkCounter(self.run, found.rows, self.ways, self.scorer.qrels.queries)
        is_possible = found.is_sound and counter.is_small(self.broadcast)
        state = counter.state(names=names, most=self.broadcast) if is_possible else None
        return engine.count(self.run, found.rows, self.ways) if state is None else state

    def count(self) -> Counted:
        """What was counted of every run, on the driver."""
        found = self.find()
        if found is None:
            group = grouping.Grouping(self.ways, has_order=self.run.has_order)
            made = engine.group(self.run, self.judgments.frame(self.run.session), group, grouping.SCHEMA)
            counted = grouping.collect(engine.to_frame(made).iter_rows())
        else:
            state = self.state(found, names=True)
            local = state if isinstance(state, polars.DataFrame) else engine.to_frame(state)
            counted = Counting(found.rows, self.ways).count(local)
            if not self.is_checked:
                counted = replace(counted, notes=(unchecked_note(),))
        if not len(counted.facts):
            raise DataError("the run has no rankings")
        return counted

    def results(self) -> dict[str | None, Result]:
        """The result of every run, by its name; None if there is one without a name."""
        counted = self.count()
        return {name: self.result(counted, name) for name in (counted.runs if self.run.has_runs else [None])}

    def result(self, counted: Counted, name: str | None) -> Result:
        """The result of one run."""
        ranker = counted.ranker(self.scorer.qrels, name)
        few = ranker.count_hits() < SHARE * len(self.scorer.qrels.grades)
        read: Any = RunRead(ranker, {}, self.sample(name) if few else Added())  # type: ignore[arg-type]
        result = self.scorer.score(read)
        return replace(result, notes=(*result.notes, *counted.notes))

    def sample(self, name: str | None) -> Added:
        """Some rankings of a run, to show how their ids differ from those of the judgments."""
        from pyspark.sql import functions

        rows = self.run.frame if name is None else self.run.frame.where(functions.col("run") == name)
        sample = Added()
        for query, document, score in engine.to_frame(
            rows.select("query_id", "doc_id", "value").limit(MOST_SAMPLED)
        ).iter_rows():
            sample.setdefault(query, {})[document] = score  # type: ignore[index]
        return sample

    def scores(self, found: engine.Found | None) -> DataFrame:
        """The scores of each query, in Spark."""
        check_every_query(self.scorer.qrels)
        scoring = self.scoring()
        if found is None:
            return self.group_scores(scoring)
        state = self.state(found, names=False)
        counts = engine.to_spark(self.run.session, state) if isinstance(state, polars.DataFrame) else state
        owners = engine.to_spark(self.run.session, scoring.owners(self.scorer.qrels))
        together = counts.unionByName(owners).repartition("query_id")
        judged = polars.DataFrame(self.scorer.qrels.rows)
        return engine.map_batches(together, CountScores(scoring, self.ways, found.rows, judged), scoring.schema)

    def notes(self) -> DataFrame:
        """The notes of the results. Of large judgments, executors note what they see, and it is added up."""
        if self.judgments.is_large:
            check_every_query(self.scorer.qrels)
            rows = add_up_notes(self.group_scores(self.scoring(is_noting=True)))
        else:
            texts = judgment_texts(self.scorer)
            rows = polars.concat([note_rows(each.notes, run, texts) for run, each in self.results().items()])
        return engine.to_spark(self.run.session, rows)

    def scoring(self, *, is_noting: bool = False) -> Scoring:
        """How executors score or note."""
        how = (self.scorer.convention.name, self.scorer.policies, self.runs())
        return Scoring(bound_measures(self.scorer), *how, is_noting)

    def group_scores(self, scoring: Scoring) -> DataFrame:
        """What executors say of whole queries."""
        group = grouping.Grouping(self.ways, has_order=self.run.has_order)
        judgments = self.judgments.frame(self.run.session)
        return engine.group(self.run, judgments, GroupScores(scoring, group), scoring.schema)

    def runs(self) -> list[str] | None:
        """The names of the runs; None if there is one without a name."""
        if not self.run.has_runs:
            return None
        return sorted(engine.to_frame(self.run.frame.select("run").distinct())["run"].drop_nulls().to_list())


def unchecked_note() -> Note:
    """That only judged documents were looked at for duplicates."""
    return Note.of(
        NoteKind.DUPLICATES, about="unchecked", advice=(Option("duplicates", "error"), " looks at all documents")
    )


def bound_measures(scorer: Scorer) -> dict[str, Chosen]:
    """The measures with the parameters that all judgments set."""
    nothing = CountedRanker(scorer.qrels, polars.DataFrame(schema=FACTS), polars.DataFrame(schema=HITS))
    bound: dict[str, Chosen] = {}
    for group in scorer.groups:
        index = scorer.qrels.index_under(group.policies.duplicates)
        judged, _ = rank_hits(scorer.qrels.rows, index, nothing.columns(group.number), group.policies)
        bound |= {name: Chosen(measure.bound(judged), group.policies) for name, measure in group.measures.items()}
    return {name: bound[name] for name in scorer.measures}
