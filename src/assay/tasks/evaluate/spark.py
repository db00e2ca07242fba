"""`assay.spark.evaluate`: a run that is a Spark DataFrame, scored where it is.

The run is not shuffled: `assay.engine.spark.count` finds the judged documents and counts against them, and what comes
back is scored as a local run is. What cannot be counted is grouped by query, and ranked by `whole_queries`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars

from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, PolicyError
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.text import Option, show
from assay.data.frames.columns import find_columns
from assay.data.qrels import Qrels
from assay.engine.counted import Counted
from assay.engine.counting import Counting, check_distinct, from_bytes, uses_order, ways_of
from assay.engine.ranking import GivenRun, repeats_of
from assay.engine.spark.count import count, find
from assay.engine.spark.frames import executor_errors, is_spark, map_queries, quoted, read_run, to_frame, to_spark
from assay.results.results import Results
from assay.tasks.evaluate.api import overlap_notes
from assay.tasks.evaluate.plan import DEFAULT_MEASURES, Plan, make_plan
from assay.tasks.evaluate.score import SHARE, warned
from assay.tasks.evaluate.whole_queries import (
    COUNTED,
    NOTES,
    SCORES,
    WholeQueries,
    add_up_notes,
    needs_sums,
    note_rows,
    score_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame

    from assay.core.measure import Measure
    from assay.engine.spark.frames import SparkRun
    from assay.results.result import Result

METHODS = ("auto", "group")
RUN = "run"
# Judgments, or judged documents that were retrieved, that every executor may hold: about 30 bytes each.
MOST_BROADCAST = 2_000_000
# Rows that show how ids differ if barely any judged document was retrieved.
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
    broadcast: int = MOST_BROADCAST,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Any:  # noqa: ANN401 - a Result, Results, or a DataFrame
    """Scores a run, or several, in a Spark DataFrame.

    `qrels` are judgments in any form that `assay.evaluate` takes, or a DataFrame. `run` has columns for queries,
    documents and scores, found by their names or named with `columns`. With a column `run` (or `run_column`) there are
    several runs, and `Results` come back instead of a `Result`. Rows of a DataFrame have no order: policies that need
    one, such as `ties="input"`, need an `order_column` of whole numbers.

    With `collect=False` a DataFrame with the scores of each query comes back. With `collect="notes"` it has the notes
    of such scores: their kind, the measures they are about if not all, how many queries, documents or grades are
    concerned, and the first few queries.

    The run is read twice and only counts are shuffled where counts are enough, otherwise whole queries are brought
    together, as `method="group"` always does. More than `broadcast` judgments are joined with the run instead of sent
    to every executor. Duplicates are looked for among judged documents, and among all documents if `duplicates` is set.
    """
    if method not in METHODS:
        raise PolicyError(f"method must be {' or '.join(map(repr, METHODS))}, not {show(method)}")
    if not isinstance(collect, bool) and collect != NOTES:
        raise PolicyError(f"collect must be True, False or {NOTES!r}, not {show(collect)}")
    if not is_spark(run):
        given = show(type(run).__name__)
        raise DataError(f"the run must be a Spark DataFrame, not {given}; use assay.evaluate for others")
    named = run_column if run_column != RUN or RUN in run.columns else None
    rule = None if policies.get("doc_id") is None else DocIdRule.parse(policies["doc_id"])
    rows = read_run(run, columns, named, order_column, rule)
    check_whole("broadcast", broadcast, 0)
    plan = make_plan(measures, convention=convention, **policies)
    task = SparkTask(plan, SparkJudgments.of(qrels, broadcast, collect=collect is True), rows, broadcast)
    task.check_policies()
    # For large judgments, the chunks of documents, or sums of all scores, rows cannot be counted apart.
    must_group = task.judgments.is_large or plan.policies.doc_id is not None or needs_sums(plan)
    counted = None if method == "group" or "duplicates" in policies or must_group else task.count()
    if counted is None and collect is False:
        return task.map_queries(SCORES)
    if counted is None and collect == NOTES and task.judgments.is_large:
        return task.to_spark(add_up_notes(to_frame(task.map_queries(NOTES, names=True))))
    results = task.results(task.group() if counted is None else counted, is_whole=counted is None)
    if collect == NOTES:
        return task.to_spark(note_rows(results, plan, task.judgments.local))
    for name, result in results.items():
        warned(result, name or "")
    if not collect:
        return task.to_spark(score_rows(results))
    return Results({str(name): result for name, result in results.items()}) if rows.has_runs else results[None]


@dataclass(frozen=True, slots=True)
class SparkJudgments:
    """Judgments: `local` on the driver, or those of the extreme grades; `given` in Spark; whether they are too many."""

    local: Qrels
    given: DataFrame | None
    is_large: bool

    @classmethod
    def of(cls, qrels: object, broadcast: int, *, collect: bool) -> SparkJudgments:
        """Judgments in any form. A large DataFrame of them stays in Spark unless the result is collected."""
        if not is_spark(qrels):
            local = qrels if isinstance(qrels, Qrels) else Qrels(qrels, duplicates=None)
            return cls(local, None, len(local.rows) > broadcast)
        frame = judgment_columns(qrels)
        is_large = frame.count() > broadcast
        if is_large and not collect:
            return cls(extremes(frame), frame, is_large)
        return cls(Qrels(to_frame(frame).rename({"value": "relevance"}), duplicates=None), frame, is_large)


def judgment_columns(qrels: Any) -> DataFrame:  # noqa: ANN401 - a DataFrame
    from pyspark.sql import functions

    found = find_columns(qrels.columns, None, judgments=True, name="the judgments")
    if "iteration" in found:
        several = qrels.select(quoted(found["iteration"])).distinct().limit(2).count() > 1
        column = found.pop("iteration")
        found |= {"group": column} if several else {}
    kinds = {"value": "double"}
    named = ((role, functions.col(quoted(column))) for role, column in found.items())
    return qrels.select(*(column.cast(kinds.get(role, "string")).alias(role) for role, column in named))


def extremes(frame: DataFrame) -> Qrels:
    """A judgment with the highest grade and one with the lowest, which scales of measures depend on."""
    from pyspark.sql import functions

    row = functions.struct("value", "query_id", "doc_id")
    with executor_errors():
        ends = frame.where("value IS NOT NULL").agg(functions.min(row), functions.max(row)).collect()[0]
    if ends[0] is None:
        raise DataError("the judgments are empty")
    rows = polars.DataFrame([tuple(each) for each in ends], schema=["relevance", "query_id", "doc_id"], orient="row")
    return Qrels(rows.unique(), duplicates=None)


@dataclass(frozen=True, slots=True)
class SparkTask:
    """A plan, judgments and a run in Spark."""

    plan: Plan
    judgments: SparkJudgments
    run: SparkRun
    broadcast: int

    def check_policies(self) -> None:
        """Raises if a policy needs what a DataFrame does not have."""
        for policies in (group.policies for group in self.plan.groups):
            if uses_order(policies) and not self.run.has_order:
                option = Option("order", "given") if policies.order == "given" else Option("ties", policies.ties)
                raise PolicyError(
                    f"{option} depends on the order of rows, which a DataFrame does not have; name a column of whole "
                    f"numbers that has it: {Option('order_column')}"
                )

    def count(self) -> Counted | None:
        """What is counted without a shuffle of the run; None if whole queries must be ranked."""
        ways, judged = ways_of(self.plan.groups), polars.DataFrame(self.judgments.local.rows)
        found = find(self.run, judged, ways, self.broadcast)
        if found is None:
            return None
        keys = [name for name in ("run", "query_id", "doc_id") if name in found.columns]
        if any(repeats_of(way.policies) == "error" for way in ways):
            check_distinct(found)
        elif found.select(keys).is_duplicated().any():
            return None
        counting = Counting(found, ways)
        state = count(self.run, counting)
        return None if state is None else counting.count(state)

    def group(self) -> Counted:
        parts = to_frame(self.map_queries(COUNTED)).select(Counted.__slots__)
        return Counted.join([Counted(), *(Counted(*map(from_bytes, row)) for row in parts.rows())])

    def map_queries(self, makes: str, *, names: bool = False) -> DataFrame:
        """What executors make of whole queries; with the `names` of runs, or if there are several."""
        qrels, given = self.judgments.local, self.judgments.given
        if qrels.has_empty_queries and makes != COUNTED:
            raise DataError("a query in the judgments has no documents; remove it, or collect the result")
        if given is None:
            rows = polars.DataFrame(qrels.rows)
            order = polars.int_range(len(rows), dtype=polars.Int64).alias("order")
            given = to_spark(self.run.session, rows.with_columns(order) if qrels.repeats else rows)
        runs: list[str | None] = [None]
        if self.run.has_runs and makes != COUNTED:
            runs = to_frame(self.run.frame.select("run").distinct())["run"].drop_nulls().sort().to_list()
        plan = self.plan if makes == COUNTED else self.plan.bound(qrels)
        whole = WholeQueries(plan, runs, self.run.has_order, makes)
        made = map_queries(self.run, given, whole, whole.schema)
        return made if names or self.run.has_runs else made.drop("run")

    def results(self, counted: Counted, *, is_whole: bool) -> dict[str | None, Result]:
        """The result of every run, by its name; None if there is one without a name."""
        if not len(counted.facts):
            raise DataError("the run has no rankings")
        advice = (Option("duplicates", "error"), " looks at all documents")
        unchecked = Note.of(NoteKind.DUPLICATES, about="unchecked", advice=advice)
        results: dict[str | None, Result] = {}
        for name in counted.facts["run"].unique().sort().to_list():
            ranking = counted.ranking(self.judgments.local, name)
            hits = ranking.hits.filter(polars.col("document") >= 0, number=0)
            if len(hits) < SHARE * len(self.judgments.local.grades):
                ranking.given = GivenRun(self.sample(name), is_sample=True)
            result = self.plan.score(ranking, overlap_notes(ranking, self.plan.policies.doc_id))
            results[name] = result if is_whole else replace(result, notes=(*result.notes, unchecked))
        return results

    def sample(self, name: str | None) -> dict[str, dict[str, float]]:
        """Some rankings of a run, to show how their ids differ from those of the judgments."""
        from pyspark.sql import functions

        rows = self.run.frame if name is None else self.run.frame.where(functions.col("run") == name)
        sample: dict[str, dict[str, float]] = {}
        found = to_frame(rows.select("query_id", "doc_id", "value").limit(MOST_SAMPLED))
        for query, document, score in found.iter_rows():
            sample.setdefault(query, {})[document] = score
        return sample

    def to_spark(self, rows: polars.DataFrame) -> DataFrame:
        """A frame of results in Spark; with the names of runs if they have some."""
        return to_spark(self.run.session, rows if self.run.has_runs else rows.drop("run"))
