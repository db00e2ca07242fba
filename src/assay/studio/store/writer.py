"""`Writer`: votes of many people at once, with one commit for all that came while the last one was written."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import AssayError
from assay.studio.store.events import NewVote, Recorded, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.studio.store.events import VoteEvent, VoterKind
    from assay.studio.store.store import Store

# Votes in one transaction.
MOST = 500


class One(NamedTuple):
    """A vote that is to be recorded."""

    vote: NewVote
    future: Future[Recorded]


class Whole(NamedTuple):
    """Votes that are to be recorded all together or not at all, and the kinds of their voters."""

    votes: Sequence[NewVote]
    kinds: Mapping[str, VoterKind]
    future: Future[list[Recorded]]


Pending = One | Whole


class Writer:
    """Records votes in a thread of its own; a future has its result once the vote is on the disk.

    `take` is called with the new events of each commit, in the order of their ids, before any future has its result.
    """

    def __init__(self, store: Store, take: Callable[[Sequence[VoteEvent]], None] = lambda _: None) -> None:
        self._store, self._take = store, take
        self._pending: SimpleQueue[Pending | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="assay-studio-writer", daemon=True)
        self._thread.start()

    def record(self, vote: NewVote) -> Future[Recorded]:
        """Records a vote soon; a failure is the future's exception."""
        future: Future[Recorded] = Future()
        self._put(One(vote, future))
        return future

    def record_whole(
        self, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind] | None = None
    ) -> Future[list[Recorded]]:
        """Records votes soon in one transaction, all or none; a failure is the future's exception."""
        future: Future[list[Recorded]] = Future()
        self._put(Whole(votes, kinds or {}, future))
        return future

    def _put(self, pending: Pending) -> None:
        with self._lock:
            if self._is_closed:
                raise StoreError("the studio is closing; send the vote again later, with the same key")
            self._pending.put(pending)

    def close(self) -> None:
        """Records what is pending, and ends."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._pending.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._pending.get()]
            try:
                while batch[-1] is not None and len(batch) < MOST:
                    batch.append(self._pending.get_nowait())
            except Empty:
                pass
            is_open = batch[-1] is not None
            self._record_all([each for each in batch if each is not None])

    def _record_all(self, batch: list[Pending]) -> None:
        """Records what was collected, in the order in which it came."""
        ones: list[One] = []
        for each in batch:
            if isinstance(each, One):
                ones.append(each)
            else:
                self._record(ones)
                ones = []
                self._record_whole(each)
        self._record(ones)

    def _record_whole(self, pending: Whole) -> None:
        """Records votes that belong together; the future hears what became of them, whatever happens."""
        if not pending.future.set_running_or_notify_cancel():
            return
        try:
            recorded = self._store.record_whole(pending.votes, pending.kinds)
            self._tell(recorded)
        except BaseException as error:  # noqa: BLE001 - it reaches those who wait
            pending.future.set_exception(error)
        else:
            pending.future.set_result(recorded)

    def _tell(self, outcomes: Iterable[Recorded | AssayError]) -> None:
        """Hands on the new events, in order, and not too many at once: others wait for the same lock."""
        new = [each.event for each in outcomes if isinstance(each, Recorded) and each.is_new]
        new.sort(key=lambda event: event.id)
        for start in range(0, len(new), MOST):
            self._take(new[start : start + MOST])

    def _record(self, batch: list[One]) -> None:
        """Records a batch; each future hears what became of its vote, whatever happens."""
        wanted = [(vote, future) for vote, future in batch if future.set_running_or_notify_cancel()]
        if not wanted:
            return
        try:
            outcomes = self._store.record([vote for vote, _ in wanted])
            self._tell(outcomes)
        except BaseException as error:  # noqa: BLE001 - it reaches those who wait
            for _, future in wanted:
                future.set_exception(error)
            return
        for (_, future), outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, AssayError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
