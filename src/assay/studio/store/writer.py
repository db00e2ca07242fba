"""`Writer`: votes of many people at once, with one commit for all that came while the last one was written."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from assay.core.errors import AssayError
from assay.studio.store.events import NewVote, Recorded, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.studio.store.events import VoteEvent
    from assay.studio.store.store import Store

# Votes in one transaction.
MOST = 500
Pending = tuple[NewVote, Future[Recorded]]


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
        with self._lock:
            if self._is_closed:
                raise StoreError("the studio is closing; send the vote again later, with the same key")
            self._pending.put((vote, future))
        return future

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
            self._record([each for each in batch if each is not None])

    def _record(self, batch: list[Pending]) -> None:
        """Records a batch; each future hears what became of its vote, whatever happens."""
        wanted = [(vote, future) for vote, future in batch if future.set_running_or_notify_cancel()]
        try:
            outcomes = self._store.record([vote for vote, _ in wanted])
            new = (each.event for each in outcomes if isinstance(each, Recorded) and each.is_new)
            self._take(sorted(new, key=lambda event: event.id))
        except BaseException as error:  # noqa: BLE001 - it reaches those who wait
            for _, future in wanted:
                future.set_exception(error)
            return
        for (_, future), outcome in zip(wanted, outcomes, strict=True):
            if isinstance(outcome, AssayError):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
