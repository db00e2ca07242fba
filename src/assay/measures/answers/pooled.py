"""What BLEU, chrF and TER share: sacrebleu's statistics of each question, and what they and their sums score.

A question's value is the score of its own statistics. What stands for the mean is the score of the sums, which is a
corpus score of sacrebleu, unless `aggregate=mean`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import Pooled
from assay.measures.answers.data import Answers
from assay.measures.answers.sums import bleu_scores, chrf_scores, ter_scores

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

UNDEFINED = "there is no reference"
Over = Annotated[Literal["corpus", "mean"], "the one number: of the summed statistics, or the mean of the questions"]
Lowercase = Annotated[bool, "upper and lower case are the same"]
Make = Callable[..., "Metric"]
Row = list[float]
FORMULAS = {"BLEU": bleu_scores, "CHRF": chrf_scores, "TER": ter_scores}


def basis() -> str:
    """The library with its version, for the signature."""
    import sacrebleu

    return f"sacrebleu {sacrebleu.__version__}"


def row_of(metric: Metric, references: tuple[str, ...], prediction: str) -> Row:
    """The statistics of one question."""
    row: Row = metric._extract_corpus_statistics([prediction], [[each] for each in references])[0]  # noqa: SLF001
    return row


def gather(answers: Answers, make: Make, values: dict[str, Any], row: Callable[..., Row] = row_of) -> FloatArray:
    """The statistics of each question, one row each; where it has no reference, those of an empty one."""

    def collect() -> FloatArray:
        metric = make(**values)
        pairs = zip(answers.references, answers.predictions, strict=True)
        return np.array([row(metric, right or ("",), given) for right, given in pairs], dtype=np.float64)

    return answers.remember((make, *sorted(values.items())), collect)


def scored(metric: Metric, rows: FloatArray) -> FloatArray:
    """The score of each row of statistics, or of a single one."""
    return FORMULAS[type(metric).__name__](metric, rows)


def scores(answers: Answers, metric: Metric, rows: FloatArray) -> FloatArray:
    """The score of each question; NaN where it has no reference."""
    return np.where([bool(each) for each in answers.references], scored(metric, rows), np.nan)


def pooled(make: Make, row: Callable[..., Row] = row_of) -> Pooled:
    """How sums of statistics make the score of a corpus."""

    def statistics(answers: Answers, *, aggregate: str, **values: Any) -> FloatArray:  # noqa: ANN401, ARG001
        return gather(answers, make, values, row)

    def combine(sums: FloatArray, *, aggregate: str, **values: Any) -> FloatArray:  # noqa: ANN401, ARG001
        return scored(make(**values), sums)

    return Pooled(statistics, combine)


def signature(answers: Answers, metric: Metric) -> str:
    """Sacrebleu's own words on how it computes, the number of references included."""
    numbers = {len(each) for each in answers.references if each}
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
    return f"signature of sacrebleu {metric.get_signature()}"
