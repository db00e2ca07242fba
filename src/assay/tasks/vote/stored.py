"""The votes in a studio's store: an SQLite file, read while the studio runs or afterwards.

Votes that were replaced or taken back are not in force; votes of models are left out.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from assay.core.errors import FileError, FormatError
from assay.core.note import Note, NoteKind
from assay.files.source import describe

if TYPE_CHECKING:
    import polars

MARK = b"SQLite format 3\0"
COLUMNS = ("query", "document", "voter", "vote", "time", "comment", "kind")
IN_FORCE = """
SELECT e.query, e.document, e.voter, e.vote, e.time, e.comment, e.kind, v.kind = 'model'
FROM events e JOIN voters v ON v.name = e.voter
WHERE e.kind <> 'withdrawal' AND e.id NOT IN (SELECT replaces FROM events WHERE replaces IS NOT NULL)
ORDER BY e.id
"""


def is_store(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether the data is the path of an SQLite file."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    try:
        with Path(data).open("rb") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, ValueError):
        # What is wrong with the path is said where it is read.
        return False


def read_store(path: str | os.PathLike[str]) -> tuple[polars.DataFrame, list[Note]]:
    """The votes and decisions in force, and a note on those of models."""
    import polars

    rows = fetch(Path(path), describe(path))
    kept = [row[:-1] for row in rows if not row[-1]]
    types = {name: polars.Float64 if name in ("vote", "time") else polars.String for name in COLUMNS}
    left = len(rows) - len(kept)
    notes = [Note.of(NoteKind.VOTES, about="models", count=left)] if left else []
    return polars.DataFrame(kept, schema=types, orient="row"), notes


def fetch(path: Path, name: str) -> list[tuple[object, ...]]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'assay_studio'").fetchone():
                raise FormatError(f"{name} is an SQLite database, but not a studio's store; export its votes first")
            return file.execute(IN_FORCE).fetchall()
    except sqlite3.Error as error:
        raise FileError(f"the votes in {name} cannot be read: {error}") from None
