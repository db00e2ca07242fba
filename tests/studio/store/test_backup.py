"""A backup while votes are written is one moment's state, and opens as a store."""

import sqlite3
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from assay import AssayError
from assay.studio.store import NewVote, Store, Writer

SECRETS = {"password": "hörse"}


def everything(store):
    questions, rankings = store.questions(), store.rankings()
    kept = store.passages(["d1", "d2"]), store.secret(), store.setting("guidelines"), store.applications()
    return store.events(), store.voters(), questions, rankings, kept


def test_everything_is_in_it_and_there_when_it_is_opened_again(store, where, tmp_path):
    token = store.add_token("shop")
    store.add_voter("ann", is_admin=True, **SECRETS)
    store.record([NewVote("q", "d", "ann", 1 / 3, "é", key="k"), NewVote("q", "d", "ann", None)])
    store.add_question("why?", "bob")
    store.keep_passages({"d1": "one"})
    store.keep_ranking("search-1", [("d1", 0.1)])
    store.set_setting("guidelines", "Be kind.")
    before = everything(store)
    assert len(store.secret()) == 32
    store.backup(tmp_path / "copy.sqlite")
    store.close()
    for place in (str(where), tmp_path / "copy.sqlite"):
        with Store.open(place) as again:
            assert everything(again) == before
            assert again.token_application(token) == "shop"
            assert again.check_password("ann", SECRETS["password"])
            assert not again.record([NewVote("q", "d", "ann", 1 / 3, "é", key="k")])[0].is_new
            assert again.record([NewVote("q", "d", "ann", 2)])[0].event.id == 3


def test_while_votes_are_written(store, tmp_path):
    """Each copy holds the first so many events, without a gap, and at least those acknowledged before it began.

    Whoever votes hears of their own vote.
    """
    writer = Writer(store)
    is_done, acknowledged = threading.Event(), []

    def vote(name):
        for number in count():
            if is_done.is_set():
                return
            event = writer.record(NewVote(f"q{number}", "d", name, number)).result(60).event
            assert (event.query, event.voter, event.vote) == (f"q{number}", name, number)
            acknowledged.append(event.id)

    with ThreadPoolExecutor(10) as pool:
        voting = [pool.submit(vote, f"voter {number}") for number in range(10)]
        try:
            for number in range(5):
                least = max(acknowledged, default=0)
                store.backup(tmp_path / f"copy{number}.sqlite")
                with Store.open(tmp_path / f"copy{number}.sqlite") as copy:
                    ids = [each.id for each in copy.events()]
                assert ids == list(range(1, len(ids) + 1))
                assert len(ids) >= least
        finally:
            is_done.set()
    writer.close()
    assert [each.result() for each in voting] == [None] * 10
    assert [each.id for each in store.events()] == sorted(acknowledged)


def test_an_older_backup_is_replaced_and_nothing_else_is_left(store, tmp_path):
    folder = tmp_path / "copies"
    folder.mkdir()
    for number in range(2):
        store.record([NewVote(f"q{number}", "d", "ann", 1)])
        store.backup(folder / "copy.sqlite")
    assert [each.name for each in folder.iterdir()] == ["copy.sqlite"]
    with sqlite3.connect(folder / "copy.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert file.execute("SELECT count(*) FROM events").fetchone() == (2,)
    file.close()
    if sys.platform != "win32":
        assert stat.S_IMODE((folder / "copy.sqlite").stat().st_mode) == 0o600


def test_where_it_cannot_be_written(tmp_path):
    path = tmp_path / "studio.sqlite"
    (tmp_path / "link").symlink_to(path)
    wrong = {tmp_path: "is a directory", tmp_path / "no" / "copy": "cannot be written"}
    with Store.open(path) as store:
        store.record([NewVote("q", "d", "ann", 1)])
        for target, message in (wrong | dict.fromkeys((path, tmp_path / "link"), "is the store itself")).items():
            with pytest.raises(AssayError, match=message):
                store.backup(target)
        assert len(store.events()) == 1
