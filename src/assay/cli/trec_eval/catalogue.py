"""trec_eval's measures in the order in which it prints them, and its nicknames for several of them."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(tenth / 10 for tenth in range(11))
FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class Source(Enum):
    """What a measure is computed from, and so which judgments it can be computed with; the value is their format."""

    NOTHING = ""
    RANKING = "qrels"
    GROUPS = "qrels_jg"
    PREFERENCES = "prefs"


class Parameters(Enum):
    """What may follow the dot of a measure's name."""

    NONE = "none"
    RANKS = "whole cutoffs, each a value of its own"
    SHARES = "cutoffs with decimals, each a value of its own"
    NUMBERS = "numbers"
    PAIRS = "pairs name=number"


class Entry(NamedTuple):
    """What trec_eval does with a measure, apart from computing it."""

    source: Source = Source.RANKING
    parameters: Parameters = Parameters.NONE
    default: tuple[float, ...] = ()
    is_count: bool = False


NUMBER = Entry()
COUNT = Entry(is_count=True)
AT_RANKS = Entry(parameters=Parameters.RANKS, default=CUTOFFS)
PAIRS = Entry(parameters=Parameters.PAIRS)
PREFERENCES = Entry(Source.PREFERENCES)
NUMBER_OF_PREFERENCES = Entry(Source.PREFERENCES, is_count=True)

CATALOGUE: dict[str, Entry] = {
    "runid": Entry(Source.NOTHING),
    "num_q": Entry(Source.NOTHING, is_count=True),
    "num_ret": COUNT,
    "num_rel": COUNT,
    "num_rel_ret": COUNT,
    "map": NUMBER,
    "gm_map": NUMBER,
    "Rprec": NUMBER,
    "bpref": NUMBER,
    "recip_rank": NUMBER,
    "iprec_at_recall": Entry(parameters=Parameters.SHARES, default=TENTHS),
    "P": AT_RANKS,
    "relstring": Entry(parameters=Parameters.NUMBERS, default=(10,)),
    "recall": AT_RANKS,
    "infAP": NUMBER,
    "gm_bpref": NUMBER,
    "Rprec_mult": Entry(parameters=Parameters.SHARES, default=FIFTHS),
    "utility": Entry(parameters=Parameters.NUMBERS, default=(1, -1, 0, 0)),
    "11pt_avg": Entry(parameters=Parameters.NUMBERS, default=TENTHS),
    "binG": NUMBER,
    "G": PAIRS,
    "dcg": PAIRS,
    "ideal_dcg": PAIRS,
    "ndcg": PAIRS,
    "ndcg_rel": PAIRS,
    "Rndcg": PAIRS,
    "ndcg_cut": AT_RANKS,
    "map_cut": AT_RANKS,
    "relative_P": AT_RANKS,
    "success": Entry(parameters=Parameters.RANKS, default=(1, 5, 10)),
    "set_P": NUMBER,
    "set_relative_P": NUMBER,
    "set_recall": NUMBER,
    "set_map": NUMBER,
    "set_F": Entry(parameters=Parameters.NUMBERS, default=(1,)),
    "num_nonrel_judged_ret": COUNT,
    "prefs_num_prefs_poss": NUMBER_OF_PREFERENCES,
    "prefs_num_prefs_ful": NUMBER_OF_PREFERENCES,
    "prefs_num_prefs_ful_ret": NUMBER_OF_PREFERENCES,
    "prefs_simp": PREFERENCES,
    "prefs_pair": PREFERENCES,
    "prefs_avgjg": PREFERENCES,
    "prefs_avgjg_Rnonrel": PREFERENCES,
    "prefs_simp_ret": PREFERENCES,
    "prefs_pair_ret": PREFERENCES,
    "prefs_avgjg_ret": PREFERENCES,
    "prefs_avgjg_Rnonrel_ret": PREFERENCES,
    "prefs_simp_imp": PREFERENCES,
    "prefs_pair_imp": PREFERENCES,
    "prefs_avgjg_imp": PREFERENCES,
    "map_avgjg": Entry(Source.GROUPS),
    "P_avgjg": Entry(Source.GROUPS, Parameters.RANKS, CUTOFFS),
    "Rprec_mult_avgjg": Entry(Source.GROUPS, Parameters.SHARES, FIFTHS),
    "yaap": NUMBER,
    "rbp": PAIRS,
    "rbp_resid": PAIRS,
    "unj": Entry(parameters=Parameters.RANKS, default=(5, 10, 20)),
}


def between(first: str, last: str) -> tuple[str, ...]:
    """The measures from one to another, in order."""
    names = list(CATALOGUE)
    return tuple(names[names.index(first) : names.index(last) + 1])


COMMON = ("runid", "num_q")
OFFICIAL = between("runid", "P")
EXTRA = {"dcg", "ideal_dcg"}
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": (*between("runid", "num_rel_ret"), "utility", *between("set_P", "set_F")),
    "all_trec": tuple(
        name for name in (*between("runid", "num_nonrel_judged_ret"), *between("rbp", "unj")) if name not in EXTRA
    ),
    "all_prefs": (*COMMON, *between("prefs_num_prefs_poss", "prefs_avgjg_imp")),
    "prefs": (*COMMON, *between("prefs_num_prefs_poss", "prefs_avgjg")),
    "qrels_jg": (*COMMON, *between("map_avgjg", "Rprec_mult_avgjg")),
}
