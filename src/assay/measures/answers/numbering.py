"""Words as numbers, for many texts at once: equal words have equal numbers.

ROUGE's words are runs of the letters a to z and of digits, in lower case. They are found in the bytes of all texts
together, and told apart by their first sixteen bytes, which are two whole numbers; longer ones go into a dict.
"""

from __future__ import annotations

import string
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.measures.answers.porter import stem

Numbers = NDArray[np.int64]
Words = NDArray[np.int32]
Packed = NDArray[np.uint64]

KEPT = (string.ascii_lowercase + string.digits).encode()
BLANK = 32
BLANKS = bytes(byte if byte in KEPT else BLANK for byte in range(256))
LOWER = bytes(range(256)).lower().translate(BLANKS)
LINES = bytes(byte if byte in KEPT + b"\n" else BLANK for byte in range(256))
SHORTEST_STEMMED = 4
# The first bytes of eight that are loaded at once.
FIRST = np.array([(1 << (8 * count)) - 1 for count in range(9)], dtype=np.uint64)
# No byte of a word sets this bit.
IS_LONG = 1 << 63
# Odd numbers with well mixed bits.
MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
SMALLEST_TABLE = 12


class Texts(NamedTuple):
    """Words of many texts, one after another: text `i` has those from `starts[i]` to `starts[i + 1]`."""

    words: Words
    starts: Numbers

    @property
    def lengths(self) -> Numbers:
        return np.diff(self.starts)

    def take(self, numbers: Numbers) -> Texts:
        """Some of the texts, each as often as its number is given."""
        lengths = self.lengths[numbers]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        places = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], lengths)
        return Texts(self.words[places], starts)


def plain(text: str, kept: bytes = BLANKS) -> bytes:
    """The text with nothing but words and blanks, and ends of lines if those are kept.

    >>> plain("L'été: 3,5 Mio. EUR").split()
    [b'l', b't', b'3', b'5', b'mio', b'eur']
    """
    return text.lower().encode("ascii", "replace").translate(kept)


def stemmed(word: bytes) -> bytes:
    """The word without its ending, if it has more than three letters."""
    return stem(word.decode()).encode() if len(word) >= SHORTEST_STEMMED else word


def number_words(texts: list[str], *, stems: bool) -> Texts:
    """The words of texts as numbers.

    >>> number_words(["a cat, a dog", "", "Dog"], stems=False).starts.tolist()
    [0, 4, 4, 5]
    >>> [int(each) for each in np.unique(number_words(["a cat, a dog", "", "Dog"], stems=False).words)]
    [1, 2, 4]
    """
    text, offsets = joined(texts)
    is_word = np.frombuffer(text, dtype=np.uint8) != BLANK
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    begins, ends = edges[::2], edges[1::2]
    words = number_packed(*packed(text, begins, ends - begins))
    if stems:
        words = number_stems(text, begins, ends, words)
    return Texts(words.astype(np.int32), np.searchsorted(begins, offsets))


def joined(texts: list[str]) -> tuple[bytes, Numbers]:
    """All texts in one, with blanks at its ends, and where each begins."""
    whole = " ".join(texts)
    if whole.isascii():
        text = whole.encode("ascii").translate(LOWER)
    else:
        # A letter in lower case may be two characters.
        texts = [each.lower() for each in texts]
        text = plain(" ".join(texts))
    # Sixteen bytes can be loaded from any word.
    return b" " + text + b" " * 17, np.cumsum([1, *(len(each) + 1 for each in texts)])


def packed(text: bytes, begins: Numbers, lengths: Numbers) -> tuple[Packed, Packed]:
    """Each word as two numbers, the same for the same word."""
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
    """One number for each different pair: the place of one that is equal to it.

    Every pair goes to a slot of a table. The one that stays there stands for its equals; the others go on to another
    slot, until none is left.
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
    """The numbers of the words' stems: each is that of the first word with the stem."""
    of_stem: dict[bytes, int] = {}
    numbers = np.zeros(len(words), dtype=np.int64)
    different = np.unique(words)
    for word, begin, end in zip(different.tolist(), begins[different].tolist(), ends[different].tolist(), strict=True):
        numbers[word] = of_stem.setdefault(stemmed(text[begin:end]), word)
    return numbers[words]
