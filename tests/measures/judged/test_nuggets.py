"""Nuggets: given, or created, labelled and assigned; the scores of the TREC RAG track."""

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from assay.measures.judged.nuggets import nugget_score
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada."}
V, K = {"importance": "vital"}, {"importance": "okay"}


@for_each(
    "support, vital, score, strict, expected",
    [
        ([], [], "all", False, np.nan),
        ([1, 0.5, 0], [True, True, False], "all", False, 0.5),
        ([1, 0.5, 0], [True, True, False], "all", True, 1 / 3),
        ([1, 0.5, 0], [True, True, False], "vital", False, 0.75),
        ([1, 0.5, 0], [True, True, False], "vital", True, 0.5),
        ([1, 0.5, 0], [True, True, False], "weighted", False, 1.5 / 2.5),
        ([1, 0.5, 1], [True, True, False], "weighted", True, 1.5 / 2.5),
        ([1, 1], [False, False], "vital", False, np.nan),
        ([1, 0], [False, False], "weighted", False, 0.5),
        ([1, 1, 1], [True, False, True], "weighted", False, 1),
        ([0, 0], [True, False], "all", False, 0),
    ],
)
def test_nugget_score(support, vital, score, strict, expected):
    assert nugget_score(support, vital, score, strict=strict) == pytest.approx(expected, nan_ok=True)


def said(*words):
    return {"verdicts": [{"reason": "r", "support": each} for each in words]}


@for_each(
    "name, nuggets, replies, expected",
    [
        ("nuggets", ["a", "b"], [said("support", "partial")], 0.75),
        ("nuggets(strict=true)", ["a", "b"], [said("support", "partial")], 0.5),
        ("nuggets(score=vital)", [{"text": "a", **V}, {"text": "b", **K}], [said("none", "support")], 0),
        ("nuggets(score=vital)", ["a", "b"], [{"labels": ["okay", "vital"]}, said("none", "support")], 1),
        (
            "nuggets(score=weighted)",
            [{"text": "a", **V}, "b"],
            [{"labels": ["vital", "okay"]}, said("none", "support")],
            1 / 3,
        ),
    ],
)
def test_given_nuggets(name, nuggets, replies, expected):
    assert replay(name, {**RECORD, "nuggets": nuggets}, replies).score == pytest.approx(expected)


@for_each("source", [{"gold_texts": ["Ada did it."]}, {"references": ["Ada did it."]}])
def test_nuggets_are_created_labelled_and_assigned(source):
    replies = [{"nuggets": ["a", " a ", "b", ""]}, {"labels": ["vital", "okay"]}, said("support", "none")]
    finding = replay("nuggets(score=vital)", {**RECORD, **source}, replies)
    assert finding.score == 1
    assert [(each.subject, each.value, each.against) for each in finding.verdicts] == [
        ("a", 1, "vital"),
        ("b", 0, "okay"),
    ]


def test_ten_documents_and_ten_nuggets_at_a_time_and_at_most_thirty():
    record = {**RECORD, "gold_texts": [f"text {number}" for number in range(21)]}
    many = {"nuggets": [f"n{number}" for number in range(35)]}
    replies = [{"nuggets": ["n0"]}, many, many, *[said(*["support"] * 10)] * 3]
    finding = replay("nuggets", record, replies)
    assert finding.score == 1
    assert len(finding.verdicts) == 30


@for_each(
    "record, detail",
    [
        ({}, "no nuggets, no texts of gold passages and no reference answer"),
        ({"nuggets": "one"}, "nuggets must be a list of texts"),
        ({"nuggets": [5]}, "a nugget is a text"),
        ({"nuggets": [{"text": "a", "importance": "high"}]}, "the importance of a nugget is vital or okay, not 'high'"),
    ],
)
def test_what_is_missing_or_wrong_is_said(record, detail):
    with pytest.raises(JudgeFailure, match=detail):
        replay("nuggets", {**RECORD, **record}, [])


def test_no_nuggets_and_no_vital_ones():
    assert replay("nuggets", {**RECORD, "references": ["x"]}, [{"nuggets": []}]).reason == "no nuggets"
    finding = replay("nuggets(score=vital)", {**RECORD, "nuggets": [{"text": "a", **K}]}, [said("support")])
    assert (np.isnan(finding.score), finding.reason) == (True, "no vital nuggets")


def test_nuggets_of_a_file(tmp_path):
    file = tmp_path / "records.jsonl"
    file.write_text('{"query_id": "q1", "question": "?", "answer": "Ada", "nuggets": ["a", "b"]}\n', encoding="utf-8")
    script = Script('{"verdicts": [{"reason": "", "support": "support"}, {"reason": "", "support": "none"}]}')
    result = assay.evaluate_rag(file, ["nuggets"], judge=assay.Judge(script, cache=False))
    assert result.mean == {"nuggets": 0.5}
    assert len(script.asked) == 1


def test_two_systems_share_the_nuggets_of_a_question():
    replies = ['{"nuggets": ["a"]}', '{"verdicts": [{"reason": "", "support": "support"}]}']
    script = Script(*replies, replies[1])
    judge = assay.Judge(script, cache=False, concurrency=1)
    for answer in ("one", "two"):
        records = [
            {"query_id": "q", "question": "?", "answer": answer, "references": ["r"], "retrieved_texts": [answer]}
        ]
        assay.evaluate_rag(records, ["nuggets"], judge=judge)
    assert len(script.asked) == 3
