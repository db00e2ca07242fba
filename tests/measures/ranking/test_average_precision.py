"""Reciprocal rank, the rank of the first relevant document, average precision and its kin, by hand.

A row: measure, grades in rank order, grades not retrieved, value.
"""

import math

import pytest

import assay
from tables import for_each

RECIPROCAL_RANK = [
    ("rr", [1, 0], [], 1),
    ("rr", [0, 0, 1, 1], [], 1 / 3),
    ("rr", [], [1], 0),
    ("rr", [-1, None, 1], [], 1 / 3),
    ("rr@2", [0, 0, 1], [], 0),
    ("rr@10", [0, 1], [], 1 / 2),
    ("rr(rel=2)", [1, 1, 2], [], 1 / 3),
    ("rr(credit=sum)", [0, 1, 1], [], 1 / 2 + 1 / 3),
    ("rr(credit=found)", [0, 1, 1], [1], (1 / 2 + 1 / 3) / 2),
]

FIRST_RANK = [
    ("first_rank", [1, 0], [], 1),
    ("first_rank", [0, None, -1, 2], [], 4),
    ("first_rank@2", [0, 0, 1], [], math.nan),
    ("first_rank(missing=end)", [0, 0], [1], 3),
    ("first_rank(missing=end)", [], [1], 1),
    ("first_rank(missing=end)@2", [0, 0, 0, 1], [], 3),
    ("first_rank(rel=2)", [1, 2], [], 2),
]

AVERAGE_PRECISION = [
    ("ap", [1, 0, 1], [], (1 + 2 / 3) / 2),
    ("ap", [0, 1, 0, 1], [1], (1 / 2 + 2 / 4) / 3),
    ("ap", [], [1, 1], 0),
    # What has no judgment, or a negative one, is not relevant but takes a rank.
    ("ap", [None, 1, None, 1], [], (1 / 2 + 2 / 4) / 2),
    ("ap@2", [0, 1, 1], [], (1 / 2) / 2),
    ("ap(rel=2)", [1, 2, 3], [1], (1 / 2 + 2 / 3) / 2),
    ("ap(rel=-1)", [-1, 0], [], 1 / 2),
    ("ap(norm=found)", [0, 1, 1], [1], (1 / 2 + 2 / 3) / 2),
    ("ap(norm=about_found)", [0, 1, 1], [1], (1 / 2 + 2 / 3) / (2 + 1e-10)),
    ("ap(norm=about_found)@1", [1, 1], [1], 1 / (1 + 1e-10)),
    ("ap(norm=about_found)", [0, 0], [1], 0),
    ("ap(norm=about_found)", [], [], 0),
    ("ap(norm=cutoff)@2", [1, 0, 1], [1, 1], 1 / 2),
    ("ap(norm=cutoff)@5", [1, 0, 1], [], (1 + 2 / 3) / 2),
    ("ap(norm=cutoff)@5", [0], [], 0),
    ("ap(norm=cutoff)", [1, 0, 1], [1], (1 + 2 / 3) / 3),
    ("ap(norm=none)", [1, 0, 1], [1], 1 + 2 / 3),
    ("set_ap", [1, 0, 1, 0], [1], 4 / 12),
    ("set_ap(rel=2)", [2, 1], [], 1 / 2),
    ("set_ap", [], [1], 0),
    ("yaap", [1, 0, 1], [], math.log((1 + 5 / 3) / (1 + 2 - 5 / 3))),
    ("yaap", [], [], 0),
    ("ap(nothing=one)", [1, 0, 1], [1], (1 + 2 / 3) / 3),
    ("ap(nothing=one)", [0, None], [1], 1),
    ("ap(nothing=one)@1", [0, 1], [], 1),
    # Without ties it does not matter where they end.
    ("ap(ties=end)@2", [0, 1, 1], [], (1 / 2) / 2),
]

# Of one query the geometric mean is its average precision.
GEOMETRIC = [("gm_ap", [1, 0, 1], [], (1 + 2 / 3) / 2), ("gm_ap@2", [0, 1, 1], [], 1 / 4)]


def test_odds_are_not_defined_where_repeats_add_up_to_more_than_there_is():
    result = assay.evaluate({"q": ["a"]}, {"q": ["a", "a", "a"]}, "yaap", duplicates="count")
    assert math.isnan(result["yaap"])


TIED = [
    # a, b and x tie at ranks 1 to 3, where 2 of 3 are relevant; then comes c.
    ("ap(ties=end)", (2 / 3 + 2 / 3 + 3 / 4) / 3),
    ("ap(ties=end)@3", (2 / 3 + 2 / 3) / 3),
    # The tie ends past the cutoff.
    ("ap(ties=end)@2", 0),
    ("ap(ties=end,nothing=one)@2", 1),
]


@for_each("ties", ["docid_desc", "docid_asc", "input"])
@for_each(("name", "expected"), TIED)
def test_precision_where_ties_end_has_no_use_for_a_rule_for_ties(name, expected, ties):
    qrels, run = {"q": {"a": 1, "b": 2, "c": 1}}, {"q": {"b": 1.0, "x": 1.0, "a": 1.0, "c": 0.5}}
    assert assay.evaluate(qrels, run, name, ties=ties)[name] == pytest.approx(expected, abs=1e-15)


def test_geometric_mean_over_queries_takes_no_value_below_one_in_a_hundred_thousand():
    result = assay.evaluate_labels([[1], [0, 0, 0, 1], [0]], ["ap", "gm_ap"])
    assert result.scores["gm_ap"].tolist() == [1, 0.25, 0]
    # The cube root of 1 · 0.25 · 0.00001.
    assert result["gm_ap"] == pytest.approx(0.013572088082974531, rel=1e-12)
    assert result["ap"] == pytest.approx(1.25 / 3)


# What smoothing adds below one non-relevant and no relevant document.
SMOOTH = 0.00001 / 1.00002

INFERRED = [
    ("infap", [1], [], 1),
    ("infap", [1, 1], [], (1 + (1 / 2 + 1 / 2 * 1.00001 / 1.00002)) / 2),
    ("infap", [0, 1], [], 1 / 2 + 1 / 2 * SMOOTH),
    # The document above rank 2 is outside the pool: nothing is inferred from it.
    ("infap", [None, 1], [], 1 / 2),
    # In the pool, but not judged: as likely relevant as not.
    ("infap", [-1, 1], [], 1 / 2 + 1 / 2 * 1 / 2),
    # One of two documents above is in the pool, and it is not relevant.
    ("infap", [None, 0, 1], [], 1 / 3 + 2 / 3 * 1 / 2 * SMOOTH),
    ("infap", [1, 0, 1], [], (1 + 1 / 3 + 2 / 3 * 1 / 2) / 2),
    ("infap", [1], [1, 1, 0], 1 / 3),
    ("infap", [], [1], 0),
    ("infap(rel=2)", [1, 2], [], 1 / 2 + 1 / 2 * SMOOTH),
    ("infap(rel=-1)", [-1, 0], [], 1 / 2 + 1 / 2 * 1 / 2),
]


def test_negative_grades_can_count_as_not_relevant(score):
    assert score("infap", [-1, 1], negative="nonrelevant") == pytest.approx(1 / 2 + 1 / 2 * SMOOTH, rel=1e-14)


INTERPOLATED = [
    # R = 3: recall 0 to 0.4 needs at most one document, 0.5 to 0.8 for two, 0.9 and 1 for three.
    ("mean_iprec", [1, 0, 0, 1], [1], (5 * 1 + 4 * 2 / 4) / 11),
    # In trec_eval 9 one up to 0.3, two up to 0.7, where 2.1 + 0.9 falls short of 3 by the last bit.
    ("mean_iprec(cut=v9)", [1, 0, 0, 1], [1], (4 * 1 + 4 * 2 / 4) / 11),
    ("mean_iprec(recalls=1;0)", [0, 1, 1, 0, 0, 1], [], (2 / 3 + 3 / 6) / 2),
    ("mean_iprec(recalls=0.5;0.5;1)", [1, 0], [1], 2 / 3),
    ("mean_iprec(rel=2,recalls=0)", [1, 2], [], 1 / 2),
    ("mean_iprec", [], [1], 0),
    # Precision at the relevant ranks: 1/2, 2/3 and 3/6.
    ("iprec@0", [0, 1, 1, 0, 0, 1], [], 2 / 3),
    ("iprec@0.34", [0, 1, 1, 0, 0, 1], [], 2 / 3),
    ("iprec@1", [0, 1, 1, 0, 0, 1], [], 3 / 6),
    # The level is never reached.
    ("iprec@1", [1, 1], [1], 0),
    ("iprec@0.5", [1, 1], [1], 1),
    # 0.4 of 3 relevant documents is 1.2: rounded it needs one of them, in trec_eval 9 for two.
    ("iprec@0.4", [1, 0, 0, 1], [1], 1),
    ("iprec(cut=v9)@0.4", [1, 0, 0, 1], [1], 2 / 4),
    # 0.5 of 3 is 1.5, and 0.1 of 5 is 0.5: halves go up.
    ("iprec@0.5", [1, 0, 0, 1], [1], 2 / 4),
    ("iprec(cut=v9)@0.5", [1, 0, 0, 1], [1], 2 / 4),
    ("iprec@0.1", [0, 1], [1, 1, 1, 1], 1 / 2),
    # 0.7 of 2 is 1.4: one is enough.
    ("iprec@0.7", [1, 0, 0, 1], [], 1),
    ("iprec(cut=v9)@0.7", [1, 0, 0, 1], [], 2 / 4),
    ("iprec(rel=2)@0.5", [1, 2, 2, 1], [], 2 / 3),
]


TABLES = RECIPROCAL_RANK + FIRST_RANK + AVERAGE_PRECISION + GEOMETRIC + INFERRED + INTERPOLATED


@for_each(("name", "grades", "unseen", "expected"), TABLES)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_queries_without_a_hit_are_left_out_of_the_mean_rank_and_counted_in_a_note():
    result = assay.evaluate_labels([[0, 1], [0, 0], [0, 0, 0, 1]], ["first_rank", "mrr"])
    assert result["mean_rank"] == 3
    assert result.counted("first_rank") == 2
    assert result["mrr"] == pytest.approx((1 / 2 + 1 / 4) / 3)
    note = "first_rank: 1 query left out of the mean; no relevant document was retrieved"
    assert [str(each) for each in result.notes if each.kind == "undefined"] == [note]
