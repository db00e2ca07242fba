"""Votes from a studio's store: those in force, of people, while the studio has it open and afterwards."""

import sqlite3
from contextlib import closing

import pytest

import assay
from assay.studio.exchange import export_votes
from assay.studio.store import NewVote, Store


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "studio.sqlite"
    with Store.open(path) as store:
        store.add_voter("gpt", kind="model")
        votes = [("q1", "d1", "ann", 2), ("q1", "d1", "bob", 1), ("q1", "d2", "ann", 0), ("q1", "d2", "gpt", 2)]
        store.record([NewVote(*vote) for vote in votes])
        store.record([NewVote("q1", "d1", "bob", 2, "sure"), NewVote("q2", "d3", "bob", None)])
        store.record([NewVote("q2", "d3", "ann", 1), NewVote("q2", "d4", "ann", 1)])
        store.record(
            [NewVote("q2", "d4", "ann", None, kind="withdrawal"), NewVote("q1", "d2", "bob", 2, kind="decision")]
        )
        yield path


def test_the_votes_in_force(path):
    found = assay.votes(path, method="mean")
    assert found.qrels.to_dict() == {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d3": 1.0}}
    assert sorted(map(str, found.notes)) == [
        "1 decision is not a vote; left out",
        "1 vote of a model left out",
        "1 vote says nothing (cannot tell); not counted",
    ]
    assert assay.votes(str(path), method="mean").qrels.to_dict() == found.qrels.to_dict()


def test_stores_that_cannot_be_read_are_named(tmp_path):
    empty, damaged, birds = (tmp_path / name for name in ("empty", "damaged", "birds.db"))
    Store.open(empty).close()
    Store.open(damaged).close()
    damaged.write_bytes(damaged.read_bytes()[:3000])
    with closing(sqlite3.connect(birds)) as file:
        file.execute("CREATE TABLE birds (name)")
    for path, error, said in (
        (empty, assay.errors.DataError, "the votes are empty"),
        (damaged, assay.errors.FileError, "cannot be read"),
        (birds, assay.errors.FormatError, r"birds\.db is an SQLite database, but not a studio's store"),
    ):
        with pytest.raises(error, match=said):
            assay.votes(path)


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_a_decision_that_was_taken_back_takes_back_no_vote(tmp_path, format):
    path = tmp_path / "studio.sqlite"
    with Store.open(path) as store:
        store.add_voter("gpt", kind="model")
        store.record([NewVote("q1", "d1", "ann", 2), NewVote("q1", "d1", "bob", 0), NewVote("q1", "d2", "gpt", 2)])
        (decided,) = store.record([NewVote("q1", "d1", "ann", 1, kind="decision")])
        store.record([NewVote("q1", "d1", "ann", None, kind="withdrawal", replaces=decided.event.id)])
        store.record([NewVote("q1", "d3", "ann", 1), NewVote("q1", "d3", "ann", None, kind="withdrawal")])
        kinds = {voter.name: voter.kind for voter in store.voters()}
        (tmp_path / f"votes.{format}").write_bytes(export_votes(store.events(), format, kinds=kinds))
    found = assay.votes(tmp_path / f"votes.{format}", method="mean", scale="grades")
    assert found.qrels.to_dict() == assay.votes(path, method="mean").qrels.to_dict() == {"q1": {"d1": 1.0}}
    assert "1 vote of a model left out" in map(str, found.notes)
