"""Ratings of whole texts: the arithmetic of ragas and LlamaIndex, given the ratings."""

import json

import pytest

import assay
from assay.core.ruling import JudgeFailure, RulingKind
from assay.measures.judged.case import replay
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada."], "retrieved_texts": ["Ada did it."]}
FAILURE = JudgeFailure(RulingKind.UNPARSABLE, "it is not JSON")
RATED = ["context_relevance", "groundedness", "answer_accuracy"]


def rating(value):
    return {"reason": "r", "rating": value}


@for_each("name", RATED)
@for_each("first, second, expected", [(0, 0, 0), (2, 2, 1), (1, 2, 0.75), (2, 0, 0.5), (0, 1, 0.25)])
def test_two_ratings(name, first, second, expected):
    assert replay(name, RECORD, [rating(first), rating(second)]).score == expected


@for_each("name", RATED)
@for_each("replies", [[rating(1), FAILURE], [FAILURE, rating(1)]])
def test_one_valid_rating_is_enough_only_if_told(name, replies):
    finding = replay(f"{name}(either=true)", RECORD, replies)
    assert (finding.score, len(finding.verdicts)) == (0.5, 1)
    with pytest.raises(JudgeFailure, match="it is not JSON"):
        replay(name, RECORD, replies)
    with pytest.raises(JudgeFailure, match="it is not JSON"):
        replay(f"{name}(either=true)", RECORD, [FAILURE, FAILURE])


def test_a_cost_limit_is_not_a_failed_rating():
    limit = JudgeFailure(RulingKind.NOT_ASKED, "max_cost=1 is reached")
    with pytest.raises(JudgeFailure, match="max_cost"):
        replay("groundedness(either=true)", RECORD, [rating(1), limit])


POINTS = "context_relevance(method=points)"
ONE_REPLY = [
    (POINTS, {"reason": "", "subject": 2, "sufficiency": 2}, 1),
    (POINTS, {"reason": "", "subject": 1.5, "sufficiency": 0}, 0.375),
    (POINTS, {"reason": "", "subject": 4, "sufficiency": 0}, "subject is 4, not from 0 to 2"),
    ("relevancy", {"reason": "", "verdict": True}, 1),
    ("relevancy", {"reason": "", "verdict": False}, 0),
    ("correctness", {"reason": "", "grade": 1}, 1),
    ("correctness", {"reason": "", "grade": 4.5}, 4.5),
    ("correctness", {"reason": "", "grade": 0}, "grade is 0, not from 1 to 5"),
    ("correctness(threshold=4)", {"reason": "", "grade": 4}, 1),
    ("faithfulness(unit=answer)", {"verdicts": [{"reason": "", "verdict": True}]}, 1),
]


@for_each("name, reply, expected", ONE_REPLY)
def test_one_reply(name, reply, expected):
    if isinstance(expected, str):
        with pytest.raises(JudgeFailure, match=expected):
            replay(name, RECORD, [reply])
    else:
        assert replay(name, RECORD, [reply]).score == expected


def ask(measure, records, *replies, **how):
    """The judge's script, once the records were rated."""
    script = Script(*map(json.dumps, replies))
    result = assay.evaluate_rag(records, [measure], judge=assay.Judge(script, cache=False, concurrency=1, **how))
    return script, result.mean[measure]


def test_correctness_works_without_a_reference():
    records = [{"query_id": "q1", "question": "?", "answer": "Hi"}, {"query_id": "q2", **RECORD}]
    script, mean = ask("correctness", records, {"reason": "", "grade": 5})
    assert mean == 5
    assert ["<reference" in user["content"] for _, user in script.asked] == [False, True]


def test_contexts_that_do_not_fit_go_into_several_requests_and_the_best_counts():
    records = [{**RECORD, "retrieved_texts": ["a" * 900, "b" * 900]}]
    script, mean = ask("groundedness", records, *map(rating, (0, 1, 2, 0)), context=2548)
    assert (mean, len(script.asked)) == (0.75, 4)


def test_answer_and_reference_change_places():
    records = [{**RECORD, "answer": "the answer", "references": ["the reference"]}]
    script, _ = ask("answer_accuracy", records, rating(2))
    orders = [user["content"].index("the reference") < user["content"].index("the answer") for _, user in script.asked]
    assert orders == [False, True]
