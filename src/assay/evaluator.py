"""`Evaluator`: judgments and measures made ready once, for many runs or for one that comes in query by query."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._kernel import Judge, Progress
from assay.conventions import find_convention, parse_measures
from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.ranking import rank_hits, select
from assay.core.text import show, some
from assay.io.qrels import Qrels
from assay.io.run import judge_run
from assay.io.source import describe
from assay.notes import Note, judgment_notes, measure_notes, query_notes, run_notes
from assay.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.convention import Policies
    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged

DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
MOST_THREADS = 1024


class Evaluator:
    """Judgments and measures made ready once, for many runs or for one that comes in query by query.

    >>> evaluator = Evaluator({"q1": ["d1"], "q2": ["d2"]}, ["rr"])
    >>> evaluator.evaluate({"q1": ["d1"], "q2": ["d9", "d2"]})["rr"]
    0.75
    >>> evaluator.add("q1", ["d1", "d9"])
    >>> evaluator.add("q2", {"d2": 0.7})
    >>> evaluator.result()["rr"]
    1.0

    While queries are still coming in, those that are not there yet count as missing; with `missing="skip"` the result
    is that of the queries added so far.
    """

    def __init__(
        self,
        qrels: object,
        measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
        *,
        convention: str = "assay",
        threads: int | None = None,
        **policies: Any,  # noqa: ANN401 - checked by name
    ) -> None:
        chosen = find_convention(convention)
        self.convention = chosen.name
        self.policies = chosen.policies.changed(policies)
        names = [measures] if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable) else measures
        self.measures = parse_measures(names, chosen, self.policies.rel)
        if not self.measures:
            raise MeasureError("there is no measure to compute; name one, such as ndcg@10")
        self.qrels = qrels if isinstance(qrels, Qrels) else Qrels(qrels, duplicates=self.policies.duplicates)
        self.threads = check_threads(threads)
        self.judge = self.new_judge()

    def new_judge(self) -> Judge:
        """A judge that has seen nothing."""
        policies = self.policies
        return Judge(
            self.qrels.index,
            duplicates=policies.duplicates,
            single=policies.precision == "float32",
            given=policies.order == "given",
            exclude_query=policies.exclude == "query_id",
        )

    def evaluate(
        self,
        run: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """The result of one run; what was added query by query is not touched."""
        judge = judge_run(self.new_judge, run, threads=self.threads, format=format, columns=columns, progress=progress)
        return self.score(judge, describe(run))

    def add(self, query: object, ranking: object) -> None:
        """One query's ranking, in any of the forms that a run's queries have."""
        self.judge.add(query, ranking)

    def reset(self) -> None:
        """Forgets what was added."""
        self.judge = self.new_judge()

    def result(self) -> Result:
        """The result of what was added so far."""
        return self.score(self.judge, "what was added")

    def score(self, judge: Judge, name: str) -> Result:
        """The result of what a judge has seen."""
        judged, retrieved = rank_hits(self.qrels.index, judge, self.policies)
        unknown = judge.unknown()
        check_overlap(self.qrels, retrieved, unknown, name)
        return self.finish(judged, self.qrels.queries, retrieved >= 0, run_notes(judge, unknown))

    def finish(self, judged: Judged, queries: list[str], present: BoolArray, notes: list[Note]) -> Result:
        """The result of what was ranked; `present` tells which queries the run has."""
        # Before queries are left out: a scale that the judgments set is the same for every run.
        measures = {name: measure.bound(judged) for name, measure in self.measures.items()}
        has_relevant = judged.count_relevant(self.policies.rel) > 0
        notes += query_notes(queries, self.policies, present, has_relevant)
        keep = kept_queries(self.policies, present, has_relevant)
        if len(keep) < judged.size:
            judged = select(judged, keep)
            queries = [queries[number] for number in keep]
        scores = compute_all(measures, judged, self.policies)
        notes += [*judgment_notes(judged, self.policies), *measure_notes(measures, scores, self.policies)]
        return Result(measures, queries, scores, self.convention, self.policies, tuple(notes))


def check_threads(threads: int | None) -> int:
    """How many threads to use: as many as given, or as many as this process may."""
    if threads is not None:
        if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= MOST_THREADS:
            raise PolicyError(f"threads must be a whole number from 1 to {MOST_THREADS}, not {show(threads)}")
        return threads
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def check_overlap(qrels: Qrels, retrieved: IntArray, unknown: list[str], name: str) -> None:
    """Raises if the run is empty or has no query that the judgments have."""
    if (retrieved >= 0).any():
        return
    if not unknown:
        raise DataError(f"{name} holds no rankings")
    raise MismatchError(
        f"judgments and run have no query in common: the judgments have {some(qrels.queries)}, "
        f"the run has {some(sorted(unknown))}; `assay check` shows how the ids differ"
    )


def kept_queries(policies: Policies, present: BoolArray, has_relevant: BoolArray) -> IntArray:
    """The queries that count."""
    keep = np.ones(len(present), dtype=np.bool_)
    if policies.missing == "skip":
        keep &= present
    if policies.no_relevant == "skip":
        keep &= has_relevant
    return np.flatnonzero(keep)


def compute_all(measures: Mapping[str, Measure], judged: Judged, policies: Policies) -> dict[str, FloatArray]:
    """The scores of every measure; one that has two names is computed once."""
    computed: dict[Measure, FloatArray] = {}
    for measure in measures.values():
        if measure not in computed:
            computed[measure] = compute(measure, judged, policies)
    return {name: computed[measure] for name, measure in measures.items()}


def compute(measure: Measure, judged: Judged, policies: Policies) -> FloatArray:
    """The scores of one measure. With no_relevant="nan" a query with nothing to find has none."""
    scores = measure(judged)
    if scores.shape != (judged.size,):
        raise MeasureError(
            f"{measure}: expected {judged.size} values, one a query, found an array of shape {scores.shape}"
        )
    if policies.no_relevant == "nan" and measure.definition.needs_relevant:
        level = measure.definition.parameters.get("rel")
        least = measure.values.get("rel", 0)
        if level is None or level.default == 0:
            # Grades are gains here, and only what is above 0 can be gained.
            least = max(least, np.nextafter(0, 1))
        scores = np.where(judged.count_relevant(least) > 0, scores, np.nan)
    return scores
