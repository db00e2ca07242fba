"""scikit-learn 1: its ranking metrics, taken a query at a time.

The arrays of a query are its retrieved documents: their scores, and their grades, 0 where there is no judgment. What
was not retrieved is not known. average_precision_score, roc_auc_score and label_ranking_average_precision_score take
labels, 1 where the grade is at least `rel`. A query for which scikit-learn raises an error is NaN.
"""

from assay.core.convention import Convention, Name, Option
from assay.core.policies import Policies

IGNORE_TIES = {"ignore_ties": Option("ties", {"True": "rank", "False": "average"})}

SKLEARN = Convention(
    name="sklearn",
    title="scikit-learn: documents that tie share their ranks; only what was retrieved counts",
    policies=Policies(ties="input", duplicates="count", missing="skip", no_results="nan", negative="nonrelevant"),
    names={
        "ndcg_score": Name(
            "ndcg(ties=average,ideal=retrieved,fewest=2)[@{}]",
            options={"k": Option("k"), **IGNORE_TIES},
            about="NaN with fewer than two documents, or with a grade below 0 among them",
        ),
        "dcg_score": Name(
            "dcg(gain=signed,ties=average,fewest=2)[@{}]",
            options={"k": Option("k"), "log_base": Option("base"), **IGNORE_TIES},
            about="NaN with fewer than two documents; grades below 0 take gain away",
        ),
        "average_precision_score": Name("ap(norm=found,ties=end)"),
        "roc_auc_score": Name("auc"),
        "label_ranking_average_precision_score": Name(
            "ap(norm=found,ties=end,nothing=one)", about="1 where no document or every document is relevant"
        ),
    },
    defects=("with ignore_ties=True the order of tied documents is that of an unstable sort; here it is as given",),
)
