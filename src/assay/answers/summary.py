"""What the sentences of two summaries have in common: the union of longest common subsequences, as in rouge-score."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping

import numpy as np

from assay.answers.blocks import Counts
from assay.answers.data import Answers
from assay.answers.numbering import plain, stemmed
from assay.answers.subsequence import LONGEST, common_length, matched, positions

Sentence = tuple[bytes, ...]


def count_summaries(answers: Answers, *, stem: bool) -> Counts:
    """What the sentences of references and predictions share, and the words of both."""
    rows = []
    for question, (references, prediction) in enumerate(zip(answers.references, answers.predictions, strict=True)):
        given = sentences(prediction, stems=stem)
        for reference in references:
            right = sentences(reference, stems=stem)
            shared = shared_words(beginning(right, LONGEST), beginning(given, LONGEST))
            rows.append((shared, sum(map(len, right)), sum(map(len, given)), question))
    return Counts(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def sentences(text: str, *, stems: bool) -> list[Sentence]:
    """The words of each line that has any."""
    lines = [tuple(plain(line).split()) for line in text.split("\n")]
    if stems:
        lines = [tuple(map(stemmed, line)) for line in lines]
    return [line for line in lines if line]


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
    lines: defaultdict[bytes, set[Sentence]] = defaultdict(set)
    for line in given:
        for word in line:
            lines[word].add(line)
    found: Counter[bytes] = Counter()
    for reference in right:
        found.update(union(reference, lines))
    available = Counter(word for line in given for word in line)
    return sum(min(count, available[word]) for word, count in found.items())


def union(reference: Sentence, lines: Mapping[bytes, set[Sentence]]) -> list[bytes]:
    """The words of a reference's sentence that a common subsequence with any line of the answer uses.

    `lines` are those that have a word.
    """
    places = positions(reference)
    found = 0
    related: set[Sentence] = set()
    for line in related.union(*(lines[word] for word in reference if word in lines)):
        found |= matched(len(reference), columns(places, line))
    return [word for place, word in enumerate(reference) if found >> place & 1]


def columns(places: dict[Hashable, int], line: Sentence) -> list[int]:
    """Where the words of a line stand in the reference. Of words in a row that stand nowhere one is enough."""
    found = [places.get(word, 0) for word in line]
    return [column for column, previous in zip(found, (0, *found), strict=False) if column or previous]
