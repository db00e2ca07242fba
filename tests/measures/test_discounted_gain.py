"""Discounted gain, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay

# What the discount leaves of a gain: one over the binary logarithm of rank + 1.
SECOND, THIRD, FOURTH = 0.6309297535714574, 0.5, 0.43067655807339306

DCG = [
    ("dcg", [3, 0, 2], [], 3 + 2 * THIRD),
    ("dcg", [], [3], 0),
    ("dcg", [0, 0], [], 0),
    ("dcg", [1, 1, 1, 1], [], 1 + SECOND + THIRD + FOURTH),
    ("dcg@1", [3, 2], [], 3),
    ("dcg@2", [3, 2, 1], [], 3 + 2 * SECOND),
    ("dcg@10", [3, 2], [], 3 + 2 * SECOND),
    ("dcg", [None, 2], [], 2 * SECOND),
    ("dcg", [-1, 2], [], 2 * SECOND),
    ("dcg", [0.5, 0.25], [], 0.5 + 0.25 * SECOND),
    ("dcg(gain=linear)", [3, 2], [], 3 + 2 * SECOND),
    ("dcg(gain=exp2)", [3, 0, 2], [], 7 + 3 * THIRD),
    ("dcg_burges@2", [3, 1, 2], [], 7 + 1 * SECOND),
    ("dcg(gain=exp2)", [0.5], [], 2**0.5 - 1),
    # Grades that the pairs do not name keep theirs.
    ("dcg(gain=1:3;2:9)", [2, 1, 3], [], 9 + 3 * SECOND + 3 * THIRD),
    ("dcg(gain=0:1)", [0, None, 1], [], 1 + THIRD),
    ("dcg(gain=0:-1)", [0, 2], [], -1 + 2 * SECOND),
    ("dcg(gain=0.5:4)", [0.5], [], 4),
    ("dcg(rel=2)", [1, 2, 3], [], 2 * SECOND + 3 * THIRD),
    ("dcg(gain=exp2,rel=2)@2", [1, 2, 3], [], 3 * SECOND),
]

NDCG = [
    ("ndcg@3", [3, 0, 2], [], 4 / (3 + 2 * SECOND)),
    ("ndcg", [3, 2, 1, 0], [], 1),
    ("ndcg", [], [3], 0),
    ("ndcg", [0, 0], [0], 0),
    ("ndcg", [1, 1, 1], [], 1),
    # The ideal ranking holds what was not retrieved too, unless it is cut.
    ("ndcg", [1], [3], 1 / (3 + SECOND)),
    ("ndcg@1", [1], [3], 1 / 3),
    ("ndcg@10", [1], [3], 1 / (3 + SECOND)),
    ("ndcg@2", [0, 0, 3], [], 0),
    ("ndcg", [-1, 2], [-1], SECOND),
    ("ndcg", [None, 2], [], SECOND),
    ("ndcg", [0.25, 0.5], [], (0.25 + 0.5 * SECOND) / (0.5 + 0.25 * SECOND)),
    ("ndcg(gain=exp2)", [0, 2, 1], [], (3 * SECOND + THIRD) / (3 + SECOND)),
    ("ndcg_burges@1", [1], [2], 1 / 3),
    ("ndcg(gain=1:3;2:9)@2", [1, 2], [], (3 + 9 * SECOND) / (9 + 3 * SECOND)),
    # Pairs may turn the order of the grades round.
    ("ndcg(gain=1:5)", [1, 2], [], 1),
    ("ndcg(gain=0:1)", [None, 0], [1], SECOND / (1 + SECOND)),
    # A loss is no part of the ideal ranking, so the share of it can fall below 0.
    ("ndcg(gain=0:-1)", [0, 0, 1], [], -1 - SECOND + THIRD),
    ("ndcg(gain=0:-1)", [0], [], 0),
    ("ndcg(rel=2)", [1, 2], [], SECOND),
    ("ndcg(rel=2)@1", [1, 2], [], 0),
    ("ndcg(rel=3)", [1, 2], [2], 0),
    ("ndcg(max=4)", [0, 4], [], SECOND),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), DCG + NDCG)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("gain", ["linear", "exp2"])
def test_a_negative_grade_gains_nothing_even_where_it_is_a_judgment(score, gain):
    assert score(f"dcg(gain={gain},rel=-5)", [-2, 1], negative="nonrelevant") == pytest.approx(SECOND, rel=1e-14)
    assert score(f"ndcg(gain={gain},rel=-5)", [-2, 1], negative="nonrelevant") == pytest.approx(SECOND, rel=1e-14)


def test_a_grade_too_large_for_its_power_is_an_error(score):
    assert score("ndcg(gain=exp2)", [1000, 0]) == 1
    with pytest.raises(assay.MeasureError) as caught:
        score("ndcg(gain=exp2)", [0], [2000])
    assert str(caught.value) == "gain=exp2: 2^2000 is too large; use gain=linear, or pairs grade:gain"


def test_relevance_level_of_all_measures_leaves_gains_alone(score):
    assert score("ndcg", [1, 2], rel=2) == pytest.approx((1 + 2 * SECOND) / (2 + SECOND))


def test_a_query_with_a_grade_above_max_has_no_value():
    result = assay.evaluate_labels([[1, 0], [5, 0], [1, 0]], "ndcg(max=4)", ideal=[[1], [5], [1, 5]])
    assert [str(value) for value in result.scores["ndcg(max=4)"]] == ["1.0", "nan", "nan"]
    assert result["ndcg(max=4)"] == 1
