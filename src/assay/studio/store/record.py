"""Records votes: many in one transaction, each with an id, the event that it replaces, and a key that counts once."""

from __future__ import annotations

import time
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import func, insert, select

from assay.core.errors import AssayError, DataError
from assay.core.text import show
from assay.studio.store.events import KeyConflictError, NewVote, Recorded, VoteEvent, check_vote
from assay.studio.store.schema import EVENTS, VOTERS, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from assay.studio.store.events import VoterKind

T = TypeVar("T")
FIELDS = tuple(field.name for field in fields(VoteEvent))
COLUMNS = [EVENTS.c[name] for name in FIELDS]
# Values in one statement: databases have a limit.
BATCH = 1000


class Recording:
    """One transaction: what the store has where the new votes go, and the rows to add."""

    def __init__(self, connection: Connection, votes: Sequence[NewVote]) -> None:
        self.connection = connection
        self.now = time.time()
        self.next_id = (connection.scalar(select(func.max(EVENTS.c.id))) or 0) + 1
        self.by_key = self.find_keys(votes)
        withdrawn = [vote.replaces for vote in votes if vote.replaces is not None]
        self.named = {event.id: event for event in self.find(EVENTS.c.id, withdrawn)}
        places = {place_of(vote) for vote in votes} | {place_of(event) for event in self.named.values()}
        self.last = self.find_last(places)
        self.rows: list[dict[str, Any]] = []

    def add(self, vote: NewVote) -> Recorded:
        """Records one vote, or finds it recorded; raises if it cannot be."""
        known = self.by_key.get((vote.application, vote.key)) if vote.key is not None else None
        if known is not None:
            if known.content != vote.content:
                raise KeyConflictError(
                    f"the key {show(vote.key)} was used for another vote (event {known.id}); "
                    "each vote needs a key of its own"
                )
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
        """Where a vote goes, and the event there that it replaces."""
        if vote.replaces is None:
            place = place_of(vote)
            last = self.last.get(place)
        else:
            place, last = self.find_withdrawn(vote, vote.replaces)
        is_empty = last is None or last.kind == "withdrawal"
        if vote.kind == "withdrawal" and is_empty:
            raise DataError(
                f"{show(vote.voter)} has no vote on {show(vote.document)} for {show(vote.query)} to take back"
            )
        return place, None if last is None else last.id

    def find_withdrawn(self, vote: NewVote, number: int) -> tuple[bytes, VoteEvent]:
        """The event that a withdrawal names, which must be the voter's own and in force."""
        if vote.kind != "withdrawal":
            raise DataError("only a withdrawal names the event that it replaces")
        named = self.named.get(number)
        if named is None or (named.query, named.document, named.voter) != (vote.query, vote.document, vote.voter):
            raise DataError(f"event {number} is not a vote of {show(vote.voter)} on this document")
        place = place_of(named)
        last = self.last[place]
        if last.id != number:
            raise DataError(f"event {number} is not in force: event {last.id} replaced it")
        return place, last

    def write(self, kinds: Mapping[str, VoterKind] | None = None) -> None:
        """Adds the rows, and the voters that are not there, each as a person unless `kinds` says otherwise."""
        names = {row["voter"] for row in self.rows}
        create_voters(self.connection, names, self.now, kinds)
        for part in batches(self.rows):
            self.connection.execute(insert(EVENTS), part)

    def find(self, column: Any, values: Iterable[Any], *where: Any) -> list[VoteEvent]:  # noqa: ANN401 - SQLAlchemy's
        """The events that have one of the values in a column."""
        parts = (select(*COLUMNS).where(column.in_(part), *where) for part in batches(values))
        return [VoteEvent(*row) for statement in parts for row in self.connection.execute(statement)]

    def find_keys(self, votes: Iterable[NewVote]) -> dict[tuple[str, str | None], VoteEvent]:
        """The events that have the keys of the votes."""
        keys: dict[str, list[str]] = {}
        for vote in votes:
            if vote.key is not None:
                keys.setdefault(vote.application, []).append(vote.key)
        found = (self.find(EVENTS.c.key, own, EVENTS.c.application == name) for name, own in keys.items())
        return {(event.application, event.key): event for events in found for event in events}

    def find_last(self, places: Iterable[bytes]) -> dict[bytes, VoteEvent]:
        """The last event at each place that has one."""
        found: dict[bytes, VoteEvent] = {}
        for part in batches(places):
            last = select(func.max(EVENTS.c.id)).where(EVENTS.c.place.in_(part)).group_by(EVENTS.c.place)
            rows = self.connection.execute(select(EVENTS.c.place, *COLUMNS).where(EVENTS.c.id.in_(last)))
            found |= {bytes(row[0]): VoteEvent(*row[1:]) for row in rows}
        return found


def record_votes(
    connection: Connection, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind] | None = None
) -> list[Recorded | AssayError]:
    """Records votes in a transaction; one that cannot be has its error in its place."""
    outcomes: list[Any] = [find_fault(vote) for vote in votes]
    recording = Recording(connection, [vote for vote, fault in zip(votes, outcomes, strict=True) if fault is None])
    for number, vote in enumerate(votes):
        try:
            outcomes[number] = outcomes[number] or recording.add(vote)
        except AssayError as error:
            outcomes[number] = error
    recording.write(kinds)
    return outcomes


def find_fault(vote: NewVote) -> AssayError | None:
    """Why a vote cannot be recorded."""
    try:
        check_vote(vote)
    except AssayError as error:
        return error
    return None


def record_whole(connection: Connection, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind]) -> list[Recorded]:
    """Records all votes in a transaction, or raises; voters of another kind than is said are an error."""
    recorded = []
    for outcome in record_votes(connection, votes, kinds):
        if isinstance(outcome, AssayError):
            raise outcome
        recorded.append(outcome)
    for part in batches(kinds):
        for name, kind in connection.execute(select(VOTERS.c.name, VOTERS.c.kind).where(VOTERS.c.name.in_(part))):
            if kind != kinds[name]:
                raise DataError(f"{show(name)} is a {kind} here; import these votes as {kind}")
    return recorded


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """The values, as many at a time as fit into one statement."""
    rest = iter(values)
    while part := list(islice(rest, BATCH)):
        yield part


def place_of(vote: NewVote) -> bytes:
    """Where one event can replace another: the votes of one voter on one pair, and apart from them the decisions."""
    return digest(vote.query, vote.document, vote.voter, "decision" if vote.kind == "decision" else "vote")


def create_voters(
    connection: Connection, names: Iterable[str], now: float, kinds: Mapping[str, VoterKind] | None = None
) -> None:
    """Adds voters of these names where nobody has them: persons, unless `kinds` says otherwise."""
    said = kinds or {}
    for part in batches(names):
        known = set(connection.scalars(select(VOTERS.c.name).where(VOTERS.c.name.in_(part))))
        if new := [name for name in part if name not in known]:
            rows = [{"name": name, "kind": said.get(name, "person"), "is_admin": False, "created": now} for name in new]
            connection.execute(insert(VOTERS), rows)
