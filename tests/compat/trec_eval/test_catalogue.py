"""trec_eval's lists: one place, and what the command, the convention and the stand-in for pytrec_eval make of it."""

import pytrec_eval

from assay.compat.pytrec_eval import ORDER
from assay.compat.trec_eval.measures import CATALOGUE, JudgmentKind, Suffix
from assay.compat.trec_eval.options import NICKNAMES
from assay.conventions import find_convention

# In the order of trec_eval 10's output: first and last of each stretch.
PLACES = """runid num_q map iprec_at_recall P relstring recall infAP ndcg_cut success set_F num_nonrel_judged_ret
    prefs_num_prefs_poss prefs_avgjg_imp map_avgjg yaap rbp unj"""
COUNTS = """num_q num_ret num_rel num_rel_ret num_nonrel_judged_ret prefs_num_prefs_poss prefs_num_prefs_ful
    prefs_num_prefs_ful_ret"""


def test_the_order_names_and_texts_are_those_of_trec_eval():
    assert [name for name in CATALOGUE if name in PLACES.split()] == PLACES.split()
    older = [name for name in CATALOGUE if name in pytrec_eval.supported_measures]
    assert older == ORDER
    convention = find_convention("trec_eval")
    assert set(CATALOGUE) == {*convention.names, "runid", "relstring"}
    for nickname, names in convention.nicknames.items():
        assert set(NICKNAMES[nickname]) - {"runid", "relstring"} == set(names)
    assert "relstring" in NICKNAMES["all_trec"]
    assert "relstring" not in NICKNAMES["official"]


def test_what_follows_the_dot():
    assert CATALOGUE["P"] == (JudgmentKind.RANKING, Suffix.RANKS, (5, 10, 15, 20, 30, 100, 200, 500, 1000), False)
    assert CATALOGUE["success"].default == (1, 5, 10)
    assert CATALOGUE["Rprec_mult"].default == (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
    assert CATALOGUE["iprec_at_recall"].suffix is Suffix.SHARES
    assert CATALOGUE["11pt_avg"].default == CATALOGUE["iprec_at_recall"].default
    assert CATALOGUE["utility"] == (JudgmentKind.RANKING, Suffix.NUMBERS, (1, -1, 0, 0), False)
    assert CATALOGUE["ndcg"].suffix is CATALOGUE["rbp"].suffix is Suffix.PAIRS
    assert CATALOGUE["map_avgjg"] == (JudgmentKind.GROUPS, Suffix.NONE, (), False)
    assert [name for name, entry in CATALOGUE.items() if entry.is_count] == COUNTS.split()
