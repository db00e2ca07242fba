"""trec_eval's names, of both versions: what each stands for, and how it is printed."""

import pytest

import assay
from assay.conventions import expand_as_printed, find_convention, parse_measures
from tables import for_each

MULTIPLE = "r_precision_multiple"
# name, level for all, what it is printed as and stands for
SPELLINGS = [
    ("gm_bpref", 1, {"gm_bpref": "gm_bpref"}),
    ("11pt_avg", 1, {"11pt_avg": "mean_iprec"}),
    ("utility", 1, {"utility": "utility"}),
    ("set_relative_P", 1, {"set_relative_P": "recall(cap=true)"}),
    ("Rndcg", 2, {"Rndcg": "rndcg(rel=2)"}),
    ("P_1234567", 2, {"P_1234567": "precision(rel=2)@1234567"}),
    ("P.5,7,3", 1, {"P_3": "precision@3", "P_5": "precision@5", "P_7": "precision@7"}),
    ("ndcg_cut.10,23.4", 2, {"ndcg_cut_10": "ndcg@10", "ndcg_cut_23": "ndcg@23"}),
    ("relative_P_5", 1, {"relative_P_5": "recall(cap=true)@5"}),
    ("success.2", 1, {"success_2": "hit_rate@2"}),
    ("Rprec_mult.5.0,0.2", 1, {"Rprec_mult_0.20": f"{MULTIPLE}@0.2", "Rprec_mult_5.00": f"{MULTIPLE}@5"}),
    ("Rprec_mult.0.2,0.201", 1, {"Rprec_mult_0.2": f"{MULTIPLE}@0.2", "Rprec_mult_0.201": f"{MULTIPLE}@0.201"}),
    ("iprec_at_recall..10,.5", 1, {"iprec_at_recall_0.10": "iprec@0.1", "iprec_at_recall_0.50": "iprec@0.5"}),
    ("11pt_avg..25,.5,.75", 1, {"11pt_avg_.25,.5,.75": "mean_iprec(recalls=0.25;0.5;0.75)"}),
    ("utility.2,-1,0,0", 2, {"utility_2,-1,0,0": "utility(rel=2,weights=2;-1;0;0)"}),
    ("set_F", 1, {"set_F": "f(squared=true)"}),
    ("set_F.2.0", 2, {"set_F_2.0": "f(rel=2,beta=2,squared=true)"}),
    ("ndcg.1=3,2=9,4=4.5", 2, {"ndcg_1=3,2=9,4=4.5": "ndcg(gain=1:3;2:9;4:4.5)"}),
    ("ndcg_rel_1=.5", 2, {"ndcg_rel_1=.5": "ndcg_rel(gain=1:0.5)"}),
    ("G.2=5", 1, {"G_2=5": "g(gain=2:5)"}),
    ("dcg", 1, {"dcg": "dcg"}),
    ("ideal_dcg", 1, {"ideal_dcg": "ideal_dcg"}),
    ("yaap", 2, {"yaap": "yaap(rel=2)"}),
    ("rbp", 2, {"rbp": "rbp(rel=0,p=0.9,gain=max)"}),
    ("rbp.p=0.8,1=.5,2=1", 1, {"rbp_p=0.8,1=.5,2=1": "rbp(rel=0,gain=1:0.5;2:1)"}),
    ("rbp_resid.p=.5", 1, {"rbp_resid_p=.5": "rbp_residual(p=0.5,complete=zero)"}),
    ("unj.5", 1, {"unj_5": "unjudged@5"}),
]


@for_each(("name", "rel", "expected"), SPELLINGS)
def test_spellings(name, rel, expected):
    found = expand_as_printed(name, find_convention("trec_eval"), {"rel": rel})
    assert {key: str(chosen.measure) for key, chosen in found.items()} == expected
    # Alone, a measure keeps the name that the user wrote.
    kept = parse_measures([name], find_convention("trec_eval"), rel)
    assert list(kept) == (list(expected) if len(expected) > 1 else [name])


OTHERWISE_IN_9 = [
    ("iprec_at_recall.0.1", {"iprec_at_recall_0.10": "iprec(cut=v9)@0.1"}),
    ("11pt_avg.0.5", {"11pt_avg": "mean_iprec(recalls=0.5,cut=v9)"}),
    ("set_F.2.0", {"set_F": "f(beta=2,squared=true)"}),
    ("utility.2,-1,0,0", {"utility": "utility(weights=2;-1;0;0)"}),
]


@for_each(("name", "expected"), OTHERWISE_IN_9)
def test_version_9(name, expected):
    found = expand_as_printed(name, find_convention("trec_eval_9"), {})
    assert {key: str(chosen.measure) for key, chosen in found.items()} == expected


@for_each("name", ["rbp", "rbp_resid", "unj", "dcg", "ideal_dcg", "yaap"])
def test_version_9_lacks_what_10_added(name):
    assert expand_as_printed(name, find_convention("trec_eval_9"), {}) is None
    assert expand_as_printed(name, find_convention("trec_eval"), {}) is not None


COUNTS = ["num_q", "num_ret", "num_rel", "num_rel_ret"]
SET = [*COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]


def test_nicknames():
    tool = find_convention("trec_eval")
    names = {name: list(parse_measures([name], tool, 1)) for name in ("official", "set", "all_trec")}
    assert names["set"] == SET
    assert names["official"][:9] == [*COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank"]
    assert names["official"][9:] == [
        *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
        *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    ]
    assert names["all_trec"][: len(names["official"])] == names["official"]
    assert set(SET) < set(names["all_trec"])
    assert names["all_trec"][-5:] == ["rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
    assert len(names["all_trec"]) == 98
    assert len(parse_measures(["all_trec"], find_convention("trec_eval_9"), 1)) == 93


def test_without_its_tool_a_spelling_means_what_the_newer_version_means_by_it():
    found = parse_measures(["official"], find_convention("assay"), 1)
    assert found == parse_measures(["official"], find_convention("trec_eval"), 1)
    assert found != parse_measures(["official"], find_convention("trec_eval_9"), 1)


QRELS = {"q1": {"a": 2, "b": 0, "c": 1.9}, "q2": {"a": 1}}
RUN = {"q1": {"x": 3, "b": 2, "a": 1}}


def test_queries_that_the_run_lacks_count_only_if_asked_for():
    skipped = {"num_q": 1, "num_rel": 2, "num_ret": 3, "map": 1 / 6, "unj.5": 0.2, "rbp_resid": 0.829, "utility": -1}
    counted = {**{name: value / 2 for name, value in skipped.items()}, "num_q": 2, "num_rel": 3, "num_ret": 3}
    for missing, expected in (("skip", skipped), ("zero", counted)):
        result = assay.evaluate(QRELS, RUN, list(expected), convention="trec_eval", missing=missing)
        assert result.mean == pytest.approx(expected)
    assert assay.evaluate(QRELS, RUN, "map", convention="trec_eval").queries == ["q1"]
