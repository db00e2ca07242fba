"""LlamaIndex: its retrieval metrics by their names in METRIC_REGISTRY, and its evaluators that ask an LLM.

LlamaIndex has no cutoffs; `depth` cuts the rankings. Every metric raises ValueError for a query without expected or
without retrieved ids; here it is NaN and left out of the mean. An evaluator gives a score and says whether it passes:
`correctness` is the score, `correctness.passing` is 1 if it passes.
"""

import re
from collections.abc import Mapping

from assay.core.convention import Convention, Name, NameOption, Written, read_call
from assay.core.policies import Policies

LEVEL = NameOption("rel")
CLASS = re.compile(r"\b([A-Z][A-Za-z]*)Evaluator\b")


def switch(on: str, off: str) -> NameOption:
    """An option that selects one of two measures."""
    return NameOption("measure", {"True": on, "true": on, "False": off, "false": off})


def read_llama_index(text: str, names: Mapping[str, object]) -> Written | None:
    """`name(option=value)`; an evaluator by its class too, as in CorrectnessEvaluator or CorrectnessEvaluator.passing.

    >>> read_llama_index("ContextRelevancyEvaluator", {"context_relevancy": ...})
    Written(base='context_relevancy', options={}, cutoffs=())
    """
    return read_call(CLASS.sub(lambda found: re.sub(r"(?<!^)(?=[A-Z])", "_", found[1]).lower(), text, count=1), names)


LLAMA_INDEX = Convention(
    name="llama_index",
    title="LlamaIndex: ids as listed, duplicates count; queries without expected or retrieved ids are left out",
    policies=Policies(order="given", duplicates="count", no_relevant="nan_all", no_results="nan"),
    names={
        "hit_rate": Name("hit_rate", options={"use_granular_hit_rate": switch("recall(total=listed)", "hit_rate")}),
        "mrr": Name("rr", options={"use_granular_mrr": switch("rr(credit=found)", "rr")}),
        "precision": Name("precision", policies={"duplicates": "first"}),
        "recall": Name("recall", policies={"duplicates": "once"}),
        "ap": Name("ap"),
        "ndcg": Name(
            "ndcg(gain=binary,rel=1,ideal=listed)",
            options={"mode": NameOption("gain", {"linear": "binary", "exponential": "binary"}), "rel": LEVEL},
        ),
        # Judged by an LLM.
        "faithfulness": Name("faithfulness(unit=answer)"),
        "relevancy": Name("relevancy"),
        "answer_relevancy": Name("answer_relevancy(method=points)"),
        "context_relevancy": Name("context_relevance(method=points)"),
        "correctness": Name("correctness"),
        "correctness.passing": Name("correctness(threshold=4)", options={"score_threshold": NameOption("threshold")}),
        "guideline": Name(
            'guideline(criterion="…")',
            options={"guidelines": NameOption("criterion")},
            needed={"guidelines": "Answers in one sentence."},
        ),
        "semantic_similarity": Name("semantic_similarity"),
        "semantic_similarity.passing": Name(
            "semantic_similarity(threshold=0.8)", options={"similarity_threshold": NameOption("threshold")}
        ),
    },
    read=read_llama_index,
    unreadable="nan",
    infinite=True,
    empty_ids=True,
)
