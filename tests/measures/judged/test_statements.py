"""Claims of answer and reference: given the verdicts, the numbers of ragas 0.4.3, and the right ones."""

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from assay.measures.judged.statements import f_beta, factual_score, statement_f
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada, in Rome."]}


def verdicts(*values):
    return {"verdicts": [{"reason": f"r{number}", "verdict": each} for number, each in enumerate(values)]}


def statements(*texts):
    return {"statements": list(texts)}


@for_each(
    "answer, reference, expected",
    [
        ([], [], 1),
        ([], [0], 0),
        ([1], [], 1),
        ([0], [], 0),
        ([1, 1], [1], 1),
        ([0, 0], [0, 0], 0),
        ([1, 0], [1, 0, 0], 0.4),
    ],
)
def test_statement_f(answer, reference, expected):
    assert statement_f(answer, reference) == pytest.approx(expected)


@for_each(
    "answer, reference, mode, expected, in_ragas",
    [
        ([1, 0], [1, 0, 0], "precision", 1 / 2, 0.5),
        ([1, 0], [1, 0, 0], "recall", 1 / 3, 0.33),
        ([1, 0], [1, 0, 0], "f1", 0.4, 0.4),
        # Where ragas mixes populations: 4 supported claims of the answer and 1 missing of 2 are 4 / 5, not 1 / 2.
        ([1, 1, 1, 1], [1, 0], "recall", 1 / 2, 0.8),
        ([1, 1, 1, 1], [1, 0], "f1", 2 / 3, 0.89),
        ([1, 1], [1], "f1", 1, 1.0),
        ([0, 0], [0], "f1", 0, 0.0),
        ([], [0, 0], "f1", 0, 0.0),
        ([], [0, 0], "precision", np.nan, 0.0),
        ([0], [], "recall", np.nan, 0.0),
        ([1], [], "f1", np.nan, 1.0),
        ([], [], "f1", np.nan, 0.0),
        ([], [], "recall", np.nan, 0.0),
    ],
)
def test_factual_score(answer, reference, mode, expected, in_ragas):
    assert factual_score(answer, reference, mode) == pytest.approx(expected, nan_ok=True)
    assert round(factual_score(answer, reference, mode, claims="mixed"), 2) == in_ragas


def test_beta_weighs_recall():
    expected = {(0, 0, 1): 0, (1, 1, 1): 1, (1, 0, 1): 0, (0.5, 1, 1): 2 / 3, (0.5, 1, 2): 5 / 6, (0.5, 1, 0.5): 5 / 9}
    assert {each: f_beta(*each) for each in expected} == pytest.approx(expected)
    assert factual_score([1, 0], [1], beta=2) == statement_f([1, 0], [1], 2) == pytest.approx(5 / 6)


STEPS = [statements("a", "b"), statements("c", "d"), verdicts(True, True), verdicts(True, False)]


@for_each(
    "name, replies, expected",
    [
        ("factual_correctness", STEPS, 2 / 3),
        ("factual_correctness(claims=mixed,digits=2)", STEPS, 0.8),
        ("factual_correctness(mode=precision)", [STEPS[0], STEPS[2]], 1),
        ("factual_correctness(mode=recall)", [STEPS[1], STEPS[3]], 1 / 2),
        ("factual_correctness(mode=recall,claims=mixed,digits=2)", STEPS, 0.67),
        ("answer_correctness(weights=1;0)", STEPS, 0.8),
        ("answer_correctness(weights=1;0)", [statements(), statements()], 1),
        ("answer_correctness", [*STEPS, [[1.0, 0.0], [0.0, 1.0]]], 0.75 * 0.8),
        ("answer_correctness(weights=1;1)", [*STEPS, [[1.0, 0.0], [1.0, 0.0]]], (0.8 + 1) / 2),
        ("answer_correctness(weights=0;1)", [*STEPS, [[1.0, 0.0], [3.0, 4.0]]], 0.6),
        ("answer_correctness(weights=1;0,beta=2)", STEPS, 5 / 7),
    ],
)
def test_steps(name, replies, expected):
    assert replay(name, RECORD, replies).score == pytest.approx(expected)


def test_verdicts_say_whose_claim_it_is():
    found = replay("factual_correctness", RECORD, STEPS).verdicts
    assert [(each.subject, each.value, each.against) for each in found] == [
        ("a", 1.0, "the reference"),
        ("b", 1.0, "the reference"),
        ("c", 1.0, "the answer"),
        ("d", 0.0, "the answer"),
    ]


def test_no_claims_are_said():
    assert replay("factual_correctness(mode=precision)", RECORD, [statements()]).reason == "the answer makes no claim"
    finding = replay("factual_correctness", RECORD, [statements(), statements()])
    assert finding.reason == "the reference makes no claim"
    assert np.isnan(finding.score)


def test_a_zero_embedding_is_no_score():
    finding = replay("answer_correctness", RECORD, [*STEPS, [[0.0], [1.0]]])
    assert np.isnan(finding.score)
    assert finding.reason == "an embedding is zero"


def test_weights_must_not_be_zero():
    with pytest.raises(assay.errors.MeasureError, match="weights must not both be 0"):
        replay("answer_correctness(weights=0;0)", RECORD, [])


@for_each("name", ["factual_correctness", "answer_correctness"])
@for_each("part, detail", [("answer", "no answer"), ("references", "no reference answer")])
def test_what_is_missing_is_said(name, part, detail):
    with pytest.raises(JudgeFailure, match=detail):
        replay(name, {key: text for key, text in RECORD.items() if key != part}, [])
