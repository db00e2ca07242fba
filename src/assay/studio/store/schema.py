"""What a studio keeps: votes as events that are never changed, the people and programs that cast them, and the tables.

The tables are the same in SQLite and PostgreSQL. `events` only grows: triggers refuse to change or delete a row. Texts
of any length are found by a digest, since an index of PostgreSQL cannot hold long ones.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

import sqlalchemy as sql

from assay.core.errors import DataError
from assay.core.text import is_unicode, show

EventKind = Literal["vote", "withdrawal", "decision"]
EventSource = Literal["page", "api", "import", "undo"]
VoterKind = Literal["person", "model", "application"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
SOURCES: tuple[EventSource, ...] = get_args(EventSource)
VOTER_KINDS: tuple[VoterKind, ...] = get_args(VoterKind)
# The longest names and ids, in characters: what an index of PostgreSQL can hold.
LONGEST_NAME = 200
LONGEST_QUERY = 500
LONGEST_DOCUMENT = 2000
# What controls a terminal or a line instead of standing for itself.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# The year 10000, which dates do not reach.
LATEST = 253_402_300_800


class StoreError(DataError):
    """A store cannot be opened, read or written."""


class KeyConflictError(DataError):
    """A key came a second time with another vote."""


@dataclass(frozen=True, slots=True)
class NewVote:
    """A vote to record; None as vote is "cannot tell".

    A withdrawal takes back the event `replaces`, or else the voter's last vote on the pair. `application` is whose
    token it came with, and a `key` stands for one vote of that application, however often it is sent.
    """

    query: str
    document: str
    voter: str
    vote: float | None
    comment: str = ""
    key: str | None = None
    kind: EventKind = "vote"
    source: EventSource = "page"
    time: float | None = None
    application: str = ""
    replaces: int | None = None

    @property
    def content(self) -> tuple[object, ...]:
        """What two votes with the same key must have in common."""
        return self.query, self.document, self.voter, self.vote, self.comment, self.kind


@dataclass(frozen=True, slots=True)
class VoteEvent(NewVote):
    """A recorded vote. Ids ascend in the order of commits; `replaces` is the voter's event that it replaces."""

    id: int = 0
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """A vote in the store; not new if its key was there already."""

    event: VoteEvent
    is_new: bool


@dataclass(frozen=True, slots=True)
class StoredVoter:
    """Somebody or something that votes. `mark` stands for the present password: a new one has another mark."""

    name: str
    kind: VoterKind
    has_password: bool
    is_admin: bool
    created: float
    mark: str = ""


def check_vote(vote: NewVote) -> None:
    check_text("the query", vote.query, LONGEST_QUERY)
    check_text("the document", vote.document, LONGEST_DOCUMENT)
    check_name("voter", vote.voter)
    check_text("the comment", vote.comment, None)
    check_choice("kind", vote.kind, EVENT_KINDS)
    check_choice("source", vote.source, SOURCES)
    if vote.key is not None:
        check_text("the key", vote.key, LONGEST_NAME)
    if vote.application:
        check_name("application", vote.application)
    for what, number in (("vote", vote.vote), ("time", vote.time)):
        if number is not None and not is_finite(number):
            raise DataError(f"the {what} {show(number)} is not a finite number")
    if vote.time is not None and not 0 <= vote.time < LATEST:
        raise DataError(f"the time {show(vote.time)} is not in seconds since 1970")
    if vote.kind == "withdrawal" and vote.vote is not None:
        raise DataError("a withdrawal has no vote of its own")
    if vote.kind == "decision" and vote.vote is None:
        raise DataError("a decision needs a grade")


def is_finite(number: object) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and math.isfinite(number)


def check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise DataError(f"the {what} must be {' or '.join(choices)}, not {show(value)}")


def check_name(what: str, name: str) -> str:
    """A name of a voter or an application, if it can be one."""
    check_text(f"the name of the {what}", name, LONGEST_NAME)
    if name != name.strip():
        raise DataError(f"the name of the {what} {show(name)} begins or ends with a space; remove it")
    if CONTROL.search(name):
        raise DataError(f"the name of the {what} {show(name)} has a control character; remove it")
    return name


def check_text(what: str, text: str, longest: int | None) -> str:
    """A text that both databases can hold; one with a limit must not be empty."""
    if not isinstance(text, str):
        raise DataError(f"{what} must be a text, not {show(text)}")
    if longest is not None and not text.strip():
        raise DataError(f"{what} is empty")
    if longest is not None and len(text) > longest:
        raise DataError(f"{what} {show(text)} is longer than {longest:,} characters")
    if "\0" in text:
        raise DataError(f"{what} {show(text)} has a NUL character; remove it")
    if not is_unicode(text):
        raise DataError(f"{what} {show(text)} is not valid Unicode")
    return text


def storable(text: str) -> str:
    """A text of others as both databases can hold it: what they cannot is replaced by the sign for that."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


METADATA = sql.MetaData()
NUMBER = sql.BigInteger().with_variant(sql.Integer, "sqlite")


def key(name: str, kind: Any = sql.Text) -> sql.Column[Any]:  # noqa: ANN401 - a type of SQLAlchemy
    return sql.Column(name, kind, primary_key=True, autoincrement=False)


def needed(name: str, kind: Any = sql.Text, *more: sql.ForeignKey, unique: bool = False) -> sql.Column[Any]:  # noqa: ANN401 - the same
    return sql.Column(name, kind, *more, nullable=False, unique=unique or None)


# One row: the version of all tables. A database that has this table is a studio's store.
STUDIO = sql.Table("assay_studio", METADATA, key("version", sql.Integer))
VOTERS = sql.Table(
    "voters",
    METADATA,
    key("name"),
    needed("kind"),
    sql.Column("password", sql.Text),
    needed("is_admin", sql.Boolean),
    needed("created", sql.Double),
)
EVENTS = sql.Table(
    "events",
    METADATA,
    key("id", NUMBER),
    needed("query"),
    needed("document"),
    needed("voter", sql.Text, sql.ForeignKey(VOTERS.c.name)),
    sql.Column("vote", sql.Double),
    needed("comment"),
    sql.Column("key", sql.Text),
    needed("kind"),
    needed("source"),
    needed("time", sql.Double),
    needed("application"),
    sql.Column("replaces", NUMBER, sql.ForeignKey("events.id")),
    # Digest of query, document, voter, and of whether it is about a decision: where one event can replace another.
    needed("place", sql.LargeBinary),
    sql.UniqueConstraint("application", "key"),
)
for _name in ("place", "query", "voter"):
    sql.Index(f"events_{_name}", EVENTS.c[_name], EVENTS.c.id)
TOKENS = sql.Table(
    "tokens", METADATA, key("digest", sql.LargeBinary), needed("application"), needed("created", sql.Double)
)
QUESTIONS = sql.Table(
    "questions",
    METADATA,
    key("number", NUMBER),
    needed("digest", sql.LargeBinary, unique=True),
    needed("text"),
    needed("voter", sql.Text, sql.ForeignKey(VOTERS.c.name)),
    needed("created", sql.Double),
)
PASSAGES = sql.Table("passages", METADATA, key("digest", sql.LargeBinary), needed("document"), needed("text"))
RANKINGS = sql.Table("rankings", METADATA, key("query"), needed("ranking"))
SETTINGS = sql.Table("settings", METADATA, key("name"), needed("value"))

REFUSAL = "votes are never changed or deleted"
TRIGGERS = {
    "sqlite": [
        f"CREATE TRIGGER events_no_{change.lower()} BEFORE {change} ON events "
        f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        for change in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        f"""CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
            AS $$BEGIN RAISE EXCEPTION '{REFUSAL}'; END$$""",
        """CREATE TRIGGER events_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON events
           FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    ],
}


@sql.event.listens_for(EVENTS, "after_create")
def refuse_changes(_: sql.Table, connection: sql.Connection, **__: object) -> None:
    for statement in TRIGGERS[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def digest(*parts: str) -> bytes:
    """Sixteen bytes that stand for texts; no text can be cut differently into the same parts."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.blake2b("\0".join((lengths, *parts)).encode(), digest_size=16).digest()
