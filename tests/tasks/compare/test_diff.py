"""The worst queries of one run: their order, what each document costs, texts, and exports."""

import json

import pytest

import assay

QRELS = {"q1": {"a": 1}, "q2": {"b": 2, "c": 1, "bad": 0}, "q3": {"d": 1}}
RUN = {"q1": {"a": 1}, "q2": {"new": 3, "c": 2, "b": 1}, "q3": {"x": 3, "y": 2, "z": 1}}


def test_the_worst_come_first_with_what_each_document_costs():
    worst = assay.diff(QRELS, RUN, measure="rr", top=2)
    assert str(worst).splitlines() == [
        "worst queries by rr",
        "  q3  0.0000",
        "      d (grade 1): not retrieved (-1.0000)",
        "  q2  0.5000",
        "      b (grade 2): rank 3 (-0.5000)",
        "      c (grade 1): rank 2",
    ]
    assert [move.query for move in worst.queries] == ["q3", "q2"]
    assert repr(worst) == "<Diff: worst queries by rr>"
    assert len(assay.diff(QRELS, RUN).queries) == 3
    assert len(assay.diff(QRELS, RUN, top=0).queries) == 0
    # Lower is better.
    assert [move.query for move in assay.diff(QRELS, RUN, measure="first_rank").queries] == ["q2", "q1"]


def test_texts_and_the_unjudged_document_on_top():
    texts = {"queries": {"q3": "Where?"}, "corpus": {"x": "The wrong one.\nMore.", "d": "The right one."}}
    worst = assay.diff(QRELS, RUN, measure="rr", top=1, **texts)
    assert str(worst).splitlines()[1:] == [
        "  q3  0.0000",
        "      Where?",
        "      d (grade 1): not retrieved (-1.0000)",
        "          The right one.",
        "      x (not judged): rank 1",
        "          The wrong one.",
    ]


def test_exports():
    worst = assay.diff(QRELS, RUN, measure="rr", top=1, missing="skip")
    (query,) = json.loads(worst.to_json())["queries"]
    document = {"document": "d", "grade": 1, "after": None, "contribution": -1, "text": None}
    assert (query["query"], query["after"], query["documents"]) == ("q3", 0, [document])
    assert worst.to_polars().rows() == [("q3", 0.0, "d", 1.0, None, -1.0)]
    assert worst.to_markdown().splitlines()[2] == "| q3 | 0.0000 | d (grade 1): not retrieved (-1.0000) |"
    assert "missing=skip" in str(worst.signature)


def test_what_cannot_be_explained():
    with pytest.raises(assay.errors.MeasureError, match="names several measures: P_5, P_10"):
        assay.diff(QRELS, RUN, measure="P.5,10", convention="trec_eval")
    with pytest.raises(assay.errors.PolicyError, match="top must be a whole number"):
        assay.diff(QRELS, RUN, measure="rr", top=-1)
    with pytest.warns(assay.DataWarning, match="no judged document was retrieved"):
        assay.diff(QRELS, {"q1": ["other"]}, measure="rr")
