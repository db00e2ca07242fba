"""Exact match and token overlap, as in question answering."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from assay.core.judged import FloatArray, ratio
from assay.core.measure import AnswerExample, define
from assay.measures.answers.data import NO_REFERENCE, Answers
from assay.measures.answers.tokens import Normalize, tokenize
from assay.measures.answers.words import NORMALIZED, AnswerWords, Numbers, answer_words

YesNo = Annotated[bool, "as in HotpotQA: yes, no and noanswer match only themselves, and two empty texts score 0"]
CLOSED = (["yes"], ["no"], ["noanswer"])
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
    if normalize == "none":
        return answers.best(lambda right, given: float(right == given))
    words = answer_words(answers, NORMALIZED[normalize])
    return words.best(words.equal())


def best_overlaps(answers: Answers, normalize: str, *, yes_no: bool) -> FloatArray:
    """Precision, recall and F1 of each question, each against its own best reference."""

    def make() -> FloatArray:
        words = answer_words(answers, NORMALIZED[normalize])
        common = np.ravel(words.shared(1))
        if yes_no:
            common = np.where(is_closed_mismatch(answers, words, common, normalize), 0, common)
        return overlap_scores(words, common, empty=0.0 if yes_no else 1.0)

    return answers.remember(("overlaps", normalize, yes_no), make)


def overlap_scores(words: AnswerWords, common: Numbers, *, empty: float) -> FloatArray:
    """Precision, recall and F1 of each prediction, each against its own best reference.

    `common` is the number of shared words by reference; two texts without words score `empty`.
    """
    is_empty = (words.right == 0) & (words.given == 0)
    precision, recall = (np.where(is_empty, empty, ratio(common, each)) for each in (words.given, words.right))
    every = (precision, recall, ratio(2 * precision * recall, precision + recall))
    return np.stack([words.best(each) for each in every], axis=1)


def is_closed_mismatch(answers: Answers, words: AnswerWords, common: Numbers, normalize: str) -> NDArray[np.bool_]:
    """By reference, whether it or the prediction is yes, no or noanswer, and the other one is not the same."""
    differs = (common != words.right) | (common != words.given)
    right = chain.from_iterable(answers.references)
    closed = [is_closed(text, normalize) if one else False for text, one in zip(right, words.right == 1, strict=True)]
    pairs = zip(answers.predictions, words.predictions == 1, strict=True)
    given = np.array([is_closed(text, normalize) if one else False for text, one in pairs], dtype=np.bool_)
    return np.asarray(differs & (np.array(closed, dtype=np.bool_) | given[words.questions]))


def is_closed(text: str, normalize: str) -> bool:
    return tokenize(text, normalize) in CLOSED


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
