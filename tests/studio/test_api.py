"""The API over real HTTP: voting, blindness, undo, decisions, what comes next, and what is refused."""

import json

import httpx2
import pytest

import assay
from assay.studio import app
from studio_collections import small_collection
from studio_server import Client, check_refused, make_studio, serving

PAIR = {"query": "q01", "document": "mda-02"}


def test_a_key_stands_for_one_vote(ann, studio):
    first = ann.vote("q01", "mda-02", 2, key="k1")
    again = ann.vote("q01", "mda-02", 2, key="k1")
    other = ann.vote("q01", "mda-02", 3, key="k1")
    assert [each.status_code for each in (first, again, other)] == [201, 200, 409]
    assert first.json()["id"] == again.json()["id"]
    assert len(studio.store.events()) == 1


def test_voters_are_blind_to_each_other(ann, bob):
    ann.vote("q01", "mda-02", 0, comment="beside the point")
    seen = bob.get("/api/pair", **PAIR).json()
    assert (seen["mine"], seen["others"], seen["count"]) == (None, None, 1)
    view = bob.get("/api/query", query="q01").json()
    place = view["view"]["documents"].index("mda-02")
    assert view["view"]["grades"][place] is None
    assert view["votes"]["mda-02"]["others"] is None
    assert bob.get("/api/votes").json()["votes"] == []
    bob.vote("q01", "mda-02", 3)
    seen = bob.get("/api/pair", **PAIR).json()
    assert seen["others"] == [{"voter": "ann", "vote": 0.0, "kind": "person"}]
    assert [each["voter"] for each in bob.get("/api/votes").json()["votes"]] == ["ann", "bob"]


def test_agreement_is_that_of_the_library(ann, bob):
    grades = [("d1", 0, 0), ("d2", 1, 1), ("d3", 2, 3), ("d4", 3, 3), ("d5", 0, 1)]
    for document, one, other in grades:
        for query in ("q01", "q02"):
            ann.vote(query, document, one)
            bob.vote(query, document, other)
    found = ann.get("/api/agreement").json()
    sides = [{query: {each[0]: float(each[n]) for each in grades} for query in ("q01", "q02")} for n in (1, 2)]
    fresh = assay.agree(*sides, samples=1000)
    (pair,) = found["pairs"]
    assert pair["shared"] == 10
    assert pair["kappa"]["value"] == fresh["kappa"].value
    assert pair["weighted"]["low"] == fresh["weighted_kappa"].low
    assert pair["confusion"]["counts"] == [list(row) for row in fresh.matrix]
    assert found["alpha"]["value"] == pytest.approx(fresh["alpha"].value)
    assert {each["name"]: each["votes"] for each in found["voters"]} == {"ann": 10, "bob": 10}


def test_a_decision_ends_a_disagreement_and_can_be_taken_back(studio, ann, bob, url):
    ann.vote("q01", "mda-02", 0)
    bob.vote("q01", "mda-02", 3)
    (shown,) = Client(url, "eve").get("/api/agreement", reveal=True).json()["disagreements"]
    assert shown["spread"] == 3.0
    assert {each["voter"]: each["vote"] for each in shown["votes"]} == {"ann": 0.0, "bob": 3.0}
    said = ann.send("POST", "/api/decisions", {**PAIR, "vote": 2, "comment": "after talking"})
    assert (said.status_code, said.json()["grade"]) == (201, 2.0)
    assert ann.get("/api/agreement").json()["disagreements"][0]["decided"] == 2.0
    taken = ann.send("DELETE", f"/api/votes/{said.json()['id']}")
    assert taken.status_code == 200
    assert studio.judgments.grade("q01", "mda-02") == 0.0
    assert ann.get("/api/agreement").json()["disagreements"][0]["decided"] is None


def test_what_comes_next(ann, bob):
    first = ann.get("/api/next", order="worth").json()
    pair = first["pair"]
    assert pair["passage"]
    assert pair["question"]
    skipped = ann.get("/api/next", order="worth", skip=f"{pair['query']}\t{pair['document']}").json()["pair"]
    assert skipped["worth"] <= pair["worth"]
    assert skipped != pair
    ann.vote(pair["query"], pair["document"], 0)
    after = ann.get("/api/next", order="worth").json()
    assert (after["pair"], after["done"], after["left"]) == (skipped, 1, first["left"] - 1)
    assert after["progress"] == [{"voter": "ann", "votes": 1}]
    orders = [bob.get("/api/next", order=order).json()["pair"] for order in ("against", "depth", "random", "votes")]
    assert all(each["question"] for each in orders)


def test_nothing_judged_yet(tmp_path):
    runs = {name: {f"q{n}": [f"{name}{n}", "x"] for n in range(3)} for name in "ab"}
    with serving(make_studio(tmp_path / "votes.sqlite", small_collection(None, runs))) as url:
        ann = Client(url, "ann")
        assert "Nothing is judged yet" in ann.get("/api/overview").json()["verdict"][0]["text"]
        rows = ann.get("/api/queries").json()["rows"]
        assert [row["scores"] for row in rows] == [{"a": None, "b": None}] * 3
        assert ann.get("/api/query", query="q0").json()["view"]["ranked"]
        ann.vote("q0", "b0", 3)
        assert ann.get("/api/overview").json()["means"]["rr@10"][1]["value"] == 1.0


def test_queries_are_listed_sorted_and_found(ann):
    rows = ann.get("/api/queries", measure="ndcg@10", a="bm25", b="dense", sort="difference").json()["rows"]
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences)
    down = ann.get("/api/queries", measure="ndcg@10", a="bm25", b="dense", descending=True, limit=3, offset=1).json()
    assert [row["query"] for row in down["rows"]] == [row["query"] for row in rows[::-1]][1:4]
    judged = [row["judged"] for row in ann.get("/api/queries", sort="judged").json()["rows"]]
    assert judged == sorted(judged)
    bars = ann.get("/api/bars", measure="ndcg@10", a="bm25", b="dense").json()
    assert [bar["value"] for bar in bars["bars"]] == differences[::-1]
    assert sum(bars[each] for each in ("better", "worse", "same")) == len(rows)
    for path, wrong in (("/api/bars", {"measure": "nosuch"}), ("/api/queries", {"a": "nosuch"})):
        assert ann.get(path, **wrong).status_code == 404
    found = ann.get("/api/queries", find="PATENT").json()
    assert 0 < found["total"] < 25
    assert all("patent" in row["question"].lower() for row in found["rows"])
    assert [row["query"] for row in ann.get("/api/queries", sort="id", limit=3).json()["rows"]] == ["q01", "q02", "q03"]


def test_a_program_votes_with_its_token(studio, url):
    token = studio.store.add_token("shop")
    shop = Client(url, token=token)
    said = shop.vote("q01", "mda-02", "up", voter="user 17", key="1")
    assert (said.status_code, said.json()["vote"], said.json()["source"]) == (201, 3.0, "api")
    assert shop.vote("q01", "mda-02", "down", key="2").status_code == 400
    assert shop.vote("a new question", "x", "?", voter="user 17", key="3").json()["vote"] == "?"
    assert [each["voter"] for each in shop.get("/api/votes").json()["votes"]] == ["user 17", "user 17"]
    assert Client(url, token="wrong").get("/api/votes").status_code == 401
    studio.store.revoke_tokens("shop")
    assert Client(url, token=studio.store.add_token("other")).get("/api/votes").status_code == 200


BAD = [
    ({**PAIR, "vote": 7}, 400, "7 is not a vote here; send 0, 1, 2, 3, up, down, or ? for cannot tell"),
    ({**PAIR, "vote": "maybe"}, 400, "is not a vote here"),
    ({**PAIR, "vote": 1, "voter": "bob"}, 403, "you cannot vote for another user"),
    ({**PAIR, "vote": 1, "more": 1}, 422, "more: Extra inputs are not permitted"),
    ({"query": "q99", "document": "d", "vote": 1}, 404, "unknown query 'q99'"),
    ({"query": "q01", "vote": 1}, 422, "document: Field required"),
    ({**PAIR, "vote": 1, "comment": "x" * 10_001}, 422, "comment: String should have at most"),
    ({**PAIR, "vote": 1, "comment": "a\0b"}, 400, "has a NUL character"),
]


def test_bad_votes_are_refused(ann, studio):
    for body, status, said in BAD:
        check_refused(ann.send("POST", "/api/votes", body), status, said)
    assert studio.store.events() == []


def test_a_write_needs_the_token_of_the_page(ann, url):
    assert ann.send("POST", "/api/votes", {**PAIR, "vote": 1}, **{"X-CSRF-Token": "wrong"}).status_code == 403
    nobody = Client(url)
    assert nobody.vote("q01", "mda-02", 1).status_code == 401
    assert httpx2.post(f"{url}/api/votes", json={**PAIR, "vote": 1}).status_code == 403


def test_what_the_guard_refuses_and_says_of_every_response(ann):
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert ann.send("POST", "/api/votes", {**PAIR, "vote": 1}, **headers).status_code == 403
    for host in ("evil.example", "127.0.0.1.evil.example:80", "", "localhost.:80", "::1"):
        check_refused(ann.http.get("/api/overview", headers={"Host": host}), 421, "allow-host")
    for host in ("localhost", "LOCALHOST:80", "[::1]", "[::1]:80"):
        assert ann.http.get("/api/session", headers={"Host": host}).status_code == 200
    headers = {"X-CSRF-Token": ann.csrf, "Content-Type": "application/json"}
    for body in (b" " * 70_000, (b" " * 7000 for _ in range(20))):
        assert ann.http.post("/api/votes", content=body, headers=headers).status_code == 413
    # No path reaches the file system.
    for path in ("../app.py", "%2e%2e/app.py", "..%2f..%2fpyproject.toml", "secret.txt"):
        assert ann.http.get(f"/static/{path}").status_code == 404
    for path in ("/api/session", "/api/overview", "/nothing", "/api/nothing", "/"):
        headers = ann.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert (headers.get("cache-control") == "no-store") == path.startswith("/api")
    cookie = ann.get("/api/session").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_changes_are_told(ann, bob):
    with bob.http.stream("GET", "/api/changes") as answer:
        heard = (json.loads(line[6:])["revision"] for line in answer.iter_lines() if line.startswith("data: "))
        assert next(heard) == 0
        assert ann.vote("q01", "mda-02", 1).json()["revision"] == next(heard)


def test_people_log_in_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setitem(app.RATES, "login", (0.001, 10))
    studio = make_studio(tmp_path / "votes.sqlite")
    studio.store.add_voter("ann", password="correct horse", is_admin=True)
    studio.store.add_voter("bob", password="battery staple")
    with serving(studio, login=True) as url:
        nobody = Client(url)
        session = nobody.get("/api/session").json()
        assert (session["login"], session["voter"], session["voters"]) == (True, None, [])
        assert "collection" not in session
        for path in ("/api/overview", "/api/queries", "/api/next", "/api/votes", "/api/agreement", "/api/voters"):
            assert nobody.get(path).status_code == 401
        assert nobody.http.get("/judge").headers["location"] == "/login?next=%2Fjudge"
        wrong = nobody.send("POST", "/api/session", {"voter": "ann", "password": "wrong"})
        check_refused(wrong, 401, "the name or the password is wrong")
        assert nobody.send("POST", "/api/session", {"voter": "eve"}).status_code == 401
        ann, bob = Client(url, "ann", password="correct horse"), Client(url, "bob", password="battery staple")
        assert ann.vote("q01", "mda-02", 1).status_code == 201
        assert bob.send("POST", "/api/tokens", {"application": "shop"}).status_code == 403
        assert ann.send("POST", "/api/voters", {"name": "eve", "password": "long enough"}).status_code == 201
        assert Client(url, "eve", password="long enough").get("/api/overview").status_code == 200
        for _ in range(12):
            last = nobody.send("POST", "/api/session", {"voter": "ann", "password": "wrong"})
        assert last.status_code == 429
        assert int(last.headers["retry-after"]) >= 1


def test_guidelines_are_kept(ann):
    assert "Read the question" in ann.get("/api/session").json()["collection"]["guidelines"]
    assert ann.send("PUT", "/api/guidelines", {"text": "Be kind.\n<b>"}).status_code == 200
    assert ann.get("/api/session").json()["collection"]["guidelines"] == "Be kind.\n<b>"
