"""ROUGE: the n-grams and longest common subsequences that answer and reference share, as rouge-score counts them.

Lin, ROUGE: a package for automatic evaluation of summaries, WAS 2004.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, Definition, measure
from assay.core.parameter import Bounds
from assay.core.text import count
from assay.measures.answers.blocks import Block, Counts, best_scores, blocks
from assay.measures.answers.data import Answers
from assay.measures.answers.ngrams import count_ngrams
from assay.measures.answers.numbering import plain
from assay.measures.answers.subsequence import LONGEST, count_subsequences
from assay.measures.answers.summary import count_summaries

REFERENCE = "Lin, ROUGE: a package for automatic evaluation of summaries, WAS 2004."
UNDEFINED = "there is no reference"
Score = Annotated[
    Literal["fmeasure", "precision", "recall"], "which of the three counts; the reference is the one with the best F"
]
Stem = Annotated[bool, "words of more than three letters count by their stems (Porter)"]
Length = Annotated[int, Bounds(low=1, high=9), "how many words an n-gram has"]


def score_blocks(answers: Answers, counts: Callable[[Block], Counts], score: str, *, stem: bool) -> FloatArray:
    """The scores of all questions, from the counts of each block."""
    every = blocks(answers, stems=stem)
    return np.concatenate([best_scores(counts(block), block.size, score) for block in every])


def remarks(answers: Answers, *, score: str, stem: bool) -> list[str]:  # noqa: ARG001 - as the measure's
    """Whether a text is so long that only its beginning is compared."""
    texts = chain(answers.predictions, chain.from_iterable(answers.references))
    # A word and the blank after it are two characters.
    long = sum(len(plain(text).split()) > LONGEST for text in texts if len(text) > 2 * LONGEST)
    return [f"{count(long, 'text')} of more than {LONGEST:,} words compared by the first of them"] if long else []


def rouge_measure(
    name: str,
    title: str,
    formula: str,
    example: AnswerExample,
    **about: Any,  # noqa: ANN401 - passed on to Definition
) -> Callable[[Callable[..., FloatArray]], Definition]:
    """The decorator of a measure, with what all kinds of ROUGE have in common."""
    return measure(
        name,
        title=title,
        formula=formula,
        reference=REFERENCE,
        undefined=UNDEFINED,
        of="answers",
        basis=lambda: "as rouge-score 0.1.2",
        example=example,
        **about,
    )


NGRAMS = "2 P R / (P + R) of the {} that answer and reference have in common, each as often as both have it"
SUBSEQUENCE = "2 P R / (P + R), P = LCS / words of the answer, R = LCS / words of the reference"


@rouge_measure(
    "rouge_1",
    "ROUGE-1",
    NGRAMS.format("words"),
    AnswerExample("rouge_1", ["the cat sat on the mat"], "a cat on the mat", 8 / 11, "P = 4/5, R = 4/6: 8 / 11"),
    aliases={"rouge1": {}, "rouge-1": {}},
)
def rouge_1(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False) -> FloatArray:
    """How many words answer and reference have in common."""
    return score_blocks(answers, lambda block: count_ngrams(block, 1), score, stem=stem)


@rouge_measure(
    "rouge_2",
    "ROUGE-2",
    NGRAMS.format("pairs of words"),
    AnswerExample("rouge_2", ["the cat sat on the mat"], "a cat on the mat", 4 / 9, "P = 2/4, R = 2/5: 4 / 9"),
    aliases={"rouge2": {}, "rouge-2": {}},
)
def rouge_2(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False) -> FloatArray:
    """How many pairs of neighbouring words answer and reference have in common."""
    return score_blocks(answers, lambda block: count_ngrams(block, 2), score, stem=stem)


@rouge_measure(
    "rouge_n",
    "ROUGE-N",
    NGRAMS.format("n-grams of words"),
    AnswerExample("rouge_n(n=3)", ["the cat sat on the mat"], "a cat on the mat", 2 / 7, "P = 1/3, R = 1/4: 2 / 7"),
)
def rouge_n(answers: Answers, *, n: Length, score: Score = "fmeasure", stem: Stem = False) -> FloatArray:
    """How many sequences of n words answer and reference have in common."""
    return score_blocks(answers, lambda block: count_ngrams(block, n), score, stem=stem)


@rouge_measure(
    "rouge_l",
    "ROUGE-L",
    SUBSEQUENCE,
    AnswerExample("rouge_l", ["the cat sat on the mat"], "on the mat sat a cat", 1 / 2, "on the mat: P = R = 3/6"),
    aliases={"rougel": {}, "rouge-l": {}},
    remarks=remarks,
)
def rouge_l(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False) -> FloatArray:
    """How many words answer and reference have in common in the same order, whatever stands between them.

    Of a text of more than 10,000 words the first are compared, so that time stays bounded; the score is then never too
    high.
    """
    return score_blocks(answers, count_subsequences, score, stem=stem)


@rouge_measure(
    "rouge_lsum",
    "ROUGE-Lsum",
    "2 P R / (P + R), P and R of the words in a common subsequence of a reference's sentence with any of the answer",
    AnswerExample(
        "rouge_lsum", ["a cat sat. on the mat"], "on the mat a cat sat", 1 / 2, "one line each, as rouge_l: P = R = 3/6"
    ),
    aliases={"rougelsum": {}, "rouge-lsum": {}},
    remarks=remarks,
)
def rouge_lsum(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False) -> FloatArray:
    """ROUGE-L sentence by sentence: each line of a text is a sentence, and each may match another of the answer.

    Of a text of more than 10,000 words the first are compared, so that time stays bounded; the score is then never too
    high.
    """
    return best_scores(count_summaries(answers, stem=stem), answers.size, score)
