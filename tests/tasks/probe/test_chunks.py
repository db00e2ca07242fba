"""Chunks that a live retriever returns become documents; scores stay beside the given order; notes say what is true."""

import pytest

import assay
from tables import for_each

QUESTIONS = {"q1": "who"}
QRELS = {"q1": ["b"]}
CHUNKS = ["a#1", "a#2", "b#1", "c"]


def texts_of(probe):
    return [str(note) for note in probe.notes]


def test_the_best_chunk_of_a_document_counts():
    probe = assay.probe(lambda _: CHUNKS, QUESTIONS, QRELS, "rr", k=4, doc_id="before:#")
    assert (probe["rr"], probe.run["q1"]) == (0.5, ["a", "b", "c"])
    assert probe.result.policies.doc_id == "before:#"
    (dropped, unmatched) = texts_of(probe)
    assert dropped == "1 chunk of a document that is ranked higher left out"
    assert "does not match 1 of 4 ids; kept as they are: 'c'" in unmatched


def test_chunks_may_be_kept_as_they_are():
    probe = assay.probe(lambda _: CHUNKS, QUESTIONS, QRELS, "rr", doc_id="before:#", chunks="count")
    assert (probe["rr"], probe.run["q1"]) == (1 / 3, ["a", "a", "b", "c"])


@for_each("rule", [r"regex:^(\w)#", "metadata.source", lambda chunk: chunk.partition("#")[0]])
def test_every_kind_of_rule(rule):
    found = [{"id": each, "metadata": {"source": each[0]}} for each in CHUNKS]
    assert assay.probe(lambda _: found, QUESTIONS, QRELS, "rr", doc_id=rule, name="x")["rr"] == 0.5


def test_a_resumed_probe_has_the_same_notes(tmp_path):
    def search(_question):
        return CHUNKS

    how = {"k": 4, "doc_id": "before:#", "checkpoint": tmp_path / "probe.jsonl"}
    first = assay.probe(search, QUESTIONS, QRELS, "rr", **how)
    again = assay.probe(search, QUESTIONS, QRELS, "rr", **how)
    assert again.resumed == 1
    assert (again["rr"], texts_of(again)) == (first["rr"], texts_of(first))
    with pytest.raises(assay.errors.MismatchError, match="another doc_id"):
        assay.probe(search, QUESTIONS, QRELS, "rr", **{**how, "doc_id": "before_last:#"})


def test_no_limit_is_claimed_where_duplicates_were_left_out():
    ten, nine = (assay.probe(lambda _, ids=ids: [*ids], QUESTIONS, QRELS, "rr") for ids in ("abcdefghia", "abcdefghi"))
    assert texts_of(ten) == ["1 duplicate document left out of the rankings of 'q1'"]
    assert "no ranking has more than 9 documents" in texts_of(nine)[0]
