"""What search tools call their measures, and the facts about them that no oracle can be asked for."""

import math

import pytest

import assay
from assay.conventions import CONVENTIONS, find_convention, parse_measures
from tables import for_each

nan = math.nan

NAMES = [
    # convention, name, what it stands for
    ("ranx", "map@100-l2", "ap(rel=2)@100"),
    ("ranx", "f1@5-l3", "f(rel=3)@5"),
    ("ranx", "ndcg_burges-l2", "ndcg(gain=exp2,rel=2)"),
    ("ranx", "bpref", "bpref(unopposed=nan)"),
    ("ranx", "rbp.95", "rbp(p=0.95,gain=grade)"),
    ("ranx", "rbp@5-l2", "rbp(rel=2,p=0.5,gain=grade)"),
    ("ranx", "map@0-l2", "ap(rel=2)"),
    ("ranx", "r-precision@5", "r_precision"),
    ("ranx", "bpref@5", "bpref(unopposed=nan)"),
    ("ranx", "interpolated_precision_at_recall@0.3", "iprec(cut=v9)@0.3"),
    ("beir", "R_cap@5", "recall(cap=true,nothing=nan)@5"),
    ("beir", "recall_cap@5", "recall(cap=true,nothing=nan)@5"),
    ("beir", "top_k_accuracy@1", "hit_rate@1"),
    ("beir", "hole@k", {f"Hole@{k}": f"hole@{k}" for k in (1, 3, 5, 10, 100, 1000)}),
    ("beir", "acc", {f"Accuracy@{k}": f"hit_rate@{k}" for k in (1, 3, 5, 10, 100, 1000)}),
    ("mteb", "ndcg_at_10", "ndcg@10"),
    ("mteb", "precision_at_3", "precision@3"),
    ("mteb", "Accuracy@5", "hit_rate@5"),
    ("mteb", "accuracy", "recall@1"),
    ("mteb", "nauc_map_at_5_diff1", "nauc(of=ap,figure=diff1)@5"),
    ("mteb", "nauc_mrr_at_1000_max", "nauc(of=rr)@1000"),
    ("mteb", "R_cap_at_5", "recall(cap=true,nothing=nan)@5"),
    ("mteb", "mrr", {f"mrr_at_{k}": f"rr@{k}" for k in (1, 3, 5, 10, 20, 100, 1000)}),
    ("mteb", "paired_accuracy", "worst(of=recall,whole=true,members=2)@1"),
    ("mteb", "robustness_at_10", "worst@10"),
    ("mteb", "p-MRR", "p_mrr"),
    ("sklearn", "ndcg_score", "ndcg(ties=average,ideal=retrieved,fewest=2)"),
    ("sklearn", "ndcg_score(k=5)", "ndcg(ties=average,ideal=retrieved,fewest=2)@5"),
    ("sklearn", "dcg_score(k=5,log_base=10)", "dcg(gain=signed,ties=average,base=10,fewest=2)@5"),
    ("trec_eval", "recall@5", "recall@5"),
    ("ragas", "non_llm_context_recall", "group_recall(rel=0.5000000000000001)"),
    ("llama_index", "hit_rate(use_granular_hit_rate=False)", "hit_rate"),
    ("llama_index", "hit_rate(use_granular_hit_rate=true)", "recall(total=listed)"),
    ("llama_index", "mrr(use_granular_mrr=false)", "rr"),
    ("llama_index", "mrr(use_granular_mrr=True)", "rr(credit=found)"),
    ("llama_index", "ndcg(mode=linear)", "ndcg(gain=binary,rel=1,ideal=listed)"),
    ("llama_index", "ndcg(mode='exponential')", "ndcg(gain=binary,rel=1,ideal=listed)"),
    # Spellings that mean one thing are understood everywhere.
    ("assay", "ndcg_cut_5", "ndcg@5"),
    ("assay", "ndcg_at_10", "ndcg@10"),
    ("assay", "map@100-l2", "ap(rel=2)@100"),
    ("assay", "rbp.95", "rbp(p=0.95,gain=grade)"),
]


@for_each(("convention", "name", "expected"), NAMES)
def test_names(convention, name, expected):
    measures = parse_measures([name], find_convention(convention), 1)
    expected = expected if isinstance(expected, dict) else {name: expected}
    assert {key: str(measure) for key, measure in measures.items()} == expected


SWITCH = "use_granular_hit_rate must be True or true or False or false, not 'yes'"
RECALL = "DocumentRecallEvaluator"
GAINS = "linear or exp2 or binary or signed or pairs grade:gain such as 1:3;2:9"
FIRST = "num_q, num_ret, num_rel, num_rel_ret, map"
NUM_REL = "write NumRel, or num_rel(rel=…)"
MERGE = "name map_at_1000 and merge the subqueries, with `assay eval --merge-subqueries` or assay.compat.mteb.merge_subqueries(qrels, run)"
NORMS = "relevant or found or about_found or cutoff or none"
ROUGES = "rouge1 or rouge2 or rougeL or rougeLsum"
RETRIEVAL = "retrieval_recall, retrieval_precision, retrieval_f1, retrieval_ndcg, retrieval_mrr"
# Convention, name, and what is said; `{}` is the name.
BAD_NAMES = [
    ("assay", "P_x", "cannot read the cutoff of '{}'; write P_10"),
    ("trec_eval", "P_x", "cannot read the cutoff of '{}'; write P_10"),
    ("assay", "P_5,", "cannot read the cutoff of '{}'; write P_10"),
    ("assay", "P_5,5", "duplicate cutoff in '{}'"),
    ("assay", "P_0", "precision: k must be a whole number at least 1, not '0'"),
    ("assay", "iprec_at_recall.2", "iprec: recall must be a number at least 0 and at most 1, not '2'"),
    ("assay", 5, "a measure is a name such as ndcg@10, not '5'"),
    ("ragas", "NonLLMContextRecall(threshold=high)", "group_recall: rel must be a number, not 'high'"),
    # A tool is asked only for what it has.
    ("assay", "autorag:rbp", f"autorag has no measure 'rbp'; it has {RETRIEVAL}, …"),
    ("trec_eval", "trec_eval_9:rbp", f"trec_eval_9 has no measure 'rbp'; it has {FIRST}, …"),
    ("assay", "bogus:map", f"unknown tool 'bogus'; the tools are {', '.join(CONVENTIONS)}"),
    ("ranx", "rbp", "'{}': ranx requires the decimals of the persistence, such as rbp.95"),
    ("ranx", "rbp@0.95", "'{}': ranx requires the decimals of the persistence, such as rbp.95"),
    ("beir", "NDCG@0", "ndcg: k must be a whole number at least 1, not '0'"),
    ("mteb", "max_over_subqueries_map_at_1000", f"'{{}}' is map_at_1000 of merged rankings; {MERGE}"),
    ("beir", "NDCG@x", "cannot read the cutoff of '{}'; write NDCG@10"),
    ("mteb", "nauc_map_at_5_min", "nauc: figure must be max or std or diff1, not 'min'"),
    ("sklearn", "ndcg_score(p=5)", "'{}': sklearn has no option 'p' here; it has k, ignore_ties"),
    ("sklearn", "dcg_score(log_base=1)", "dcg: base must be a number above 1, not '1'"),
    ("assay", "accuracy", "'{}' means different measures in different tools; write beir:accuracy or mteb:accuracy"),
    ("trec_eval", "P.0.9", "precision: k must be a whole number at least 1, not '0'"),
    ("trec_eval", "P.5,5.2", "duplicate cutoff in '{}'"),
    ("trec_eval", "utility.1,2", "utility: weights must be 4 numbers, not '1;2'"),
    ("trec_eval", "rbp.q=1", "'{}': trec_eval has no option 'q' here; it has p, gain"),
    ("trec_eval", "ndcg.10", "ndcg cannot have '10'; write ndcg.1=3,2=9"),
    ("trec_eval", "ndcg.1=2,1=3", f"ndcg: gain must be {GAINS}, not '1:2;1:3'"),
    ("trec_eval", "rbp.0.8", "rbp cannot have '0.8'; write rbp.p=0.8"),
    ("trec_eval", "rbp_resid_0.8", "rbp_resid cannot have '0.8'; write rbp_resid.p=0.8"),
    ("trec_eval", "set_F.x", "f: beta must be a number at least 0, not 'x'"),
    ("trec_eval", "map.5", "'{}': map takes no cutoff; leave it out"),
    ("ir_measures", "Bpref@10", "'{}': Bpref takes no cutoff; leave it out"),
    # What ir_measures itself refuses.
    ("ir_measures", "RBP", "'{}': ir_measures requires rel, as in RBP(rel=1)"),
    ("ir_measures", "RBP(p=0.5)", "'{}': ir_measures requires rel, as in RBP(rel=1)"),
    ("ir_measures", "RBP(rel=1)@10", "'{}': RBP takes no cutoff; leave it out"),
    ("ir_measures", "BPM@5", "'{}': ir_measures requires max_rel, as in BPM(max_rel=3)@5"),
    ("ir_measures", "SDCG(min_rel=1)@5", "'{}': ir_measures requires max_rel, as in SDCG(max_rel=3)@5"),
    ("ir_measures", "INST", "'{}': ir_measures requires max_rel, as in INST(max_rel=3)"),
    ("ir_measures", "ERR", "'{}' needs a cutoff, such as ERR@10"),
    ("ir_measures", "P_IA(rel=2)", "'{}' needs a cutoff, such as P_IA@10"),
    ("ir_measures", "nERR_IA", "'{}' needs a cutoff, such as nERR_IA@10"),
    ("ir_measures", "RR(judged_only=True)@5", "'{}': ir_measures has no option 'judged_only' here; it has rel"),
    ("ir_measures", "NumRel(rel=2)", f"NumRel: ir_measures counts grades from 1, not '2'; {NUM_REL}"),
    ("ir_measures", "P", "'{}' needs a cutoff, such as P@10"),
    ("ir_measures", "nDCG(rel=2)@5", "'{}': ir_measures has no option 'rel' here; it has gains, judged_only"),
    ("ir_measures", "SDCG(dcg='exp-log2')@5", "'{}': ir_measures has no option 'dcg' here; it has min_rel, max_rel"),
    ("llama_index", "hit_rate(use_granular_hit_rate=yes)", f"hit_rate: {SWITCH}"),
    ("llama_index", "mrr(granular=True)", "'{}': llama_index has no option 'granular' here; it has use_granular_mrr"),
    ("llama_index", "hit_rate@5", "'{}': hit_rate takes no cutoff; leave it out"),
    ("autorag", "retrieval_ndcg@5", "'{}': retrieval_ndcg takes no cutoff; leave it out"),
    ("autorag", "rouge(rouge_type=rougeX)", f"rouge: rouge_type must be {ROUGES}, not 'rougeX'"),
    ("haystack", f"{RECALL}(mode=any)", f"{RECALL}: mode must be single_hit or multi_hit, not 'any'"),
    ("haystack", "DocumentMAPEvaluator(divide_by=all)", f"ap: norm must be {NORMS}, not 'all'"),
]


@for_each(("convention", "name", "message"), BAD_NAMES)
def test_bad_names(convention, name, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        parse_measures([name], find_convention(convention), 1)
    assert str(caught.value) == message.format(name)


QRELS = {"q1": {"a": 1, "q1": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": {"q1": 3.0, "x": 1.0, "a": 1.0}, "q3": {"d": 1.0, "a": 0.5}, "q9": {"z": 1.0}}
FACTS = [
    # pytrec_eval's: q2 is skipped, the document q1 is left out, and x stands before a by its id.
    ("beir", "Recall@3", {"q1": 1 / 2, "q2": nan, "q3": 0}, 1 / 4),
    # Its own: all judged queries count, nothing is left out, and ties stand as given.
    ("beir", "MRR@10", {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ("beir", "Accuracy@1", {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ("beir", "R_cap@1", {"q1": 1, "q2": 0, "q3": nan}, 1 / 2),
    ("beir", "Hole@2", {"q1": 1 / 2, "q2": 0, "q3": 0}, 1 / 6),
    ("mteb", "recall_at_1", {"q1": 1 / 2, "q3": 0}, 1 / 4),
    ("mteb", "mrr_at_10", {"q1": 1, "q3": 0}, 1 / 2),
    ("mteb", "hit_rate_at_1", {"q1": 1, "q3": 0}, 1 / 2),
    # 0.5 is 0 here, and a negative grade is judged.
    ("ranx", "bpref", {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ("sklearn", "label_ranking_average_precision_score", {"q1": (1 + 2 / 3) / 2, "q3": 1}, (5 / 6 + 1) / 2),
]


@for_each(("convention", "name", "scores", "mean"), FACTS)
def test_facts(convention, name, scores, mean):
    result = assay.evaluate(QRELS, RUN, [name], convention=convention)
    found = {query: values[name] for query, values in result.per_query().items()}
    expected = {query: value for query, value in scores.items() if query in found}
    assert found == pytest.approx(expected, nan_ok=True)
    assert [query for query in scores if query not in found and not math.isnan(scores[query])] == []
    assert result[name] == pytest.approx(mean)
