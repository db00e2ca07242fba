"""ROUGE: the n-grams and longest common subsequences that answer and reference share, as rouge-score counts them.

Lin, ROUGE: a package for automatic evaluation of summaries, WAS 2004. Common subsequences are found with sets of
positions as integers, one bit per position, so that a step works on a whole text at once: Hyyrö, Bit-parallel
LCS-length computation revisited, 2004.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, compress
from typing import Annotated, Literal, TypeVar

import numpy as np

from assay.core.judged import FloatArray, ratio
from assay.core.measure import answer_example, computes, define
from assay.core.parameter import Bounds
from assay.core.text import count
from assay.measures.answers.data import NO_TEXT, Answers, Blank, without_blank
from assay.measures.answers.porter import stem as stem_word
from assay.measures.answers.words import ROUGE, Numbers, Split, answer_words, blank_kind

REFERENCE = "Lin, ROUGE: a package for automatic evaluation of summaries, WAS 2004."
Score = Annotated[
    Literal["fmeasure", "precision", "recall"], "which of the three to report, always for the reference with the best F"
]
Stem = Annotated[bool, "compare words of more than three letters by their Porter stems"]
NgramLength = Annotated[int, Bounds(low=1, high=9), "the number of words in an n-gram"]
NGRAMS = "2 P R / (P + R) of the {} that answer and reference share, each as often as both contain it"
SUBSEQUENCE = "2 P R / (P + R), P = LCS / words of the answer, R = LCS / words of the reference"
Word = TypeVar("Word", bound=Hashable)
# Words compared per text: the time grows with the product of the lengths.
LONGEST_ROUGE = 10_000
Sentence = tuple[bytes, ...]
SHORTEST_STEMMED = 4
WORD_BYTES = (string.ascii_lowercase + string.digits).encode()
BLANKS, LINES = (bytes(byte if byte in WORD_BYTES + kept else 32 for byte in range(256)) for kept in (b"", b"\n"))
# Up to this many lines it is faster to try them all.
FEW_LINES = 20


def plain_words(text: str, kept: bytes = BLANKS) -> bytes:
    """The text reduced to words and spaces, and to line ends if those are kept."""
    return text.lower().encode("ascii", "replace").translate(kept)


def stem_long_word(word: bytes) -> bytes:
    return stem_word(word.decode()).encode() if len(word) >= SHORTEST_STEMMED else word


STEMS = Split(lambda text: b" ".join(map(stem_long_word, plain_words(text).split())).decode(), blank_kind)


def score_ngrams(answers: Answers, size: int, score: str, *, stem: bool, blank: str) -> FloatArray:
    words = answer_words(answers, STEMS if stem else ROUGE)
    right, given = (np.maximum(lengths - size + 1, 0) for lengths in (words.right, words.given))
    counts = (words.shared(size)[:, -1], right, given, words.questions)
    return without_blank(answers, best_scores(words.size, counts, score), blank)


def best_scores(size: int, counts: Iterable[Numbers], score: str) -> FloatArray:
    """The score of each question against the first reference with the best F; NaN without references."""
    # Per reference: how much it shares with the prediction, how much both have, and its question.
    shared, right, given, questions = counts
    recall, precision = ratio(shared, right), ratio(shared, given)
    fmeasure = ratio(2 * precision * recall, precision + recall)
    chosen = {"fmeasure": fmeasure, "precision": precision, "recall": recall}[score]
    best = np.full(size, -1.0)
    np.maximum.at(best, questions, fmeasure)
    # Backwards, so that the first of equals remains.
    is_best = np.flatnonzero(fmeasure == best[questions])[::-1]
    scores = np.full(size, np.nan)
    scores[questions[is_best]] = chosen[is_best]
    return scores


def note_long_words(answers: Answers, **_: object) -> list[str]:
    """A remark if texts are so long that only their beginnings are compared."""
    texts = chain(answers.predictions, chain.from_iterable(answers.references))
    # A word and the space after it take at least two characters.
    long = sum(len(plain_words(text).split()) > LONGEST_ROUGE for text in texts if len(text) > 2 * LONGEST_ROUGE)
    return [f"{count(long, 'text')} of more than {LONGEST_ROUGE:,} words, compared only up to that length"] * (long > 0)


MAT = ["the cat sat on the mat"]
BASIS = "as rouge-score 0.1.2"
define_rouge = partial(define, reference=REFERENCE, undefined=NO_TEXT, of="answers", basis=lambda: BASIS)


@define_rouge("rouge_1", title="ROUGE-1")
@computes(NGRAMS.format("words"))
@answer_example("rouge_1", MAT, "a cat on the mat", 8 / 11, "P = 4/5, R = 4/6: 8 / 11")
def rouge_1(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False, blank: Blank = "empty") -> FloatArray:
    """How many words answer and reference share."""
    return score_ngrams(answers, 1, score, stem=stem, blank=blank)


@define_rouge("rouge_2", title="ROUGE-2")
@computes(NGRAMS.format("pairs of words"))
@answer_example("rouge_2", MAT, "a cat on the mat", 4 / 9, "P = 2/4, R = 2/5: 4 / 9")
def rouge_2(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False, blank: Blank = "empty") -> FloatArray:
    """How many pairs of adjacent words answer and reference share."""
    return score_ngrams(answers, 2, score, stem=stem, blank=blank)


@define_rouge("rouge_n", title="ROUGE-N")
@computes(NGRAMS.format("n-grams of words"))
@answer_example("rouge_n(n=3)", MAT, "a cat on the mat", 2 / 7, "P = 1/3, R = 1/4: 2 / 7")
def rouge_n(
    answers: Answers, *, n: NgramLength, score: Score = "fmeasure", stem: Stem = False, blank: Blank = "empty"
) -> FloatArray:
    """How many sequences of n words answer and reference share."""
    return score_ngrams(answers, n, score, stem=stem, blank=blank)


@define_rouge("rouge_l", title="ROUGE-L", remarks=note_long_words)
@computes(SUBSEQUENCE)
@answer_example("rouge_l", MAT, "on the mat sat a cat", 1 / 2, "on the mat: P = R = 3/6")
def rouge_l(answers: Answers, *, score: Score = "fmeasure", stem: Stem = False, blank: Blank = "empty") -> FloatArray:
    """How many words answer and reference share in the same order, not necessarily adjacent.

    Only the first 10,000 words of a text are compared, to bound the time; the score is then never too high.
    """
    words = answer_words(answers, STEMS if stem else ROUGE)
    counts = (words.subsequences(LONGEST_ROUGE), words.right, words.given, words.questions)
    return without_blank(answers, best_scores(words.size, counts, score), blank)


@define_rouge("rouge_lsum", title="ROUGE-Lsum", remarks=note_long_words)
@computes("2 P R / (P + R) of the words in a common subsequence of a reference sentence with any answer sentence")
@answer_example(
    "rouge_lsum", ["a cat sat. on the mat"], "on the mat a cat sat", 1 / 2, "one line each, like rouge_l: P = R = 3/6"
)
def rouge_lsum(
    answers: Answers, *, score: Score = "fmeasure", stem: Stem = False, blank: Blank = "empty"
) -> FloatArray:
    """ROUGE-L by sentence: each line is a sentence, and a reference sentence may match several answer sentences.

    Only the first 10,000 words of a text are compared, to bound the time; the score is then never too high.
    """
    rows = []
    for question, (references, prediction) in enumerate(zip(answers.references, answers.predictions, strict=True)):
        given, given_words = split_sentences(prediction, stems=stem)
        for reference in references:
            right, right_words = split_sentences(reference, stems=stem)
            rows.append((shared_words(right, given), right_words, given_words, question))
    counts = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return without_blank(answers, best_scores(answers.size, counts, score), blank)


def matched_positions(length: int, places: Mapping[Word, int], words: Sequence[Word]) -> int:
    """The positions of a reference, with `length` words at `places`, in its longest common subsequence with some words.

    Of several it is the one found from the end by stepping back in the reference before stepping back in the words.
    """
    below = state = (1 << length) - 1
    steps = []
    for index, word in enumerate(words):
        if word in places:
            column = places[word]
            both = state & column
            state = (state + both) | (state - both)
            steps.append((index, column, state))
    found, after = 0, len(words)
    for index, column, state in reversed(steps):
        # A bit that a state lacks is a position where the common length grows.
        if index + 1 < after:
            below = (1 << (~state & below).bit_length()) - 1
        after = index
        candidates = (column | ~state) & below
        if not candidates:
            break
        place = 1 << (candidates.bit_length() - 1)
        if column & place:
            found |= place
            below = place - 1
        else:
            below = (place << 1) - 1
    return found


def split_sentences(text: str, *, stems: bool) -> tuple[list[Sentence], int]:
    """The lines of a text, as far as its words are compared, and how many words it has."""
    lines = filter(None, map(bytes.split, plain_words(text, LINES).split(b"\n")))
    words = [tuple(map(stem_long_word, line) if stems else line) for line in lines]
    starts = accumulate(map(len, words), initial=0)
    compared = [line[:room] for line, start in zip(words, starts, strict=False) if (room := LONGEST_ROUGE - start) > 0]
    return compared, sum(map(len, words))


def shared_words(right: list[Sentence], given: list[Sentence]) -> int:
    """The number of words in the union of the longest common subsequences, each at most as often as in the answer."""
    if len(right) == len(given) == 1:
        from rapidfuzz.distance import LCSseq

        return int(LCSseq.similarity(right[0], given[0]))
    lines = list(dict.fromkeys(given))
    lines_with: dict[bytes, set[int]] = {}
    if len(lines) > FEW_LINES:
        for number, line in enumerate(lines):
            for word in line:
                lines_with.setdefault(word, set()).add(number)
    words: list[bytes] = []
    for reference in right:
        # The set of positions of each word.
        places = dict.fromkeys(reference, 0)
        for place, word in enumerate(reference):
            places[word] |= 1 << place
        matched, tried = 0, (lines_with.get(word, ()) for word in places)
        for number in set().union(*tried) if lines_with else range(len(lines)):
            matched |= matched_positions(len(reference), places, lines[number])
        words += compress(reference, map("1".__eq__, reversed(f"{matched:b}")))
    available, found = Counter(chain.from_iterable(given)), Counter(words)
    return sum(map(min, found.values(), map(available.__getitem__, found)))
