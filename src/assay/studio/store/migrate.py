"""Versions of the tables: a new store is made as this version has it, an older one is migrated after a backup.

To change the tables, change `schema` and append a function to `MIGRATIONS` that does the same to a store of the version
before. It runs in one transaction; if it fails, the store stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, inspect, select, text, update

from assay.studio.store.backup import copy_file
from assay.studio.store.events import StoreError
from assay.studio.store.schema import METADATA, STUDIO

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from assay.studio.store.connect import Place

Migration = Callable[[Connection], None]
# The first turns version 1 into version 2, and so on.
MIGRATIONS: list[Migration] = []


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
            migrate(connection, found)


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


def migrate(connection: Connection, found: int) -> None:
    """Applies the migrations from a version on."""
    for step in MIGRATIONS[found - 1 :]:
        step(connection)
    connection.execute(update(STUDIO).values(version=current_version()))
