"""Longest common subsequences: their length, and the one that rouge-score reads out.

Sets of positions are whole numbers, one bit a position, so that a step works on all positions of a text at once;
Hyyrö, Bit-parallel LCS-length computation revisited, 2004.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from assay.measures.answers.blocks import Block, Counts
from assay.measures.answers.numbering import Texts, Words

Word = TypeVar("Word", bound=Hashable)
# Words of a text that are compared: the time grows with the product of the lengths.
LONGEST = 10_000
CHARACTERS = 0x110000


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """How long the longest common subsequence is.

    >>> common_length("abcde", "xbxdx")
    2
    """
    from rapidfuzz.distance import LCSseq

    return int(LCSseq.similarity(one, other))


def count_subsequences(block: Block) -> Counts:
    """How long the common subsequences are, and the texts."""
    right, given = (sequences(texts, block.range) for texts in (block.references, block.paired))
    shared = np.array(list(map(common_length, right, given)), dtype=np.int64)
    return Counts(shared, block.references.lengths, block.paired.lengths, block.questions)


def sequences(texts: Texts, limit: int) -> list[Sequence[Hashable]]:
    """The first words of each text."""
    words, starts = sequence(texts.words, limit), texts.starts.tolist()
    return [words[start : min(end, start + LONGEST)] for start, end in pairwise(starts)]


def sequence(words: Words, limit: int) -> Sequence[Hashable]:
    """The words as characters of a string, which rapidfuzz compares fastest; as a list where they are too many."""
    if limit > CHARACTERS:
        numbers: list[int] = words.tolist()
        return numbers
    return words.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def positions(words: Sequence[Word]) -> dict[Word, int]:
    """The set of positions of each word.

    >>> positions("abba")
    {'a': 9, 'b': 6}
    """
    found = {word: 1 << place for place, word in enumerate(words)}
    if len(found) < len(words):
        for place, word in enumerate(words):
            found[word] |= 1 << place
    return found


def matched(length: int, places: Mapping[Word, int], words: Sequence[Word]) -> int:
    """The positions of a reference that a longest common subsequence with some words uses.

    Of several subsequences it is the one that is found from the end, by going back in the reference before going back
    in the words. The reference has that length, and its words stand at `places`.

    >>> [bin(matched(3, positions("aba"), words)) for words in ("ab", "a", "ax")]
    ['0b11', '0b100', '0b1']
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
