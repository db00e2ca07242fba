"""trec_eval 10: its names and policies.

A query that the run lacks is skipped, as trec_eval does without -c.
"""

from assay.core.convention import Convention, Name, Policies
from assay.core.spelling import read_trec_eval

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(tenth / 10 for tenth in range(11))

# Preferences are told from levels as they are, and documents that tie stand the other way round than elsewhere.
LEVELS = {"ties": "docid_asc", "grades": "as_given", "negative": "nonrelevant"}
PREFERENCES = {
    name: Name(measure, policies=LEVELS)
    for name, measure in {
        "prefs_num_prefs_poss": "num_prefs",
        "prefs_num_prefs_ful": "num_prefs(count=fulfilled)",
        "prefs_num_prefs_ful_ret": "num_prefs(count=fulfilled_both)",
        "prefs_simp": "prefs",
        "prefs_pair": "prefs(over=pairs)",
        "prefs_avgjg": "prefs(over=groups)",
        "prefs_avgjg_Rnonrel": "prefs(over=balanced_groups)",
        "prefs_simp_ret": "prefs(of=both)",
        "prefs_pair_ret": "prefs(of=both,over=pairs)",
        "prefs_avgjg_ret": "prefs(of=both,over=groups)",
        "prefs_avgjg_Rnonrel_ret": "prefs(of=both,over=balanced_groups)",
        "prefs_simp_imp": "prefs(of=either)",
        "prefs_pair_imp": "prefs(of=either,over=pairs)",
        "prefs_avgjg_imp": "prefs(of=either,over=groups)",
    }.items()
}

TREC_EVAL = Convention(
    name="trec_eval",
    title="trec_eval 10: a query that the run lacks is skipped",
    policies=Policies(missing="skip", grades="whole"),
    read=read_trec_eval,
    names={
        "num_q": Name("num_q"),
        "num_ret": Name("num_ret"),
        "num_rel": Name("num_rel"),
        "num_rel_ret": Name("num_rel_ret"),
        "map": Name("ap"),
        "gm_map": Name("gm_ap"),
        "Rprec": Name("r_precision"),
        "bpref": Name("bpref"),
        "recip_rank": Name("rr"),
        "iprec_at_recall": Name("iprec@{}", RECALLS, "iprec_at_recall_{:.2f}"),
        "P": Name("precision@{}", CUTOFFS, "P_{:.0f}"),
        "recall": Name("recall@{}", CUTOFFS, "recall_{:.0f}"),
        "infAP": Name("infap"),
        "ndcg": Name("ndcg"),
        "success": Name("hit_rate@{}", (1, 5, 10), "success_{:.0f}"),
        "map_cut": Name("ap@{}", CUTOFFS, "map_cut_{:.0f}"),
        "ndcg_cut": Name("ndcg@{}", CUTOFFS, "ndcg_cut_{:.0f}"),
        "set_P": Name("precision"),
        "set_recall": Name("recall"),
        "set_F": Name("f1"),
        **PREFERENCES,
        "map_avgjg": Name("group_ap"),
        "P_avgjg": Name("group_precision@{}", CUTOFFS, "P_avgjg_{:.0f}"),
        "Rprec_mult_avgjg": Name(
            "group_r_precision_multiple@{}", tuple(fifth / 5 for fifth in range(1, 11)), "Rprec_mult_avgjg_{:.2f}"
        ),
    },
)
