"""trec_eval 9, as pytrec_eval computes it: scores in 32 bits, and its own way of rounding recall points.

What version 10 added is not there. A name with parameters (set_F.2.0) is reported without them, as pytrec_eval does.
"""

from assay.conventions.tools.trec_eval import NAMES, NICKNAMES, TREC_EVAL
from assay.core.convention import Name
from assay.core.policies import Policies

ADDED_IN_10 = {"dcg", "ideal_dcg", "yaap", "rbp", "rbp_resid", "unj"}
ROUNDED_OTHERWISE = {"iprec_at_recall": "iprec(cut=v9)@{}", "11pt_avg": "mean_iprec(cut=v9)"}


def as_in_9(name: str, entry: Name) -> Name:
    """The same name in version 9."""
    output = name if entry.options else entry.output
    return entry._replace(measure=ROUNDED_OTHERWISE.get(name, entry.measure), output=output)


NAMES_9 = {name: as_in_9(name, entry) for name, entry in NAMES.items() if name not in ADDED_IN_10}

TREC_EVAL_9 = TREC_EVAL._replace(
    name="trec_eval_9",
    title="trec_eval 9, as pytrec_eval computes it: scores in 32 bits",
    policies=Policies(precision="float32", missing="skip", grades="whole"),
    names=NAMES_9,
    nicknames={nickname: tuple(name for name in names if name in NAMES_9) for nickname, names in NICKNAMES.items()},
    level="relevance_level={}",
    defects=(
        *TREC_EVAL.defects[2:],
        (
            "pytrec_eval ends the interpreter or never returns on some input: a cutoff twice or below 1, a query whose "
            "grades are all negative, a measure with parameters that it cannot have."
        ),
        "pytrec_eval reports runid and relstring as numbers, which mean nothing.",
    ),
)
