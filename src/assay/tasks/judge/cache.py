"""The replies of judges, kept in one SQLite file: nothing is asked twice, and an interrupted evaluation goes on.

A reply is found by a digest of everything that determines it: endpoint, model, messages, schema, sampling, the prompt's
version and the number of the sample. The file has no texts that were sent and no keys. Failures are never kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

from assay.core.errors import FileError

LAYOUT = """
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY, model TEXT, prompt TEXT, sample INTEGER, reply TEXT,
    sent_tokens INTEGER, reply_tokens INTEGER, made TEXT DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""
INSERT = """
INSERT OR REPLACE INTO replies (key, model, prompt, sample, reply, sent_tokens, reply_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
VERSION = 1
# Marks the file as one of ours: "asay" as a number.
APPLICATION = 0x61736179
SECONDS_TO_WAIT = 30.0
# A reply survives the end of the process at once, and a loss of power after this many seconds.
SECONDS_TO_SYNC = 1.0


class ReplyCache:
    """A file of replies, with `read_only` one that exists and stays as it is; None keeps them in memory."""

    def __init__(self, path: str | os.PathLike[str] | None, *, read_only: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self.read_only = read_only
        self._lock = threading.Lock()
        self._synced = time.monotonic()
        self._file = self._open()

    def get(self, key: bytes) -> dict[str, Any] | None:
        """A reply that was kept, with its tokens."""
        with self._lock:
            row = self._run("SELECT reply, sent_tokens, reply_tokens FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else {**json.loads(row[0]), "sent_tokens": row[1], "reply_tokens": row[2]}

    def put(
        self, key: bytes, reply: dict[str, Any], *, model: str, prompt: str, sample: int, tokens: tuple[int, int]
    ) -> None:
        """Keeps a reply: once this returns, it survives the end of the process."""
        values = (key, model, prompt, sample, json.dumps(reply, ensure_ascii=False), *tokens)
        with self._lock:
            self._run(INSERT, values)
            if time.monotonic() - self._synced > SECONDS_TO_SYNC:
                self._run("PRAGMA wal_checkpoint(PASSIVE)", ())
                self._synced = time.monotonic()

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _open(self) -> sqlite3.Connection:
        place = ":memory:" if self.path is None else str(self.path)
        try:
            if self.path is not None and self.read_only:
                place = f"{self.path.absolute().as_uri()}?mode=ro"
            elif self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            how: Any = {"timeout": SECONDS_TO_WAIT, "isolation_level": None, "check_same_thread": False}
            file: sqlite3.Connection = sqlite3.connect(place, uri=self.read_only, **how)
            if not self.read_only:
                # Readers and a writer do not wait for each other; a finished write survives a kill.
                file.execute("PRAGMA journal_mode = WAL")
                file.execute("PRAGMA synchronous = NORMAL")
            self._check(file)
            if not self.read_only:
                file.execute(LAYOUT)
        except (sqlite3.Error, OSError) as error:
            raise FileError(f"{self.path}: cannot open the cache of replies: {error}; place it with cache=") from None
        return file

    def _check(self, file: sqlite3.Connection) -> None:
        (application,) = file.execute("PRAGMA application_id").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        (tables,) = file.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if (tables or self.read_only) and application != APPLICATION:
            raise FileError(f"{self.path}: a database of something else, not a cache of replies; choose another file")
        if version > VERSION:
            raise FileError(f"{self.path}: written by a newer assay; update assay, or choose another file")
        if not tables:
            file.execute(f"PRAGMA application_id = {APPLICATION}")
            file.execute(f"PRAGMA user_version = {VERSION}")

    def _run(self, query: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._file.execute(query, values)
        except sqlite3.Error as error:
            raise FileError(f"{self.path}: cannot use the cache of replies: {error}") from None


def digest_of(*parts: Any) -> bytes:  # noqa: ANN401 - anything JSON can hold
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode(errors="surrogatepass")).digest()


def default_place() -> Path:
    """The file in the user's cache directory, as the system has it."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "assay" / "judge.sqlite"
