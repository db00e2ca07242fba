"""LlamaIndex: its retrieval metrics by their names in METRIC_REGISTRY.

LlamaIndex has no cutoffs; `depth` cuts the rankings. Every metric raises ValueError for a query without expected or
without retrieved ids; here it is NaN and left out of the mean.
"""

from assay.core.convention import Convention, Name, Option
from assay.core.policies import Policies

LEVEL = Option("rel")


def switch(on: str, off: str) -> Option:
    """An option that selects one of two measures."""
    return Option("measure", {"True": on, "true": on, "False": off, "false": off})


LLAMA_INDEX = Convention(
    name="llama_index",
    title="LlamaIndex: ids as listed, duplicates count; queries without expected or retrieved ids are left out",
    policies=Policies(order="given", duplicates="count", no_relevant="nan_all", no_results="nan"),
    names={
        "hit_rate": Name(
            "hit_rate",
            options={"use_granular_hit_rate": switch("recall(total=listed)", "hit_rate")},
            about="Granular: expected ids among the retrieved, divided by the expected ids as listed; it can exceed 1.",
        ),
        "mrr": Name(
            "rr",
            options={"use_granular_mrr": switch("rr(credit=found)", "rr")},
            about="Granular: the mean of 1 / rank over the hits found.",
        ),
        "precision": Name("precision", policies={"duplicates": "first"}, about="Over the different ids retrieved."),
        "recall": Name("recall", policies={"duplicates": "once"}, about="Over the different ids expected."),
        "ap": Name("ap", about="A duplicate id counts every time, so it can exceed 1."),
        "ndcg": Name(
            "ndcg(gain=binary,rel=1,ideal=listed)",
            options={"mode": Option("gain", {"linear": "binary", "exponential": "binary"}), "rel": LEVEL},
            about="Both modes are the same, since an id is either expected or not. The ideal ranking holds every "
            "expected id as often as it is listed, however many were retrieved.",
        ),
    },
    unreadable="nan",
    infinite=True,
    empty_ids=True,
)
