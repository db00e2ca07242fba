"""Words as numbers, for many texts at once, and the n-grams that texts share.

ROUGE's words are runs of the letters a to z and digits, in lower case. They are found in the bytes of all texts
together and compared by their first sixteen bytes, read as two integers; longer ones go into a dict. Equal words get
equal numbers, so that NumPy counts the n-grams of a block of questions in one step.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.judged import FloatArray, ratio
from assay.measures.answers.data import Answers
from assay.measures.answers.porter import stem

Numbers = NDArray[np.int64]
WordNumbers = NDArray[np.int32]
Packed = NDArray[np.uint64]

WORD_BYTES = (string.ascii_lowercase + string.digits).encode()
BLANK = 32
BLANKS = bytes(byte if byte in WORD_BYTES else BLANK for byte in range(256))
LOWER = bytes(range(256)).lower().translate(BLANKS)
LINES = bytes(byte if byte in WORD_BYTES + b"\n" else BLANK for byte in range(256))
SHORTEST_STEMMED = 4
# Masks for the first bytes of eight that are loaded at once.
FIRST = np.array([(1 << (8 * count)) - 1 for count in range(9)], dtype=np.uint64)
# No byte of a word sets this bit.
IS_LONG = 1 << 63
# Odd numbers with well-mixed bits.
MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
SMALLEST_TABLE = 12


class NumberedTexts(NamedTuple):
    """The words of many texts, concatenated: text `i` has those from `starts[i]` to `starts[i + 1]`."""

    words: WordNumbers
    starts: Numbers

    @property
    def lengths(self) -> Numbers:
        return np.diff(self.starts)

    def take(self, numbers: Numbers) -> NumberedTexts:
        """The texts with these numbers, repeated if a number is."""
        lengths = self.lengths[numbers]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        places = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], lengths)
        return NumberedTexts(self.words[places], starts)


def plain_words(text: str, kept: bytes = BLANKS) -> bytes:
    """The text reduced to words and spaces, and to line ends if those are kept.

    >>> plain_words("L'été: 3,5 Mio. EUR").split()
    [b'l', b't', b'3', b'5', b'mio', b'eur']
    """
    return text.lower().encode("ascii", "replace").translate(kept)


def stem_long_word(word: bytes) -> bytes:
    """The stem of the word, if it has more than three letters."""
    return stem(word.decode()).encode() if len(word) >= SHORTEST_STEMMED else word


def number_words(texts: list[str], *, stems: bool) -> NumberedTexts:
    """The words of texts as numbers.

    >>> number_words(["a cat, a dog", "", "Dog"], stems=False).starts.tolist()
    [0, 4, 4, 5]
    >>> [int(each) for each in np.unique(number_words(["a cat, a dog", "", "Dog"], stems=False).words)]
    [1, 2, 4]
    """
    text, offsets = join_texts(texts)
    is_word = np.frombuffer(text, dtype=np.uint8) != BLANK
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    words = number_packed(*pack_words(text, begins, ends - begins))
    if stems:
        words = number_stems(text, begins, ends, words)
    return NumberedTexts(words.astype(np.int32), np.searchsorted(begins, offsets))


def join_texts(texts: list[str]) -> tuple[bytes, Numbers]:
    """All texts joined, with spaces at the ends, and where each starts."""
    whole = " ".join(texts)
    if whole.isascii():
        text = whole.encode("ascii").translate(LOWER)
    else:
        # A lower-cased letter may become two characters.
        texts = [each.lower() for each in texts]
        text = plain_words(" ".join(texts))
    # Sixteen bytes can be loaded from the start of any word.
    return b" " + text + b" " * 17, np.cumsum([1, *(len(each) + 1 for each in texts)])


def pack_words(text: bytes, begins: Numbers, lengths: Numbers) -> tuple[Packed, Packed]:
    """Each word as two integers, equal for equal words."""
    every_eight = np.ndarray((len(text) - 7,), dtype="<u8", buffer=text, strides=(1,))
    low = every_eight[begins] & FIRST[np.minimum(lengths, 8)]
    high = np.zeros_like(low)
    more = np.flatnonzero(lengths > 8)  # noqa: PLR2004 - bytes of a number
    high[more] = every_eight[begins[more] + 8] & FIRST[np.minimum(lengths[more] - 8, 8)]
    known: dict[bytes, int] = {}
    for place in np.flatnonzero(lengths > 16).tolist():  # noqa: PLR2004 - bytes of two numbers
        word = text[begins[place] : begins[place] + lengths[place]]
        high[place] = IS_LONG | known.setdefault(word, len(known))
    return low, high


def number_packed(low: Packed, high: Packed) -> Numbers:
    """One number for each distinct pair: the place of an equal pair.

    Every pair is hashed to a slot of a table. The last one written represents its equals; the others are hashed again,
    until none is left.
    """
    numbers = np.zeros(len(low), dtype=np.int64)
    bits = max(SMALLEST_TABLE, len(low).bit_length() + 1)
    table = np.empty(1 << bits, dtype=np.int64)
    left = np.arange(len(low))
    shift, mixers = np.uint64(64 - bits), list(MIXERS)
    while len(left):
        low_left, high_left = low[left], high[left]
        mixed = (low_left * mixers[0]) ^ (high_left * mixers[1])
        slots = (((mixed ^ (mixed >> np.uint64(29))) * MIXERS[0]) >> shift).astype(np.int64)
        table[slots] = left
        found = table[slots]
        numbers[left] = found
        left = left[(low[found] != low_left) | (high[found] != high_left)]
        mixers = [np.uint64((int(mixer) * 5 + 2) % 2**64 | 1) for mixer in mixers]
    return numbers


def number_stems(text: bytes, begins: Numbers, ends: Numbers, words: Numbers) -> Numbers:
    """The numbers of the words' stems: that of the first word with the stem."""
    of_stem: dict[bytes, int] = {}
    numbers = np.zeros(len(words), dtype=np.int64)
    different = np.unique(words)
    for word, begin, end in zip(different.tolist(), begins[different].tolist(), ends[different].tolist(), strict=True):
        numbers[word] = of_stem.setdefault(stem_long_word(text[begin:end]), word)
    return numbers[words]


# Characters per block: enough for NumPy to pay off, few enough for the arrays to stay in the processor's cache.
BLOCK_SIZE = 1 << 17


class Block(NamedTuple):
    """Some questions: all their references, the question of each, and one prediction per question.

    `range` is an upper bound of all word numbers.
    """

    references: NumberedTexts
    questions: Numbers
    predictions: NumberedTexts
    range: int

    @property
    def size(self) -> int:
        return len(self.predictions.starts) - 1

    @property
    def paired(self) -> NumberedTexts:
        """The prediction for each reference."""
        is_one_each = len(self.questions) == self.size and bool((np.diff(self.questions) == 1).all())
        return self.predictions if is_one_each else self.predictions.take(self.questions)


class SharedCounts(NamedTuple):
    """Per reference, how much it shares with the prediction, how much both have, and its question."""

    shared: Numbers
    right: Numbers
    given: Numbers
    questions: Numbers


def answer_blocks(answers: Answers, *, stems: bool) -> list[Block]:
    """The answers as numbers, in the order of the questions; computed once for all measures."""
    return answers.remember(("blocks", stems), lambda: list(make_blocks(answers, stems=stems)))


def make_blocks(answers: Answers, *, stems: bool) -> Iterator[Block]:
    start = size = 0
    for number, (references, prediction) in enumerate(zip(answers.references, answers.predictions, strict=True), 1):
        size += len(prediction) + sum(map(len, references))
        if size >= BLOCK_SIZE or number == answers.size:
            yield make_block(answers.references[start:number], answers.predictions[start:number], stems=stems)
            start, size = number, 0


def make_block(references: list[tuple[str, ...]], predictions: list[str], *, stems: bool) -> Block:
    texts = number_words([*chain.from_iterable(references), *predictions], stems=stems)
    count = len(texts.starts) - 1 - len(predictions)
    cut = texts.starts[count]
    return Block(
        NumberedTexts(texts.words[:cut], texts.starts[: count + 1]),
        np.repeat(np.arange(len(references)), [len(every) for every in references]),
        NumberedTexts(texts.words[cut:], texts.starts[count:] - cut),
        len(texts.words) + 1,
    )


def best_scores(counts: SharedCounts, size: int, score: str) -> FloatArray:
    """The score of each question against the first reference with the best F; NaN without references."""
    recall = ratio(counts.shared, counts.right)
    precision = ratio(counts.shared, counts.given)
    fmeasure = ratio(2 * precision * recall, precision + recall)
    chosen = {"fmeasure": fmeasure, "precision": precision, "recall": recall}[score]
    best = np.full(size, -1.0)
    np.maximum.at(best, counts.questions, fmeasure)
    # Backwards, so that the first of equals remains.
    is_best = np.flatnonzero(fmeasure == best[counts.questions])[::-1]
    scores = np.full(size, np.nan)
    scores[counts.questions[is_best]] = chosen[is_best]
    return scores


# Keys have at most three more bits.
LARGEST_KEY = 2**59


def ngram_totals(texts: NumberedTexts, size: int) -> Numbers:
    """How many n-grams each text has."""
    return np.maximum(texts.lengths - size + 1, 0)


def count_ngrams(block: Block, size: int) -> SharedCounts:
    right, given = (ngram_totals(texts, size) for texts in (block.references, block.paired))
    return SharedCounts(shared_ngrams(block, size), right, given, block.questions)


def shared_ngrams(block: Block, size: int) -> Numbers:
    """How many n-grams each reference shares with its prediction, each as often as both contain it.

    The key of an n-gram is made of its reference, its words and, in the last bit, its side. Once sorted, equal n-grams
    of both sides are adjacent.
    """
    codes, limit = ngram_codes(block, size)
    right, given = block.references.lengths, block.paired.lengths
    pairs = np.arange(len(right)) << (limit.bit_length() + 1)
    bases = np.repeat(np.concatenate((pairs, pairs | 1)), np.concatenate((right, given)))
    inside = bases[: len(codes)] == bases[size - 1 :]
    keys, counts = tally_keys((bases[: len(codes)] + (codes << 1))[inside])
    both = np.flatnonzero((keys[1:] == keys[:-1] + 1) & (keys[:-1] & 1 == 0))
    shared = np.minimum(counts[both], counts[both + 1])
    return np.bincount(keys[both] >> (limit.bit_length() + 1), shared, minlength=len(right)).astype(np.int64)


def ngram_codes(block: Block, size: int) -> tuple[Numbers, int]:
    """The n-grams of references and predictions as numbers, and their upper bound."""
    words = np.concatenate((block.references.words, block.paired.words)).astype(np.int64)
    codes, limit = words, block.range
    for place in range(1, size):
        codes = codes[:-1] * block.range + words[place:]
        limit *= block.range
        if limit * max(len(block.questions), block.range) > LARGEST_KEY:
            different, codes = np.unique(codes, return_inverse=True)
            limit = max(len(different), 1)
    return codes, limit


def tally_keys(keys: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct keys in order, and how often each occurs."""
    ordered = np.sort(keys)
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    firsts = np.flatnonzero(is_first)
    return ordered[firsts], np.diff(np.append(firsts, len(keys)))
