"""Live search: what a real server returns can be voted on, and the question becomes a query of the collection."""

from contextlib import contextmanager

import pytest

from assay.studio.search import LiveSearch
from search_server import Reply, SearchServer
from studio_server import Client, check_refused, make_studio, serving
from tables import for_each

FOUND = [
    {"id": "mda-01", "text": "Fiscal 2025 was mixed.", "score": 2.5},
    {"id": "x<1>", "text": "<script>alert(1)</script>", "score": 1.5},
    {"id": "mda-01", "text": "again", "score": 1.0},
]


@contextmanager
def searching(path, reply):
    """Somebody in a studio with a live retriever that replies so."""
    with (
        SearchServer(lambda _question, _times: reply) as search,
        serving(make_studio(path, search=LiveSearch(f"{search.url}/find"))) as url,
    ):
        yield Client(url, "ann")


@pytest.fixture
def ann(tmp_path):
    with searching(tmp_path / "votes.sqlite", Reply({"results": FOUND})) as client:
        yield client


def ask(client, question):
    return client.send("POST", "/api/search", {"question": question})


def test_a_question_becomes_a_query(ann):
    assert ann.get("/api/session").json()["collection"]["search"] is True
    found = ask(ann, "  how was the year? ").json()
    assert (found["query"], found["question"]) == ("search-1", "how was the year?")
    rows = [(each["rank"], each["document"], each["score"], each["mine"]) for each in found["results"]]
    assert rows == [(1, "mda-01", 2.5, None), (2, "x<1>", 1.5, None)]
    assert found["results"][1]["passage"] == "<script>alert(1)</script>"
    assert ann.vote("search-1", "x<1>", "up").json()["grade"] == 3.0
    again = ask(ann, "how was the year?").json()
    assert again["query"] == "search-1"
    assert again["results"][1]["mine"] == 3.0
    view = ann.get("/api/query", query="search-1").json()
    assert (view["runs"], view["view"]["documents"]) == (["search"], ["mda-01", "x<1>"])
    assert view["texts"]["x<1>"] == "<script>alert(1)</script>"
    assert b"search-1 0 x<1> 3" in ann.get("/api/export").content


def test_what_was_asked_counts_for_no_run(ann):
    before = ann.get("/api/overview").json()
    ask(ann, "how was the year?")
    ann.vote("search-1", "mda-01", 3)
    assert ann.get("/api/overview").json()["means"] == before["means"]


def test_it_is_there_after_a_restart(tmp_path):
    with searching(tmp_path / "votes.sqlite", Reply({"results": FOUND})) as ann:
        ask(ann, "how was the year?")
    with serving(make_studio(tmp_path / "votes.sqlite")) as url:
        view = Client(url, "ann").get("/api/query", query="search-1").json()
        assert (view["question"], view["view"]["documents"]) == ("how was the year?", ["mda-01", "x<1>"])
        check_refused(ask(Client(url, "ann"), "more?"), 404, "--search URL")


BAD = [
    (Reply({"results": [{"text": "no id"}]}), "has no id"),
    (Reply(b"<html>"), "not JSON"),
    (Reply({"error": 1}, status=500), "500"),
]


@for_each("reply, said", BAD)
def test_a_bad_search_is_said(tmp_path, reply, said):
    with searching(tmp_path / "votes.sqlite", reply) as ann:
        check_refused(ask(ann, "why?"), 400, said)


def test_bad_questions(ann):
    assert [ask(ann, question).status_code for question in ("", "   ", "x" * 1001)] == [422, 400, 422]


def test_a_hit_without_text_leaves_the_others_theirs(tmp_path):
    found = [{"id": "a", "text": "one", "score": 2.0}, {"id": "b", "score": 1.5}, {"id": "c", "text": "", "score": 1.0}]
    with searching(tmp_path / "votes.sqlite", Reply({"results": found})) as ann:
        results = ask(ann, "why?").json()["results"]
        assert [(each["document"], each["passage"]) for each in results] == [("a", "one"), ("b", None), ("c", "")]
