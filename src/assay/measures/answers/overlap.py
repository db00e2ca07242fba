"""Exact match and token overlap, as in question answering."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, define
from assay.measures.answers.data import NO_REFERENCE, Answers
from assay.measures.answers.tokens import Normalize, normalize_text, tokenize

YesNo = Annotated[bool, "as in HotpotQA: yes, no and noanswer match only themselves, and two empty texts score 0"]
CLOSED = ({"yes": 1}, {"no": 1}, {"noanswer": 1})
NOTHING = (np.nan, np.nan, np.nan)
REFERENCE = "Rajpurkar et al., SQuAD, EMNLP 2016; the rule for yes and no: Yang et al., HotpotQA, EMNLP 2018."


@define(
    "answer_em",
    title="Exact match",
    symbol="EM",
    formula="1 if the normalised answer equals a normalised reference, else 0",
    reference=REFERENCE,
    undefined=NO_REFERENCE,
    of="answers",
    example=AnswerExample(
        "answer_em", ["The Eiffel Tower"], "eiffel tower!", 1, "case, punctuation and articles are ignored"
    ),
)
def exact_match(answers: Answers, *, normalize: Normalize = "squad") -> FloatArray:
    """Whether the answer equals a reference, ignoring case, punctuation and articles."""
    right = [{normalize_text(each, normalize) for each in every} for every in answers.references]
    given = [normalize_text(each, normalize) for each in answers.predictions]
    found = [float(text in every) if every else np.nan for every, text in zip(right, given, strict=True)]
    return np.array(found, dtype=np.float64)


def token_overlap(reference: Counter[str], prediction: Counter[str], *, yes_no: bool) -> tuple[float, float, float]:
    """Precision, recall and F1 of the shared tokens; two texts without tokens are equal, except in HotpotQA."""
    if not reference or not prediction:
        same = float(reference == prediction and not yes_no)
        return same, same, same
    if yes_no and (reference in CLOSED or prediction in CLOSED) and reference != prediction:
        return 0.0, 0.0, 0.0
    common = sum((reference & prediction).values())
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / sum(prediction.values()), common / sum(reference.values())
    return precision, recall, 2 * precision * recall / (precision + recall)


def best_overlaps(answers: Answers, normalize: str, *, yes_no: bool) -> FloatArray:
    """Precision, recall and F1 of each question, each against its own best reference."""

    def best(references: tuple[str, ...], prediction: str) -> tuple[float, ...]:
        if not references:
            return NOTHING
        given = Counter(tokenize(prediction, normalize))
        every = [token_overlap(Counter(tokenize(each, normalize)), given, yes_no=yes_no) for each in references]
        return tuple(map(max, zip(*every, strict=True)))

    def make() -> FloatArray:
        return np.array(list(map(best, answers.references, answers.predictions)), dtype=np.float64)

    return answers.remember(("overlaps", normalize, yes_no), make)


@define(
    "answer_f1",
    title="Token F1",
    symbol="F1",
    formula="2 P R / (P + R) of the tokens that answer and reference share; the best reference counts",
    reference=REFERENCE,
    undefined=NO_REFERENCE,
    of="answers",
    example=AnswerExample(
        "answer_f1", ["Eiffel Tower"], "The Eiffel Tower in Paris", 2 / 3, "P = 2/4, R = 2/2: 2 · 0.5 · 1 / 1.5"
    ),
)
def token_f1(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """How well the words of the answer match those of a reference."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 2]


@define(
    "answer_precision",
    title="Token precision",
    formula="shared tokens / tokens of the answer; the best reference counts",
    reference=REFERENCE,
    undefined=NO_REFERENCE,
    of="answers",
    example=AnswerExample("answer_precision", ["Eiffel Tower"], "The Eiffel Tower in Paris", 0.5, "2 of 4 words"),
)
def token_precision(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """The share of the answer's words that are in a reference."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 0]


@define(
    "answer_recall",
    title="Token recall",
    formula="shared tokens / tokens of the reference; the best reference counts",
    reference=REFERENCE,
    undefined=NO_REFERENCE,
    of="answers",
    example=AnswerExample("answer_recall", ["Eiffel Tower, Paris"], "The Eiffel Tower", 2 / 3, "2 of 3 words"),
)
def token_recall(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """The share of a reference's words that are in the answer."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 1]
