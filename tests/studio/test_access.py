"""Who is let in: a cookie is worth what it was given for, and what others voted stays hidden from those who judge."""

import pytest

from assay.studio import access
from studio_server import Client, make_studio, serving

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
        assert Client(url, "boss", password="correct horse").get("/api/session").json()["admin"] is True


def test_a_new_password_ends_what_the_old_one_began(path):
    studio = make_studio(path)
    studio.store.add_voter("ann", password="correct horse")
    with serving(studio, login=True) as url:
        ann = Client(url, "ann", password="correct horse")
        assert ann.get("/api/overview").status_code == 200
        studio.store.add_voter("ann", password="battery staple")
        again = Client(url, "ann", password="battery staple")
        assert again.get("/api/overview").status_code == 200
        assert ann.get("/api/overview").status_code == 401


def test_a_session_without_a_mark_is_not_one(path):
    studio = make_studio(path)
    known = access.Access(studio.store, login=True)
    session = known.new_session("ann")
    assert known.open(known.seal(session)) == session
    content = access.encoded(b'["id", "ann", 1.0]')
    signed = access.encoded(known._sign(b"session", b'["id", "ann", 1.0]'))  # noqa: SLF001 - as an older one was signed
    assert known.open(f"{content}.{signed}") is None
    studio.close()
