"""What the studio says of a settled comparison holds whatever the votes that it still asks for say."""

import pytest

import assay
from assay.studio.collection import Collection
from studio_server import Client, check_refused, make_studio, serving
from tables import for_each

RUNS = {"a": assay.Run({"q1": ["d1", "d2"]}), "b": assay.Run({"q1": ["d2", "d1"]})}


def open_studio(tmp_path, **changes):
    collection = Collection("swapped", {}, RUNS)
    return serving(make_studio(tmp_path / "votes.sqlite", collection, settle="dcg@2", **changes))


@for_each("changes", [{"votes": 3}, {"votes": 3, "method": "mean"}, {"min_votes": 3}, {"votes": 2, "min_votes": 3}])
def test_votes_that_are_still_to_come_can_change_the_sign(tmp_path, changes):
    with open_studio(tmp_path, **changes) as url:
        voters = [Client(url, name) for name in ("ann", "bob", "cat")]
        voters[0].vote("q1", "d1", 3)
        voters[0].vote("q1", "d2", 0)
        assert voters[0].get("/api/overview").json()["settlement"]["settled"] is False
        assert voters[1].get("/api/next").json()["pair"] is not None
        for voter in voters[1:]:
            voter.vote("q1", "d1", 0)
            voter.vote("q1", "d2", 3)
        found = voters[0].get("/api/overview").json()["settlement"]
        assert (found["settled"], found["difference"] > 0) == (True, True)
        assert voters[0].get("/api/next").json()["pair"] is None


def test_an_open_grade_bounds_the_whole_range(tmp_path):
    with open_studio(tmp_path, votes=2) as url:
        ann = Client(url, "ann")
        before = ann.get("/api/overview").json()["settlement"]
        ann.vote("q1", "d1", 3)
        after = ann.get("/api/overview").json()["settlement"]
        assert (after["low"], after["high"]) == pytest.approx((before["low"], before["high"]))
        assert after["difference"] < 0


def test_a_decision_is_final(tmp_path):
    with open_studio(tmp_path, votes=2) as url:
        ann = Client(url, "ann")
        for document, grade in (("d1", 3), ("d2", 0)):
            ann.vote("q1", document, grade)
            ann.send("POST", "/api/decisions", {"query": "q1", "document": document, "vote": grade})
        assert ann.get("/api/overview").json()["settlement"]["settled"] is True


def test_nothing_is_proved_by_dawid_skene(tmp_path):
    with open_studio(tmp_path, method="dawid_skene") as url:
        found = Client(url, "ann").get("/api/overview").json()["settlement"]
        assert "nothing can be proved" in found["reason"]


@for_each("changes", [{"votes": 2}, {"min_votes": 2}])
def test_so_many_people_are_asked(tmp_path, changes):
    with open_studio(tmp_path, **changes) as url:
        ann, bob = Client(url, "ann"), Client(url, "bob")
        pair = ann.get("/api/next").json()["pair"]
        ann.vote(pair["query"], pair["document"], 2)
        assert ann.get("/api/next").json()["pair"]["document"] != pair["document"]
        assert bob.get("/api/next").json()["pair"]["document"] == pair["document"]
        assert bob.vote(pair["query"], pair["document"], 2).json()["grade"] == 2.0


def test_undo_goes_back_step_by_step(tmp_path):
    studio = make_studio(tmp_path / "votes.sqlite", Collection("swapped", {"q1": {"d2": 2.0}}, RUNS))
    with serving(studio) as url:
        ann = Client(url, "ann")
        first, second = ann.vote("q1", "d1", 1).json(), ann.vote("q1", "d1", 2).json()
        assert second["replaces"] == first["id"]
        check_refused(ann.send("DELETE", f"/api/votes/{first['id']}"), 409, "replaced or taken back")
        assert Client(url, "bob").send("DELETE", f"/api/votes/{second['id']}").status_code == 404
        back = ann.send("DELETE", f"/api/votes/{second['id']}").json()
        assert (back["vote"], back["grade"], back["source"]) == (1.0, 1.0, "undo")
        assert ann.get("/api/next", order="depth").json()["previous"]["vote"] == 1.0
        again = ann.send("DELETE", f"/api/votes/{back['id']}").json()
        assert (again["kind"], again["grade"]) == ("withdrawal", None)
        for document, grade in (("d1", None), ("d2", 2.0)):
            third = ann.vote("q1", document, 3).json()
            assert ann.send("DELETE", f"/api/votes/{third['id']}").json()["grade"] == grade
        expected = ["vote", "vote", "vote", "withdrawal", "vote", "withdrawal", "vote", "withdrawal"]
        assert [event.kind for event in studio.store.events()] == expected


def test_the_numbers_are_those_of_compare_on_the_export(tmp_path):
    """Also for judged queries that no run has, which count as the policies say."""
    base = {"q1": {"d1": 1.0}, "q9": {"x": 2.0}}
    with serving(make_studio(tmp_path / "votes.sqlite", Collection("odd", base, RUNS))) as url:
        ann = Client(url, "ann")
        before = ann.get("/api/overview").json()
        said = ann.vote("q1", "d2", 2).json()
        assert [said[key] for key in ("voter", "vote", "grade", "replaces")] == ["ann", 2.0, 2.0, None]
        path = tmp_path / "qrels.txt"
        path.write_bytes(ann.get("/api/export").content)
        shown = ann.get("/api/overview").json()
        assert shown["revision"] == said["revision"] > before["revision"]
        assert (shown["judged"]["votes"], shown["means"] == before["means"]) == (1, False)
        fresh = assay.evaluate_many(path, RUNS, list(shown["means"]))
        for measure, cells in shown["means"].items():
            assert [cell["value"] for cell in cells] == [fresh[name][measure] for name in RUNS]
        assert any("missing from the run" in note["text"] for note in shown["notes"])
        token = ann.send("POST", "/api/tokens", {"application": "shop"}).json()["token"]
        Client(url, token=token).vote("elsewhere", "x", "up", voter="u")
        shown = ann.get("/api/overview").json()
        assert any("1 judged query is in no run; not counted here" in note["text"] for note in shown["notes"])
