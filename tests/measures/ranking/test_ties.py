"""Every measure on one ranking with ties, by hand, under each rule for them.

The unjudged x comes first, then b, c and a tie: by document id from high to low the grades are x 2 0 1, from low to
high x 1 0 2, and as given x 0 2 1. The relevant e was not retrieved.
"""

import math

import pytest

import assay
from assay.measures import TABLE
from tables import for_each, gather

QRELS = {"q": {"a": 1, "b": 0, "c": 2, "e": 1}}
RUN = {"q": {"b": 1.0, "c": 1.0, "a": 1.0, "x": 2.0}}

# 1 / log2(rank + 1) at ranks 2 and 4, and the ideal ranking of the grades 2, 1 and 1
SECOND, FOURTH, IDEAL = 0.6309297535714574, 0.43067655807339306, 3.1309297535714573

RULES = ("docid_desc", "docid_asc", "input")
EXPECTED = {
    "hits@2": (1, 1, 0),
    "hit_rate@2": (1, 1, 0),
    "precision@2": (1 / 2, 1 / 2, 0),
    "r_precision": (1 / 3, 1 / 3, 1 / 3),
    "r_precision_multiple@0.5": (1 / 2, 1 / 2, 0),
    "recall@2": (1 / 3, 1 / 3, 0),
    "f@2": (2 / 5, 2 / 5, 0),
    "rr": (1 / 2, 1 / 2, 1 / 3),
    "first_rank": (2, 2, 3),
    "ap": ((1 / 2 + 2 / 4) / 3, (1 / 2 + 2 / 4) / 3, (1 / 3 + 2 / 4) / 3),
    "gm_ap": ((1 / 2 + 2 / 4) / 3, (1 / 2 + 2 / 4) / 3, (1 / 3 + 2 / 4) / 3),
    "set_ap": (1 / 3, 1 / 3, 1 / 3),
    "dcg": (2 * SECOND + FOURTH, SECOND + 2 * FOURTH, 2 / 2 + FOURTH),
    "ndcg": ((2 * SECOND + FOURTH) / IDEAL, (SECOND + 2 * FOURTH) / IDEAL, (2 / 2 + FOURTH) / IDEAL),
    "yaap": (math.log(2 / 3), math.log(2 / 3), math.log((1 + 5 / 6) / (4 - 5 / 6))),
    "ideal_dcg": (IDEAL, IDEAL, IDEAL),
    "ndcg_rel": (
        (2 * SECOND / (2 + SECOND) + 2 * (2 * SECOND + FOURTH) / IDEAL) / 3,
        (SECOND / (2 + SECOND) + 2 * (SECOND + 2 * FOURTH) / IDEAL) / 3,
        (1 / IDEAL + 2 * (1 + FOURTH) / IDEAL) / 3,
    ),
    "rndcg": (2 * SECOND / IDEAL / 2, SECOND / IDEAL / 2, 1 / IDEAL / 2),
    "g": (
        (2 / math.log2(2 + 3 - 2) + 1 / math.log2(2 + 5 - 3)) / 4,
        (1 / math.log2(2 + 3 - 1) + 2 / math.log2(2 + 5 - 3)) / 4,
        (2 / math.log2(2 + 4 - 2) + 1 / math.log2(2 + 5 - 3)) / 4,
    ),
    "bin_g": ((SECOND + 1 / 2) / 3, (SECOND + 1 / 2) / 3, (1 / 2 + 1 / 2) / 3),
    "rbp(p=0.5)": (0.3125, 0.3125, 0.1875),
    "rbp_residual(p=0.5)": (0.5625, 0.5625, 0.5625),
    "err": (3 / 4 / 2 + 1 / 4 * 1 / 4 / 4, 1 / 4 / 2 + 3 / 4 * 3 / 4 / 4, 3 / 4 / 3 + 1 / 4 * 1 / 4 / 4),
    "bpref": (1 / 3, 1 / 3, 0),
    "gm_bpref": (1 / 3, 1 / 3, 0),
    "infap": (1 / 3, 1 / 3, (1 / 3 + 2 / 3 * 1 / 2 * 0.00001 / 1.00002 + 1 / 2) / 3),
    "iprec@0.3": (1 / 2, 1 / 2, 1 / 2),
    "mean_iprec": (9 / 22, 9 / 22, 9 / 22),
    "auc": (1 / 4, 1 / 4, 1 / 4),
    "group_recall@2": (1 / 3, 1 / 3, 0),
    "group_f@2": (2 / 5, 2 / 5, 0),
    "group_rr": ((1 / 2 + 1 / 4) / 3, (1 / 2 + 1 / 4) / 3, (1 / 3 + 1 / 4) / 3),
    "group_ap": ((1 / 2 + 1 / 4) / 3, (1 / 2 + 1 / 4) / 3, (1 / 3 + 1 / 4) / 3),
    "utility": (0, 0, 0),
    "sdcg@2": (SECOND / (1 + SECOND), SECOND / 2 / (1 + SECOND), 0),
    "bpm@4": (1 / 2, 3 / 8, 1 / 3),
    "inst(limit=2)": (4 / 13, 2 / 13, 0),
    "insq(limit=2)": (4 / 13, 2 / 13, 0),
    "nerr8@2": (1 / 2, 1 / 4, 0),
    "nerr9@2": (1 / 3, 1 / 6, 0),
    "nerr10(p=0.5,limit=2)": (1 / 3, 1 / 6, 0),
    "nerr11(limit=2)": (4 / 13, 2 / 13, 0),
    "compatibility(p=0.5,limit=4)": (
        (1 / 4 + 1 / 12 + 1 / 16) / 1.84375,
        (1 / 4 + 1 / 12 + 1 / 16) / 1.84375,
        (1 / 12 + 1 / 16) / 1.84375,
    ),
    "alpha_dcg@2": (SECOND / (1 + SECOND / 2), SECOND / (1 + SECOND / 2), 0),
    "alpha_ndcg@2": (SECOND / (1 + SECOND / 2), SECOND / (1 + SECOND / 2), 0),
    "err_ia@2": (2 / 5, 2 / 5, 0),
    "nerr_ia@2": (2 / 5, 2 / 5, 0),
    "nrbp": (0.421875, 0.421875, 0.234375),
    "nnrbp": (0.5625 / 1.3125, 0.5625 / 1.3125, 0.3125 / 1.3125),
    "ap_ia": ((1 / 2 + 2 / 4) / 3, (1 / 2 + 2 / 4) / 3, (1 / 3 + 2 / 4) / 3),
    "precision_ia@2": (1 / 2, 1 / 2, 0),
    "subtopic_recall@2": (1, 1, 0),
    "judges_ap": ((1 / 2 + 2 / 4) / 3, (1 / 2 + 2 / 4) / 3, (1 / 3 + 2 / 4) / 3),
    "judges_precision@2": (1 / 2, 1 / 2, 0),
    "judges_r_precision_multiple@0.5": (1 / 2, 1 / 2, 0),
    # c to a, b and e, and a and e to b: five preferences
    "prefs": (3 / 5, 2 / 5, 2 / 5),
    "num_prefs(count=fulfilled)": (3, 2, 2),
    "judged@3": (2 / 3, 2 / 3, 2 / 3),
    "unjudged@3": (1 / 3, 1 / 3, 1 / 3),
    "num_ret": (4, 4, 4),
    "num_rel": (3, 3, 3),
    "num_rel_ret": (2, 2, 2),
    "num_nonrel_judged_ret": (1, 1, 1),
    "num_q": (1, 1, 1),
    "hole@2": (1 / 2, 1 / 2, 1 / 2),
    "nauc(of=rr)": (1 / 2, 1 / 2, 1 / 3),
    "worst(of=rr)": (1 / 2, 1 / 2, 1 / 3),
    "p_mrr": (math.nan, math.nan, math.nan),
    **gather("TIES"),
}


def test_the_table_has_every_measure():
    assert {assay.parse_measure(name).definition.name for name in EXPECTED} == {
        name for name, each in TABLE.items() if each.of == "rankings"
    }


@for_each("name", EXPECTED)
def test_values(name):
    values = [assay.evaluate(QRELS, RUN, name, ties=rule).scores[name][0] for rule in RULES]
    assert values == pytest.approx(EXPECTED[name], rel=1e-14, nan_ok=True)
