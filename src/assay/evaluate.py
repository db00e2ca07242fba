"""`evaluate`: judgments and a run in, a `Result` out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import _kernel
from assay.conventions import find_convention, parse_measures
from assay.core.convention import Policies
from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.ranking import rank_hits, select
from assay.core.text import count, show, some
from assay.io.qrels import Qrels
from assay.io.run import judge_run
from assay.io.source import describe
from assay.result import Note, Result, Results

if TYPE_CHECKING:
    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged

MOST_THREADS = 1024
DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")


def evaluate(
    qrels: object,
    run: object,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    format: str | None = None,  # noqa: A002 - the option's name
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: _kernel.Progress | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Result:
    """Scores a run against judgments.

    Both may be dicts, lists, frames, paths or file objects, or a `Qrels` and a `Run`. A run file is read while it is
    scored and never held whole.

    >>> import assay
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q2": {"d5": 0.4, "d4": 0.3}}
    >>> result = assay.evaluate(qrels, run, ["ndcg@10", "ap", "rr"])
    >>> round(result["ndcg@10"], 4), result["rr"], result.scores["ap"].tolist()
    (0.7974, 0.75, [0.8333333333333333, 0.5])

    `convention` sets all policies at once; each can be set by its own name too (see `assay.Policies`). `format` and
    `columns` tell how the run is read where that cannot be told from itself; judgments that need as much are read with
    `assay.read_qrels`. `threads` changes the speed and nothing else.
    """
    evaluator = Evaluator(qrels, measures, convention=convention, threads=threads, **policies)
    check_pairing(qrels, run)
    return evaluator.evaluate(run, format=format, columns=columns, progress=progress)


def evaluate_many(
    qrels: object,
    runs: Mapping[str, object],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Results:
    """Scores several runs against the same judgments.

    >>> import assay
    >>> print(assay.evaluate_many({"q1": ["a"]}, {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}, ["rr"]).to_csv())
    run,rr
    one,1.0
    two,0.5
    <BLANKLINE>
    """
    if not isinstance(runs, Mapping):
        raise DataError(f"the runs must be a dict of name and run, not {show(runs)}")
    if not runs:
        raise DataError("there is no run to evaluate")
    evaluator = Evaluator(qrels, measures, convention=convention, threads=threads, **policies)
    return Results({name: evaluator.evaluate(run) for name, run in runs.items()})


def check_pairing(qrels: object, run: object) -> None:
    """Two plain lists belong together query by query, so they must be as long as each other."""
    if isinstance(qrels, list) and isinstance(run, list) and len(qrels) != len(run):
        raise MismatchError(f"the judgments hold {len(qrels)} queries and the run {len(run)}; lists must pair up")


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

    def new_judge(self) -> _kernel.Judge:
        """A judge that has seen nothing."""
        policies = self.policies
        return _kernel.Judge(
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
        format: str | None = None,  # noqa: A002 - the option's name
        columns: Mapping[str, str] | None = None,
        progress: _kernel.Progress | None = None,
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

    def score(self, judge: _kernel.Judge, name: str) -> Result:
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
        keep = kept_queries(queries, self.policies, present, has_relevant, notes)
        if len(keep) < judged.size:
            judged = select(judged, keep)
            queries = [queries[number] for number in keep]
        notes += judgment_notes(judged, self.policies)
        scores = compute_all(measures, judged, self.policies, notes)
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


def kept_queries(
    queries: list[str], policies: Policies, present: BoolArray, has_relevant: BoolArray, notes: list[Note]
) -> IntArray:
    """The queries that count, with notes on those that are missing or have nothing to find."""
    keep = np.ones(len(present), dtype=np.bool_)
    missing = [queries[number] for number in np.flatnonzero(~present)]
    if missing:
        said = f"{count(len(missing), 'query', 'queries')} of the judgments {'is' if len(missing) == 1 else 'are'} missing from the run"
        if policies.missing == "error":
            raise MismatchError(
                f'{said}: {some(missing)}; with missing="zero" they score 0, with "skip" they are left out'
            )
        effect = "counted as empty rankings" if policies.missing == "zero" else "left out"
        notes.append(Note("missing", f"{said} and {effect}: {some(missing)}"))
        if policies.missing == "skip":
            keep &= present
    bare = [queries[number] for number in np.flatnonzero(~has_relevant & keep)]
    if bare:
        verb = "has" if len(bare) == 1 else "have"
        effect = {"zero": "score 0", "nan": "are NaN where a measure needs one", "skip": "are left out"}
        text = f"{count(len(bare), 'query', 'queries')} {verb} no relevant document; they {effect[policies.no_relevant]}: {some(bare)}"
        notes.append(Note("no_relevant", text))
        if policies.no_relevant == "skip":
            keep &= has_relevant
    return np.flatnonzero(keep)


def run_notes(judge: _kernel.Judge, unknown: list[str]) -> list[Note]:
    """What reading the run came upon."""
    notes = []
    if unknown:
        verb = "has" if len(unknown) == 1 else "have"
        said = f"{count(len(unknown), 'query', 'queries')} of the run {verb} no judgments and {'is' if len(unknown) == 1 else 'are'} left out"
        notes.append(Note("unjudged", f"{said}: {some(sorted(unknown))}"))
    if judge.scattered:
        said = f"the rows of {count(judge.scattered, 'query', 'queries')} do not stand together; they were read again"
        notes.append(Note("scattered", said))
    if judge.repeats_dropped:
        notes.append(Note("duplicates", f"{count(judge.repeats_dropped, 'repeated document')} left out"))
    if judge.excluded:
        notes.append(Note("excluded", f"{count(judge.excluded, 'document')} named like the query left out"))
    return notes


def judgment_notes(judged: Judged, policies: Policies) -> list[Note]:
    """What the judgments hold that was decided by a policy."""
    negative = int((judged.grades < 0).sum())
    if not negative:
        return []
    effect = "not judged" if policies.negative == "unjudged" else "not relevant"
    return [Note("negative", f"{count(negative, 'grade')} below 0 taken as {effect}")]


def compute_all(
    measures: Mapping[str, Measure], judged: Judged, policies: Policies, notes: list[Note]
) -> dict[str, FloatArray]:
    """The scores of every measure; one that has two names is computed once."""
    scores: dict[str, FloatArray] = {}
    computed: dict[Measure, FloatArray] = {}
    for name, measure in measures.items():
        if measure not in computed:
            computed[measure] = compute(measure, judged, policies)
        scores[name] = computed[measure]
        undefined = int(np.isnan(scores[name]).sum())
        if undefined and measure.definition.undefined:
            said = (
                f"{name}: {count(undefined, 'query', 'queries')} left out of the mean; {measure.definition.undefined}"
            )
            notes.append(Note("undefined", said))
    if policies.rel != 1:
        untouched = [name for name, measure in measures.items() if measure.values.get("rel", 0) == 0]
        graded = [name for name in untouched if "gain" in measures[name].values]
        if graded:
            notes.append(
                Note(
                    "rel", f"rel={policies.rel:g} does not change {', '.join(graded)}: their gains come from the grades"
                )
            )
    return scores


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
