"""ragas: its retrieval metrics that need no language model, and those that an LLM judges.

- IDBased…: judgments and run hold ids.
- NonLLM…: texts are compared; `assay.match_texts` turns them into judgments and a run.
- ContextPrecision and its variants: the grades are the verdicts, 1 for a useful context and 0 for any other; with a
  judge in `evaluate_rag`, its verdicts.
- Faithfulness and the others: judged in `evaluate_rag`, by assay's own prompts and ragas' formulas.

A query for which ragas returns NaN, or fails, is NaN here and left out of the mean. Both the name of a class and the
name in its results are understood.
"""

import math
import re
from collections.abc import Mapping

from assay.core.convention import Convention, Name, NameOption, Written, read_call, read_number
from assay.core.policies import Policies

# A level is the lowest grade that counts; this one means above 0.5.
ABOVE_HALF = math.nextafter(0.5, math.inf)


def above(text: str) -> float | str:
    """The level that means above a threshold."""
    threshold = read_number(text)
    return text if threshold is None else math.nextafter(threshold, math.inf)


VERDICTS = Name("ap(norm=about_found)")
# The classes of ragas.metrics.collections raise an error if nothing was retrieved.
COLLECTION_VERDICTS = VERDICTS._replace(policies={"no_results": "nan"})
RUBRIC = (
    "1: all wrong; 2: mostly wrong; 3: right in part, with errors or gaps; 4: right but for details; 5: fully right"
)
NAMES = {
    "ContextPrecision": VERDICTS,
    "ContextUtilization": VERDICTS,
    "LLMContextPrecisionWithReference": VERDICTS,
    "LLMContextPrecisionWithoutReference": VERDICTS,
    "ContextPrecisionWithReference": COLLECTION_VERDICTS,
    "ContextPrecisionWithoutReference": COLLECTION_VERDICTS,
    "NonLLMContextPrecisionWithReference": Name(
        "ap(norm=about_found,rel=0.5)", options={"threshold": NameOption("rel")}, policies={"no_relevant": "nan_all"}
    ),
    "NonLLMContextRecall": Name(
        f"group_recall(rel={ABOVE_HALF!r})",
        options={"threshold": NameOption("rel", read=above)},
        policies={"no_relevant": "nan_all", "no_results": "nan"},
    ),
    "IDBasedContextPrecision": Name("precision", policies={"duplicates": "first", "no_results": "nan"}),
    "IDBasedContextRecall": Name("recall", policies={"duplicates": "once", "no_relevant": "nan_all"}),
    # Judged by an LLM.
    "Faithfulness": Name("faithfulness"),
    "ContextRecall": Name("context_recall"),
    "LLMContextRecall": Name("context_recall"),
    "ContextEntityRecall": Name("context_entity_recall(norm=about_reference)"),
    "NoiseSensitivity": Name("noise_sensitivity", options={"mode": NameOption("mode")}),
    "ResponseRelevancy": Name("answer_relevancy", options={"strictness": NameOption("strictness")}),
    "AnswerRelevancy": Name("answer_relevancy", options={"strictness": NameOption("strictness")}),
    "AnswerCorrectness": Name(
        "answer_correctness", options={"weights": NameOption("weights"), "beta": NameOption("beta")}
    ),
    "FactualCorrectness": Name(
        "factual_correctness(claims=mixed,digits=2)", options={"mode": NameOption("mode"), "beta": NameOption("beta")}
    ),
    "SemanticSimilarity": Name("semantic_similarity", options={"threshold": NameOption("threshold")}),
    "AnswerSimilarity": Name("semantic_similarity", options={"threshold": NameOption("threshold")}),
    "ContextRelevance": Name("context_relevance(either=true)"),
    "ResponseGroundedness": Name("groundedness(either=true)"),
    "AnswerAccuracy": Name("answer_accuracy(either=true)"),
    "AspectCritic": Name(
        'aspect(criterion="…")',
        options={"definition": NameOption("criterion")},
        needed={"definition": "Is the answer polite?"},
    ),
    "RubricsScore": Name(f'rubric(levels="{RUBRIC}",see=reference)', options={"rubrics": NameOption("levels")}),
}
# Each class has another name in ragas' results.
IN_RESULTS = {re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower(): name for name in NAMES}
IN_RESULTS |= {
    "nv_accuracy": "AnswerAccuracy",
    "nv_context_relevance": "ContextRelevance",
    "nv_response_groundedness": "ResponseGroundedness",
    "domain_specific_rubrics": "RubricsScore",
}
OF_REFERENCE = "context_precision(norm=about_found,nothing=zero)"
OF_ANSWER = "context_precision(against=answer,norm=about_found,nothing=zero)"
WITH_JUDGE = {
    "ContextPrecision": OF_REFERENCE,
    "ContextUtilization": OF_ANSWER,
    "LLMContextPrecisionWithReference": OF_REFERENCE,
    "LLMContextPrecisionWithoutReference": OF_ANSWER,
    "ContextPrecisionWithReference": "context_precision(norm=about_found)",
    "ContextPrecisionWithoutReference": "context_precision(against=answer,norm=about_found)",
}
WITH_JUDGE |= {spelling: WITH_JUDGE[name] for spelling, name in IN_RESULTS.items() if name in WITH_JUDGE}


def read_ragas(text: str, names: Mapping[str, Name]) -> Written | None:
    """`Name(option=value)`, with the name of the class or the one in results, such as id_based_context_recall."""
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
    judged=WITH_JUDGE,
)
