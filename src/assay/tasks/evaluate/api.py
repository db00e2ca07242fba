"""`evaluate`, `evaluate_many` and `Evaluator`: judgments and runs in, results out.

A `Scorer` is a plan applied to judgments, for any number of runs. It reads a run and has it ranked; the plan scores it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from assay.conventions import Refused, prepare, prepare_every_query
from assay.core.errors import DataError, DuplicateError, MismatchError, PolicyError
from assay.core.judged import Judged, integers
from assay.data.frames.frame import gather, is_tuples
from assay.data.qrels import Qrels
from assay.data.run import name_runs
from assay.engine.kernel import KernelRanking, count_threads
from assay.engine.ranking import GivenRun, Ranking, rebuild
from assay.files.source import describe, is_source
from assay.results.result import Result
from assay.results.results import Results
from assay.tasks.evaluate.plan import DEFAULT_MEASURES, Plan, make_plan
from assay.tasks.evaluate.score import SHARE, warned

if TYPE_CHECKING:
    from assay._kernel import Progress
    from assay.core.measure import Measure
    from assay.core.note import Note
    from assay.core.policies import Policies
    from assay.engine.tops import Tops

# Of rankings that are added one by one, some are kept to show their ids if none meets the judgments.
MOST_KEPT = 100
# What reading data gives: judgments, or a ranker.
Read = TypeVar("Read")


def evaluate(
    qrels: object,
    run: object,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    human: object = None,
    votes: object = None,
    top: int = 0,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Result:
    """Scores a run against judgments.

    Both may be dicts, lists, named tuples, frames, paths or file objects, or a `Qrels` and a `Run`. A run file is
    scored while it is read and never held in memory.

    >>> import assay
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q2": {"d5": 0.4, "d4": 0.3}}
    >>> result = assay.evaluate(qrels, run, ["ndcg@10", "ap", "rr"])
    >>> round(result["ndcg@10"], 4), result["rr"], result.scores["ap"].tolist()
    (0.7974, 0.75, [0.8333333333333333, 0.5])

    `convention` sets all policies at once; each can also be set by its own name (see `assay.Policies`). `format` and
    `columns` say how to read the run if that cannot be inferred; use `assay.read_qrels` for judgments that need the
    same. `threads` changes only the speed. `doc_id` finds the documents of a run of chunks: `doc_id="before:#"`. An
    `assay.DataWarning` says if barely any judged document was retrieved.

    `human` are people's judgments (or scores) of a random sample of the queries: means and intervals are then
    prediction-powered, and right even if `qrels`, made by an LLM say, err.

    `votes` are people's votes, or an `assay.Votes`: their judgments count in place of those in `qrels`, which may be
    None, and the intervals include that other people might have voted otherwise. An `assay.Votes` in place of `qrels`
    does the same.

    `top` keeps so many first documents of each ranking, for `result.report` to show.
    """
    if votes is None and hasattr(type(qrels), "drawn_grades"):
        qrels, votes = None, qrels
    if votes is not None:
        from assay.tasks.evaluate.voted import allow_for_voters, read_voted

        if human is not None:
            raise PolicyError("votes are people's judgments already; leave out human")
        qrels, votes = read_voted(qrels, votes)
    scorer = Scorer(make_plan(measures, convention=convention, top=top, **policies), qrels, threads=threads)
    how: Any = {"format": format, "columns": columns}
    if human is not None:
        from assay.tasks.evaluate.human import evaluate_anchored

        return warned(evaluate_anchored(scorer, run, human, progress=progress, **how))
    if votes is not None:
        ranking = scorer.read(run, progress=progress, **how)
        return warned(allow_for_voters(scorer.score(ranking), scorer, ranking, votes))
    if top:
        results, ranks = scorer.score_all({"run": run}, watch=lambda _: nullcontext(progress), **how)
        return warned(replace(results["run"], _ranks=ranks))
    return warned(scorer.evaluate(run, progress=progress, **how))


def evaluate_many(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Results:
    """Scores several runs against the same judgments: runs by name, or a list of paths, each named after its file.

    >>> import assay
    >>> runs = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}
    >>> print(assay.evaluate_many({"q1": ["a"]}, runs, ["rr"]).to_csv())
    run,rr
    one,1.0
    two,0.5
    <BLANKLINE>
    """
    named = name_runs(runs)
    if not named:
        raise DataError("no run to evaluate; pass at least one")
    scorer = Scorer(make_plan(measures, convention=convention, **policies), qrels, threads=threads)
    results = Results({name: scorer.evaluate(run) for name, run in named.items()})
    for name, result in results.items():
        warned(result, name)
    return results


class Evaluator:
    """Judgments and measures prepared once, for many runs or for rankings that arrive query by query.

    >>> evaluator = Evaluator({"q1": ["d1"], "q2": ["d2"]}, ["rr"])
    >>> evaluator.evaluate({"q1": ["d1"], "q2": ["d9", "d2"]})["rr"]
    0.75
    >>> evaluator.add("q1", ["d1", "d9"])
    >>> evaluator.add("q2", {"d2": 0.7})
    >>> evaluator.result()["rr"]
    1.0

    Queries that have not been added yet count as missing; with `missing="skip"` the result covers the queries added so
    far.
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
        self._scorer = Scorer(make_plan(measures, convention=convention, **policies), qrels, threads=threads)
        self._added: KernelRanking | None = None

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._scorer.qrels

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures, by their names in the result."""
        return {name: each.measure for name, each in self._scorer.plan.measures.items()}

    @property
    def convention(self) -> str:
        """The name of the convention."""
        return self._scorer.plan.convention

    @property
    def policies(self) -> Policies:
        """The policies of all measures that have none of their own."""
        return self._scorer.plan.policies

    def evaluate(
        self,
        run: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """The result of one run; rankings added query by query are not affected."""
        return warned(self._scorer.evaluate(run, format=format, columns=columns, progress=progress))

    def add(self, query: object, ranking: object) -> None:
        """Adds the ranking of one query, in any form that a run's queries can have."""
        if self._added is None:
            self._added = self._scorer.start()
        self._scorer.add(self._added, query, ranking)

    def reset(self) -> None:
        """Forgets the rankings that were added."""
        self._added = None

    def result(self) -> Result:
        """The result of the rankings added so far."""
        return warned(self._scorer.score(self._added or self._scorer.start()))


class Ranks(NamedTuple):
    """The judged documents that each run retrieved, by run and measure, ranked under the policies of the measure.

    `runs` are the runs as tools take them, to be read again. `tops` has the first documents by run, if the plan keeps
    them.
    """

    scorer: Scorer
    judged: dict[tuple[str, str], Judged]
    measures: dict[str, Measure]
    runs: dict[str, object]
    format: str | None
    tops: dict[str, Tops]

    def can_read(self, name: str) -> bool:
        """Whether a run can be read once more: a stream and an iterator have ended."""
        data = self.runs[name]
        return not isinstance(data, Iterator) and (not is_source(data) or isinstance(data, (str, os.PathLike)))

    def named(self, name: str) -> Ranks:
        """The ranks of the only run under another name."""
        ((_, data),) = self.runs.items()
        judged = {(name, measure): each for (_, measure), each in self.judged.items()}
        tops = dict(zip([name], self.tops.values(), strict=False))
        return self._replace(judged=judged, runs={name: data}, tops=tops)


class Scorer:
    """A plan and the judgments it is applied to: reads runs, and has them ranked and scored."""

    def __init__(self, plan: Plan, qrels: object, *, threads: int | None = None) -> None:
        self.plan = plan
        self.threads = count_threads(threads)
        qrels = gather(qrels) if isinstance(qrels, Iterator) else qrels
        self.listed = count_queries(qrels)
        self.refused: Refused = {}
        if isinstance(qrels, Qrels):
            self.qrels = qrels
        else:
            # Each measure's policies decide about duplicate judgments.
            self.qrels, self.refused, _ = self.read_as_tools(qrels, partial(Qrels, duplicates=None), judgments=True)
        for group in plan.groups:
            self.qrels.index_under(group.policies.duplicates)

    def read_as_tools(
        self, data: object, read: Callable[[Any], Read], *, judgments: bool, columns: Mapping[str, str] | None = None
    ) -> tuple[Read, Refused, object]:
        """What was read of the data as the tools take them, the queries that each tool refuses, and those data."""
        if is_source(data):
            return read(data), {}, data
        prepared = prepare(data, self.plan.used_tools, judgments=judgments)
        try:
            return read(prepared.data), prepared.refused, prepared.data
        except (DuplicateError, MismatchError):
            raise
        except DataError:
            # Only if something is wrong with the data is every query looked at.
            again = prepare_every_query(data, self.plan.used_tools, judgments=judgments, columns=columns)
            if again is None:
                raise
        return read(again.data), again.refused, again.data

    def evaluate(self, run: object, **how: Any) -> Result:  # noqa: ANN401 - as in `Evaluator.evaluate`
        return self.score(self.read(run, **how))

    def read(self, run: object, **how: Any) -> Ranking:  # noqa: ANN401 - as in `Evaluator.evaluate`
        run = gather(run) if isinstance(run, Iterator) else run
        listed = count_queries(run)
        if None not in (listed, self.listed) and listed != self.listed:
            both = f"the judgments have {self.listed} queries and the run has {listed}"
            raise MismatchError(f"{both}; lists must have the same length")
        ranking, columns = self.start(), how.get("columns")
        read = partial(ranking.read, threads=self.threads, **how)
        _, refused, taken = self.read_as_tools(run, read, judgments=False, columns=columns)
        ranking.refused["rankings"] = refused
        ranking.given = GivenRun(taken, columns, how.get("format"))
        return ranking

    def start(self) -> KernelRanking:
        """A run without rankings, to which they can be added."""
        plan = self.plan
        rule: Any = plan.policies.doc_id
        ranking: KernelRanking
        if rule is None:
            ranking = KernelRanking(self.qrels, plan.options, surplus=all(tool.surplus for tool in plan.used_tools))
        else:
            from assay.engine.chunks import ChunkRanking

            ranking = ChunkRanking(self.qrels, plan.options, rule)
        ranking.refused["judgments"] = self.refused
        return ranking

    def add(self, ranking: KernelRanking, query: object, documents: object) -> None:
        def read(rankings: Sequence[object]) -> None:
            ranking.add(query, rankings[0])

        _, refused, taken = self.read_as_tools([documents], read, judgments=False)
        for tool in refused:
            ranking.refused["rankings"].setdefault(tool, []).append(str(query))
        if len(ranking.given.data) < MOST_KEPT:
            ranking.given.data[str(query)] = taken[0]  # type: ignore[index]

    def score(self, ranking: Ranking) -> Result:
        return self.plan.score(ranking, overlap_notes(ranking, self.plan.policies.doc_id))

    def score_all(
        self,
        runs: Mapping[str, object],
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        watch: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext(),
    ) -> tuple[dict[str, Result], Ranks]:
        """The result of each run, and the ranks of their documents; `watch` shows the progress of reading each."""
        results, kept = {}, Ranks(self, {}, {}, {}, format, {})
        for name, run in runs.items():
            with watch(describe(run)) as progress:
                read = self.read(run, format=format, columns=columns, progress=progress)
                results[name] = self.score(read)
                for group in self.plan.groups:
                    judged, _ = read.judged(group.policies, group.number)
                    kept.judged.update({(name, measure): rebuild(judged) for measure in group.measures})
                kept.runs[name] = run if isinstance(run, Iterator) else read.given.data
                kept.measures.update(results[name].measures)
                if self.plan.top:
                    kept.tops[name] = self.plan.tops(read)
        return results, kept


def overlap_notes(ranking: Ranking, rule: str | None) -> list[Note]:
    """What to say loudly if judgments and run barely overlap, less than `SHARE`; raises if they share no query."""
    counts, unknown = ranking.counts(0), ranking.unknown()
    found = integers(counts["retrieved"])
    hits, matched = np.count_nonzero(integers(counts["document"]) >= 0), np.count_nonzero(found >= 0)
    few = hits < SHARE * len(ranking.qrels.grades)
    if matched and not few and (found > 0).any() and not (unknown and matched < SHARE * len(found)):
        return []
    from assay.tasks.evaluate.overlap import overlap_notes

    return overlap_notes(ranking, rule)


def count_queries(data: object) -> int | None:
    """The number of queries in a list of them; None if the data has another form."""
    return len(data) if isinstance(data, (list, tuple)) and not is_tuples(data) else None
