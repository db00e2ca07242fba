"""ragas: its retrieval metrics that need no language model, and the formula of those that do, on given verdicts.

- IDBased…: judgments and run hold ids.
- NonLLM…: texts are compared with each other; `assay.match_texts` makes judgments and a run of them.
- ContextPrecision and its relatives: the grades are the verdicts, 1 for a context that is useful and 0 for one that is
  not.

A query for which ragas gives NaN, or fails, is NaN here and left out of the mean. Both a class's name and the name in
its results are understood.
"""

import math

from assay.core.convention import Convention, Name, Option, Policies
from assay.core.grammar import number

# A grade above 0.5, where a level is the lowest grade that counts.
ABOVE_HALF = math.nextafter(0.5, math.inf)


def above(text: str) -> float | str:
    """The level at which a grade is above a threshold."""
    threshold = number(text)
    return text if threshold is None else math.nextafter(threshold, math.inf)


VERDICTS = Name(
    "ap(norm=about_found)",
    about="Divided by the hits found and 1e-10 more, so that it is never quite 1. Useful contexts that were not "
    "retrieved do not count.",
)
# The classes of ragas.metrics.collections raise where nothing was retrieved.
COLLECTION_VERDICTS = VERDICTS._replace(policies={"no_results": "nan"})
ID_PRECISION = Name(
    "precision", policies={"duplicates": "first", "no_results": "nan"}, about="Of the different ids retrieved."
)
ID_RECALL = Name(
    "recall", policies={"duplicates": "once", "no_relevant": "nan_all"}, about="Of the different ids in the reference."
)
TEXT_PRECISION = Name(
    "ap(norm=about_found,rel=0.5)",
    options={"threshold": Option("rel")},
    policies={"no_relevant": "nan_all"},
    about="A retrieved text is a hit if its likeness to any reference is at least 0.5; then as ContextPrecision.",
)
TEXT_RECALL = Name(
    f"group_recall(rel={ABOVE_HALF!r})",
    options={"threshold": Option("rel", read=above)},
    policies={"no_relevant": "nan_all", "no_results": "nan"},
    about="A reference is found if its likeness to any retrieved text is above 0.5.",
)

RAGAS = Convention(
    name="ragas",
    title="ragas: contexts in the order given; what cannot be scored is NaN and left out of the mean",
    policies=Policies(order="given", duplicates="count"),
    names={
        "ContextPrecision": VERDICTS,
        "context_precision": VERDICTS,
        "ContextUtilization": VERDICTS,
        "context_utilization": VERDICTS,
        "LLMContextPrecisionWithReference": VERDICTS,
        "llm_context_precision_with_reference": VERDICTS,
        "LLMContextPrecisionWithoutReference": VERDICTS,
        "llm_context_precision_without_reference": VERDICTS,
        "ContextPrecisionWithReference": COLLECTION_VERDICTS,
        "context_precision_with_reference": COLLECTION_VERDICTS,
        "ContextPrecisionWithoutReference": COLLECTION_VERDICTS,
        "context_precision_without_reference": COLLECTION_VERDICTS,
        "NonLLMContextPrecisionWithReference": TEXT_PRECISION,
        "non_llm_context_precision_with_reference": TEXT_PRECISION,
        "NonLLMContextRecall": TEXT_RECALL,
        "non_llm_context_recall": TEXT_RECALL,
        "IDBasedContextPrecision": ID_PRECISION,
        "id_based_context_precision": ID_PRECISION,
        "IDBasedContextRecall": ID_RECALL,
        "id_based_context_recall": ID_RECALL,
    },
    defects=(
        "NonLLMContextPrecisionWithReference gives 0 for a query with neither references nor results; here it is NaN.",
    ),
)
