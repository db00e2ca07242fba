"""scikit-learn 1: its ranking metrics, one query at a time.

The arrays of a query hold its retrieved documents: their scores, and their grades, 0 for unjudged ones. Documents that
were not retrieved are unknown. average_precision_score, roc_auc_score and label_ranking_average_precision_score take
labels, 1 for grades of at least `rel`. A query for which scikit-learn raises an error is NaN.
"""

from assay.core.convention import Convention, Name, NameOption
from assay.core.policies import Policies

IGNORE_TIES = {"ignore_ties": NameOption("ties", {"True": "rank", "False": "average"})}

SKLEARN = Convention(
    name="sklearn",
    title="scikit-learn: tied documents share their ranks; only retrieved documents count",
    policies=Policies(ties="input", duplicates="count", missing="skip", no_results="nan", negative="nonrelevant"),
    names={
        "ndcg_score": Name(
            "ndcg(ties=average,ideal=retrieved,fewest=2)[@{}]", options={"k": NameOption("k"), **IGNORE_TIES}
        ),
        "dcg_score": Name(
            "dcg(gain=signed,ties=average,fewest=2)[@{}]",
            options={"k": NameOption("k"), "log_base": NameOption("base"), **IGNORE_TIES},
        ),
        "average_precision_score": Name("ap(norm=found,ties=end)"),
        "roc_auc_score": Name("auc"),
        "label_ranking_average_precision_score": Name("ap(norm=found,ties=end,nothing=one)"),
    },
)
