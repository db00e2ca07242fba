"""ir_measures 0.4: its names, and what the tools behind it do.

ir_measures hands each measure to a provider, and providers rank differently: pytrec_eval in 32 bits with ties by
document id descending; pyndeval, msmarco and judged ascending; cwl_eval and accuracy in run order.
"""

from collections.abc import Mapping

from assay.core.convention import Convention, Name, NameOption, Written, read_call
from assay.core.errors import MeasureError
from assay.core.policies import Policies
from assay.core.text import show

TRUTHS = {"True": True, "False": False}
REL = {"rel": NameOption("rel")}
COMMON = {**REL, "judged_only": NameOption("judged_only", TRUTHS, is_policy=True)}
SCALE = {"min_rel": NameOption("min"), "max_rel": NameOption("max")}
HIGHEST = {"max_rel": "3"}
TARGET = {"T": NameOption("target")}
ALPHA = {"alpha": NameOption("alpha")}
NOVELTY = {**REL, **ALPHA, "beta": NameOption("p")}

# These providers do not see a query whose judgments are an empty dict; to the others it has no relevant documents.
UNSEEN = {"no_relevant": "skip_unjudged"}
BY_ID = {"ties": "docid_asc", "precision": "float64", "negative": "nonrelevant"}
PYNDEVAL = {**BY_ID, **UNSEEN, "duplicates": "once"}
AS_GIVEN = {"ties": "input", "precision": "float64", "negative": "nonrelevant", "duplicates": "count", **UNSEEN}
# cwl_eval does not find an empty id among the judgments.
CWL_EVAL = {**AS_GIVEN, "exclude": "empty_id"}
GDEVAL = {"precision": "float64", "duplicates": "count"}
PRESENT = {"missing": "skip", **UNSEEN}

# Options that lead to another entry of the table: by the name, the option and its value.
VARIANTS = {
    ("nDCG", "dcg", "log2"): "nDCG",
    ("nDCG", "dcg", "exp-log2"): "nDCG(dcg='exp-log2')",
    ("SDCG", "dcg", "log2"): "SDCG",
    ("SetP", "relative", "True"): "SetRelP",
    ("SetP", "relative", "False"): "SetP",
    ("SetRelP", "relative", "True"): "SetRelP",
    ("SetRelP", "relative", "False"): "SetP",
}
ALIASES = {
    "MAP": "AP",
    "BPref": "Bpref",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
    "MAP_IA": "AP_IA",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "MRR": "RR",
}


def read_ir_measures(text: str, names: Mapping[str, Name]) -> Written | None:
    """`Name(option=value,…)@cutoff`; the cutoff can also be an option.

    What selects the provider is part of the name in the table: `RR` and `RR@k` are two names.
    """
    written = read_call(text, names)
    if written is None:
        return None
    base = ALIASES.get(written.base, written.base)
    # A dict that maps every grade to itself is printed as an empty dict.
    options = {name: value for name, value in written.options.items() if value}
    cutoffs = [*written.cutoffs, *(options.pop(name) for name in ("cutoff", "recall") if name in options)]
    for name, value in list(options.items()):
        if (base, name, value) in VARIANTS:
            base = VARIANTS[base, name, options.pop(name)]
    if base == "NumRet" and "rel" in options:
        base = "NumRelRet"
    if cutoffs and f"{base}@k" in names:
        base = f"{base}@k"
    return Written(base, options, tuple(cutoffs))


def only_one(text: str) -> float:
    """The level 1, the only one at which ir_measures counts relevant documents."""
    if text != "1":
        raise MeasureError(
            f"NumRel: ir_measures counts grades from 1, not {show(text)}; write NumRel, or num_rel(rel=…)"
        )
    return 1.0


NAMES = {
    "Accuracy": Name("auc(tied=rank)[@{}]", options=REL, policies=AS_GIVEN),
    "AP": Name("ap[@{}]", options=COMMON),
    "BPM": Name("bpm@{}", options={**TARGET, **SCALE}, policies=CWL_EVAL, needed=HIGHEST),
    "Bpref": Name("bpref", options=REL),
    "Compat": Name(
        "compatibility(limit=0,ideal=score)",
        options={"p": NameOption("p"), "normalize": NameOption("normalize", TRUTHS)},
        policies={"ties": "docid_asc", "precision": "float64"},
    ),
    "ERR": Name("err(max=4,above=nan)@{}", policies=GDEVAL),
    "ERR_IA": Name("err_ia(norm=ndeval)@{}", options=COMMON, policies=PYNDEVAL),
    "nERR_IA": Name("nerr_ia@{}", options=COMMON, policies=PYNDEVAL),
    "alpha_DCG": Name("alpha_dcg(norm=ndeval)@{}", options={**COMMON, **ALPHA}, policies=PYNDEVAL),
    "alpha_nDCG": Name("alpha_ndcg@{}", options={**COMMON, **ALPHA}, policies=PYNDEVAL),
    "NRBP": Name("nrbp", options=NOVELTY, policies=PYNDEVAL),
    "nNRBP": Name("nnrbp", options=NOVELTY, policies=PYNDEVAL),
    "AP_IA": Name("ap_ia", options=COMMON, policies=PYNDEVAL),
    "P_IA": Name("precision_ia@{}", options=COMMON, policies=PYNDEVAL),
    "StRecall": Name("subtopic_recall@{}", options=REL, policies=PYNDEVAL),
    "INST": Name("inst", options={**TARGET, **SCALE}, policies=CWL_EVAL, needed=HIGHEST),
    "INSQ": Name("insq", options={**TARGET, **SCALE}, policies=CWL_EVAL, needed=HIGHEST),
    "infAP": Name("infap", options=REL),
    "IPrec": Name("iprec(cut=v9)@{}", options=COMMON),
    "Judged": Name("judged[@{}]", policies=BY_ID),
    "nDCG": Name("ndcg[@{}]", options={"gains": NameOption("gain"), "judged_only": COMMON["judged_only"]}),
    "nDCG(dcg='exp-log2')": Name("ndcg(gain=exp2)", policies={"ties": "input", "precision": "float64"}),
    "nDCG(dcg='exp-log2')@k": Name("ndcg(gain=exp2,max=4)@{}", policies=GDEVAL),
    "NERR8": Name("nerr8@{}", options=SCALE, policies=CWL_EVAL, needed=HIGHEST),
    "NERR9": Name("nerr9@{}", options=SCALE, policies=CWL_EVAL, needed=HIGHEST),
    "NERR10": Name("nerr10", options={"p": NameOption("p"), **SCALE}, policies=CWL_EVAL, needed=HIGHEST),
    "NERR11": Name("nerr11", options={**TARGET, **SCALE}, policies=CWL_EVAL, needed=HIGHEST),
    "NumQ": Name("num_q", policies=PRESENT),
    "NumRel": Name("num_rel", options={"rel": NameOption("rel", read=only_one)}, policies=PRESENT),
    "NumRet": Name("num_ret", policies=UNSEEN),
    "NumRelRet": Name("num_rel_ret", options=REL),
    "P": Name("precision@{}", options=COMMON),
    "R": Name("recall@{}", options=COMMON),
    "RBP": Name("rbp(limit=1000)", options={"p": NameOption("p"), **REL}, policies=CWL_EVAL, needed={"rel": "1"}),
    "Rprec": Name("r_precision", options=COMMON),
    "RR": Name("rr", options=COMMON),
    "RR@k": Name("rr@{}", options=REL, policies={**BY_ID, **UNSEEN}),
    "SDCG": Name("sdcg@{}", options=SCALE, policies=CWL_EVAL, needed=HIGHEST),
    "SetP": Name("precision", options=COMMON),
    "SetRelP": Name("recall(cap=true)", options=COMMON),
    "SetR": Name("recall", options=REL),
    "SetF": Name("f(squared=true)", options={"beta": NameOption("beta"), **COMMON}),
    "SetAP": Name("set_ap", options=COMMON),
    "Success": Name("hit_rate@{}", options=COMMON),
}

IR_MEASURES = Convention(
    name="ir_measures",
    title="ir_measures 0.4: queries missing from the run score 0; ties as in the provider of each measure",
    policies=Policies(precision="float32", duplicates="last"),
    read=read_ir_measures,
    names={**NAMES, **{alias: NAMES[name] for alias, name in ALIASES.items()}},
    infinite=True,
    empty_ids=True,
)
