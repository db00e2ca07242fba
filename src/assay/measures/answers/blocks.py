"""The answers in blocks of questions, with their words as numbers, and what counts of shared words score."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray, ratio
from assay.measures.answers.data import Answers
from assay.measures.answers.numbering import Numbers, Texts, number_words

# Characters of a block: enough for NumPy to pay, few enough for arrays that stay in the processor's cache.
SIZE = 1 << 17


class Block(NamedTuple):
    """Some questions: the references of all of them, the question of each, and one prediction a question.

    `range` is a number that all words are below.
    """

    references: Texts
    questions: Numbers
    predictions: Texts
    range: int

    @property
    def size(self) -> int:
        return len(self.predictions.starts) - 1

    @property
    def paired(self) -> Texts:
        """The prediction for each reference."""
        is_one_each = len(self.questions) == self.size and bool((np.diff(self.questions) == 1).all())
        return self.predictions if is_one_each else self.predictions.take(self.questions)


class Counts(NamedTuple):
    """For each reference what it shares with the prediction, how much both have, and its question."""

    shared: Numbers
    right: Numbers
    given: Numbers
    questions: Numbers


def blocks(answers: Answers, *, stems: bool) -> list[Block]:
    """The answers as numbers, in the order of the questions; made once for all measures."""
    return answers.remember(("blocks", stems), lambda: list(make_blocks(answers, stems=stems)))


def make_blocks(answers: Answers, *, stems: bool) -> Iterator[Block]:
    start = size = 0
    for number, (references, prediction) in enumerate(zip(answers.references, answers.predictions, strict=True), 1):
        size += len(prediction) + sum(map(len, references))
        if size >= SIZE or number == answers.size:
            yield make_block(answers.references[start:number], answers.predictions[start:number], stems=stems)
            start, size = number, 0


def make_block(references: list[tuple[str, ...]], predictions: list[str], *, stems: bool) -> Block:
    texts = number_words([*chain.from_iterable(references), *predictions], stems=stems)
    count = len(texts.starts) - 1 - len(predictions)
    cut = texts.starts[count]
    return Block(
        Texts(texts.words[:cut], texts.starts[: count + 1]),
        np.repeat(np.arange(len(references)), [len(every) for every in references]),
        Texts(texts.words[cut:], texts.starts[count:] - cut),
        len(texts.words) + 1,
    )


def best_scores(counts: Counts, size: int, score: str) -> FloatArray:
    """The score of each question against the reference with the best F, the first of equals; NaN without any."""
    recall = ratio(counts.shared, counts.right)
    precision = ratio(counts.shared, counts.given)
    fmeasure = ratio(2 * precision * recall, precision + recall)
    chosen = {"fmeasure": fmeasure, "precision": precision, "recall": recall}[score]
    best = np.full(size, -1.0)
    np.maximum.at(best, counts.questions, fmeasure)
    # Backwards, so that the first of equals is what stays.
    is_best = np.flatnonzero(fmeasure == best[counts.questions])[::-1]
    scores = np.full(size, np.nan)
    scores[counts.questions[is_best]] = chosen[is_best]
    return scores
