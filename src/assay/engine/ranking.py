"""`Ranking`: a run whose judged documents were found and counted, whoever did it; all that a plan needs to score it.

Policies decide which rank a hit has and which documents stay: from counts to `Judged` is an addition and a sort of the
judged documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from assay.core.judged import SUBGROUP, FloatArray, Groups, Hits, IntArray, Judged, Spread, floats, integers, stretches
from assay.core.note import Note, NoteKind
from assay.core.policies import EFFECTS, Policies
from assay.core.text import EMPTY_ID
from assay.engine.tops import Tops

if TYPE_CHECKING:
    from assay._kernel import Index, Ranker, Rows
    from assay.data.qrels import Qrels

# What the kernel counted, as int64 and float64 in bytes; see `Columns` in `_kernel.pyi`.
Counts: TypeAlias = "Mapping[str, Any]"
BEFORE = {
    "docid_desc": "before_descending",
    "docid_asc": "before_ascending",
    "input": "before_input",
    # The column is replaced by what the sort leads to where it differs.
    "quicksort": "before_input",
}


class GivenRun(NamedTuple):
    """A run as it was given, to be looked at again; with `is_sample` only some rankings, the rest is not in memory."""

    data: Any
    columns: Mapping[str, str] | None = None
    format: str | None = None
    is_sample: bool = False


class Ranking:
    """The judged documents of a run, ranked. The number is that of the kernel's options, as a plan counts them.

    `ranker` is who counted them: the kernel, unless counts of parts were added up. `refused` are the queries whose
    judgments or rankings a tool cannot use: of each of the two, by the tool's name.
    """

    qrels: Qrels
    ranker: Ranker
    # Whether rows of a query that are apart, and surplus fields, are noted; else it is as if the run were read whole.
    is_read_in_order = True

    def __init__(self, qrels: Qrels) -> None:
        self.qrels = qrels
        self.given = GivenRun({}, is_sample=True)
        self.refused: dict[str, dict[str, list[str]]] = {"judgments": {}, "rankings": {}}
        self._counts: dict[int, Counts] = {}

    def counts(self, number: int) -> Counts:
        """What was counted."""
        if number not in self._counts:
            self._counts[number] = self.ranker.columns(number)
        return self._counts[number]

    def unknown(self) -> list[str]:
        """Queries of the run that have no judgments."""
        return self.ranker.unknown()

    def repeats_dropped(self, number: int) -> int:
        """How many duplicate documents were left out."""
        return self.ranker.repeats_dropped(number)

    def excluded(self, number: int) -> int:
        """How many documents were left out because they are named like their query."""
        return self.ranker.excluded(number)

    def kept_tops(self) -> Tops:
        """The first documents of each query, as the first options keep them."""
        return Tops.of(self.ranker.tops(0))

    def chunk_notes(self, number: int) -> list[Note]:  # noqa: ARG002 - for rankings of chunks
        """What became of the chunks of documents."""
        return []

    @property
    def is_held(self) -> bool:
        """Whether the documents that were ranked are all in memory, in the run as it was given."""
        return False

    def ordered_counts(self, policies: Policies, number: int) -> Counts:
        """What was counted, with ties in the order of ranx's sort if the policies ask for it and the run is held."""
        if policies.ties != "quicksort" or not self.is_held:
            return self.counts(number)
        from assay.engine.quicksort import sorted_counts

        return sorted_counts(self, policies, number)

    def judged(self, policies: Policies, number: int) -> tuple[Judged, IntArray]:
        """The judged documents as policies rank them, and how much the run has of each judged query, -1 for nothing."""
        qrels = self.qrels
        index, counts = qrels.index_under(policies.duplicates), self.ordered_counts(policies, number)
        return rank_hits(qrels.rows, index, counts, policies, repeated=qrels.duplicates)

    def tops(self, policies: Policies, top: int) -> Tops:
        """The first documents of each query, up to `top`, as the policies of the first options rank them."""
        if policies.judged_only:
            index, hits = self.qrels.index_under(policies.duplicates), self.judged(policies, 0)[0].hits.top(top)
            rankings: list[list[tuple[str, float]]] = [[] for _ in self.qrels.queries]
            columns = (hits.query.tolist(), hits.document.tolist(), hits.score.tolist())
            for query, document, score in zip(*columns, strict=True):
                rankings[query].append((index.document(document), score))
            return Tops.pack(rankings)
        if policies.ties != "quicksort":
            return self.kept_tops()
        from assay.engine.quicksort import sorted_tops

        return sorted_tops(self, policies, within_depth(policies, top))

    def notes(self, policies: Policies, number: int) -> list[Note]:
        """What was found while the run and its judgments were read."""
        notes = self.chunk_notes(number)
        if unknown := self.unknown():
            notes.append(Note.of(NoteKind.UNJUDGED, queries=sorted(unknown)))
        counts = {NoteKind.DUPLICATES: self.repeats_dropped(number), NoteKind.EXCLUDED: self.excluded(number)}
        if self.is_read_in_order:
            counts = {NoteKind.SCATTERED: self.ranker.scattered, NoteKind.SURPLUS: self.ranker.surplus, **counts}
        notes += [Note.of(kind, count=count) for kind, count in counts.items() if count]
        notes += qrels_notes(self.qrels, policies)
        if policies.ties == "quicksort" and not self.is_held:
            from assay.engine.quicksort import tied_queries

            if tied := [self.qrels.queries[each] for each in tied_queries(self.counts(number))]:
                about = "" if policies.doc_id is None else "chunks"
                notes.append(Note.of(NoteKind.TIES, about=about, queries=tied))
        return notes


def repeats_of(policies: Policies) -> str:
    """How the documents count that a ranking has more than once: as `chunks` says where they are its chunks."""
    return policies.duplicates if policies.doc_id is None or policies.chunks == "best" else policies.chunks


def within_depth(policies: Policies, top: int) -> int:
    """How many of the first `top` documents are left of rankings that are cut."""
    return top if policies.depth is None else int(min(top, policies.depth))


def qrels_notes(qrels: Qrels, policies: Policies) -> list[Note]:
    """Which of the duplicate judgments count, and how many grades lose their fraction."""
    notes = []
    if qrels.repeats:
        which = EFFECTS["duplicates"][qrels.duplicates or policies.duplicates]
        notes.append(Note.of(NoteKind.DUPLICATES, about="judgments", count=qrels.repeats, which=which))
    if policies.grades == "whole" and (cut := np.count_nonzero(qrels.values % 1)):
        notes.append(Note.of(NoteKind.TRUNCATED, count=int(cut)))
    return notes


def rank_hits(
    rows: Rows, index: Index, columns: Counts, policies: Policies, *, repeated: str | None = None
) -> tuple[Judged, IntArray]:
    """The hits in a ranker's columns, ranked, and the number of documents retrieved per query.

    That number is -1 if the query is missing from the run. `repeated` says which of duplicate judgments count, if that
    was decided when they were read.
    """
    starts, grades, best_first = integers(index.starts()), floats(index.grades()), floats(index.best_first())
    if policies.grades == "whole":
        grades, best_first = np.trunc(grades), np.trunc(best_first)
    size = len(starts) - 1
    found = integers(columns["retrieved"])
    ranked, foreign = rank_columns(columns, size, grades, policies)
    judged = Judged(
        size=size,
        retrieved=np.maximum(found, 0),
        owner=np.repeat(np.arange(size), np.diff(starts)),
        grades=best_first,
        hits=ranked.distinct() if repeats_of(policies) == "once" else ranked,
        floor=0.0 if policies.negative == "unjudged" else -np.inf,
        repeats=integers(columns["repeats"]),
        foreign=foreign,
        spread=Spread(*(floats(columns[name]) for name in Spread._fields)),
        make_groups=lambda: group_rows(rows, index, policies, repeated or policies.duplicates),
        make_id_order=lambda: order_of_ids(index, len(grades)),
        make_queries=rows.queries,
    )
    if policies.exclude == "empty_id":
        judged = without_empty_ids(judged, index, grades, starts)
    return restrict(judged, policies), found


def rank_columns(columns: Counts, size: int, grades: FloatArray, policies: Policies) -> tuple[Hits, Hits | None]:
    """The hits in rank order, and those that only other queries judged, if a measure needs them."""
    higher, tied = integers(columns["higher"]), integers(columns["tied"])
    rank = 1 + higher + integers(columns[BEFORE[policies.ties]])
    query, document = integers(columns["query"]), integers(columns["document"])
    # A foreign document has no grade; the last one is a placeholder until the two are separated.
    grade = grades[document] if len(grades) else np.zeros(len(document))
    unordered = Hits(size, query, grade, rank, floats(columns["score"]), higher, tied, document)
    hits = unordered.where(np.argsort(query * (rank.max(initial=0) + 1) + rank, kind="stable"))
    is_foreign = hits.document < 0
    return hits.where(~is_foreign), hits.where(is_foreign)


def group_rows(rows: Rows, index: Index, policies: Policies, repeated: str) -> Groups:
    """The judgments as given, with their groups; of duplicates only the first or the last, if only that counts."""
    starts, grade, document = integers(rows.starts()), floats(rows.values()), integers(index.row_documents())
    group = subgroup = None
    if rows.has_groups():
        # Numbered in the order of their names.
        names, numbers = rows.group_names(), integers(rows.group_numbers())
        group = np.unique([name.partition(SUBGROUP)[0] for name in names], return_inverse=True)[1][numbers]
        if any(SUBGROUP in name for name in names):
            subgroup = np.unique(names, return_inverse=True)[1][numbers]
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    groups = Groups(query, document, np.trunc(grade) if policies.grades == "whole" else grade, group, subgroup)
    if repeated not in ("first", "last"):
        return groups
    step = 1 if repeated == "first" else -1
    keys = np.stack([each for each in (document, group, subgroup) if each is not None], axis=1)[::step]
    counted = np.zeros(len(keys), dtype=np.bool_)
    counted[np.unique(keys, axis=0, return_index=True)[1]] = True
    return groups.where(counted[::step])


def order_of_ids(index: Index, size: int) -> IntArray:
    names = np.array([index.document(number) for number in range(size)], dtype=object)
    return np.unique(names, return_inverse=True)[1]


def without_empty_ids(judged: Judged, index: Index, grades: FloatArray, starts: IntArray) -> Judged:
    """The judgments and rankings without documents whose id is empty; they keep their ranks."""
    empty = [number for number in range(len(grades)) if index.document(number) == EMPTY_ID]
    if not empty:
        return judged
    owner = np.delete(np.repeat(np.arange(judged.size), np.diff(starts)), empty)
    left = np.delete(grades, empty)
    order = np.lexsort((-left, owner))
    hits = judged.hits.where(~np.isin(judged.hits.document, empty))
    return rebuild(judged, owner=owner[order], grades=left[order], hits=hits)


def restrict(judged: Judged, policies: Policies) -> Judged:
    judged = only_judged(judged) if policies.judged_only else judged
    return judged if policies.depth is None else only_top(judged, policies.depth)


def only_judged(judged: Judged) -> Judged:
    hits = judged.judged().among_themselves()
    repeats = hits.count() - hits.distinct().count()
    return rebuild(judged, retrieved=hits.count(), hits=replace(hits, rank=hits.ordinal), repeats=repeats, foreign=None)


def only_top(judged: Judged, depth: int) -> Judged:
    # No array holds a number as large as `depth` may be.
    depth = int(min(depth, judged.retrieved.max(initial=1)))
    hits = judged.hits.top(depth)
    tied = np.minimum(hits.tied, depth - hits.higher - 1)
    foreign = None if judged.foreign is None else judged.foreign.top(depth)
    return rebuild(
        judged, retrieved=np.minimum(judged.retrieved, depth), hits=replace(hits, tied=tied), foreign=foreign
    )


def rerank_ties(judged: Judged, rel: float, *, best: bool) -> Judged:
    """The rankings with tied documents in the order that is best for the relevant ones, or worst."""
    hits = judged.hits
    is_relevant = (hits.grade >= rel) & (hits.grade > 0)
    # Relevant hits go to one end of their tie and the others to the opposite end, the best ones outermost.
    to_front = is_relevant if best else ~is_relevant
    key = np.where(best, -hits.grade, hits.grade)
    order = np.lexsort((key, ~to_front, hits.higher, hits.query))
    hits = hits.where(order)
    to_front = to_front[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (np.diff(hits.query) != 0) | (np.diff(hits.higher) != 0)
    group = np.cumsum(is_new) - 1
    begins = np.flatnonzero(is_new)
    ends = np.append(begins[1:], len(order))
    place = np.arange(len(order))
    front = hits.higher + 1 + place - begins[group]
    back = hits.higher + 1 + hits.tied - (ends[group] - 1 - place)
    return rebuild(judged, hits=replace(hits, rank=np.where(to_front, front, back)))


def select(judged: Judged, queries: IntArray) -> Judged:
    """Some of the queries, renumbered in this order."""

    def some(hits: Hits) -> Hits:
        rows, owner = expanded(hits.starts, queries)
        return replace(hits.where(rows), size=len(queries), query=owner)

    def some_groups() -> Groups:
        groups = judged.groups()
        rows, owner = expanded(stretches(groups.query, judged.size), queries)
        return replace(groups.where(rows), query=owner)

    rows, owner = expanded(stretches(judged.owner, judged.size), queries)
    return rebuild(
        judged,
        size=len(queries),
        retrieved=judged.retrieved[queries],
        owner=owner,
        grades=judged.grades[rows],
        hits=some(judged.hits),
        repeats=None if judged.repeats is None else judged.repeats[queries],
        foreign=None if judged.foreign is None else some(judged.foreign),
        spread=None if judged.spread is None else Spread(*(each[queries] for each in judged.spread)),
        make_groups=None if judged.make_groups is None else some_groups,
        make_queries=judged.all_queries,
        kept=queries if judged.kept is None else judged.kept[queries],
    )


def repeat(judged: Judged, queries: IntArray) -> Judged:
    """The same with queries that may be there several times; their ids would say nothing, and are left out."""
    return rebuild(select(judged, queries), make_queries=None, kept=None)


def expanded(starts: IntArray, queries: IntArray) -> tuple[IntArray, IntArray]:
    """The rows of some queries, one query after the other, and the place of the query of each row."""
    sizes = np.diff(starts)[queries]
    owner = np.repeat(np.arange(len(queries)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(owner)) + (starts[queries] - before)[owner], owner


def rebuild(judged: Judged, **changes: object) -> Judged:
    """A copy with some fields changed and an empty memory."""
    return replace(judged, **changes, _memory={})  # type: ignore[arg-type]
