"""TER: how many edits, shifts of phrases among them, make an answer the reference.

Snover et al., A study of translation edit rate with targeted human annotation, AMTA 2006. Computed by sacrebleu.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, measure
from assay.core.text import count
from assay.measures.answers.data import Answers
from assay.measures.answers.edits import edits
from assay.measures.answers.pooled import UNDEFINED, Over, Row, basis, gather, pooled, row_of, scores, signature

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

Normalize = Annotated[bool, "punctuation is split off as Tercom does it"]
Punctuation = Annotated[bool, "punctuation counts"]
Asian = Annotated[bool, "normalize and punctuation know Chinese and Japanese characters"]
Case = Annotated[bool, "upper and lower case differ"]
# The search for shifts grows with the third power of the length: a second at 200 words, a minute and more at 1,000.
LONGEST_SHIFTED = 200
LONGEST = 10_000


def ter_metric(*, normalize: bool, punctuation: bool, asian: bool, case: bool) -> Metric:
    from sacrebleu.metrics.ter import TER

    return TER(normalized=normalize, no_punct=not punctuation, asian_support=asian, case_sensitive=case)


def words_of(metric: Metric, text: str) -> list[str]:
    return metric._preprocess_segment(text).split()  # noqa: SLF001 - sacrebleu's way to words


def is_long(texts: Iterable[list[str]]) -> bool:
    """Whether one of the texts has too many words for shifts."""
    return any(len(words) > LONGEST_SHIFTED for words in texts)


def ter_row(metric: Metric, references: tuple[str, ...], prediction: str) -> Row:
    """Edits and words of the reference: sacrebleu's, or those without shifts where a text is long."""
    given, *right = (words_of(metric, each) for each in (prediction, *references))
    if not is_long((given, *right)):
        return row_of(metric, references, prediction)
    return [min(edits(given, each, LONGEST) for each in right), float(np.mean([len(each) for each in right]))]


def remarks(answers: Answers, *, aggregate: str, **values: Any) -> list[str]:  # noqa: ANN401, ARG001 - as the measure's
    metric = ter_metric(**values)
    found = [signature(answers, metric)]
    pairs = zip(answers.references, answers.predictions, strict=True)
    long = sum(is_long(words_of(metric, each) for each in (given, *right)) for right, given in pairs if right)
    if long:
        text = f"{count(long, 'question')} with a text of more than {LONGEST_SHIFTED} words, scored without shifts"
        found.append(text)
    return found


@measure(
    "ter",
    title="Translation edit rate",
    formula="100 · edits / words of the reference; an insertion, a deletion, a substitution or a shift is one edit",
    reference="Snover et al., AMTA 2006.",
    range=(0, float("inf")),
    higher_is_better=False,
    undefined=UNDEFINED,
    of="answers",
    pooled=pooled(ter_metric, ter_row),
    basis=basis,
    remarks=remarks,
    example=AnswerExample(
        "ter", ["in 1889 the tower was built"], "the tower was built in 1889", 100 / 6, "1 shift, 6 words: 1 / 6"
    ),
)
def ter(
    answers: Answers,
    *,
    aggregate: Over = "corpus",  # noqa: ARG001 - decides what becomes of the values
    normalize: Normalize = False,
    punctuation: Punctuation = True,
    asian: Asian = False,
    case: Case = False,
) -> FloatArray:
    """How many edits make the answer a reference, for 100 words of the reference.

    The fewest edits count, over the mean length of the references. An answer to an empty reference has 100. Where a
    text has more than 200 words no shifts are looked for, and of more than 10,000 words the first are compared and
    the others count as edits. The one number of all questions is corpus TER.
    """
    values = {"normalize": normalize, "punctuation": punctuation, "asian": asian, "case": case}
    return scores(answers, ter_metric(**values), gather(answers, ter_metric, values, ter_row))
