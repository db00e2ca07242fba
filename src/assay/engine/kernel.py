"""Ranks with the kernel on this machine: a run in any form is read and counted, without a Python object per document.

A file is ranked while it is read and never held whole. `map_in_threads` shares out what NumPy computes for many pairs.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from assay._kernel import Options, Progress, Ranker
from assay.core.limits import LIMITS, MOST_THREADS
from assay.core.policies import Policies, check_whole
from assay.data.formats import find_format, recognise
from assay.data.frames.columns import GIVEN_RANK, check_roles, rows_of_table
from assay.data.frames.frame import as_frame, is_frame, is_tuples
from assay.data.qrels import Qrels, as_dicts, has_queries
from assay.data.run import Run
from assay.engine.ranking import Ranking, repeats_of, within_depth
from assay.files.source import is_source, open_source

Item = TypeVar("Item")
Done = TypeVar("Done")
# Between the id of a document and that of its chunk, where Python found the document.
JOINT = "\x00\x1f\x00"


class KernelRanking(Ranking):
    """A run as the kernel ranks it, under several options at once."""

    def __init__(self, qrels: Qrels, options: Sequence[Options], *, surplus: bool = False) -> None:
        super().__init__(qrels)
        self.options, self.is_surplus_ignored = list(options), surplus
        self.ranker = self.new_ranker()

    def new_ranker(self) -> Ranker:
        return Ranker(self.qrels.index, self.options, surplus=self.is_surplus_ignored)

    def read(self, run: object, **how: Any) -> None:  # noqa: ANN401 - as in `rank_run`
        """Ranks a whole run, in place of what was ranked."""
        self.ranker = rank_run(self.new_ranker, run, **how)
        self._counts.clear()

    def add(self, query: object, ranking: object) -> None:
        self.ranker.add(query, ranking)
        self._counts.clear()

    @property
    def is_held(self) -> bool:
        data = self.given.data
        if self.given.is_sample or is_source(data):
            return False
        return isinstance(data, Run) or is_frame(data) or has_queries(data) or is_tuples(data)


def rank_run(
    make_ranker: Callable[[], Ranker],
    run: object,
    *,
    threads: int,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Ranker:
    """Ranks the judged documents of a run in any form. A file is ranked while it is read and never held whole."""
    if columns is not None:
        check_roles(columns)
    if is_source(run):
        with open_source(run) as source:  # type: ignore[arg-type]
            chosen = recognise(source, format)
            rank: Callable[..., Ranker] = partial(chosen.rank_run, source, make_ranker, columns, threads=threads)
            if source.parts:
                from assay.files.parts import hint_at_runs

                rank = hint_at_runs(source)(rank)
            if progress is None and "ipykernel" in sys.modules:
                from assay.core.progress import watched

                with watched(source.name) as counter:
                    return rank(progress=counter)
            return rank(progress=progress)
    find_format(format)
    ranker = make_ranker()
    if isinstance(run, Run):
        ranker.add_rows(run.rows, "the run", threads)
    elif is_frame(run) and rank_plain_frame(ranker, run, columns, threads):
        pass
    elif (frame := as_frame(run, columns, judgments=False)) is not None:
        if GIVEN_RANK in frame.columns:
            ranker.add_rows(rows_of_table(frame, "the run"), "the run", threads)
        else:
            ranker.add_frame(frame, "the run", threads)
    else:
        ranker.add_rankings(as_dicts(run))
    return ranker


def rank_plain_frame(ranker: Ranker, frame: object, columns: Mapping[str, str] | None, threads: int) -> bool:
    """Ranks a frame as it is, without a copy; false if it must be prepared first."""
    from assay.data.frames.frame import plain_frame

    selected = plain_frame(frame, columns)
    return selected is not None and ranker.add_plain_frame(selected, "the run", threads)


def kernel_options(policies: Policies, needs: Collection[str], top: int = 0) -> Options:
    """The kernel's options for these policies and for what the measures need, and to keep the first `top` documents."""
    more: dict[str, Any] = {}
    # If only judged documents are ranked, none is kept: they are hits.
    if top and not policies.judged_only:
        most = within_depth(policies, top)
        # For ranx's sort one more, which may tie with the last.
        is_sorted = policies.ties == "quicksort"
        more = {"top": most + is_sorted, "ties": "input" if is_sorted else policies.ties}
    if policies.doc_id is not None:
        rule: Any = policies.doc_id
        # Rows that name their document need not name a chunk.
        is_kept = rule.is_field or policies.duplicates == "once"
        more["rule"] = (rule.kind, JOINT if rule.kind == "function" else rule.argument)
        more |= {"best": policies.chunks == "best", "chunk_duplicates": "count" if is_kept else policies.duplicates}
    return Options(
        duplicates="count" if repeats_of(policies) == "once" else repeats_of(policies),
        single=policies.precision == "float32",
        given=policies.order == "given",
        exclude_query=policies.exclude == "query_id",
        foreign="foreign" in needs,
        spread="spread" in needs,
        **more,
    )


def count_threads(threads: int | None) -> int:
    """How many threads to use: as many as given, else as the limits say, or as many as this process may."""
    if threads is None:
        threads = LIMITS.get().threads
    if threads is not None:
        return check_whole("threads", threads, 1, MOST_THREADS)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def map_in_threads(function: Callable[[Item], Done], items: Iterable[Item], threads: int | None = None) -> list[Done]:
    """What the function makes of each item, in order; items are taken one by one when a thread is free, not kept."""
    numbered, lock = enumerate(items), threading.Lock()
    done: dict[int, Done] = {}
    errors: list[BaseException] = []

    def work() -> None:
        try:
            while True:
                with lock:
                    found = None if errors else next(numbered, None)
                if found is None:
                    return
                done[found[0]] = function(found[1])
        except BaseException as error:  # noqa: BLE001 - raised again below; the first one ends the work
            errors.append(error)

    helpers = []
    try:
        # If no further thread can be started, those that are there do its share.
        with suppress(RuntimeError):
            for _ in range(1, count_threads(threads)):
                helper = threading.Thread(target=copy_context().run, args=(work,))
                helper.start()
                helpers.append(helper)
        work()
    except BaseException as error:  # noqa: BLE001 - as above
        errors.append(error)
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return [done[number] for number in range(len(done))]
