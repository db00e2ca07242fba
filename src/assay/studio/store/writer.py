"""`Writer`: votes of many people at once, with one commit for all that came while the last one was written."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from itertools import groupby
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import AssayError
from assay.studio.store.events import NewVote, Recorded, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.studio.store.events import VoteEvent, VoterKind
    from assay.studio.store.store import Store

# Votes in one transaction.
MOST = 500


class Pending(NamedTuple):
    """A vote to record; or votes to record all together or not at all, with the kinds of their voters."""

    votes: Sequence[NewVote]
    future: Future[Any]
    kinds: Mapping[str, VoterKind] | None = None


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
        return self._put(Pending([vote], Future()))

    def record_whole(
        self, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind] | None = None
    ) -> Future[list[Recorded]]:
        """Records votes soon in one transaction, all or none; a failure is the future's exception."""
        return self._put(Pending(votes, Future(), kinds or {}))

    def _put(self, pending: Pending) -> Future[Any]:
        with self._lock:
            if self._is_closed:
                raise StoreError("the studio is closing; send the vote again later, with the same key")
            self._pending.put(pending)
        return pending.future

    def close(self) -> None:
        """Records what is pending, and ends."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._pending.put(None)
        self._thread.join()

    def _run(self) -> None:
        """Records what was collected, in the order in which it came; votes that belong together by themselves."""
        is_open = True
        while is_open:
            batch = [self._pending.get()]
            try:
                while batch[-1] is not None and len(batch) < MOST:
                    batch.append(self._pending.get_nowait())
            except Empty:
                pass
            is_open = batch[-1] is not None
            wanted = [each for each in batch if each is not None and each.future.set_running_or_notify_cancel()]
            for _, group in groupby(enumerate(wanted), lambda each: each[0] if each[1].kinds is not None else -1):
                self._record([each for _, each in group])

    def _record(self, pending: list[Pending]) -> None:
        """Records votes in one transaction; each future hears what became of its own, whatever happens."""
        outcomes: Sequence[Any]
        try:
            if pending[0].kinds is None:
                outcomes = self._store.record([vote for each in pending for vote in each.votes])
                self._tell(outcomes)
            else:
                outcomes = [self._store.record_whole(pending[0].votes, pending[0].kinds)]
                self._tell(outcomes[0])
        except BaseException as error:  # noqa: BLE001 - it reaches those who wait
            outcomes = [error] * len(pending)
        for each, outcome in zip(pending, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                each.future.set_exception(outcome)
            else:
                each.future.set_result(outcome)

    def _tell(self, outcomes: Iterable[Recorded | AssayError]) -> None:
        """Hands on the new events, in order, and not too many at once: others wait for the same lock."""
        new = [each.event for each in outcomes if isinstance(each, Recorded) and each.is_new]
        new.sort(key=lambda event: event.id)
        for start in range(0, len(new), MOST):
            self._take(new[start : start + MOST])
