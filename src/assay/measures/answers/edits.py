"""Edit distances of long texts in bounded time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edits(one: Sequence[Hashable], other: Sequence[Hashable], longest: int) -> int:
    """Insertions, deletions and substitutions that make one the other.

    Of sequences longer than `longest` the beginnings are compared and the rest counts as edits, so that the number is
    never too small.

    >>> edits("kitten", "sitting", 100), edits("abcdef", "bcdefg", 3), edits("abcdef", "bcdefg", 6)
    (3, 5, 2)
    """
    from rapidfuzz.distance import Levenshtein

    rest = max(len(one) - longest, len(other) - longest, 0)
    return int(Levenshtein.distance(one[:longest], other[:longest])) + rest
