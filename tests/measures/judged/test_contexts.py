"""Measures of passages: which are useful, what they contain of a reference, and what they mislead to."""

import json
from itertools import product

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from assay.measures.judged.contexts import entity_recall, noisy_statements, useful_first
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada."], "retrieved_texts": ["a\nmore", "b", "c"]}


@for_each(
    "verdicts, expected, in_ragas",
    [
        ([], 0, 0),
        ([0], 0, 0),
        ([0, 0, 0], 0, 0),
        ([1], 1, 1 / (1 + 1e-10)),
        ([1, 1, 1], 1, 3 / (3 + 1e-10)),
        ([1, 0], 1, 1 / (1 + 1e-10)),
        ([0, 1], 1 / 2, 0.5 / (1 + 1e-10)),
        ([0, 1, 1], (1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3) / (2 + 1e-10)),
        ([1, 0, 1, 0, 1], (1 + 2 / 3 + 3 / 5) / 3, (1 + 2 / 3 + 3 / 5) / (3 + 1e-10)),
    ],
)
def test_useful_first(verdicts, expected, in_ragas):
    assert useful_first(verdicts) == pytest.approx(expected, abs=1e-15)
    assert useful_first(verdicts, "about_found") == pytest.approx(in_ragas, abs=1e-15)


@for_each(
    "reference, found, expected, in_ragas",
    [
        ([], [], np.nan, 0),
        ([], ["Rome"], np.nan, 0),
        (["Rome"], [], 0, 0),
        (["Rome"], ["Rome"], 1, 1 / (1 + 1e-8)),
        (["Rome", "Ada"], ["Ada", "Oslo"], 1 / 2, 1 / (2 + 1e-8)),
        (["Rome", "Rome", "Ada"], ["Rome"], 1 / 2, 1 / (2 + 1e-8)),
        (["Rome"], ["rome"], 0, 0),
    ],
)
def test_entity_recall(reference, found, expected, in_ragas):
    assert entity_recall(reference, found) == pytest.approx(expected, nan_ok=True)
    assert entity_recall(reference, found, "about_reference") == pytest.approx(in_ragas)


def test_context_precision_asks_about_each_passage():
    verdicts = [{"reason": "r", "verdict": each} for each in (False, True, True)]
    finding = replay("context_precision", RECORD, verdicts)
    assert finding.score == (1 / 2 + 2 / 3) / 2
    assert [(each.subject, each.value) for each in finding.verdicts] == [("a", 0.0), ("b", 1.0), ("c", 1.0)]


@for_each("against, text", [("reference", "the reference"), ("answer", "the answer")])
def test_context_precision_shows_what_it_is_against(against, text):
    script = Script('{"reason": "", "verdict": true}')
    records = [{**RECORD, "references": ["the reference"], "answer": "the answer", "retrieved_texts": ["x"]}]
    name = f"context_precision(against={against})"
    result = assay.evaluate_rag(records, [name], judge=assay.Judge(script, cache=False))
    assert result.mean == {name: 1.0}
    ((_, user),) = script.asked
    assert text in user["content"]
    assert ("the reference" in user["content"]) == (against == "reference")


@for_each(
    "name, lacking, detail",
    [
        ("context_precision", "references", "no reference answer"),
        ("context_precision(against=answer)", "answer", "no answer"),
        ("context_precision", "question", "no question"),
        (
            "context_precision",
            "retrieved_texts",
            "no texts of retrieved passages; put them into the records, or pass the corpus",
        ),
        ("context_recall", "references", "no reference answer"),
        (
            "context_recall",
            "retrieved_texts",
            "no texts of retrieved passages; put them into the records, or pass the corpus",
        ),
        ("context_entity_recall", "references", "no reference answer"),
    ],
)
def test_what_is_missing_is_said(name, lacking, detail):
    with pytest.raises(JudgeFailure) as failure:
        replay(name, {key: value for key, value in RECORD.items() if key != lacking}, [])
    assert failure.value.detail == detail


@for_each("texts", [[], [""], [" ", "\n"]])
def test_nothing_retrieved(texts):
    with pytest.raises(JudgeFailure, match="nothing was retrieved"):
        replay("context_precision", {**RECORD, "retrieved_texts": texts}, [])


def test_nothing_retrieved_is_0_as_in_ragas():
    record = {**RECORD, "retrieved_texts": []}
    assert replay("context_precision(nothing=zero)", record, []).score == 0


def test_a_reference_without_statements_has_no_recall():
    finding = replay("context_recall", RECORD, [{"statements": [" "]}])
    assert np.isnan(finding.score)
    assert finding.reason == "the reference makes no statement"


def test_entities_of_contexts_that_do_not_fit_are_listed_in_parts():
    script = Script(*(json.dumps({"entities": each}) for each in (["Ada", "Rome"], ["Ada"], ["Rome", "Oslo"])))
    records = [{"references": ["Ada, in Rome."], "retrieved_texts": ["a" * 1000, "b" * 1000]}]
    judge = assay.Judge(script, cache=False, concurrency=1, context=2548)
    result = assay.evaluate_rag(records, ["context_entity_recall"], judge=judge)
    assert result.mean == {"context_entity_recall": 1.0}
    assert len(script.asked) == 3


NOISY = {"question": "?", "answer": "a", "references": ["r"], "retrieved_texts": ["first", "second"]}


@for_each(
    "right, support, relevant, from_relevant, from_irrelevant",
    [
        # One statement, right or wrong, with a relevant and an irrelevant passage.
        (True, [True, True], [True, False], False, False),
        (False, [True, False], [True, False], True, False),
        (False, [False, True], [True, False], False, True),
        (False, [True, True], [True, False], True, False),
        (False, [False, False], [True, False], False, False),
        (False, [True, True], [False, False], False, True),
        (False, [True, True], [True, True], True, False),
        (False, [], [], False, False),
    ],
)
def test_noise_of_one_statement(right, support, relevant, from_relevant, from_irrelevant):
    assert noisy_statements([right], [support], relevant) == [from_relevant]
    assert noisy_statements([right], [support], relevant, "irrelevant") == [from_irrelevant]


@for_each("mode", ["relevant", "irrelevant"])
def test_noise_of_all_tables_of_two_statements_and_two_passages(mode):
    for bits in product([False, True], repeat=8):
        right, support, relevant = np.array(bits[:2]), np.array(bits[2:6]).reshape(2, 2), np.array(bits[6:])
        by_relevant = (relevant & support).max(axis=1)
        by_others = (~relevant & support).max(axis=1) & ~by_relevant
        expected = (by_relevant if mode == "relevant" else by_others) & ~right
        assert noisy_statements(right.tolist(), support.tolist(), relevant.tolist(), mode) == expected.tolist()


def verdicts(*values):
    return {"verdicts": [{"reason": f"r{number}", "verdict": each} for number, each in enumerate(values)]}


NOISE = [
    {"statements": ["one", "two", "three", "four"]},
    {"statements": ["wanted"]},
    verdicts(True, False, False, False),
    verdicts(True, True, False, False),
    verdicts(True),
    verdicts(False, False, True, False),
    verdicts(False),
]


@for_each("mode, expected", [("relevant", [0, 1, 0, 0]), ("irrelevant", [0, 0, 1, 0])])
def test_noise_that_is_found(mode, expected):
    finding = replay(f"noise_sensitivity(mode={mode})", NOISY, NOISE)
    assert finding.score == 1 / 4
    assert [each.value for each in finding.verdicts] == expected
    (cause,) = [each for each in finding.verdicts if each.value]
    assert cause.against == {"relevant": "first", "irrelevant": "second"}[mode]


@for_each(
    "replies, reason",
    [
        ([{"statements": []}, {"statements": ["x"]}], "the answer makes no statement"),
        ([{"statements": ["x"]}, {"statements": []}], "the reference makes no statement"),
    ],
)
def test_noise_without_statements_there_is_no_score(replies, reason):
    finding = replay("noise_sensitivity", NOISY, replies)
    assert np.isnan(finding.score)
    assert finding.reason == reason
