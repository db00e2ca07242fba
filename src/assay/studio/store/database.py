"""The database of a store: an SQLite file, or PostgreSQL by URL; the versions of its tables, and copies of it.

A new store is made as this version has it, an older one is migrated after a backup. To change the tables, change
`schema` and append a function to `MIGRATIONS` that does the same to a store of the version before. It runs in one
transaction; if it fails, the store stays as it was. A backup is consistent while votes are written, and whatever it is
a copy of, it opens as a store in SQLite.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from assay.core.errors import AssayError, FileError
from assay.core.text import printable, quoted, show
from assay.files.replace import PRIVATE, replaced, target_of
from assay.files.source import reason_of
from assay.studio.store.schema import METADATA, STUDIO, StoreError

POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
# How long a statement waits for another program's transaction.
SECONDS_TO_WAIT = 10.0
# "asay" and "stud" as numbers: the lock of PostgreSQL that every writing transaction holds.
WRITING = (0x61736179, 0x73747564)
# The first turns version 1 into version 2, and so on.
MIGRATIONS: list[Callable[[Connection], None]] = []
# Rows that are copied at a time.
BATCH = 10_000
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
    if isinstance(where, str) and "://" in where:
        scheme = where.partition("://")[0]
        if scheme not in POSTGRESQL:
            raise StoreError(f"a store is a file or postgresql://user@host/database, not {show(scheme + '://…')}")
        try:
            url = make_url(where).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError):
            raise StoreError("not a valid URL; write it as postgresql://user:password@host:5432/database") from None
        return Place(url, printable(url.set(drivername="postgresql").render_as_string(hide_password=True)), None)
    target = target_of(where)
    name, path = quoted(target), Path(os.path.realpath(target))
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


def open_engine(place: Place) -> Engine:
    """The connections to a store, whose transactions begin as its database needs it."""
    if place.path is not None:
        try:
            # Nobody else may read it, since it has what signs cookies.
            if not place.path.exists():
                os.close(os.open(place.path, os.O_CREAT | os.O_WRONLY, PRIVATE))
        except OSError as error:
            raise StoreError(f"{place.name} cannot be created: {reason_of(error)}") from None
        engine = create_engine(place.url, connect_args={"timeout": SECONDS_TO_WAIT})
        event.listen(engine, "connect", prepare_sqlite)
        event.listen(engine, "begin", begin)
        return engine
    try:
        engine = create_engine(place.url, pool_pre_ping=True, connect_args={"connect_timeout": int(SECONDS_TO_WAIT)})
    except ImportError:
        hint = 'pip install "assay[postgres]" "psycopg[binary]"'
        raise AssayError(f"PostgreSQL needs the package psycopg; install it with: {hint}") from None
    event.listen(engine, "begin", begin)
    return engine


def prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """A commit is on the disk when it returns; `begin` begins transactions, not Python."""
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")


def begin(connection: Connection) -> None:
    """Writers take turns, and those who read see one moment.

    In SQLite a writer takes its lock at once: it cannot fail later because another one wrote meanwhile. In PostgreSQL
    ids ascend in the order of commits, too.
    """
    is_writing = connection.get_execution_options().get("writing")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
    elif is_writing:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITING[0]}, {WRITING[1]})")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")


@contextmanager
def explain_failures(name: str) -> Iterator[None]:
    """Failures of the database as one sentence, without the statement and its values."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        said = str(error.orig if isinstance(error, DBAPIError) else error)
        known = next((words for mark, words in REASONS.items() if mark in said), None)
        raise StoreError(f"the store {name}: {known or printable(said.strip().partition(chr(10))[0])}") from error


def current_version() -> int:
    return 1 + len(MIGRATIONS)


def prepare(engine: Engine, place: Place) -> None:
    """Creates the tables of a new store; migrates those of an older one, after a backup."""
    with engine.begin() as connection:
        found = version_of(connection, place)
    if found == current_version():
        return
    with engine.execution_options(writing=True).begin() as connection:
        found = version_of(connection, place)
        if found is None:
            METADATA.create_all(connection)
            connection.execute(insert(STUDIO).values(version=current_version()))
        elif found < current_version():
            # The tables before they change: in FILE.bak-vN, or in PostgreSQL in a schema assay_backup_vN.
            if place.path is not None:
                copy_file(place.path, Path(f"{place.path}.bak-v{found}"))
            else:
                schema, quote = f"assay_backup_v{found}", connection.dialect.identifier_preparer.quote
                connection.execute(text(f"CREATE SCHEMA {schema}"))
                for table in map(quote, inspect(connection).get_table_names()):
                    connection.execute(text(f"CREATE TABLE {schema}.{table} AS TABLE {table}"))
            for step in MIGRATIONS[found - 1 :]:
                step(connection)
            connection.execute(update(STUDIO).values(version=current_version()))


def version_of(connection: Connection, place: Place) -> int | None:
    """The version of a store; None if the database is empty."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    found = connection.scalar(select(STUDIO.c.version)) if STUDIO.name in tables else None
    if found is None:
        what = "another file" if place.path is not None else "another database"
        raise StoreError(f"{place.name} holds tables of something else, not a studio's votes; choose {what}")
    if found > current_version():
        raise StoreError(f"{place.name} was written by a newer assay (its tables have version {found}); update assay")
    return int(found)


def back_up(engine: Engine, place: Place, path: str | os.PathLike[str]) -> None:
    """Copies a store to a file, which is replaced once the copy is whole and on the disk."""
    target = target_of(path)
    if place.path is None:
        with open_copy(target) as partial:
            copy_tables(engine, partial)
        return
    if target.exists() and target.samefile(place.path):
        raise FileError(f"{quoted(target)} is the store itself; choose another file for the backup")
    copy_file(place.path, target)


@contextmanager
def open_copy(target: Path) -> Iterator[Path]:
    """A file that replaces the target at the end; only its owner may read it."""
    try:
        with replaced(target) as partial:
            partial.chmod(PRIVATE)
            yield partial
    except OSError as error:
        raise FileError(f"{quoted(target)} cannot be written: {reason_of(error)}") from error


def copy_file(source: Path, target: Path) -> None:
    """A copy of an SQLite file as it is at one moment; those who write to it do not wait."""
    with (
        open_copy(target) as partial,
        closing(sqlite3.connect(source)) as old,
        closing(sqlite3.connect(partial)) as new,
    ):
        old.backup(new)
        # One file, without a log beside it.
        new.execute("PRAGMA journal_mode = DELETE")


def copy_tables(engine: Engine, target: Path) -> None:
    """All rows of all tables in one moment's state, into new tables in an SQLite file."""
    copy = create_engine(URL.create("sqlite", database=str(target)))
    try:
        with engine.begin() as reading, copy.begin() as writing:
            METADATA.create_all(writing)
            for table in METADATA.sorted_tables:
                order = list(table.primary_key)
                rows = reading.execution_options(yield_per=BATCH).execute(select(table).order_by(*order))
                for part in rows.mappings().partitions(BATCH):
                    writing.execute(insert(table), [dict(row) for row in part])
    finally:
        copy.dispose()
