"""BEIR 2: its names and policies.

EvaluateRetrieval.evaluate uses pytrec_eval: scores as 32-bit floats, ties by document id descending, and the mean over
the queries that judgments and run have in common, without the document whose id is the query's. evaluate_custom sorts
by itself: 64-bit scores, ties in run order, nothing excluded, and the mean over all judged queries. BEIR rounds means
to 5 decimals; assay does not.
"""

from collections.abc import Mapping

from assay.core.convention import Convention, Name, Written
from assay.core.policies import Policies

CUTOFFS = (1, 3, 5, 10, 100, 1000)
CUSTOM = {"ties": "input", "precision": "float64", "missing": "zero", "exclude": "nothing"}

R_CAP = Name("recall(cap=true,nothing=nan)@{}", CUTOFFS, "R_cap@{:.0f}", policies=CUSTOM)
ACCURACY = Name("hit_rate@{}", CUTOFFS, "Accuracy@{:.0f}", policies=CUSTOM)


def read_beir(text: str, names: Mapping[str, Name]) -> Written | None:
    """`name@k`; without a cutoff, or with the letter k itself, all of BEIR's cutoffs. Some names work in any case."""
    base, _, at = text.strip().partition("@")
    found = base if base in names else base.lower()
    return Written(found, {}, () if at in ("", "k") else (at,)) if found in names else None


BEIR = Convention(
    name="beir",
    title="BEIR: pytrec_eval's numbers, excluding documents whose id is the query's; and four measures of its own",
    policies=Policies(precision="float32", duplicates="last", missing="skip", grades="whole", exclude="query_id"),
    read=read_beir,
    names={
        "NDCG": Name("ndcg@{}", CUTOFFS, "NDCG@{:.0f}"),
        "MAP": Name("ap@{}", CUTOFFS, "MAP@{:.0f}"),
        "Recall": Name("recall@{}", CUTOFFS, "Recall@{:.0f}"),
        "P": Name("precision@{}", CUTOFFS, "P@{:.0f}"),
        **dict.fromkeys(("mrr", "mrr_cut"), Name("rr@{}", CUTOFFS, "MRR@{:.0f}", policies=CUSTOM)),
        **dict.fromkeys(("recall_cap", "r_cap"), R_CAP),
        "hole": Name("hole@{}", CUTOFFS, "Hole@{:.0f}", policies=CUSTOM),
        **dict.fromkeys(("acc", "top_k_acc", "accuracy", "top_k_accuracy"), ACCURACY),
    },
    infinite=True,
    empty_ids=True,
)
