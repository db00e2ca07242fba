"""Longest common subsequences: their length, and the one that rouge-score reads out.

Sets of positions are whole numbers, one bit a position, so that a step works on all positions of a text at once;
Hyyrö, Bit-parallel LCS-length computation revisited, 2004.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from assay.answers.blocks import Block, Counts
from assay.answers.numbering import Words

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
    right, given = (sequence(each.words, block.range) for each in (block.references, block.predictions))
    right_starts, given_starts = block.references.starts.tolist(), block.predictions.starts.tolist()
    shared = [
        common_length(
            right[right_starts[place] : min(right_starts[place + 1], right_starts[place] + LONGEST)],
            given[given_starts[question] : min(given_starts[question + 1], given_starts[question] + LONGEST)],
        )
        for place, question in enumerate(block.questions.tolist())
    ]
    lengths = block.predictions.lengths[block.questions]
    return Counts(np.array(shared, dtype=np.int64), block.references.lengths, lengths, block.questions)


def sequence(words: Words, limit: int) -> Sequence[Hashable]:
    """The words as characters of a string, which rapidfuzz compares fastest; as a list where they are too many."""
    if limit > CHARACTERS:
        numbers: list[int] = words.tolist()
        return numbers
    return words.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def positions(words: Sequence[Hashable]) -> dict[Hashable, int]:
    """The set of positions of each word.

    >>> positions("abba")
    {'a': 9, 'b': 6}
    """
    found: dict[Hashable, int] = {}
    for place, word in enumerate(words):
        found[word] = found.get(word, 0) | (1 << place)
    return found


def matched(length: int, columns: list[int]) -> int:
    """The positions of a reference of that length that a longest common subsequence uses.

    A column is the set of positions where one word of the other text stands. Of several subsequences it is the one
    that is found from the end, by going back in the reference before going back in the other text.

    >>> bin(matched(3, [0b001, 0b010])), bin(matched(3, [0b101])), bin(matched(3, [0b101, 0]))
    ('0b11', '0b100', '0b1')
    """
    everywhere = (1 << length) - 1
    state, states = everywhere, []
    for column in columns:
        if both := state & column:
            state = (state + both) | (state - both)
        states.append(state)
    found, below = 0, everywhere
    # A bit that is missing from a state is a position where the common length grows.
    for column, state in zip(reversed(columns), reversed(states), strict=True):
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
