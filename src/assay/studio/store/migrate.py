"""Versions of the tables, and copies of a store.

A new store is made as this version has it, an older one is migrated after a backup. To change the tables, change
`schema` and append a function to `MIGRATIONS` that does the same to a store of the version before. It runs in one
transaction; if it fails, the store stays as it was. A backup is consistent while votes are written, and whatever it is
a copy of, it opens as a store in SQLite.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, create_engine, insert, inspect, select, text, update

from assay.core.errors import FileError
from assay.core.text import quoted
from assay.files.replace import PRIVATE, replaced, target_of
from assay.files.source import reason_of
from assay.studio.store.events import StoreError
from assay.studio.store.schema import METADATA, STUDIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from assay.studio.store.connect import Place

Migration = Callable[[Connection], None]
# The first turns version 1 into version 2, and so on.
MIGRATIONS: list[Migration] = []
# Rows that are copied at a time.
BATCH = 10_000


def current_version() -> int:
    """The version that this assay reads and writes."""
    return 1 + len(MIGRATIONS)


def prepare(engine: Engine, place: Place) -> None:
    """Creates the tables of a new store; migrates those of an older one."""
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
            keep_backup(connection, place, found)
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


def keep_backup(connection: Connection, place: Place, found: int) -> None:
    """Copies all tables before they change: to FILE.bak-vN, or in PostgreSQL to a schema assay_backup_vN."""
    if place.path is not None:
        copy_file(place.path, Path(f"{place.path}.bak-v{found}"))
        return
    schema = f"assay_backup_v{found}"
    connection.execute(text(f"CREATE SCHEMA {schema}"))
    quote = connection.dialect.identifier_preparer.quote
    for table in inspect(connection).get_table_names():
        connection.execute(text(f"CREATE TABLE {schema}.{quote(table)} AS TABLE {quote(table)}"))


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
