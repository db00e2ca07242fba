"""`Evaluator`: judgments and measures made ready once, for many runs or for one that comes in query by query."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay._kernel import Judge, Progress
from assay.conventions import Chosen, Prepared, choose, find_convention, prepare_data, tool_of
from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.ranking import rank_hits
from assay.core.text import show, some
from assay.io.qrels import Qrels
from assay.io.run import judge_run
from assay.io.source import describe
from assay.io.tuples import from_tuples
from assay.notes import Note, merge_notes, policy_notes, prepared_notes, run_notes
from assay.result import Result
from assay.scoring import Part, Scored, make_parts, score_part, without_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged

DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
MOST_THREADS = 1024


class Seen(NamedTuple):
    """What a judge has seen of a run, and what had to be made of it for that."""

    judge: Judge
    prepared: Prepared


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
        measures: str | Iterable[str | Measure] | Mapping[str, Chosen] = DEFAULT_MEASURES,
        *,
        convention: str = "assay",
        threads: int | None = None,
        **policies: Any,  # noqa: ANN401 - checked by name
    ) -> None:
        chosen = find_convention(convention)
        self.convention = chosen.name
        self.policies = chosen.policies.changed(policies)
        is_one = isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable)
        names = [measures] if is_one else list(measures)
        ready = list(measures.values()) if isinstance(measures, Mapping) else []
        is_chosen = bool(ready) and all(isinstance(each, Chosen) for each in ready)
        self.measures = dict(measures) if is_chosen else choose(names, chosen, policies)  # type: ignore[arg-type]
        if not self.measures:
            raise MeasureError("there is no measure to compute; name one, such as ndcg@10")
        for name, (measure, _) in self.measures.items():
            of = measure.definition.of
            if of != "rankings":
                use = "assay.evaluate_answers" if of == "answers" else "assay.evaluate_rag"
                raise MeasureError(f"{name} is a measure of {of}; use {use}")
        self.parts, self.options = make_parts(self.measures)
        self.tools = {name: tool_of(name, chosen) for name in self.measures}
        qrels = from_tuples(qrels)
        self.listed = len(qrels) if isinstance(qrels, list) else None
        self.qrels, self.prepared = self.read_qrels(qrels)
        self.threads = check_threads(threads)
        self.reset()

    def read_qrels(self, qrels: object) -> tuple[Qrels, Prepared]:
        """The judgments, and what had to be made of them for the tools to read them."""
        if isinstance(qrels, Qrels):
            return qrels, Prepared(None, {}, [])
        prepared = self.prepare(qrels)
        used = [each.policies.duplicates for each in self.measures.values()]
        duplicates = self.policies.duplicates if self.policies.duplicates in used else used[0]
        return Qrels(prepared.data, duplicates=duplicates), prepared._replace(data=None)

    def prepare(self, data: object) -> Prepared:
        """Judgments or rankings as the tools whose measures are computed take them."""
        return prepare_data(data, list({tool.name: tool for tool in self.tools.values()}.values()))

    def new_judge(self) -> Judge:
        """A judge that has seen nothing."""
        return Judge(self.qrels.index, self.options)

    def evaluate(
        self,
        run: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """The result of one run; what was added query by query is not touched."""
        return self.score(self.read(run, format=format, columns=columns, progress=progress), describe(run))

    def read(self, run: object, **how: Any) -> Seen:  # noqa: ANN401 - as in `evaluate`
        """What a judge sees of a run."""
        run = from_tuples(run)
        if isinstance(run, list) and self.listed is not None and len(run) != self.listed:
            raise MismatchError(f"the judgments hold {self.listed} queries and the run {len(run)}; lists must pair up")
        prepared = self.prepare(run)
        judge = judge_run(self.new_judge, prepared.data, threads=self.threads, **how)
        return Seen(judge, prepared._replace(data=None))

    def add(self, query: object, ranking: object) -> None:
        """One query's ranking, in any of the forms that a run's queries have."""
        data, refused, tidied = self.prepare([ranking])
        self.added.judge.add(query, data[0])
        for tool in refused:
            self.added.prepared.refused.setdefault(tool, []).append(str(query))
        self.added.prepared.tidied.extend(str(query) for _ in tidied)

    def reset(self) -> None:
        """Forgets what was added."""
        self.added = Seen(self.new_judge(), Prepared(None, {}, []))

    def result(self) -> Result:
        """The result of what was added so far."""
        return self.score(self.added, "what was added")

    def score(self, seen: Seen, name: str) -> Result:
        """The result of what a judge has seen."""
        judge, prepared = seen
        unknown, refused = judge.unknown(), self.refused(prepared)
        parts = []
        for part in self.parts:
            found = run_notes(judge, part.number, unknown)
            scored = score_part(part, *self.ranked(judge, part, name), found)
            parts.append(without_refused(scored, self.qrels.queries, refused) if refused else scored)
        notes = [*prepared_notes(self.prepared, "judgments"), *prepared_notes(prepared, "rankings")]
        return self.assemble(parts, self.qrels.queries, notes)

    def refused(self, rankings: Prepared) -> dict[str, set[str]]:
        """For each measure the queries that its tool refuses, where other tools read them all the same."""
        if not (self.prepared.tidied or rankings.tidied):
            return {}
        return {
            name: {query for each in (self.prepared, rankings) for query in each.refused.get(tool.name, [])}
            for name, tool in self.tools.items()
        }

    def ranked(self, judge: Judge, part: Part, name: str) -> tuple[Judged, list[str], BoolArray]:
        """What a judge has seen as a part's policies rank it, the queries, and which of them the run has."""
        qrels = self.qrels
        judged, retrieved = rank_hits(qrels.rows, qrels.index, judge, part.number, part.policies)
        check_overlap(qrels, retrieved, judge.unknown(), name)
        return judged, qrels.queries, retrieved >= 0

    def assemble(self, parts: list[Scored], queries: list[str], notes: Sequence[Note] = ()) -> Result:
        """One result of what was computed under each set of policies."""
        kept = np.zeros(len(queries), dtype=np.bool_)
        for part in parts:
            kept[part.keep] = True
        keep = np.flatnonzero(kept)
        if len(keep) < len(queries):
            queries = [queries[number] for number in keep]
        measures: dict[str, Measure] = {}
        scores: dict[str, FloatArray] = {}
        means: dict[str, float] = {}
        for part in parts:
            places = np.searchsorted(keep, part.keep)
            means.update(part.means)
            for name, measure in part.measures.items():
                measures[name] = measure
                scores[name] = part.scores[name]
                if len(part.keep) < len(keep):
                    scores[name] = np.full(len(keep), np.nan)
                    scores[name][places] = part.scores[name]
        own = {name: each.policies for name, each in self.measures.items() if each.policies != self.policies}
        notes = [
            *notes,
            *policy_notes(own, self.policies),
            *merge_notes(((each.policies, each.measures, each.notes) for each in parts), self.policies),
        ]
        in_order = {name: measures[name] for name in self.measures}
        return Result(in_order, queries, scores, self.convention, self.policies, tuple(notes), own, _means=means)


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
