"""What the sentences of two summaries have in common: the union of longest common subsequences, as in rouge-score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, compress

import numpy as np

from assay.measures.answers.blocks import Counts
from assay.measures.answers.data import Answers
from assay.measures.answers.numbering import LINES, plain, stemmed
from assay.measures.answers.subsequence import LONGEST, common_length, matched, positions

Sentence = tuple[bytes, ...]
# Up to so many lines it is faster to try them all.
FEW = 20


def count_summaries(answers: Answers, *, stem: bool) -> Counts:
    """What the sentences of references and predictions share, and the words of both."""
    rows = []
    for question, (references, prediction) in enumerate(zip(answers.references, answers.predictions, strict=True)):
        given = sentences(prediction, stems=stem)
        given_words = sum(map(len, given))
        for reference in references:
            right = sentences(reference, stems=stem)
            right_words = sum(map(len, right))
            if max(right_words, given_words) > LONGEST:
                shared = shared_words(beginning(right, LONGEST), beginning(given, LONGEST))
            else:
                shared = shared_words(right, given)
            rows.append((shared, right_words, given_words, question))
    return Counts(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def sentences(text: str, *, stems: bool) -> list[Sentence]:
    """The words of each line that has any."""
    lines = [line.split() for line in plain(text, LINES).split(b"\n")]
    return [tuple(map(stemmed, line) if stems else line) for line in lines if line]


def beginning(lines: list[Sentence], longest: int) -> list[Sentence]:
    """The lines up to so many words."""
    kept, left = [], longest
    for line in lines:
        if not left:
            break
        kept.append(line[:left])
        left -= len(kept[-1])
    return kept


def shared_words(right: list[Sentence], given: list[Sentence]) -> int:
    """How many words the union of the longest common subsequences has, none more often than in the answer.

    >>> shared_words([(b"a", b"b", b"c")], [(b"a", b"x"), (b"c", b"c")])
    2
    """
    if len(right) == len(given) == 1:
        return common_length(right[0], given[0])
    lines = list(dict.fromkeys(given))
    lines_with = lines_by_word(lines) if len(lines) > FEW else {}
    words: list[bytes] = []
    for reference in right:
        places = positions(reference)
        related = related_lines(lines, lines_with, places) if lines_with else lines
        found = 0
        for line in related:
            found |= matched(len(reference), places, line)
        words += compress(reference, map("1".__eq__, reversed(f"{found:b}")))
    available = Counter(chain.from_iterable(given))
    return sum(min(count, available[word]) for word, count in Counter(words).items())


def lines_by_word(lines: list[Sentence]) -> dict[bytes, set[int]]:
    """The numbers of the lines that have a word."""
    found: dict[bytes, set[int]] = {}
    for number, line in enumerate(lines):
        for word in line:
            found.setdefault(word, set()).add(number)
    return found


def related_lines(
    lines: list[Sentence], lines_with: Mapping[bytes, set[int]], words: Iterable[bytes]
) -> list[Sentence]:
    """The lines that have one of the words."""
    numbers: set[int] = set()
    for word in words:
        numbers |= lines_with.get(word, set())
    return [lines[number] for number in numbers]
