"""A consistent copy of a store while votes are written; whatever it is a copy of, it opens as a store in SQLite."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, create_engine, insert, select

from assay.core.errors import FileError
from assay.data.replace import PRIVATE, replaced, target_of
from assay.data.source import quoted, reason_of
from assay.studio.store.schema import METADATA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from assay.studio.store.connect import Place

BATCH = 10_000


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
