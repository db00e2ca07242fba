"""Older stores are migrated forward after a backup; where a migration fails, the store stays as it was."""

import pytest
from sqlalchemy import text

from assay.studio.store import NewVote, Store, StoreError
from assay.studio.store import database as migrate


def add_mood(connection):
    """From version 1 to 2: voters have a mood."""
    connection.execute(text("ALTER TABLE voters ADD COLUMN mood TEXT DEFAULT 'calm' NOT NULL"))


def add_rooms(connection):
    """From version 2 to 3: a new table, with a room for each voter."""
    connection.execute(text("CREATE TABLE rooms (voter TEXT PRIMARY KEY, mood TEXT)"))
    connection.execute(text("INSERT INTO rooms SELECT name, mood FROM voters"))


def fail(connection):
    connection.execute(text("CREATE TABLE half (a TEXT)"))
    connection.execute(text("no such statement"))


@pytest.fixture
def old(where):
    """A store of version 1, with votes."""
    with Store.open(where) as store:
        store.record([NewVote("q", "d", voter, 1, key="k" + voter) for voter in ("ann", "bob")])
        return store.events()


def rows(store, statement):
    with store._begin() as connection:  # noqa: SLF001
        return [tuple(row) for row in connection.execute(text(statement))]


@pytest.mark.parametrize("history", [[[add_mood], [add_mood, add_rooms]], [[add_mood, add_rooms]]])
def test_an_older_store_is_migrated(where, old, monkeypatch, history):
    for steps in [each for each in history for _ in range(2)]:
        monkeypatch.setattr(migrate, "MIGRATIONS", steps)
        with Store.open(where) as store:
            assert rows(store, "SELECT version FROM assay_studio") == [(1 + len(steps),)]
            assert rows(store, "SELECT name, mood FROM voters ORDER BY name") == [("ann", "calm"), ("bob", "calm")]
            assert store.events() == old
            assert not store.record([NewVote("q", "d", "ann", 1, key="kann")])[0].is_new
    with Store.open(where) as store:
        assert len(rows(store, "SELECT * FROM rooms")) == 2


def test_the_backup_of_a_file_opens_in_the_version_before(tmp_path, monkeypatch):
    path = tmp_path / "studio.sqlite"
    with Store.open(path) as store:
        store.record([NewVote("q", "d", "ann", 1)])
        events = store.events()
        with monkeypatch.context() as newer:
            # Another program still has the old one open, and its log is not in the file yet.
            newer.setattr(migrate, "MIGRATIONS", [add_mood])
            Store.open(path).close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["studio.sqlite", "studio.sqlite.bak-v1"]
    with Store.open(tmp_path / "studio.sqlite.bak-v1") as backup:
        assert backup.events() == events
    with pytest.raises(StoreError, match="written by a newer assay"):
        Store.open(path)


def test_the_backup_in_postgresql_is_a_schema(database, monkeypatch):
    with Store.open(database) as store:
        store.record([NewVote("q", "d", "ann", 1)])
    monkeypatch.setattr(migrate, "MIGRATIONS", [add_mood])
    with Store.open(database) as store:
        assert rows(store, "SELECT query, vote FROM assay_backup_v1.events") == [("q", 1.0)]
        assert rows(store, "SELECT version FROM assay_backup_v1.assay_studio") == [(1,)]


def test_a_migration_that_fails_changes_nothing(where, old, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setattr(migrate, "MIGRATIONS", [add_mood, fail])
        for _ in range(2):
            with pytest.raises(StoreError, match="syntax error"):
                Store.open(where)
    with Store.open(where) as store:
        assert store.events() == old
        assert rows(store, "SELECT version FROM assay_studio") == [(1,)]
        with pytest.raises(StoreError, match="half"):
            rows(store, "SELECT * FROM half")
