"""Ratings of whole texts: the arithmetic of ragas and LlamaIndex, given the ratings."""

import json

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure, RulingKind
from assay.measures.judged.case import replay
from assay.measures.judged.ratings import mean_rating, passed
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada."], "retrieved_texts": ["Ada did it."]}
FAILURE = JudgeFailure(RulingKind.UNPARSABLE, "it is not JSON")


def rating(value):
    return {"reason": "r", "rating": value}


@for_each(
    "ratings, expected",
    [([], np.nan), ([0, 0], 0), ([2, 2], 1), ([0, 1], 0.25), ([1, 1], 0.5), ([0, 2], 0.5), ([1, 2], 0.75), ([1], 0.5)],
)
def test_mean_rating(ratings, expected):
    assert mean_rating(ratings) == pytest.approx(expected, nan_ok=True)


@for_each(
    "value, threshold, expected", [(4, 4, 1), (3.5, 4, 0), (5, 4, 1), (0.79, 0.8, 0), (0.8, 0.8, 1), (3, None, 3)]
)
def test_passed(value, threshold, expected):
    assert passed(value, threshold) == expected


@for_each("name", ["context_relevance", "groundedness", "answer_accuracy"])
@for_each("first, second, expected", [(0, 0, 0), (2, 2, 1), (1, 2, 0.75), (2, 0, 0.5)])
def test_two_ratings(name, first, second, expected):
    assert replay(name, RECORD, [rating(first), rating(second)]).score == expected


@for_each("name", ["context_relevance", "groundedness", "answer_accuracy"])
@for_each("replies", [[rating(1), FAILURE], [FAILURE, rating(1)]])
def test_one_valid_rating_is_enough_only_if_told(name, replies):
    finding = replay(f"{name}(either=true)", RECORD, replies)
    assert finding.score == 0.5
    assert len(finding.verdicts) == 1
    with pytest.raises(JudgeFailure, match="it is not JSON"):
        replay(name, RECORD, replies)


@for_each("name", ["context_relevance", "groundedness", "answer_accuracy"])
def test_two_failures_are_a_failure(name):
    with pytest.raises(JudgeFailure, match="it is not JSON"):
        replay(f"{name}(either=true)", RECORD, [FAILURE, FAILURE])


def test_a_cost_limit_is_not_a_failed_rating():
    limit = JudgeFailure(RulingKind.NOT_ASKED, "max_cost=1 is reached")
    with pytest.raises(JudgeFailure, match="max_cost"):
        replay("groundedness(either=true)", RECORD, [rating(1), limit])


@for_each(
    "name, reply, expected",
    [
        ("context_relevance(method=points)", {"reason": "", "subject": 2, "sufficiency": 2}, 1),
        ("context_relevance(method=points)", {"reason": "", "subject": 1.5, "sufficiency": 0}, 0.375),
        ("context_relevance(method=points)", {"reason": "", "subject": 0, "sufficiency": 0}, 0),
        ("relevancy", {"reason": "", "verdict": True}, 1),
        ("relevancy", {"reason": "", "verdict": False}, 0),
        ("correctness", {"reason": "", "grade": 1}, 1),
        ("correctness", {"reason": "", "grade": 4.5}, 4.5),
        ("correctness(threshold=4)", {"reason": "", "grade": 4}, 1),
        ("correctness(threshold=4)", {"reason": "", "grade": 3.9}, 0),
        ("faithfulness(unit=answer)", {"verdicts": [{"reason": "", "verdict": True}]}, 1),
        ("faithfulness(unit=answer)", {"verdicts": [{"reason": "", "verdict": False}]}, 0),
    ],
)
def test_one_reply(name, reply, expected):
    assert replay(name, RECORD, [reply]).score == expected


@for_each(
    "name, reply, detail",
    [
        ("correctness", {"reason": "", "grade": 0}, "grade is 0, not from 1 to 5"),
        ("correctness", {"reason": "", "grade": 10}, "grade is 10, not from 1 to 5"),
        (
            "context_relevance(method=points)",
            {"reason": "", "subject": 4, "sufficiency": 0},
            "subject is 4, not from 0 to 2",
        ),
    ],
)
def test_numbers_out_of_range_are_unparsable(name, reply, detail):
    with pytest.raises(JudgeFailure, match=detail):
        replay(name, RECORD, [reply])


def test_correctness_works_without_a_reference():
    script = Script('{"reason": "", "grade": 5}')
    records = [{"query_id": "q1", "question": "?", "answer": "Hi"}, {"query_id": "q2", **RECORD}]
    judge = assay.Judge(script, cache=False, concurrency=1)
    assert assay.evaluate_rag(records, ["correctness"], judge=judge).mean == {"correctness": 5.0}
    assert ["<reference" in user["content"] for _, user in script.asked] == [False, True]


def test_contexts_that_do_not_fit_go_into_several_requests_and_the_best_counts():
    script = Script(*(json.dumps(rating(each)) for each in (0, 1, 2, 0)))
    records = [{**RECORD, "retrieved_texts": ["a" * 900, "b" * 900]}]
    judge = assay.Judge(script, cache=False, concurrency=1, context=2548)
    assert assay.evaluate_rag(records, ["groundedness"], judge=judge).mean == {"groundedness": 0.75}
    assert len(script.asked) == 4


def test_answer_and_reference_change_places():
    script = Script(json.dumps(rating(2)))
    records = [{**RECORD, "answer": "the answer", "references": ["the reference"]}]
    assay.evaluate_rag(records, ["answer_accuracy"], judge=assay.Judge(script, cache=False, concurrency=1))
    orders = [user["content"].index("the reference") < user["content"].index("the answer") for _, user in script.asked]
    assert orders == [False, True]
