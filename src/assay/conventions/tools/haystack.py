"""haystack: its document evaluators, for whatever field they compare documents by.

Ground truth are the documents with a grade above 0; in DocumentNDCGEvaluator the grade is the document's score. It has
no cutoff: a ranking is as long as it is, and `depth` cuts it.
"""

from assay.core.convention import Convention, Name, Option
from assay.core.policies import Policies

# Every grade above 0 is at least this.
ABOVE_ZERO = 1e-300

HAYSTACK = Convention(
    name="haystack",
    title="haystack: documents in the order given, each relevant one credited once; nothing relevant scores 0",
    policies=Policies(order="given", duplicates="once", rel=ABOVE_ZERO),
    names={
        "DocumentMAPEvaluator": Name(
            "ap",
            options={"divide_by": Option("norm", {"relevant": "relevant", "hits": "found"})},
            about="Divided by all relevant documents. Until August 2026 haystack divided by the hits found: "
            "DocumentMAPEvaluator(divide_by=hits).",
        ),
        "DocumentMRREvaluator": Name("rr"),
        "DocumentNDCGEvaluator": Name(
            f"ndcg(gain=signed,rel={ABOVE_ZERO})",
            policies={"negative": "nonrelevant"},
            about="Scores are gains as they are, below 0 too, and the ideal list holds every one of them.",
        ),
        "DocumentRecallEvaluator": Name(
            "hit_rate",
            options={"mode": Option("measure", {"single_hit": "hit_rate", "multi_hit": "recall"})},
            about="Unless the mode is multi_hit, it is 1 if anything relevant was retrieved.",
        ),
    },
    unreadable="nan",
    infinite=True,
)
