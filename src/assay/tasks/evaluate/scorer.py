"""A `Scorer` holds judgments and resolved measures, for any number of runs.

It reads a run, ranks it under each set of policies, and passes it on to `score`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assay._kernel import Ranker
from assay.conventions import Refused, find_convention, prepare, prepare_every_query, tool_of
from assay.core.errors import DataError, DuplicateError, MismatchError
from assay.core.note import Note
from assay.core.policies import check_chunks, check_whole
from assay.data.chunks import ChunkOrder, DocumentRanker
from assay.data.frames import is_tuples
from assay.data.qrels import Qrels
from assay.data.run import rank_run
from assay.data.source import describe, gather, is_source
from assay.engine.local import columns_of, count_threads, kernel_options, rank_hits, rebuild
from assay.engine.tops import Tops, judged_tops
from assay.tasks.evaluate.score import (
    hardly_meets,
    merge_parts,
    qrels_notes,
    refused_notes,
    resolve_measures,
    run_notes,
    score,
)
from assay.tasks.evaluate.ties import Added, sorted_columns, sorted_tops, tie_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from assay._kernel import Options, Progress
    from assay.conventions import Chosen
    from assay.core.convention import Convention
    from assay.core.judged import IntArray, Judged
    from assay.core.measure import Measure
    from assay.core.policies import Policies
    from assay.results.result import Result

DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
# Of rankings that are added one by one, some are kept to show their ids if none meets the judgments.
MOST_KEPT = 100
# The kernel numbers the documents of a query in 32 bits.
MOST_TOP = 2**32 - 2
# What reading data gives: judgments, or a ranker.
Read = TypeVar("Read")


class PolicyGroup(NamedTuple):
    """The measures that share their policies, and the number of the kernel's options for them."""

    policies: Policies
    measures: dict[str, Measure]
    number: int

    @property
    def needs(self) -> set[str]:
        """What the measures need beyond the ranks of judged documents."""
        return {need for measure in self.measures.values() for need in measure.definition.needs}


class RunRead(NamedTuple):
    """A run as a ranker has read it, the rankings that each tool refuses, the data as tools take them, and how."""

    ranker: Ranker | DocumentRanker
    refused: Refused
    data: object
    columns: Mapping[str, str] | None = None
    format: str | None = None


def make_scorer(
    qrels: object,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    threads: int | None = None,
    top: int = 0,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Scorer:
    """A scorer of the measures that names mean under a convention; `top` is how many documents `tops` gives."""
    known = find_convention(convention)
    resolved = resolve_measures(measures, known, policies)
    check_chunks(policies, policies.get("doc_id"))
    return Scorer(qrels, resolved, known, known.policies.changed(policies), threads=threads, top=top)


class Kept(NamedTuple):
    """What is kept of runs: judged documents by run and measure, the measures, the data, and the first documents."""

    judged: dict[tuple[str, str], Judged]
    measures: dict[str, Measure]
    runs: dict[str, object]
    format: str | None
    tops: dict[str, Tops]


class Scorer:
    """Judgments and resolved measures; reads runs, ranks them under each set of policies and scores them.

    With `lenient`, data that one tool cannot use is not an error for the others. With `top`, the first documents of
    each query are kept on the way.
    """

    def __init__(
        self,
        qrels: object,
        measures: Mapping[str, Chosen],
        convention: Convention,
        policies: Policies,
        *,
        threads: int | None = None,
        lenient: bool = False,
        top: int = 0,
    ) -> None:
        self.measures = measures
        self.convention = convention
        self.policies = policies
        self.threads = count_threads(threads)
        self.top = check_whole("top", top, 0, MOST_TOP)
        self.groups, self.options = group_by_policies(measures, self.top)
        self.tools = {name: tool_of(name, convention) for name in measures}
        used = {tool.name: tool._replace(unreadable="nan") if lenient else tool for tool in self.tools.values()}
        self.used_tools = list(used.values())
        qrels = gather(qrels) if isinstance(qrels, Iterator) else qrels
        self.listed = count_queries(qrels)
        self.qrels, self.refused = self.read_qrels(qrels)
        for group in self.groups:
            self.qrels.index_under(group.policies.duplicates)

    def read_qrels(self, qrels: object) -> tuple[Qrels, Refused]:
        """The judgments, and those that each tool refuses; each measure's policies decide about duplicate ones."""
        if isinstance(qrels, Qrels):
            return qrels, {}
        return self.read_as_tools(qrels, partial(Qrels, duplicates=None), judgments=True)[:2]

    def read_as_tools(
        self, data: object, read: Callable[[Any], Read], *, judgments: bool, columns: Mapping[str, str] | None = None
    ) -> tuple[Read, Refused, object]:
        """What was read of the data as the tools take them, the queries that each tool refuses, and those data."""
        if is_source(data):
            return read(data), {}, data
        prepared = prepare(data, self.used_tools, judgments=judgments)
        try:
            return read(prepared.data), prepared.refused, prepared.data
        except (DuplicateError, MismatchError):
            raise
        except DataError:
            # Only if something is wrong with the data is every query looked at.
            again = prepare_every_query(data, self.used_tools, judgments=judgments, columns=columns)
            if again is None:
                raise
        return read(again.data), again.refused, again.data

    def evaluate(self, run: object, **how: Any) -> Result:  # noqa: ANN401 - as in `Evaluator.evaluate`
        """The result of one run."""
        return self.score(self.read(run, **how))

    def read(self, run: object, **how: Any) -> RunRead:  # noqa: ANN401 - as in `Evaluator.evaluate`
        """Reads a run, ranking the judged documents on the way."""
        run = gather(run) if isinstance(run, Iterator) else run
        listed = count_queries(run)
        if None not in (listed, self.listed) and listed != self.listed:
            raise MismatchError(
                f"the judgments have {self.listed} queries and the run has {listed}; lists must have the same length"
            )
        rank: Any = partial(rank_run, self.new_ranker) if self.policies.doc_id is None else self.rank_chunks
        read = partial(rank, threads=self.threads, **how)
        columns = how.get("columns")
        taken = self.read_as_tools(run, read, judgments=False, columns=columns)
        return RunRead(*taken, columns, how.get("format"))

    def new_ranker(self) -> Ranker:
        """A ranker that has seen nothing."""
        return Ranker(self.qrels.index, self.options, surplus=all(tool.surplus for tool in self.used_tools))

    def new_document_ranker(self) -> DocumentRanker:
        """A ranker of the documents of chunks, that has seen nothing."""
        orders = {group.number: ChunkOrder.of(group.policies) for group in self.groups}
        rule: Any = self.policies.doc_id
        return DocumentRanker(self.new_ranker, rule, [orders[number] for number in range(len(self.options))])

    def rank_chunks(self, run: object, **how: Any) -> DocumentRanker:  # noqa: ANN401 - as in `Evaluator.evaluate`
        """Ranks the documents of a run of chunks."""
        ranker = self.new_document_ranker()
        ranker.add_run(run, **how)
        return ranker

    def start(self) -> RunRead:
        """A run without rankings, to which they can be added."""
        is_plain = self.policies.doc_id is None
        return RunRead(self.new_ranker() if is_plain else self.new_document_ranker(), {}, Added())

    def add(self, run: RunRead, query: object, ranking: object) -> None:
        """Adds the ranking of one query to a run."""

        def read(rankings: Sequence[object]) -> None:
            run.ranker.add(query, rankings[0])

        _, refused, taken = self.read_as_tools([ranking], read, judgments=False)
        for tool in refused:
            run.refused.setdefault(tool, []).append(str(query))
        if isinstance(run.data, Added) and len(run.data) < MOST_KEPT:
            run.data[str(query)] = taken[0]  # type: ignore[index]

    def score(self, run: RunRead, keep: Callable[[PolicyGroup, Judged], None] | None = None) -> Result:
        """The result of a run that was read; `keep` is called with each group and its ranked hits."""
        unknown, unusable = run.ranker.unknown(), self.unusable(run)
        queries = self.qrels.queries
        scored, loud = [], []
        for group in self.groups:
            judged, found = self.rank(run, group)
            if group is self.groups[0] and hardly_meets(judged, found, unknown):
                loud = self.overlap_notes(run, found)
            if keep is not None:
                keep(group, judged)
            notes = [*run_notes(run.ranker, group.number, unknown), *qrels_notes(self.qrels, group.policies)]
            if group.policies.ties == "quicksort":
                notes += tie_notes(run, group.number, self.qrels, group.policies)
            how: Any = {"queries": queries, "present": found >= 0, "unusable": unusable, "notes": notes}
            scored.append(score(judged, group.measures, group.policies, **how))
        notes = [*loud, *refused_notes(self.refused, "judgments"), *refused_notes(run.refused, "rankings")]
        how = {"convention": self.convention.name, "policies": self.policies, "notes": notes}
        return merge_parts(scored, self.measures, queries=queries, **how)

    def score_all(
        self,
        runs: Mapping[str, object],
        *,
        format: str | None = None,
        watch: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext(),
    ) -> tuple[dict[str, Result], Kept]:
        """The result of each run, and what is kept of them; `watch` shows the progress of reading each."""
        results, kept = {}, Kept({}, {}, {}, format, {})

        def keep(name: str, group: PolicyGroup, judged: Judged) -> None:
            kept.judged.update({(name, measure): rebuild(judged) for measure in group.measures})

        for name, run in runs.items():
            with watch(describe(run)) as progress:
                read = self.read(run, format=format, progress=progress)
                results[name] = self.score(read, keep=partial(keep, name))
                kept.runs[name] = run if isinstance(run, Iterator) else read.data
                kept.measures.update(results[name].measures)
                if self.top:
                    kept.tops[name] = self.tops(read)
        return results, kept

    def rank(self, run: RunRead, group: PolicyGroup) -> tuple[Judged, IntArray]:
        """A run as the policies of a group rank it, and how much it has of each judged query, -1 for nothing."""
        qrels = self.qrels
        index = qrels.index_under(group.policies.duplicates)
        columns = columns_of(run.ranker, group.number)
        if group.policies.ties == "quicksort":
            columns = sorted_columns(run, group.number, qrels, group.policies)
        judged, retrieved = rank_hits(qrels.rows, index, columns, group.policies, repeated=qrels.duplicates)
        if not (retrieved >= 0).any():
            from assay.tasks.evaluate.overlap import no_query_error

            raise no_query_error(qrels, run, "what was added" if isinstance(run.data, Added) else "")
        return judged, retrieved

    def tops(self, run: RunRead) -> Tops:
        """The first documents of each query, up to `top`, as the policies of the first group rank them."""
        group, qrels = self.groups[0], self.qrels
        if group.policies.judged_only:
            return judged_tops(self.rank(run, group)[0], qrels.index_under(group.policies.duplicates), self.top)
        tops = Tops.of(run.ranker.tops(group.number))
        return sorted_tops(run, tops, self.top, qrels, group) if group.policies.ties == "quicksort" else tops

    def overlap_notes(self, run: RunRead, found: IntArray) -> list[Note]:
        """What to say loudly if judgments and run hardly meet; `found` is how much the run has of each query."""
        from assay.tasks.evaluate.overlap import overlap_notes

        return overlap_notes(self.qrels, found, run, self.groups[0].number, self.policies.doc_id)

    def unusable(self, run: RunRead) -> dict[str, set[str]]:
        """For each measure the queries that its tool refuses, if it refuses any."""
        both = {
            name: {*self.refused.get(tool.name, ()), *run.refused.get(tool.name, ())}
            for name, tool in self.tools.items()
        }
        return {name: queries for name, queries in both.items() if queries}


def count_queries(data: object) -> int | None:
    """The number of queries in a list of them; None if the data has another form."""
    return len(data) if isinstance(data, (list, tuple)) and not is_tuples(data) else None


def by_policies(resolved: Mapping[str, Chosen]) -> dict[Policies, dict[str, Measure]]:
    """The measures that share their policies, by these."""
    groups: dict[Policies, dict[str, Measure]] = {}
    for name, (measure, policies) in resolved.items():
        groups.setdefault(policies, {})[name] = measure
    return groups


def group_by_policies(measures: Mapping[str, Chosen], top: int = 0) -> tuple[list[PolicyGroup], list[Options]]:
    """The measures by their policies, and the different options that the kernel needs for them.

    With `top`, the first options keep so many documents of each query, as the policies of the first group rank them.
    """
    groups: list[PolicyGroup] = []
    options: list[Options] = []
    for policies, own in by_policies(measures).items():
        group = PolicyGroup(policies, own, len(options))
        wanted = kernel_options(policies, group.needs)
        if wanted not in options:
            options.append(wanted)
        groups.append(group._replace(number=options.index(wanted)))
    if top and groups:
        options[0] = kernel_options(groups[0].policies, groups[0].needs, top)
    return groups, options
