"""Charts of a RAG evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import PolicyError
from assay.core.text import Option, count
from assay.tasks.rag.worst import GOLD

if TYPE_CHECKING:
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice
    from assay.tasks.rag.result import RagResult


def draw_blame(result: RagResult, choice: Choice) -> Chart:
    """Correct and wrong answers by whether a gold passage was retrieved, as `faults` counts them."""
    from assay.render.charts.records import ANSWERS, blame

    right = choice.right
    key = result._answer_key(choice.measure)  # noqa: SLF001 - the measure of its own table
    limit = result._limit(key, right)  # noqa: SLF001 - the same
    if limit is None:
        raise PolicyError(f"{key} has no maximum; say from which value an answer counts as correct: {Option('right')}")
    sign = 1 if result.measures[key].definition.higher_is_better else -1
    scores = result.scores[key]
    states = [sign * scores >= sign * limit, sign * scores < sign * limit, np.isnan(scores)]
    golds = zip(GOLD, (result.found, result.has_gold & ~result.found, ~result.has_gold), strict=True)
    counts = {
        gold: {answer: int((state & chosen).sum()) for answer, state in zip(ANSWERS, states, strict=True)}
        for gold, chosen in golds
        if chosen.any()
    }
    said = "; ".join(result._accused(key, right))  # noqa: SLF001 - the sentence of its own table
    words = f"{count(len(result.queries), 'question')}. {said[:1].upper()}{said[1:]}."
    return blame(counts, words)
