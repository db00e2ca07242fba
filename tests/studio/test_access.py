"""Who is let in: a cookie is worth what it was given for, and what others voted stays hidden from those who judge."""

import sqlite3
from contextlib import closing

import pytest

from assay.studio import access
from assay.studio.store import database as connect
from studio_server import Client, check_refused, make_studio, serving

PAIR = {"query": "q01", "document": "mda-02"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "votes.sqlite"


def test_a_cookie_that_was_given_without_a_password_is_no_login(path):
    with serving(make_studio(path)) as url:
        boss = Client(url, "boss")
        cookies = dict(boss.http.cookies)
    studio = make_studio(path)
    studio.store.add_voter("boss", password="correct horse", is_admin=True)
    with serving(studio, login=True) as url:
        old = Client(url)
        for name, value in cookies.items():
            old.http.cookies.set(name, value, domain="127.0.0.1")
        assert old.get("/api/overview").status_code == 401
        assert (old.get("/api/session").json()["voter"], old.get("/api/session").json()["admin"]) == (None, False)
        boss = Client(url, "boss", password="correct horse")
        assert boss.get("/api/session").json()["admin"] is True
        # A new password ends what the old one began.
        studio.store.add_voter("boss", password="battery staple")
        again = Client(url, "boss", password="battery staple")
        assert [each.get("/api/overview").status_code for each in (again, boss)] == [200, 401]


def test_a_session_without_a_mark_is_not_one(path):
    studio = make_studio(path)
    known = access.Access(studio.store, login=True)
    session = known.new_session("ann")
    assert known.open(known.seal(session)) == session
    for content in (b'["id", "ann", 1.0]', b'["id", "ann", 1.0, ""]', b'{"id": 1}'):
        signed = known._sign("session", content)  # noqa: SLF001 - as older ones were signed
        assert known.open(f"{content.hex()}.{signed}") is None
    for cookie in (None, "", "x.y", known.seal(session)[:-1], known.seal(session) + "0", f"00{known.seal(session)}"):
        assert known.open(cookie) is None
    studio.close()


@pytest.fixture
def team(path):
    """A studio where people log in: the address, somebody who manages it, and two who judge."""
    studio = make_studio(path)
    for name in ("boss", "ann", "bob"):
        studio.store.add_voter(name, password="correct horse", is_admin=name == "boss")
    with serving(studio, login=True) as url:
        boss, ann, bob = (Client(url, name, password="correct horse") for name in ("boss", "ann", "bob"))
        yield studio, url, boss, ann, bob


def test_only_those_who_manage_see_votes_on_pairs_that_they_have_not_judged(team):
    _, _, boss, ann, bob = team
    ann.vote("q01", "mda-02", 0)
    boss.vote("q01", "mda-02", 3)
    check_refused(bob.get("/api/agreement", reveal=True), 403, "only somebody who manages")
    (hidden,) = bob.get("/api/agreement").json()["disagreements"]
    assert (hidden["votes"], hidden["spread"]) == (None, None)
    assert boss.get("/api/agreement", reveal=True).status_code == 200


def test_only_those_who_manage_and_programs_export(team):
    _, url, boss, ann, bob = team
    ann.vote("q01", "mda-02", 0)
    shop = Client(url, token=boss.send("POST", "/api/tokens", {"application": "shop"}).json()["token"])
    for what in ("qrels", "votes"):
        check_refused(bob.get("/api/export", what=what, format="csv"), 403, "tells what others voted")
        assert [each.get("/api/export", what=what, format="csv").status_code for each in (boss, shop)] == [200, 200]


def test_votes_that_were_taken_back_stay_hidden(team):
    _, _, boss, ann, bob = team
    number = ann.vote("q01", "mda-02", 0).json()["id"]
    assert ann.send("DELETE", f"/api/votes/{number}").status_code == 200
    assert len(ann.get("/api/votes").json()["votes"]) == 2
    assert bob.get("/api/votes").json()["votes"] == []
    bob.vote("q01", "mda-02", 1)
    assert [each["kind"] for each in bob.get("/api/votes").json()["votes"]] == ["vote", "withdrawal", "vote"]
    ann.vote("q02", "risk-05", 0)
    assert bob.get("/api/votes", query="q02").json()["votes"] == []
    assert boss.send("POST", "/api/decisions", {"query": "q02", "document": "risk-05", "vote": 2}).status_code == 201
    assert len(bob.get("/api/votes", query="q02").json()["votes"]) == 2


def test_a_program_does_not_vote_for_those_who_log_in_or_for_models(team):
    studio, url, boss, _, _ = team
    studio.add_voter("qwen3", kind="model")
    token = boss.send("POST", "/api/tokens", {"application": "shop"}).json()["token"]
    shop = Client(url, token=token)
    for name, said in (("ann", "ann logs in here"), ("qwen3", "qwen3 is a model here")):
        check_refused(shop.vote("q01", "mda-02", "up", voter=name), 403, said)
    assert shop.vote("q01", "mda-02", "up", voter="user-17").status_code == 201
    assert [event.voter for event in studio.store.events()] == ["user-17"]


def test_people_are_changed_by_those_who_manage(team):
    studio, _, boss, _, _ = team
    for is_admin in (True, False):
        assert boss.send("POST", "/api/voters", {"name": "ann", "admin": is_admin}).status_code == 201
        known = studio.store.voter("ann").is_admin, studio.store.check_password("ann", "correct horse")
        assert known == (is_admin, True)
    studio.add_voter("qwen3", kind="model")
    before = studio.store.voter("qwen3")
    for more in ({}, {"password": "long enough"}, {"admin": True}):
        check_refused(boss.send("POST", "/api/voters", {"name": "qwen3", **more}), 400, "'qwen3' is a model here")
    assert studio.store.voter("qwen3") == before
    # A new password leaves the rest as it is, and ends what the old one began.
    assert boss.send("POST", "/api/voters", {"name": "boss", "password": "battery staple"}).status_code == 201
    assert studio.store.voter("boss").is_admin
    assert boss.get("/api/overview").status_code == 401


def test_a_store_that_cannot_be_written_is_said_to_come_back(path, monkeypatch):
    monkeypatch.setattr(connect, "SECONDS_TO_WAIT", 0.1)
    with serving(make_studio(path)) as url, closing(sqlite3.connect(path, isolation_level=None)) as other:
        ann = Client(url, "ann")
        other.execute("BEGIN IMMEDIATE")
        check_refused(ann.vote("q01", "mda-02", 1, key="k"), 503, "another program has locked it")
        other.execute("ROLLBACK")
        assert ann.vote("q01", "mda-02", 1, key="k").status_code == 201
