"""ragas: its retrieval metrics that need no language model, and the formula of those that do, with given verdicts.

- IDBased…: judgments and run hold ids.
- NonLLM…: texts are compared; `assay.match_texts` turns them into judgments and a run.
- ContextPrecision and its variants: the grades are the verdicts, 1 for a useful context and 0 for any other.

A query for which ragas returns NaN, or fails, is NaN here and left out of the mean. Both the name of a class and the
name in its results are understood.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from assay.core.convention import Convention, Name, Option, Written, read_call
from assay.core.grammar import read_number
from assay.core.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Mapping

# A level is the lowest grade that counts; this one means above 0.5.
ABOVE_HALF = math.nextafter(0.5, math.inf)


def above(text: str) -> float | str:
    """The level that means above a threshold."""
    threshold = read_number(text)
    return text if threshold is None else math.nextafter(threshold, math.inf)


VERDICTS = Name(
    "ap(norm=about_found)",
    about="Divided by the hits found plus 1e-10, so it never quite reaches 1. Useful contexts that were not "
    "retrieved do not count.",
)
# The classes of ragas.metrics.collections raise an error if nothing was retrieved.
COLLECTION_VERDICTS = VERDICTS._replace(policies={"no_results": "nan"})
ID_PRECISION = Name(
    "precision", policies={"duplicates": "first", "no_results": "nan"}, about="Over the different ids retrieved."
)
ID_RECALL = Name(
    "recall",
    policies={"duplicates": "once", "no_relevant": "nan_all"},
    about="Over the different ids in the reference.",
)
TEXT_PRECISION = Name(
    "ap(norm=about_found,rel=0.5)",
    options={"threshold": Option("rel")},
    policies={"no_relevant": "nan_all"},
    about="A retrieved text is a hit if its similarity to any reference is at least 0.5; then as ContextPrecision.",
)
TEXT_RECALL = Name(
    f"group_recall(rel={ABOVE_HALF!r})",
    options={"threshold": Option("rel", read=above)},
    policies={"no_relevant": "nan_all", "no_results": "nan"},
    about="A reference is found if its similarity to any retrieved text is above 0.5.",
)

NAMES = {
    "ContextPrecision": VERDICTS,
    "ContextUtilization": VERDICTS,
    "LLMContextPrecisionWithReference": VERDICTS,
    "LLMContextPrecisionWithoutReference": VERDICTS,
    "ContextPrecisionWithReference": COLLECTION_VERDICTS,
    "ContextPrecisionWithoutReference": COLLECTION_VERDICTS,
    "NonLLMContextPrecisionWithReference": TEXT_PRECISION,
    "NonLLMContextRecall": TEXT_RECALL,
    "IDBasedContextPrecision": ID_PRECISION,
    "IDBasedContextRecall": ID_RECALL,
}
# Each class has another name in ragas' results.
IN_RESULTS = {re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower(): name for name in NAMES}


def read_ragas(text: str, names: Mapping[str, Name]) -> Written | None:
    """`Name(option=value)`, with the name of the class or the one in results, such as id_based_context_recall.

    >>> read_ragas("non_llm_context_recall(threshold=0.8)", NAMES)
    Written(base='NonLLMContextRecall', options={'threshold': '0.8'}, cutoffs=())
    """
    second = {spelling: name for spelling, name in IN_RESULTS.items() if name in names}
    written = read_call(text, {**names, **second})
    return written and written._replace(base=second.get(written.base, written.base))


RAGAS = Convention(
    name="ragas",
    title="ragas: contexts as listed; queries that cannot be scored are NaN and left out of the mean",
    policies=Policies(order="given", duplicates="count"),
    read=read_ragas,
    names=NAMES,
    unreadable="nan",
    infinite=True,
    empty_ids=True,
    defects=(
        "NonLLMContextPrecisionWithReference is 0 for a query with neither references nor results; here it is NaN.",
    ),
)
