"""Files in and out of a running studio: what is exported is what was voted, and a model stays a voter of its own."""

import io
import json

import polars
import pytest

import assay
from studio_server import Client, make_studio, serving


def send_file(client, content, **how):
    return client.http.post("/api/import", params=how, content=content, headers={"X-CSRF-Token": client.csrf})


def test_exported_judgments_are_those_in_force(studio, ann, tmp_path):
    ann.vote("q01", "mda-02", 0)
    ann.vote("q02", "risk-05", 2)
    for format_, ending in (("trec", "txt"), ("csv", "csv"), ("jsonl", "jsonl"), ("parquet", "parquet")):
        answer = ann.get("/api/export", what="qrels", format=format_)
        assert answer.headers["content-disposition"] == f'attachment; filename="qrels.{ending}"'
        path = tmp_path / f"qrels.{ending}"
        path.write_bytes(answer.content)
        assert assay.read_qrels(path).to_dict() == studio.judgments.all_in_force()


def test_exported_votes_are_the_votes(ann, bob, tmp_path):
    ann.vote("q01", "mda-02", 0, comment="=SUM(1)")
    bob.vote("q01", "mda-02", "?")
    ann.vote("q01", "mda-02", 1)
    rows = [json.loads(line) for line in ann.get("/api/export", what="votes", format="jsonl").text.splitlines()]
    assert [(row["voter"], row["vote"]) for row in rows] == [("ann", 0.0), ("bob", "?"), ("ann", 1.0)]
    frame = polars.read_parquet(io.BytesIO(ann.get("/api/export", what="votes", format="parquet").content))
    assert frame["id"].to_list() == [1, 2, 3]
    content = ann.get("/api/export", what="votes", format="csv").content
    before = ann.get("/api/export", what="qrels", format="csv").text
    with serving(make_studio(tmp_path / "other.sqlite")) as url:
        eve = Client(url, "eve")
        assert send_file(eve, content, what="votes", format="csv").json()["votes"] == 3
        assert eve.get("/api/export", what="qrels", format="csv").text == before


def test_a_models_judgments_become_a_voter_of_their_own(studio, ann):
    answer = send_file(
        ann, b"q01 0 mda-02 0\nq02 0 risk-05 3\n", what="judgments", format="trec", voter="qwen3", kind="model"
    )
    assert answer.json() == {"votes": 2, "known": 0, "notes": []}
    assert studio.judgments.all_in_force() == studio.collection.judgments
    assert studio.voter_kind("qwen3") == "model"
    clash = send_file(ann, b"q01 0 mda-02 1\n", what="judgments", format="trec", voter="qwen3", kind="person")
    assert (clash.status_code, clash.json()["error"]) == (400, "'qwen3' is a model here; import these votes as model")


@pytest.mark.parametrize(
    ("content", "how", "said"),
    [
        (b"q01 0 mda-02 9\n", {"what": "judgments", "format": "trec", "voter": "x"}, "9 is not a vote here"),
        (b"q01 0 mda-02\n", {"what": "judgments", "format": "trec", "voter": "x"}, "line 1"),
        (b"q01 0 mda-02 1\n", {"what": "judgments", "format": "trec"}, "judgments have no voter"),
        (b"query,document,vote\nq01,mda-02,1\n", {"format": "csv"}, "does not say who voted"),
        (b"query,document,voter,vote\nq01,mda-02,ann,1\nq02,x,ann,soso\n", {"format": "csv"}, "'soso' is not a vote"),
        (b"PAR1", {"format": "parquet"}, "the file"),
    ],
)
def test_bad_files_change_nothing(studio, ann, content, how, said):
    answer = send_file(ann, content, **how)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert studio.store.events() == []


def test_quepid_both_ways(studio, ann, bob):
    ann.vote("q01", "mda-02", 0)
    bob.vote("q01", "mda-02", 2)
    book = ann.get("/api/export", what="votes", format="quepid-book").content
    ratings = ann.get("/api/export", what="qrels", format="quepid").content
    assert b"mda-02" in book
    answer = send_file(ann, ratings, what="votes", format="quepid", voter="quepid")
    assert answer.status_code == 200, answer.text
    assert answer.json()["votes"] == sum(map(len, studio.judgments.all_in_force().values()))


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_models_stay_models(studio, ann, tmp_path, format_):
    send_file(ann, b"q01 0 mda-02 0\n", what="judgments", format="trec", voter="=qwen3", kind="model")
    ann.vote("q02", "risk-05", 2)
    content = ann.get("/api/export", what="votes", format=format_).content
    before = studio.judgments.all_in_force()
    other = make_studio(tmp_path / "other.sqlite")
    with serving(other) as url:
        eve = Client(url, "eve")
        assert send_file(eve, content, what="votes", format=format_).json()["votes"] == 2
        assert {voter.name: voter.kind for voter in other.store.voters()} == {
            "=qwen3": "model",
            "ann": "person",
            "eve": "person",
        }
        assert other.judgments.all_in_force() == before


WHOLE = "query,document,voter,vote,kind,source,key,voter_kind\nq01,mda-02,new,1,vote,page,,model\n"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q01,x,new,,withdrawal,page,,model", "has no vote on 'x' for 'q01' to take back"),
        ("q01,x,new,1,vote,page,k,model\nq01,x,new,2,vote,page,k,model", "the key 'k' was used for another vote"),
        ("q01,x,new,1,vote,page,,robot", "line 3: the kind 'robot' of the voter must be person or model"),
        ("q01,x,new,1,vote,page,,person", "line 3: 'new' is a person here, and a model before"),
    ],
)
def test_an_import_is_whole_or_nothing(studio, ann, row, said):
    answer = send_file(ann, f"{WHOLE}{row}\n".encode(), what="votes", format="csv")
    assert (answer.status_code // 100, said in answer.json()["error"]) == (4, True), answer.text
    assert studio.store.events() == []
    assert studio.store.voter("new") is None
    assert "new" not in studio.judgments.kinds
    assert send_file(ann, WHOLE.encode(), what="votes", format="csv").json()["votes"] == 1
    assert studio.voter_kind("new") == "model"
