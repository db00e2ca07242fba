"""Claims of answer and reference: given the verdicts, the numbers of ragas 0.4.3, and the right ones."""

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from assay.measures.judged.statements import f_beta, f_of_verdicts, factual_score
from judges import verdicts
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada, in Rome."]}


def statements(*texts):
    return {"statements": list(texts)}


FACTUAL = [
    ([1, 0], [1, 0, 0], "precision", 1 / 2, 0.5),
    ([1, 0], [1, 0, 0], "recall", 1 / 3, 0.33),
    ([1, 0], [1, 0, 0], "f1", 0.4, 0.4),
    # Where ragas mixes populations: 4 supported claims of the answer and 1 missing of 2 are 4 / 5, not 1 / 2.
    ([1, 1, 1, 1], [1, 0], "recall", 1 / 2, 0.8),
    ([1, 1, 1, 1], [1, 0], "f1", 2 / 3, 0.89),
    ([], [0, 0], "f1", 0, 0.0),
    ([], [0, 0], "precision", np.nan, 0.0),
    ([0], [], "recall", np.nan, 0.0),
    ([1], [], "f1", np.nan, 1.0),
    ([], [], "f1", np.nan, 0.0),
]


@for_each("answer, reference, mode, expected, in_ragas", FACTUAL)
def test_factual_score(answer, reference, mode, expected, in_ragas):
    assert factual_score(answer, reference, mode) == pytest.approx(expected, nan_ok=True)
    assert round(factual_score(answer, reference, mode, claims="mixed"), 2) == in_ragas


def test_beta_weighs_recall():
    expected = {(0, 0, 1): 0, (1, 1, 1): 1, (1, 0, 1): 0, (0.5, 1, 1): 2 / 3, (0.5, 1, 2): 5 / 6, (0.5, 1, 0.5): 5 / 9}
    assert {each: f_beta(*each) for each in expected} == pytest.approx(expected)
    assert factual_score([1, 0], [1], beta=2) == f_of_verdicts([1, 0], [1], 2) == pytest.approx(5 / 6)


MIXED = [statements("a", "b"), statements("c", "d"), verdicts(True, True), verdicts(True, False)]
STEPS = [
    ("factual_correctness", MIXED, 2 / 3),
    ("factual_correctness(claims=mixed,digits=2)", MIXED, 0.8),
    ("factual_correctness(mode=precision)", [MIXED[0], MIXED[2]], 1),
    ("factual_correctness(mode=recall)", [MIXED[1], MIXED[3]], 1 / 2),
    ("factual_correctness(mode=recall,claims=mixed,digits=2)", MIXED, 0.67),
    ("answer_correctness(weights=1;0)", MIXED, 0.8),
    ("answer_correctness(weights=1;0)", [statements(), statements()], 1),
    ("answer_correctness(weights=1;0)", [statements(), statements("c"), verdicts(False)], 0),
    ("answer_correctness(weights=1;0)", [statements("a"), statements(), verdicts(True)], 1),
    ("answer_correctness", [*MIXED, [[1.0, 0.0], [0.0, 1.0]]], 0.75 * 0.8),
    ("answer_correctness(weights=1;1)", [*MIXED, [[1.0, 0.0], [1.0, 0.0]]], (0.8 + 1) / 2),
    ("answer_correctness(weights=1;0,beta=2)", MIXED, 5 / 7),
]


@for_each("name, replies, expected", STEPS)
def test_steps(name, replies, expected):
    assert replay(name, RECORD, replies).score == pytest.approx(expected)


def test_verdicts_say_whose_claim_it_is():
    found = replay("factual_correctness", RECORD, MIXED).verdicts
    sides = [("the reference", "a", 1), ("the reference", "b", 1), ("the answer", "c", 1), ("the answer", "d", 0)]
    assert [(each.against, each.subject, each.value) for each in found] == sides


UNDEFINED = [
    ("factual_correctness(mode=precision)", [statements()], "the answer makes no claim"),
    ("factual_correctness", [statements(), statements()], "the reference makes no claim"),
    ("answer_correctness", [*MIXED, [[0.0], [1.0]]], "an embedding is zero"),
]


@for_each("name, replies, reason", UNDEFINED)
def test_why_there_is_no_score_is_said(name, replies, reason):
    finding = replay(name, RECORD, replies)
    assert (np.isnan(finding.score), finding.reason) == (True, reason)


def test_weights_must_not_be_zero():
    with pytest.raises(assay.errors.MeasureError, match="weights must not both be 0"):
        replay("answer_correctness(weights=0;0)", RECORD, [])


@for_each("name", ["factual_correctness", "answer_correctness"])
@for_each("part, detail", [("answer", "no answer"), ("references", "no reference answer")])
def test_what_is_missing_is_said(name, part, detail):
    with pytest.raises(JudgeFailure, match=detail):
        replay(name, {key: text for key, text in RECORD.items() if key != part}, [])
