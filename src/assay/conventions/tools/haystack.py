"""haystack: its document evaluators, whichever field they compare documents by.

The ground truth is the documents with a grade above 0; in DocumentNDCGEvaluator the grade is the document's score.
haystack has no cutoffs; `depth` cuts the rankings.
"""

from assay.core.convention import Convention, Name, NameOption
from assay.core.policies import Policies

# Every grade above 0 is at least this.
ABOVE_ZERO = 1e-300

HAYSTACK = Convention(
    name="haystack",
    title="haystack: documents as listed, each relevant one counts once; queries without relevant documents score 0",
    policies=Policies(order="given", duplicates="once", rel=ABOVE_ZERO),
    names={
        "DocumentMAPEvaluator": Name(
            "ap", options={"divide_by": NameOption("norm", {"relevant": "relevant", "hits": "found"})}
        ),
        "DocumentMRREvaluator": Name("rr"),
        "DocumentNDCGEvaluator": Name(f"ndcg(gain=signed,rel={ABOVE_ZERO})", policies={"negative": "nonrelevant"}),
        "DocumentRecallEvaluator": Name(
            "hit_rate",
            policies={"exclude": "empty_id"},
            options={"mode": NameOption("measure", {"single_hit": "hit_rate", "multi_hit": "recall"})},
        ),
    },
    unreadable="nan",
    infinite=True,
    empty_ids=True,
)
