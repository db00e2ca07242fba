"""LlamaIndex: its retrieval metrics by their names in METRIC_REGISTRY.

It has no cutoff: a ranking is as long as it is, and `depth` cuts it. Every metric raises ValueError for a query with
nothing expected or nothing retrieved; here it is NaN and left out of the mean.
"""

from assay.core.convention import Convention, Name, Option
from assay.core.policies import Policies

LEVEL = Option("rel")


def switch(on: str, off: str) -> Option:
    """An option that decides between two measures."""
    return Option("measure", {"True": on, "true": on, "False": off, "false": off})


LLAMA_INDEX = Convention(
    name="llama_index",
    title="LlamaIndex: ids in the order given, repeats counted; a query without ids on one side is left out",
    policies=Policies(order="given", duplicates="count", no_relevant="nan_all", no_results="nan"),
    names={
        "hit_rate": Name(
            "hit_rate",
            options={"use_granular_hit_rate": switch("recall(total=listed)", "hit_rate")},
            about="Granular: retrieved ids that are expected over the expected ids as listed; it can pass 1.",
        ),
        "mrr": Name(
            "rr",
            options={"use_granular_mrr": switch("rr(credit=found)", "rr")},
            about="Granular: the mean of 1 / rank over the hits found.",
        ),
        "precision": Name("precision", policies={"duplicates": "first"}, about="Of the different ids retrieved."),
        "recall": Name("recall", policies={"duplicates": "once"}, about="Of the different ids expected."),
        "ap": Name("ap", about="An id that is retrieved again counts again, so that it can pass 1."),
        "ndcg": Name(
            "ndcg(gain=binary,rel=1,ideal=listed)",
            options={"mode": Option("gain", {"linear": "binary", "exponential": "binary"}), "rel": LEVEL},
            about="Both modes are the same, as an id is expected or not. The ideal list holds every expected id as "
            "often as it is listed, however many were retrieved.",
        ),
    },
    unreadable="nan",
    infinite=True,
)
