"""The tables of a studio's store, the same in SQLite and PostgreSQL.

`events` only grows: triggers refuse to change or delete a row. Texts of any length are found by a digest, since an
index of PostgreSQL cannot hold long ones.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

METADATA = MetaData()
Number = BigInteger().with_variant(Integer, "sqlite")

# One row: the version of all tables. A database that has this table is a studio's store.
STUDIO = Table("assay_studio", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))
VOTERS = Table(
    "voters",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("password", Text),
    Column("is_admin", Boolean, nullable=False),
    Column("created", Double, nullable=False),
)
EVENTS = Table(
    "events",
    METADATA,
    Column("id", Number, primary_key=True, autoincrement=False),
    Column("query", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("voter", Text, ForeignKey(VOTERS.c.name), nullable=False),
    Column("vote", Double),
    Column("comment", Text, nullable=False),
    Column("key", Text),
    Column("kind", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("time", Double, nullable=False),
    Column("application", Text, nullable=False),
    Column("replaces", Number, ForeignKey("events.id")),
    # Digest of query, document, voter, and of whether it is about a decision: where one event can replace another.
    Column("place", LargeBinary, nullable=False),
    UniqueConstraint("application", "key"),
)
Index("events_place", EVENTS.c.place, EVENTS.c.id)
Index("events_query", EVENTS.c.query, EVENTS.c.id)
Index("events_voter", EVENTS.c.voter, EVENTS.c.id)
TOKENS = Table(
    "tokens",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("application", Text, nullable=False),
    Column("created", Double, nullable=False),
)
QUESTIONS = Table(
    "questions",
    METADATA,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("text", Text, nullable=False),
    Column("voter", Text, ForeignKey(VOTERS.c.name), nullable=False),
    Column("created", Double, nullable=False),
)
PASSAGES = Table(
    "passages",
    METADATA,
    Column("digest", LargeBinary, primary_key=True),
    Column("document", Text, nullable=False),
    Column("text", Text, nullable=False),
)
RANKINGS = Table(
    "rankings",
    METADATA,
    Column("query", Text, primary_key=True),
    Column("ranking", Text, nullable=False),
)
SETTINGS = Table(
    "settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

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


@event.listens_for(EVENTS, "after_create")
def refuse_changes(_: Table, connection: Connection, **__: object) -> None:
    """Makes the database refuse to change or delete a vote."""
    for statement in TRIGGERS[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def digest(*parts: str) -> bytes:
    """Sixteen bytes that stand for texts; no text can be cut differently into the same parts."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.blake2b("\0".join((lengths, *parts)).encode(), digest_size=16).digest()
