"""Connections to a store: an SQLite file, or PostgreSQL by URL; and their failures as sentences."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from assay.core.errors import AssayError
from assay.core.text import printable, quoted, show
from assay.files.replace import PRIVATE, target_of
from assay.files.source import reason_of
from assay.studio.store.events import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
# How long a statement waits for another program's transaction.
SECONDS_TO_WAIT = 10.0
# "asay" and "stud" as numbers: the lock of PostgreSQL that every writing transaction holds.
WRITING = (0x61736179, 0x73747564)
# What SQLite says, and what people are told.
REASONS = {
    "database is locked": "another program has locked it; close that one, or try again later",
    "file is not a database": "it is not a studio's store; choose another file",
    "unable to open database file": "it cannot be opened; check the folder and its permissions",
    "attempt to write a readonly database": "it cannot be written; check its permissions and those of its folder",
    "database or disk is full": "the disk is full; nothing of this was recorded",
    "database disk image is malformed": "the file is damaged; restore a backup",
}


class Place(NamedTuple):
    """Where a store is: the engine's URL, what messages call it, and the file if it is one."""

    url: URL
    name: str
    path: Path | None


def find_place(where: str | os.PathLike[str]) -> Place:
    """The place of a store: a path or a URL of PostgreSQL."""
    if isinstance(where, str) and "://" in where:
        return find_database(where)
    target = target_of(where)
    name = quoted(target)
    path = Path(os.path.realpath(target))
    # A folder that cannot be looked into is no error here: opening the file says what is wrong.
    if os.path.isdir(path):  # noqa: PTH112 - unlike Path.is_dir, it raises nothing
        raise StoreError(f"{name} is a directory; name a file for the votes, such as studio.sqlite")
    try:
        has_folder = path.parent.is_dir()
    except OSError as error:
        raise StoreError(f"{name} cannot be opened: {error.strerror}") from None
    if not has_folder:
        raise StoreError(f"{name}: the folder {quoted(path.parent)} does not exist; create it first")
    return Place(URL.create("sqlite", database=str(path)), name, path)


def find_database(where: str) -> Place:
    scheme = where.partition("://")[0]
    if scheme not in POSTGRESQL:
        raise StoreError(f"a store is a file or postgresql://user@host/database, not {show(scheme + '://…')}")
    try:
        url = make_url(where).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise StoreError("not a valid URL; write it as postgresql://user:password@host:5432/database") from None
    return Place(url, printable(url.set(drivername="postgresql").render_as_string(hide_password=True)), None)


def open_engine(place: Place) -> Engine:
    """The connections to a store, whose transactions begin as its database needs it."""
    if place.path is not None:
        create_private(place)
        engine = create_engine(place.url, connect_args={"timeout": SECONDS_TO_WAIT})
        event.listen(engine, "connect", prepare_sqlite)
        event.listen(engine, "begin", begin_sqlite)
        return engine
    try:
        engine = create_engine(place.url, pool_pre_ping=True, connect_args={"connect_timeout": int(SECONDS_TO_WAIT)})
    except ImportError:
        hint = 'pip install "assay[postgres]" "psycopg[binary]"'
        raise AssayError(f"PostgreSQL needs the package psycopg; install it with: {hint}") from None
    event.listen(engine, "begin", begin_postgresql)
    return engine


def create_private(place: Place) -> None:
    """Creates the file if there is none; nobody else may read it, since it has what signs cookies."""
    if place.path is None or place.path.exists():
        return
    try:
        os.close(os.open(place.path, os.O_CREAT | os.O_WRONLY, PRIVATE))
    except OSError as error:
        raise StoreError(f"{place.name} cannot be created: {reason_of(error)}") from None


def prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """A commit is on the disk when it returns; `begin_sqlite` begins transactions, not Python."""
    connection.isolation_level = None
    for pragma in ("foreign_keys = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")


def is_writing(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("writing"))


def begin_sqlite(connection: Connection) -> None:
    """One that will write takes its lock at once: it cannot fail later because another one wrote meanwhile."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing(connection) else "BEGIN")


def begin_postgresql(connection: Connection) -> None:
    """Writers take turns, as in SQLite: ids then ascend in the order of commits. Readers see one moment."""
    if is_writing(connection):
        connection.execute(
            text("SELECT pg_advisory_xact_lock(:first, :second)"), dict(zip(("first", "second"), WRITING, strict=True))
        )
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")


@contextmanager
def explain_failures(name: str) -> Iterator[None]:
    """Failures of the database as one sentence, without the statement and its values."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(f"the store {name}: {reason(error)}") from error


def reason(error: Any) -> str:  # noqa: ANN401 - SQLAlchemy's or a driver's
    said = str(error.orig if isinstance(error, DBAPIError) else error)
    known = next((words for mark, words in REASONS.items() if mark in said), None)
    return known or printable(said.strip().partition("\n")[0])
