"""trec_eval 10: its names and policies.

A query missing from the run is skipped, as trec_eval's help promises without -c; `missing="zero"` is -c. The names are
in the order in which trec_eval prints them. `runid` and `relstring` are text, so no convention has them; their places
in that order are here for those who print what trec_eval prints.
"""

import re
from collections.abc import Iterable, Mapping

from assay.core.convention import Convention, Name, NameOption, Written, write_cutoff
from assay.core.errors import MeasureError
from assay.core.policies import Policies
from assay.core.text import show

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(tenth / 10 for tenth in range(11))
MULTIPLES = tuple(tenth / 10 for tenth in range(2, 21, 2))
GAINS = {"gain": NameOption("gain")}
NUMBERS = NameOption("weights", read=lambda text: text.replace(",", ";"))
PERSISTENCE = {"p": NameOption("p")}

GRADE = re.compile(r"[+-]?\d+", re.ASCII)
# Options that are written as pairs, with an example; others are written by their place.
PAIRS = {"p": "p=0.8", "gain": "1=3,2=9"}


def read_trec_eval(text: str, names: Mapping[str, Name]) -> Written | None:
    """`name`, and after a dot or an underscore cutoffs, options or gains: `P.5,10`, `P_5`, `rbp.p=0.8`, `ndcg.1=3,2=9`.

    A whole number before = is a grade, what follows its gain.
    """
    for base in sorted(names, key=len, reverse=True):
        mark, rest = text[len(base) : len(base) + 1], text[len(base) + 1 :]
        if not text.startswith(base) or (mark and not (mark in "._" and rest)):
            continue
        if "=" in rest:
            return Written(base, read_pairs(rest.split(",")), ())
        # Without =, cutoffs if the name has any, else the value of its option.
        option = next(iter(names[base].options), "")
        if not rest or "@{}" in names[base].measure or not option:
            return Written(base, {}, tuple(rest.split(",")) if rest else ())
        if option in PAIRS:
            raise MeasureError(f"{base} cannot have {show(rest)}; write {base}.{PAIRS[option]}")
        return Written(base, {option: rest}, ())
    return None


def read_pairs(parts: Iterable[str]) -> Mapping[str, str]:
    """The options of trec_eval's `name=value,…`; a whole number is a grade with its gain, and all gains are one."""
    options: dict[str, str] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if GRADE.fullmatch(name):
            options["gain"] = ";".join(filter(None, [options.get("gain"), f"{name}:{value}"]))
        else:
            options[name] = value
    return options


def write_trec_eval(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`ndcg.1=3,2=9`, `rbp.p=0.8`, `set_F.2`: only gains and the persistence are named."""
    written = {option: value.replace(":", "=").replace(";", ",") for option, value in options.items()}
    told = ",".join(f"p={value}" if option == "p" else value for option, value in written.items())
    return write_cutoff(name, entry, at) + (f".{told}" if told else "")


NAMES = {
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
    "P": Name("precision@{}", CUTOFFS, "P_{:.0f}", whole=True),
    "recall": Name("recall@{}", CUTOFFS, "recall_{:.0f}", whole=True),
    "infAP": Name("infap"),
    "gm_bpref": Name("gm_bpref"),
    "Rprec_mult": Name("r_precision_multiple@{}", MULTIPLES, "Rprec_mult_{:.2f}"),
    "utility": Name("utility", output="utility_{}", options={"weights": NUMBERS}),
    "11pt_avg": Name("mean_iprec", output="11pt_avg_{}", options={"recalls": NUMBERS._replace(parameter="recalls")}),
    "binG": Name("bin_g"),
    "G": Name("g", output="G_{}", options=GAINS),
    "dcg": Name("dcg", output="dcg_{}", options=GAINS),
    "ideal_dcg": Name("ideal_dcg", output="ideal_dcg_{}", options=GAINS),
    "ndcg": Name("ndcg", output="ndcg_{}", options=GAINS),
    "ndcg_rel": Name("ndcg_rel", output="ndcg_rel_{}", options=GAINS),
    "Rndcg": Name("rndcg", output="Rndcg_{}", options=GAINS),
    "ndcg_cut": Name("ndcg@{}", CUTOFFS, "ndcg_cut_{:.0f}", whole=True),
    "map_cut": Name("ap@{}", CUTOFFS, "map_cut_{:.0f}", whole=True),
    "relative_P": Name("recall(cap=true)@{}", CUTOFFS, "relative_P_{:.0f}", whole=True),
    "success": Name("hit_rate@{}", (1, 5, 10), "success_{:.0f}", whole=True),
    "set_P": Name("precision"),
    "set_relative_P": Name("recall(cap=true)"),
    "set_recall": Name("recall"),
    "set_map": Name("set_ap"),
    "set_F": Name("f(squared=true)", output="set_F_{}", options={"x": NameOption("beta")}),
    "num_nonrel_judged_ret": Name("num_nonrel_judged_ret"),
    "yaap": Name("yaap"),
    "rbp": Name("rbp(rel=0,p=0.9,gain=max)", output="rbp_{}", options={**PERSISTENCE, **GAINS}),
    "rbp_resid": Name("rbp_residual(p=0.9,complete=zero)", output="rbp_resid_{}", options=PERSISTENCE),
    "unj": Name("unjudged@{}", (5, 10, 20), "unj_{:.0f}", whole=True),
}
COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
OFFICIAL = (*COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
SET = (*COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F")
UNLISTED = {"dcg", "ideal_dcg", "yaap"}
TEXTS = ("runid", "relstring")
NICKNAMES = {"official": OFFICIAL, "set": SET, "all_trec": tuple(name for name in NAMES if name not in UNLISTED)}

# Preferences come from the levels as given, and tied documents are in the opposite order than elsewhere.
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
# Each group of the judgments is a judge.
JUDGES = {
    "map_avgjg": Name("judges_ap"),
    "P_avgjg": Name("judges_precision@{}", CUTOFFS, "P_avgjg_{:.0f}", whole=True),
    "Rprec_mult_avgjg": Name("judges_r_precision_multiple@{}", MULTIPLES, "Rprec_mult_avgjg_{:.2f}"),
}

TREC_EVAL = Convention(
    name="trec_eval",
    title="trec_eval 10: queries missing from the run are skipped",
    policies=Policies(missing="skip", grades="whole"),
    read=read_trec_eval,
    write=write_trec_eval,
    names={**NAMES, **PREFERENCES, **JUDGES},
    nicknames={
        **NICKNAMES,
        "all_prefs": ("num_q", *PREFERENCES),
        "prefs": ("num_q", *tuple(PREFERENCES)[:6]),
        "qrels_jg": ("num_q", *JUDGES),
    },
    level="-l {}",
    infinite=True,
    surplus=True,
)
# Version 9, as pytrec_eval computes it: a name with parameters (set_F.2.0) is reported without them.
ADDED_IN_10 = {"dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj"}
ROUNDED_OTHERWISE = {"iprec_at_recall": "iprec(cut=v9)@{}", "11pt_avg": "mean_iprec(cut=v9)"}
NAMES_9 = {
    name: entry._replace(
        measure=ROUNDED_OTHERWISE.get(name, entry.measure), output=name if entry.options else entry.output
    )
    for name, entry in NAMES.items()
    if name not in ADDED_IN_10
}
TREC_EVAL_9 = TREC_EVAL._replace(
    name="trec_eval_9",
    title="trec_eval 9, as pytrec_eval computes it: scores in 32 bits",
    policies=Policies(precision="float32", missing="skip", grades="whole"),
    names=NAMES_9,
    nicknames={nickname: tuple(name for name in names if name in NAMES_9) for nickname, names in NICKNAMES.items()},
    level="relevance_level={}",
    empty_ids=True,
)


def with_texts(names: Iterable[str]) -> list[str]:
    """Names in trec_eval's order, including those of texts."""
    return ["runid", *(each for name in names for each in ([name, "relstring"] if name == "P" else [name]))]


def nicknames_with_texts(nicknames: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    texts = {"all_trec": ("relstring",)}
    return {nickname: ("runid", *names, *texts.get(nickname, ())) for nickname, names in nicknames.items()}
