"""Ranks with the kernel: from its counts to `Judged`. Policies decide which rank a hit has and which documents stay.

`map_in_threads` is how the cores of this machine share what NumPy computes for many pairs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from assay._kernel import Options
from assay.core.judged import SUBGROUP, BoolArray, FloatArray, Groups, Hits, IntArray, Judged, Spread
from assay.core.policies import check_whole
from assay.core.text import EMPTY_ID

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assay._kernel import Index, Ranker, Rows
    from assay.core.policies import Policies
    from assay.data.chunks import DocumentRanker

MOST_THREADS = 1024
BEFORE = {
    "docid_desc": "before_descending",
    "docid_asc": "before_ascending",
    "input": "before_input",
    # The column is replaced by what the sort leads to where it differs.
    "quicksort": "before_input",
}

Item = TypeVar("Item")
Done = TypeVar("Done")


def kernel_options(policies: Policies, needs: Collection[str], top: int = 0) -> Options:
    """The kernel's options for these policies and for what the measures need, and to keep the first `top` documents."""
    first = top_options(policies, top) if top else {}
    return Options(
        duplicates="count" if policies.repeated == "once" else policies.repeated,
        single=policies.precision == "float32",
        given=policies.order == "given",
        exclude_query=policies.exclude == "query_id",
        foreign="foreign" in needs,
        spread="spread" in needs,
        **first,
    )


def top_options(policies: Policies, top: int) -> dict[str, Any]:
    """Which documents the kernel keeps as the first of each query.

    If only judged ones are ranked, none: they are hits. For ranx's sort, one more, which may tie with the last.
    """
    if policies.judged_only:
        return {}
    most = within_depth(policies, top)
    return {"top": most + 1, "ties": "input"} if policies.ties == "quicksort" else {"top": most, "ties": policies.ties}


def within_depth(policies: Policies, top: int) -> int:
    """How many of the first `top` documents are left of rankings that are cut."""
    return top if policies.depth is None else int(min(top, policies.depth))


def columns_of(ranker: Ranker | DocumentRanker, number: int) -> Mapping[str, bytes]:
    """What the ranker counted under its options of that number."""
    return ranker.columns(number)  # type: ignore[return-value]


def integers(column: bytes) -> IntArray:
    return np.frombuffer(column, dtype=np.int64)


def floats(column: bytes) -> FloatArray:
    return np.frombuffer(column, dtype=np.float64)


def rank_hits(
    rows: Rows, index: Index, columns: Mapping[str, bytes], policies: Policies, *, repeated: str | None = None
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
        hits=ranked.distinct() if policies.repeated == "once" else ranked,
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


def rank_columns(
    columns: Mapping[str, bytes], size: int, grades: FloatArray, policies: Policies
) -> tuple[Hits, Hits | None]:
    """The hits in rank order, and those that only other queries judged, if a measure needs them."""
    higher, tied = integers(columns["higher"]), integers(columns["tied"])
    rank = 1 + higher + integers(columns[BEFORE[policies.ties]])
    query, document = integers(columns["query"]), integers(columns["document"])
    order = np.argsort(query * (rank.max(initial=0) + 1) + rank, kind="stable")
    document = document[order]
    is_foreign = document < 0
    # A foreign document has no grade; the last one is a placeholder until the two are separated.
    hits = Hits(
        size=size,
        query=query[order],
        grade=grades[document] if len(grades) else np.zeros(len(document)),
        rank=rank[order],
        score=floats(columns["score"])[order],
        higher=higher[order],
        tied=tied[order],
        document=document,
    )
    if not is_foreign.any():
        return hits, hits.where(is_foreign)
    return hits.where(~is_foreign), hits.where(is_foreign)


def group_rows(rows: Rows, index: Index, policies: Policies, repeated: str) -> Groups:
    """The judgments as given, with their groups; of duplicates only the first or the last, if only that counts."""
    starts = integers(rows.starts())
    grade = floats(rows.values())
    group, subgroup = number_groups(rows) if rows.has_groups() else (None, None)
    groups = Groups(
        query=np.repeat(np.arange(len(starts) - 1), np.diff(starts)),
        document=integers(index.row_documents()),
        grade=np.trunc(grade) if policies.grades == "whole" else grade,
        group=group,
        subgroup=subgroup,
    )
    return groups.where(is_counted(groups, repeated)) if repeated in ("first", "last") else groups


def is_counted(groups: Groups, repeated: str) -> BoolArray:
    """Which rows are the first, or the last, of their document and group."""
    columns = [each for each in (groups.document, groups.group, groups.subgroup) if each is not None]
    step = 1 if repeated == "first" else -1
    keys = np.stack(columns, axis=1)[::step]
    counted = np.zeros(len(keys), dtype=np.bool_)
    counted[np.unique(keys, axis=0, return_index=True)[1]] = True
    return counted[::step]


def order_of_ids(index: Index, size: int) -> IntArray:
    """The position of each judged document in the order of ids."""
    names = [index.document(number) for number in range(size)]
    place = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([place[name] for name in names], dtype=np.int64)


def number_groups(rows: Rows) -> tuple[IntArray, IntArray | None]:
    """The group of each row, and its subgroup if groups are divided, numbered in the order of their names."""
    names, numbers = rows.group_names(), integers(rows.group_numbers())
    group = np.unique([name.partition(SUBGROUP)[0] for name in names], return_inverse=True)[1]
    is_divided = any(SUBGROUP in name for name in names)
    return group[numbers], np.unique(names, return_inverse=True)[1][numbers] if is_divided else None


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
    """The rankings without the documents that the policies leave out."""
    if policies.judged_only:
        judged = only_judged(judged)
    if policies.depth is not None:
        judged = only_top(judged, policies.depth)
    return judged


def only_judged(judged: Judged) -> Judged:
    """The rankings without unjudged documents."""
    hits = judged.judged().among_themselves()
    repeats = hits.count() - hits.distinct().count()
    return rebuild(judged, retrieved=hits.count(), hits=replace(hits, rank=hits.ordinal), repeats=repeats, foreign=None)


def only_top(judged: Judged, depth: int) -> Judged:
    """The rankings cut after `depth` documents."""
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


def select(judged: Judged, keep: IntArray) -> Judged:
    """Some of the queries, renumbered in order."""
    number = np.full(judged.size, -1)
    number[keep] = np.arange(len(keep))

    def some(hits: Hits) -> Hits:
        kept = hits.where(number[hits.query] >= 0)
        return replace(kept, size=len(keep), query=number[kept.query])

    def some_groups() -> Groups:
        groups = judged.groups()
        groups = groups.where(number[groups.query] >= 0)
        return replace(groups, query=number[groups.query])

    mask = number[judged.owner] >= 0
    return Judged(
        size=len(keep),
        retrieved=judged.retrieved[keep],
        owner=number[judged.owner[mask]],
        grades=judged.grades[mask],
        hits=some(judged.hits),
        floor=judged.floor,
        repeats=None if judged.repeats is None else judged.repeats[keep],
        foreign=None if judged.foreign is None else some(judged.foreign),
        spread=None if judged.spread is None else Spread(*(each[keep] for each in judged.spread)),
        make_groups=None if judged.make_groups is None else some_groups,
        make_id_order=judged.make_id_order,
        make_queries=judged.all_queries,
        kept=keep if judged.kept is None else judged.kept[keep],
    )


def rebuild(judged: Judged, **changes: object) -> Judged:
    """A copy with some fields changed and an empty memory."""
    return replace(judged, **changes, _memory={})  # type: ignore[arg-type]


def count_threads(threads: int | None) -> int:
    """How many threads to use: as many as given, or as many as this process may."""
    if threads is not None:
        return check_whole("threads", threads, 1, MOST_THREADS)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def map_in_threads(function: Callable[[Item], Done], items: Iterable[Item], threads: int | None = None) -> list[Done]:
    """What the function makes of each item, in their order; on all cores unless `threads` says otherwise.

    Items are taken one by one, when a thread is free for them, and not kept.

    >>> map_in_threads(str, range(3))
    ['0', '1', '2']
    """
    work = Work(function, items)
    helpers = [threading.Thread(target=copy_context().run, args=(work.run,)) for _ in range(1, count_threads(threads))]
    started = []
    try:
        for each in helpers:
            try:
                each.start()
            except RuntimeError:
                # No further thread can be started: those that are there do its share.
                break
            started.append(each)
        work.run()
    finally:
        work.is_over = True
        for each in started:
            each.join()
    if work.error is not None:
        raise work.error
    return [work.done[number] for number in range(len(work.done))]


class Work(Generic[Item, Done]):
    """Items that several threads take from, and what was made of them. The first error ends the work."""

    def __init__(self, function: Callable[[Item], Done], items: Iterable[Item]) -> None:
        self.done: dict[int, Done] = {}
        self.error: BaseException | None = None
        self.is_over = False
        self._function = function
        self._items = enumerate(items)
        self._lock = threading.Lock()

    def run(self) -> None:
        """Works on items until there are no more."""
        try:
            while (found := self._next()) is not None:
                number, item = found
                self.done[number] = self._function(item)
        except BaseException as error:  # noqa: BLE001 - raised again by who asked for the work
            self.error = self.error or error
            self.is_over = True

    def _next(self) -> tuple[int, Item] | None:
        with self._lock:
            return None if self.is_over else next(self._items, None)
