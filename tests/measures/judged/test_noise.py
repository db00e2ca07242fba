"""Noise sensitivity: the truth table of its two modes, against the formula in matrices."""

from itertools import product

import numpy as np

from assay.measures.judged.case import replay
from assay.measures.judged.contexts import noisy_statements
from tables import for_each

RECORD = {"question": "?", "answer": "a", "references": ["r"], "retrieved_texts": ["first", "second"]}


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
def test_one_statement(right, support, relevant, from_relevant, from_irrelevant):
    assert noisy_statements([right], [support], relevant) == [from_relevant]
    assert noisy_statements([right], [support], relevant, "irrelevant") == [from_irrelevant]


@for_each("mode", ["relevant", "irrelevant"])
def test_all_tables_of_two_statements_and_two_passages(mode):
    for bits in product([False, True], repeat=8):
        right, support, relevant = np.array(bits[:2]), np.array(bits[2:6]).reshape(2, 2), np.array(bits[6:])
        by_relevant = (relevant & support).max(axis=1)
        by_others = (~relevant & support).max(axis=1) & ~by_relevant
        expected = (by_relevant if mode == "relevant" else by_others) & ~right
        assert noisy_statements(right.tolist(), support.tolist(), relevant.tolist(), mode) == expected.tolist()


def verdicts(*values):
    return {"verdicts": [{"reason": f"r{number}", "verdict": each} for number, each in enumerate(values)]}


STEPS = [
    {"statements": ["one", "two", "three", "four"]},
    {"statements": ["wanted"]},
    verdicts(True, False, False, False),
    verdicts(True, True, False, False),
    verdicts(True),
    verdicts(False, False, True, False),
    verdicts(False),
]


@for_each("mode, expected", [("relevant", [0, 1, 0, 0]), ("irrelevant", [0, 0, 1, 0])])
def test_steps(mode, expected):
    finding = replay(f"noise_sensitivity(mode={mode})", RECORD, STEPS)
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
def test_without_statements_there_is_no_score(replies, reason):
    finding = replay("noise_sensitivity", RECORD, replies)
    assert np.isnan(finding.score)
    assert finding.reason == reason
