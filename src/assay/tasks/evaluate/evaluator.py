"""`Evaluator`: judgments and measures made ready once, for many runs or for one that comes in query by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay._kernel import Progress, Ranker
from assay.conventions import Chosen, Refused, choose, find_convention, read_as, tool_of
from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.data.qrels import Qrels
from assay.data.run import rank_run
from assay.data.source import describe
from assay.data.tuples import gathered, is_tuples
from assay.engine.local import count_threads, rank_hits
from assay.results.result import Result
from assay.tasks.evaluate.score import Part, Scored, make_parts, merge_notes, policy_notes, refused_notes, score_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged
    from assay.core.policies import Policies

DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
# Which of the judgments of one document a policy takes.
COUNTED = {
    "first": "the first",
    "last": "the last",
    "count": "the highest grade",
    "once": "the highest grade",
}


class Seen(NamedTuple):
    """What a ranker has seen of a run, and the rankings that each tool refuses."""

    ranker: Ranker
    refused: Refused


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
        self.used_tools = list({tool.name: tool for tool in self.tools.values()}.values())
        qrels = gathered(qrels)
        self.listed = count_listed(qrels)
        self.qrels, self.refused = self.read_qrels(qrels)
        self.threads = count_threads(threads)
        self.reset()

    def read_qrels(self, qrels: object) -> tuple[Qrels, Refused]:
        """The judgments, and those that each tool refuses; repeated ones mean what each measure's policies say."""
        if isinstance(qrels, Qrels):
            found, refused = qrels, Refused()
        else:
            found, refused = read_as(self.used_tools, qrels, partial(Qrels, duplicates=None), judgments=True)
        for part in self.parts:
            found.index_under(part.policies.duplicates)
        return found, refused

    def new_ranker(self) -> Ranker:
        """A ranker that has seen nothing."""
        return Ranker(self.qrels.index, self.options)

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
        """What a ranker sees of a run."""
        run = gathered(run)
        listed = count_listed(run)
        if None not in (listed, self.listed) and listed != self.listed:
            raise MismatchError(f"the judgments hold {self.listed} queries and the run {listed}; lists must pair up")
        read = partial(rank_run, self.new_ranker, threads=self.threads, **how)
        return Seen(*read_as(self.used_tools, run, read, judgments=False))

    def add(self, query: object, ranking: object) -> None:
        """One query's ranking, in any of the forms that a run's queries have."""
        ranker, added = self.added

        def read(rankings: Sequence[object]) -> None:
            ranker.add(query, rankings[0])

        _, refused = read_as(self.used_tools, [ranking], read, judgments=False)
        for tool in refused:
            added.setdefault(tool, []).append(str(query))

    def reset(self) -> None:
        """Forgets what was added."""
        self.added = Seen(self.new_ranker(), {})

    def result(self) -> Result:
        """The result of what was added so far."""
        return self.score(self.added, "what was added")

    def score(self, seen: Seen, name: str) -> Result:
        """The result of what a ranker has seen."""
        ranker, refused = seen
        unknown, unusable = ranker.unknown(), self.unusable(refused)
        parts = []
        for part in self.parts:
            found = [*run_notes(ranker, part.number, unknown), *repeat_notes(self.qrels, part.policies)]
            parts.append(score_part(part, *self.ranked(ranker, part, name), found, unusable=unusable))
        notes = [*refused_notes(self.refused, "judgments"), *refused_notes(refused, "rankings")]
        return self.assemble(parts, self.qrels.queries, notes)

    def unusable(self, rankings: Refused) -> dict[str, set[str]]:
        """For each measure the queries that its tool refuses, where it refuses some."""
        both = {
            name: {*self.refused.get(tool.name, ()), *rankings.get(tool.name, ())} for name, tool in self.tools.items()
        }
        return {name: queries for name, queries in both.items() if queries}

    def ranked(self, ranker: Ranker, part: Part, name: str) -> tuple[Judged, list[str], BoolArray]:
        """What a ranker has seen as a part's policies rank it, the queries, and which of them the run has."""
        qrels = self.qrels
        index = qrels.index_under(part.policies.duplicates)
        judged, retrieved = rank_hits(qrels.rows, index, ranker, part.number, part.policies, repeated=qrels.duplicates)
        check_overlap(qrels, retrieved, ranker.unknown(), name)
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


def run_notes(ranker: Ranker, number: int, unknown: list[str]) -> list[Note]:
    """What reading the run came upon under the options of that number."""
    notes = []
    if unknown:
        notes.append(Note.of(NoteKind.UNJUDGED, queries=sorted(unknown)))
    if ranker.scattered:
        notes.append(Note.of(NoteKind.SCATTERED, count=ranker.scattered))
    if dropped := ranker.repeats_dropped(number):
        notes.append(Note.of(NoteKind.DUPLICATES, count=dropped))
    if excluded := ranker.excluded(number):
        notes.append(Note.of(NoteKind.EXCLUDED, count=excluded))
    return notes


def repeat_notes(qrels: Qrels, policies: Policies) -> list[Note]:
    """Which of the duplicate judgments count."""
    if not qrels.repeats:
        return []
    which = COUNTED[qrels.duplicates or policies.duplicates]
    return [Note.of(NoteKind.DUPLICATES, about="judgments", count=qrels.repeats, which=which)]


def count_listed(data: object) -> int | None:
    """The number of queries in a list of them; nothing where the data has another form."""
    return len(data) if isinstance(data, (list, tuple)) and not is_tuples(data) else None


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
