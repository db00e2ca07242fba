"""Discounted gain, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

nan = math.nan

# What the discount leaves of a gain: one over the binary logarithm of rank + 1.
SECOND, THIRD, FOURTH = 0.6309297535714574, 0.5, 0.43067655807339306

DCG = [
    ("dcg", [3, 0, 2], [], 3 + 2 * THIRD),
    ("dcg", [], [3], 0),
    ("dcg@2", [3, 2, 1], [], 3 + 2 * SECOND),
    ("dcg", [0.5, 0.25], [], 0.5 + 0.25 * SECOND),
    ("dcg(gain=exp2)", [3, 0, 2], [], 7 + 3 * THIRD),
    # Grades that the pairs do not name keep theirs.
    ("dcg(gain=1:3;2:9)", [2, 1, 3], [], 9 + 3 * SECOND + 3 * THIRD),
    ("dcg(gain=0:1)", [0, None, 1], [], 1 + THIRD),
    ("dcg(gain=0:-1)", [0, 2], [], -1 + 2 * SECOND),
    ("dcg(rel=2)", [1, 2, 3], [], 2 * SECOND + 3 * THIRD),
    ("dcg(gain=binary)", [3, 0, 0.5], [], 1 + THIRD),
    # Where negative grades are not judgments, none of them counts.
    ("dcg(gain=signed)", [-1, 2, 0.5], [], 2 * SECOND + 0.5 * THIRD),
    ("dcg(gain=signed,rel=1)", [0.5, 2], [], 2 * SECOND),
    ("dcg(gain=signed,rel=2)", [1, 2], [], 2 * SECOND),
    # 1 / log4(rank + 1) is twice as much.
    ("dcg(base=4)", [3, 2], [], 2 * (3 + 2 * SECOND)),
    ("dcg(fewest=2)", [3, None], [], 3),
    ("dcg(fewest=2)", [3], [1], nan),
]

NDCG = [
    ("ndcg@3", [3, 0, 2], [], 4 / (3 + 2 * SECOND)),
    ("ndcg", [], [3], 0),
    ("ndcg", [0, 0], [0], 0),
    # The ideal ranking holds what was not retrieved too, unless it is cut.
    ("ndcg", [1], [3], 1 / (3 + SECOND)),
    ("ndcg@1", [1], [3], 1 / 3),
    ("ndcg(gain=exp2)", [0, 2, 1], [], (3 * SECOND + THIRD) / (3 + SECOND)),
    # Pairs may turn the order of the grades round.
    ("ndcg(gain=1:5)", [1, 2], [], 1),
    ("ndcg(gain=0:1)", [None, 0], [1], SECOND / (1 + SECOND)),
    # A loss is not part of the ideal ranking, so the share of it can fall below 0.
    ("ndcg(gain=0:-1)", [0, 0, 1], [], -1 - SECOND + THIRD),
    ("ndcg(rel=2)", [1, 2], [], SECOND),
    ("ndcg(ideal=listed)", [1], [3], 1 / (3 + SECOND)),
    # As long as what was retrieved, but no longer than the cutoff.
    ("ndcg(ideal=listed_cut)", [1], [3], 1 / 3),
    ("ndcg(ideal=listed_cut)", [1, None], [3], 1 / (3 + SECOND)),
    ("ndcg(ideal=retrieved)", [1, 2], [9], (1 + 2 * SECOND) / (2 + SECOND)),
    ("ndcg(ideal=retrieved)@1", [1, None, 2], [9], 1 / 2),
    ("ndcg(ideal=retrieved,fewest=2)", [1], [9], nan),
    ("ndcg(ideal=retrieved)", [-1, 1], [], SECOND),
    ("ndcg(max=4)", [0, 4], [], SECOND),
]

# Judgments and ranking of one query; a document may be listed or retrieved twice, and be in several groups.
REPEATED = [
    ("ndcg", ["a"], ["a", "a"], 1 + SECOND),
    ("ndcg(ideal=listed)", ["a", "a", "b"], ["b", "x"], 1 / (1 + SECOND + THIRD)),
    ("ndcg(ideal=listed_cut)", ["a", "a", "b"], ["x", "b"], SECOND / (1 + SECOND)),
    ("ndcg(ideal=listed)", [["a", "b"], ["a"]], ["a"], 1 / (1 + SECOND + THIRD)),
    ("ndcg", [["a", "b"], ["a"]], ["a"], 1 / (1 + SECOND)),
]


TIED = [
    # a, x and c tie at ranks 2 to 4, after b.
    ("dcg(ties=average)", 1 + 5 * (SECOND + THIRD + FOURTH) / 3),
    ("dcg(ties=average)@2", 1 + 5 * SECOND / 3),
    ("ndcg(ties=average)@2", (1 + 5 * SECOND / 3) / (9 + 3 * SECOND)),
    ("ndcg(ties=average,ideal=retrieved)@2", (1 + 5 * SECOND / 3) / (3 + 2 * SECOND)),
]


@for_each("ties", ["docid_desc", "docid_asc", "input"])
@for_each(("name", "expected"), TIED)
def test_documents_that_tie_share_their_discounts(name, expected, ties):
    qrels, run = {"q": {"a": 2, "b": 1, "c": 3, "d": 9}}, {"q": {"c": 1.0, "x": 1.0, "a": 1.0, "b": 2.0}}
    assert assay.evaluate(qrels, run, name, ties=ties)[name] == pytest.approx(expected, rel=1e-14)


def test_a_negative_grade_can_take_gain_away(score):
    assert score("dcg(gain=signed)", [-1, 2], negative="nonrelevant") == pytest.approx(-1 + 2 * SECOND, rel=1e-14)
    assert math.isnan(score("ndcg(ideal=retrieved)", [-1, 2], negative="nonrelevant"))
    found = score("ndcg(ideal=retrieved)", [1, 2], [-1], negative="nonrelevant")
    assert found == pytest.approx((1 + 2 * SECOND) / (2 + SECOND))


@for_each(("name", "judgments", "ranking", "expected"), REPEATED)
def test_repeats(name, judgments, ranking, expected):
    found = assay.evaluate({"q": judgments}, {"q": ranking}, name, duplicates="count")[name]
    assert found == pytest.approx(expected, rel=1e-14)


def test_grades_may_be_gains_as_they_are(score):
    negative = {"negative": "nonrelevant"}
    assert score("dcg(gain=signed)", [-2, 3], **negative) == pytest.approx(-2 + 3 * SECOND, rel=1e-14)
    # The ideal ranking holds the loss, so a ranking without it passes 1.
    assert score("ndcg(gain=signed)", [3], [-2, 0], **negative) == pytest.approx(3 / (3 - 2 * THIRD), rel=1e-14)
    assert score("ndcg(gain=signed)", [-2, 3], **negative) == pytest.approx((-2 + 3 * SECOND) / (3 - 2 * SECOND))
    assert score("ndcg(gain=signed)", [1], [-2], **negative) == 0
    assert score("ndcg(gain=signed)", [-1], **negative) == 0


@for_each("gain", ["linear", "exp2"])
def test_a_negative_grade_gains_nothing_even_where_it_is_a_judgment(score, gain):
    assert score(f"dcg(gain={gain},rel=-5)", [-2, 1], negative="nonrelevant") == pytest.approx(SECOND, rel=1e-14)
    assert score(f"ndcg(gain={gain},rel=-5)", [-2, 1], negative="nonrelevant") == pytest.approx(SECOND, rel=1e-14)


def test_a_grade_too_large_for_its_power_is_an_error(score):
    assert score("ndcg(gain=exp2)", [1000, 0]) == 1
    with pytest.raises(assay.errors.MeasureError) as caught:
        score("ndcg(gain=exp2)", [0], [2000])
    assert str(caught.value) == "gain=exp2: 2^2000 is too large; use gain=linear, or pairs grade:gain"


def test_relevance_level_of_all_measures_leaves_gains_alone(score):
    assert score("ndcg", [1, 2], rel=2) == pytest.approx((1 + 2 * SECOND) / (2 + SECOND))


def test_a_query_with_a_grade_above_max_has_no_value():
    result = assay.evaluate_labels([[1, 0], [5, 0], [1, 0]], "ndcg(max=4)", ideal=[[1], [5], [1, 5]])
    assert [*map(str, result.scores["ndcg(max=4)"])] == ["1.0", "nan", "nan"]


IDEAL_DCG = [
    ("ideal_dcg", [0, 1], [3], 3 + SECOND),
    ("ideal_dcg@1", [0, 1], [3], 3),
    ("ideal_dcg(rel=2)", [1], [3], 3),
    ("ideal_dcg(gain=1:-1)", [1], [], 0),
]

AT_RELEVANT = [
    # At rank 1 it is 1, at rank 3 the ideal ranking has both documents since rank 2.
    ("ndcg_rel", [1, 0, 1], [], (1 + (1 + THIRD) / (1 + SECOND)) / 2),
    ("ndcg_rel", [1, 2], [], (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    # What was not retrieved has the gain of the whole ranking.
    ("ndcg_rel", [1], [1, 1], (1 + 2 / (1 + SECOND + THIRD)) / 3),
    ("ndcg_rel(gain=1:3)", [None, 1], [2], 2 * 3 * SECOND / (3 + 2 * SECOND) / 2),
    ("ndcg_rel(rel=2)", [1, 2], [], SECOND / 1),
    # Losses can take everything, but not more.
    ("ndcg_rel(gain=0:-9)", [0, 1], [], 0),
    ("ndcg_rel", [], [1], 0),
]

AT_LEVELS = [
    ("rndcg", [1, 2], [], (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    # The ranks are 1 and 2; only if more than one document follows, the end is one too.
    ("rndcg", [0, 2, 1], [], (0 + 2 * SECOND / (2 + SECOND)) / 2),
    # Fewer retrieved than there are to gain from.
    ("rndcg", [1], [2, 2], (1 / (2 + 2 * SECOND) + 1 / (2 + 2 * SECOND + THIRD)) / 2),
    # Two grades of the same gain are one level.
    ("rndcg(gain=1:2)", [1, 2], [], 1),
    ("rndcg(gain=0:-1)", [0, 1], [], -1),
    # Something must be relevant, and something must gain.
    ("rndcg(rel=2)", [1], [], 0),
    ("rndcg(gain=1:0)", [1], [], math.nan),
    ("rndcg", [], [1], 0),
]


def test_the_common_level_decides_only_whether_anything_is_relevant(score):
    assert score("rndcg", [1, 2], rel=2) == score("rndcg", [1, 2])
    assert score("rndcg", [1, 2], rel=3) == 0


LOG3, LOG5 = math.log2(3), math.log2(5)

G = [
    ("g", [1, 0, 1], [], (1 + 1 / LOG3) / 2),
    # Before the second document the best ranking has gained 2 + 1, this one 1 + 2.
    ("g", [1, 2], [], (1 / LOG3 + 2) / 3),
    ("g", [1], [4], 1 / math.log2(2 + 4 - 1) / 5),
    # A rank costs at least 1.
    ("g", [0, 0.5], [], 0.5 / math.log2(2 + 2 - 0.5) / 0.5),
    ("g(gain=1:3)", [2, 1], [], (2 / math.log2(2 + 3 - 2) + 3 / math.log2(2 + 5 - 5)) / 5),
    ("g(gain=0:-1)", [0, 1], [], (-1 / math.log2(2 + 1 + 1) + 1 / math.log2(2 + 2 - 0)) / 1),
    ("g(rel=2)", [1, 2], [], 2 / LOG3 / 2),
    ("g", [], [1], 0),
]

BINARY = [
    ("bin_g", [1, 0, 1], [], (1 + 1 / LOG3) / 2),
    ("bin_g", [None, -1, 0, 2], [1], 1 / LOG5 / 2),
    ("bin_g(rel=2)", [1, 2], [], 1 / LOG3),
    ("bin_g", [], [1], 0),
]


def test_a_document_listed_twice_gains_no_more_than_in_the_best_place():
    result = assay.evaluate({"q": {"a": 3}}, {"q": ["a", "a", "a"]}, "g", duplicates="count")
    assert result["g"] == 3


VALUES = DCG + NDCG + IDEAL_DCG + AT_RELEVANT + AT_LEVELS + G + BINARY


@for_each(("name", "grades", "unseen", "expected"), VALUES)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)
