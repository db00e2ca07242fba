"""Nuggets: given, or created, labelled and assigned; the scores of the TREC RAG track."""

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada."}
V, K = ({"text": text, "importance": text} for text in ("vital", "okay"))
YES, PART, NO = "support", "partial", "none"


def said(*words):
    return {"verdicts": [{"reason": "r", "support": each} for each in words]}


GIVEN = [
    ("nuggets", ["a", "b"], [said(YES, PART)], 0.75),
    ("nuggets(strict=true)", [V, V, K], [said(YES, PART, NO)], 1 / 3),
    ("nuggets(score=vital)", [V, V, K], [said(YES, PART, NO)], 0.75),
    ("nuggets(score=vital,strict=true)", [V, V, K], [said(YES, PART, NO)], 0.5),
    ("nuggets(score=weighted)", [V, V, K], [said(YES, PART, NO)], 1.5 / 2.5),
    ("nuggets(score=weighted,strict=true)", [V, V, K], [said(YES, PART, YES)], 1.5 / 2.5),
    ("nuggets(score=weighted)", [K, K], [said(YES, NO)], 0.5),
    ("nuggets(score=vital)", [K, K], [said(YES, YES)], np.nan),
    ("nuggets(score=vital)", ["a", "b"], [{"labels": ["okay", "vital"]}, said(NO, YES)], 1),
    ("nuggets(score=weighted)", [V, "b"], [{"labels": ["vital", "okay"]}, said(NO, YES)], 1 / 3),
]


@for_each("name, nuggets, replies, expected", GIVEN)
def test_given_nuggets(name, nuggets, replies, expected):
    assert replay(name, {**RECORD, "nuggets": nuggets}, replies).score == pytest.approx(expected, nan_ok=True)


@for_each("source", [{"gold_texts": ["Ada did it."]}, {"references": ["Ada did it."]}])
def test_nuggets_are_created_labelled_and_assigned(source):
    replies = [{"nuggets": ["a", " a ", "b", ""]}, {"labels": ["vital", "okay"]}, said(YES, NO)]
    finding = replay("nuggets(score=vital)", {**RECORD, **source}, replies)
    assert finding.score == 1
    found = [(each.subject, each.value, each.against) for each in finding.verdicts]
    assert found == [("a", 1, "vital"), ("b", 0, "okay")]


def test_ten_documents_and_ten_nuggets_at_a_time_and_at_most_thirty():
    record = {**RECORD, "gold_texts": [f"text {number}" for number in range(21)]}
    many = {"nuggets": [f"n{number}" for number in range(35)]}
    finding = replay("nuggets", record, [{"nuggets": ["n0"]}, many, many, *[said(*[YES] * 10)] * 3])
    assert (finding.score, len(finding.verdicts)) == (1, 30)


WRONG = [
    ({}, "no nuggets, no texts of gold passages and no reference answer"),
    ({"nuggets": "one"}, "nuggets must be a list of texts"),
    ({"nuggets": [5]}, "a nugget is a text"),
    ({"nuggets": [{"text": "a", "importance": "high"}]}, "the importance of a nugget is vital or okay, not 'high'"),
]


@for_each("record, detail", WRONG)
def test_what_is_missing_or_wrong_is_said(record, detail):
    with pytest.raises(JudgeFailure, match=detail):
        replay("nuggets", {**RECORD, **record}, [])


def test_no_nuggets_and_no_vital_ones():
    assert replay("nuggets", {**RECORD, "references": ["x"]}, [{"nuggets": []}]).reason == "no nuggets"
    assert replay("nuggets(score=vital)", {**RECORD, "nuggets": [K]}, [said(YES)]).reason == "no vital nuggets"


def test_nuggets_of_a_file(make):
    file = make("r.jsonl", '{"query_id": "q1", "question": "?", "answer": "Ada", "nuggets": ["a", "b"]}\n')
    script = Script('{"verdicts": [{"reason": "", "support": "support"}, {"reason": "", "support": "none"}]}')
    result = assay.evaluate_rag(file, ["nuggets"], judge=assay.Judge(script, cache=False))
    assert result.mean == {"nuggets": 0.5}
    assert len(script.asked) == 1


def test_two_systems_share_the_nuggets_of_a_question():
    assigned = '{"verdicts": [{"reason": "", "support": "support"}]}'
    script = Script('{"nuggets": ["a"]}', assigned, assigned)
    judge = assay.Judge(script, cache=False, concurrency=1)
    for answer in ("one", "two"):
        record = {"query_id": "q", "question": "?", "answer": answer, "references": ["r"], "retrieved_texts": [answer]}
        assay.evaluate_rag([record], ["nuggets"], judge=judge)
    assert len(script.asked) == 3
