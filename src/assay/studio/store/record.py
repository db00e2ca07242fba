"""Records votes: many in one transaction, each with an id, the event that it replaces, and a key that counts once.

A `Writer` does so for many people at once, with one commit for all that came while the last one was written.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import fields
from itertools import groupby, islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, func, insert, select

from assay.core.errors import AssayError, DataError
from assay.core.text import show
from assay.studio.store.schema import (
    EVENTS,
    VOTERS,
    KeyConflictError,
    NewVote,
    Recorded,
    StoreError,
    VoteEvent,
    VoterKind,
    check_vote,
    digest,
)

if TYPE_CHECKING:
    from assay.studio.store.store import Store

T = TypeVar("T")
FIELDS = tuple(field.name for field in fields(VoteEvent))
COLUMNS = [EVENTS.c[name] for name in FIELDS]
# Values in one statement: databases have a limit.
BATCH = 1000
# Votes in one transaction.
MOST = 500


class Recording:
    """One transaction: what the store has where the new votes go, and the rows to add."""

    def __init__(self, connection: Connection, votes: Sequence[NewVote]) -> None:
        self.connection, self.now = connection, time.time()
        self.rows: list[dict[str, Any]] = []
        self.next_id = (connection.scalar(select(func.max(EVENTS.c.id))) or 0) + 1
        keys: dict[str, list[str]] = {}
        for vote in votes:
            if vote.key is not None:
                keys.setdefault(vote.application, []).append(vote.key)
        known = (self.find(EVENTS.c.key, own, EVENTS.c.application == name) for name, own in keys.items())
        self.by_key = {(event.application, event.key): event for events in known for event in events}
        withdrawn = [vote.replaces for vote in votes if vote.replaces is not None]
        self.named = {event.id: event for event in self.find(EVENTS.c.id, withdrawn)}
        # The last event at each place that has one.
        self.last: dict[bytes, VoteEvent] = {}
        for part in batches({place_of(vote) for vote in (*votes, *self.named.values())}):
            last = select(func.max(EVENTS.c.id)).where(EVENTS.c.place.in_(part)).group_by(EVENTS.c.place)
            rows = connection.execute(select(EVENTS.c.place, *COLUMNS).where(EVENTS.c.id.in_(last)))
            self.last |= {bytes(row[0]): VoteEvent(*row[1:]) for row in rows}

    def find(self, column: Any, values: Iterable[Any], *where: Any) -> list[VoteEvent]:  # noqa: ANN401 - SQLAlchemy's
        """The events that have one of the values in a column."""
        parts = (select(*COLUMNS).where(column.in_(part), *where) for part in batches(values))
        return [VoteEvent(*row) for statement in parts for row in self.connection.execute(statement)]

    def add(self, vote: NewVote) -> Recorded:
        """Records one vote, or finds it recorded; raises if it cannot be."""
        known = self.by_key.get((vote.application, vote.key)) if vote.key is not None else None
        if known is not None:
            if known.content != vote.content:
                said = f"the key {show(vote.key)} was used for another vote (event {known.id})"
                raise KeyConflictError(f"{said}; each vote needs a key of its own")
            return Recorded(known, is_new=False)
        place, replaced = self.find_replaced(vote)
        given = {field.name: getattr(vote, field.name) for field in fields(NewVote)}
        given["vote"] = None if vote.vote is None else float(vote.vote)
        given["time"] = round(self.now if vote.time is None else float(vote.time), 6)
        event = VoteEvent(**{**given, "id": self.next_id, "replaces": replaced})
        self.next_id += 1
        self.last[place] = event
        if vote.key is not None:
            self.by_key[vote.application, vote.key] = event
        self.rows.append({name: getattr(event, name) for name in FIELDS} | {"place": place})
        return Recorded(event, is_new=True)

    def find_replaced(self, vote: NewVote) -> tuple[bytes, int | None]:
        """Where a vote goes, and the event there that it replaces; one that a withdrawal names must be in force."""
        place = place_of(vote)
        if vote.replaces is not None:
            if vote.kind != "withdrawal":
                raise DataError("only a withdrawal names the event that it replaces")
            named = self.named.get(vote.replaces)
            if named is None or (named.query, named.document, named.voter) != (vote.query, vote.document, vote.voter):
                raise DataError(f"event {vote.replaces} is not a vote of {show(vote.voter)} on this document")
            place = place_of(named)
            if (last := self.last[place]).id != vote.replaces:
                raise DataError(f"event {vote.replaces} is not in force: event {last.id} replaced it")
        replaced = self.last.get(place)
        if vote.kind == "withdrawal" and (replaced is None or replaced.kind == "withdrawal"):
            pair = f"{show(vote.document)} for {show(vote.query)}"
            raise DataError(f"{show(vote.voter)} has no vote on {pair} to take back")
        return place, None if replaced is None else replaced.id


def record_votes(
    connection: Connection, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind] | None = None
) -> list[Recorded | AssayError]:
    """Records votes in a transaction; one that cannot be has its error in its place; new voters are of `kinds`."""

    def attempt(call: Callable[[NewVote], T], vote: NewVote) -> T | AssayError:
        try:
            return call(vote)
        except AssayError as error:
            return error

    faults = [attempt(check_vote, vote) for vote in votes]
    pairs = list(zip(votes, faults, strict=True))
    recording = Recording(connection, [vote for vote, fault in pairs if fault is None])
    outcomes = [attempt(recording.add, vote) if fault is None else fault for vote, fault in pairs]
    create_voters(connection, {row["voter"] for row in recording.rows}, recording.now, kinds or {})
    for part in batches(recording.rows):
        connection.execute(insert(EVENTS), part)
    return outcomes


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """The values, as many at a time as fit into one statement."""
    rest = iter(values)
    while part := list(islice(rest, BATCH)):
        yield part


def place_of(vote: NewVote) -> bytes:
    """Where one event can replace another: the votes of one voter on one pair, and apart from them the decisions."""
    return digest(vote.query, vote.document, vote.voter, "decision" if vote.kind == "decision" else "vote")


def create_voters(connection: Connection, names: Iterable[str], now: float, kinds: Mapping[str, VoterKind]) -> None:
    """Adds voters of these names where nobody has them: persons, unless `kinds` says otherwise."""
    for part in batches(names):
        known = set(connection.scalars(select(VOTERS.c.name).where(VOTERS.c.name.in_(part))))
        if new := [name for name in part if name not in known]:
            how = {"is_admin": False, "created": now}
            rows = [{"name": name, "kind": kinds.get(name, "person"), **how} for name in new]
            connection.execute(insert(VOTERS), rows)


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
        recorded: Sequence[Recorded | AssayError]
        try:
            if pending[0].kinds is None:
                outcomes = recorded = self._store.record([vote for each in pending for vote in each.votes])
            else:
                recorded = self._store.record_whole(pending[0].votes, pending[0].kinds)
                outcomes = [recorded]
            new = [each.event for each in recorded if isinstance(each, Recorded) and each.is_new]
            new.sort(key=lambda event: event.id)
            # Not too many at once: others wait for the same lock.
            for start in range(0, len(new), MOST):
                self._take(new[start : start + MOST])
        except BaseException as error:  # noqa: BLE001 - it reaches those who wait
            outcomes = [error] * len(pending)
        for each, outcome in zip(pending, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                each.future.set_exception(outcome)
            else:
                each.future.set_result(outcome)
