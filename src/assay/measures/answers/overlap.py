"""Exact match and token overlap: of answers, as in question answering, and of retrieved passages, as in AutoRAG."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from assay.core.judged import FloatArray, ratio
from assay.core.measure import answer_example, computes, define
from assay.measures.answers.data import NO_REFERENCE, Answers, best_of
from assay.measures.answers.words import NORMALIZED, AnswerWords, Normalize, Numbers, answer_words, tokenize

YesNo = Annotated[bool, "as in HotpotQA: yes, no and noanswer match only themselves, and two empty texts score 0"]
CLOSED = (["yes"], ["no"], ["noanswer"])
REFERENCE = "Rajpurkar et al., SQuAD, EMNLP 2016; the rule for yes and no: Yang et al., HotpotQA, EMNLP 2018."
define_overlap = partial(define, reference=REFERENCE, undefined=NO_REFERENCE, of="answers")


@define_overlap("answer_em", title="Exact match", symbol="EM")
@computes("1 if the normalised answer equals a normalised reference, else 0")
@answer_example("answer_em", ["The Eiffel Tower"], "eiffel tower!", 1, "case, punctuation and articles are ignored")
def exact_match(answers: Answers, *, normalize: Normalize = "squad") -> FloatArray:
    """Whether the answer equals a reference, ignoring case, punctuation and articles."""
    if normalize == "none":
        return best_of(lambda right, given: float(right == given), answers.references, answers.predictions)
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
    """Precision, recall and F1 of each prediction that shares so many words; two texts without words score `empty`."""
    is_empty = (words.right == 0) & (words.given == 0)
    precision, recall = (np.where(is_empty, empty, ratio(common, each)) for each in (words.given, words.right))
    every = (precision, recall, ratio(2 * precision * recall, precision + recall))
    return np.stack([words.best(each) for each in every], axis=1)


def is_closed_mismatch(answers: Answers, words: AnswerWords, common: Numbers, normalize: str) -> NDArray[np.bool_]:
    """By reference, whether it or the prediction is yes, no or noanswer, and the other one is not the same."""
    differs = (common != words.right) | (common != words.given)
    right = chain.from_iterable(answers.references)
    closed, given = (
        np.array(
            [one and tokenize(text, normalize) in CLOSED for text, one in zip(texts, is_one, strict=True)], np.bool_
        )
        for texts, is_one in ((right, words.right == 1), (answers.predictions, words.predictions == 1))
    )
    return np.asarray(differs & (closed | given[words.questions]))


@define_overlap("answer_f1", title="Token F1", symbol="F1")
@computes("2 P R / (P + R) of the tokens that answer and reference share; the best reference counts")
@answer_example(
    "answer_f1", ["Eiffel Tower"], "The Eiffel Tower in Paris", 2 / 3, "P = 2/4, R = 2/2: 2 · 0.5 · 1 / 1.5"
)
def token_f1(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """How well the words of the answer match those of a reference."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 2]


@define_overlap("answer_precision", title="Token precision")
@computes("shared tokens / tokens of the answer; the best reference counts")
@answer_example("answer_precision", ["Eiffel Tower"], "The Eiffel Tower in Paris", 0.5, "2 of 4 words")
def token_precision(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """The share of the answer's words that are in a reference."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 0]


@define_overlap("answer_recall", title="Token recall")
@computes("shared tokens / tokens of the reference; the best reference counts")
@answer_example("answer_recall", ["Eiffel Tower, Paris"], "The Eiffel Tower", 2 / 3, "2 of 3 words")
def token_recall(answers: Answers, *, normalize: Normalize = "squad", yes_no: YesNo = False) -> FloatArray:
    """The share of a reference's words that are in the answer."""
    return best_overlaps(answers, normalize, yes_no=yes_no)[:, 1]


define_contents = partial(
    define,
    reference="AutoRAG, retrieval_token_precision, retrieval_token_recall and retrieval_token_f1.",
    undefined="a text of the gold or the retrieved passages is missing or blank",
    of="contents",
)
# Questions at a time: every gold text is split again for each retrieved one.
BLOCK = 256
GOLD = ["The tower was built in 1889."]
RETRIEVED = ["The tower opened in 1889.", "Paris is a city."]


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Per question its id, the texts of its gold passages and of the retrieved ones; empty where unknown."""

    ids: list[str]
    gold: list[tuple[str, ...]]
    retrieved: list[tuple[str, ...]]
    _memory: dict[Hashable, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def size(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> Contents:
        return Contents(self.ids[start:stop], self.gold[start:stop], self.retrieved[start:stop])

    def overlaps(self, normalize: str) -> FloatArray:
        """Precision, recall and F1 of each question; computed once for all three measures."""
        if normalize not in self._memory:
            starts = range(0, self.size, BLOCK)
            values = [passage_overlaps(self.part(start, start + BLOCK), normalize) for start in starts]
            self._memory[normalize] = np.concatenate([np.empty((0, 3)), *values])
        return self._memory[normalize]


def passage_overlaps(contents: Contents, normalize: str) -> FloatArray:
    """Precision, recall and F1: each retrieved text against its best gold text, averaged over the retrieved texts."""
    # As in AutoRAG, a blank text leaves the question without a value; two texts without tokens have nothing in common.
    pairs = list(zip(contents.gold, contents.retrieved, strict=True))
    known = [bool(gold and every) and all(text.strip() for text in (*gold, *every)) for gold, every in pairs]
    rows = [(gold, text) for is_known, (gold, every) in zip(known, pairs, strict=True) if is_known for text in every]
    words = AnswerWords([gold for gold, _ in rows], [text for _, text in rows], NORMALIZED[normalize])
    scores = overlap_scores(words, np.ravel(words.shared(1)), empty=0.0)
    ends = np.cumsum([len(every) * is_known for is_known, (_, every) in zip(known, pairs, strict=True)]).tolist()
    means = [scores[start:end].mean(axis=0) if end > start else [np.nan] * 3 for start, end in pairwise([0, *ends])]
    return np.array(means, dtype=np.float64).reshape(-1, 3)


@define_contents("retrieval_token_f1", title="Token F1 of retrieved passages")
@computes("the mean over the retrieved passages of 2 P R / (P + R) against the best gold passage for each")
@answer_example(
    "retrieval_token_f1", GOLD, RETRIEVED, 1 / 3, "3 of 4 words and 3 of 5: 2 · 3 / (4 + 5) = 2/3; 0 for the second"
)
def retrieval_token_f1(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """How well the words of the retrieved passages match those of gold passages."""
    return contents.overlaps(normalize)[:, 2]


@define_contents("retrieval_token_precision", title="Token precision of retrieved passages")
@computes("the mean over the retrieved passages of tokens shared with its best gold passage / its tokens")
@answer_example("retrieval_token_precision", GOLD, RETRIEVED, 3 / 8, "3 of 4 words; 0 for the second")
def retrieval_token_precision(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """The share of a retrieved passage's words that are in a gold passage."""
    return contents.overlaps(normalize)[:, 0]


@define_contents("retrieval_token_recall", title="Token recall of retrieved passages")
@computes("the mean over the retrieved passages of shared tokens / the tokens of its best gold passage")
@answer_example("retrieval_token_recall", GOLD, RETRIEVED, 3 / 10, "3 of 5 words; 0 for the second")
def retrieval_token_recall(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """The share of a gold passage's words that are in a retrieved passage."""
    return contents.overlaps(normalize)[:, 1]
