"""What cannot be opened as a store is one sentence that says why."""

import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from assay import AssayError
from assay.studio.store import NewVote, Store, StoreError
from assay.studio.store import database as connect
from tables import for_each


def change(path, statement):
    """A database file that a statement changed."""
    with sqlite3.connect(path) as file:
        file.execute(statement)
    file.close()


def newer_store(path):
    Store.open(path).close()
    change(path, "UPDATE assay_studio SET version = 99")


UNUSABLE = [
    (lambda path: path.mkdir(), "is a directory; name a file"),
    (lambda path: path.write_text("query,document,vote\n" * 100), "is not a studio's store; choose another file"),
    (
        lambda path: change(path, "CREATE TABLE birds (name)"),
        "holds tables of something else, not a studio's votes; choose another file",
    ),
    (newer_store, "was written by a newer assay (its tables have version 99); update assay"),
]


@pytest.mark.parametrize(("make", "message"), UNUSABLE)
def test_files_that_are_not_a_store_are_named_and_left_alone(tmp_path, make, message):
    path = tmp_path / "given"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(AssayError) as caught:
        Store.open(path)
    assert message in str(caught.value)
    assert "given'" in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert [each.name for each in tmp_path.iterdir()] == ["given"]


PLACES = [
    ("no/such/folder/s.sqlite", "the folder"),
    ("", "the path is empty"),
    ("a\0b", "NUL character"),
    ("folder/", "names a directory"),
    ("mysql://host/db", "a store is a file or postgresql://"),
    ("sqlite:///x", "a store is a file or postgresql://"),
    ("postgresql://host:port/db", "not a valid URL"),
]


@for_each("where, message", PLACES)
def test_places_that_cannot_be(where, message):
    with pytest.raises(AssayError, match=message):
        Store.open(where)


def test_a_server_that_is_not_there_is_named_without_the_password():
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://ann:hunter2@127.0.0.1:9/studio")
    assert "postgresql://ann:***@127.0.0.1:9/studio" in str(caught.value)
    assert "refused" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_database_of_something_else_is_refused(database):
    with Store.open(database.replace("postgresql://", "postgres://")) as store:
        assert "postgresql://" in repr(store)
        with store._begin(writing=True) as connection:  # noqa: SLF001
            connection.exec_driver_sql("ALTER TABLE assay_studio RENAME TO birds")
    with pytest.raises(StoreError, match=r"holds tables of something else, .* choose another database"):
        Store.open(database)


def test_a_file_that_another_program_has_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(connect, "SECONDS_TO_WAIT", 0.1)
    path = tmp_path / "studio.sqlite"
    with Store.open(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another program has locked it"):
            store.record([NewVote("q", "d", "ann", 1)])
        assert store.events() == []
        other.execute("COMMIT")
        assert store.record([NewVote("q", "d", "ann", 1)])[0].is_new
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another program has locked it"):
        Store.open(path)
    other.close()


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="has no users to become")
@pytest.mark.parametrize("is_seen", [True, False])
@pytest.mark.parametrize("exists", [True, False])
def test_a_file_that_this_user_may_not_write(tmp_path, exists, is_seen):
    path = tmp_path / "studio.sqlite"
    if exists:
        Store.open(path).close()
        path.chmod(0o444)
    tmp_path.chmod(0o555)
    me = os.geteuid()
    if me == 0:
        # The owner of this computer may write everywhere.
        for folder in tmp_path.parents:
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IXGRP)
    tmp_path.parent.chmod(0o755 if is_seen else 0o700)
    if me == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(StoreError, match=r"cannot be|permission"), Store.open(path) as store:
            store.record([NewVote("q", "d", "ann", 1)])
    finally:
        os.seteuid(me)
        tmp_path.parent.chmod(0o700)
        tmp_path.chmod(0o755)


def test_odd_names_are_names_of_files_for_their_owner_alone(tmp_path):
    for name in (":memory:", "file:x?mode=ro", "a?b#c%41.sqlite", "é.sqlite"):
        Store.open(tmp_path / name).close()
        found = (tmp_path / name).stat()
        assert found.st_size > 0
        assert sys.platform == "win32" or stat.S_IMODE(found.st_mode) == 0o600


def test_sqlite_is_as_safe_as_it_can_be(tmp_path):
    safe = {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "busy_timeout": 10_000}
    with Store.open(tmp_path / "s") as store, store._begin() as connection:  # noqa: SLF001
        assert {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in safe} == safe


MISSING = """
import sys
sys.modules[{package!r}] = None
try:
    from assay.studio.store import Store
    Store.open("postgresql://host/db")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_missing_package_is_named_with_what_installs_it():
    needs = {"sqlalchemy": ("the studio", "SQLAlchemy", "studio"), "psycopg": ("PostgreSQL", "psycopg", "postgres")}
    for package, (what, name, extra) in needs.items():
        command = [sys.executable, "-c", MISSING.format(package=package)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
        start = f'AssayError {what} needs the package {name}; install it with: pip install "assay[{extra}]"'
        assert said.startswith(start)
