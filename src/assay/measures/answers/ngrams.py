"""Counts of n-grams that texts share, for a block of questions at once."""

from __future__ import annotations

import numpy as np

from assay.measures.answers.blocks import Block, Counts
from assay.measures.answers.numbering import Numbers, Texts

# Keys have three bits more at most.
LARGEST = 2**59


def ngram_totals(texts: Texts, size: int) -> Numbers:
    """How many n-grams each text has."""
    return np.maximum(texts.lengths - size + 1, 0)


def count_ngrams(block: Block, size: int) -> Counts:
    right, given = (ngram_totals(texts, size) for texts in (block.references, block.paired))
    return Counts(shared_ngrams(block, size), right, given, block.questions)


def shared_ngrams(block: Block, size: int) -> Numbers:
    """How many n-grams each reference shares with its prediction, as often as both have them.

    Each n-gram gets a key of its reference, of its words and, in the last bit, of the side it is on. In order, equal
    n-grams of both sides then stand together.
    """
    codes, limit = ngram_codes(block, size)
    right, given = block.references.lengths, block.paired.lengths
    pairs = np.arange(len(right)) << (limit.bit_length() + 1)
    bases = np.repeat(np.concatenate((pairs, pairs | 1)), np.concatenate((right, given)))
    inside = bases[: len(codes)] == bases[size - 1 :]
    keys, counts = tally((bases[: len(codes)] + (codes << 1))[inside])
    both = np.flatnonzero((keys[1:] == keys[:-1] + 1) & (keys[:-1] & 1 == 0))
    shared = np.minimum(counts[both], counts[both + 1])
    return np.bincount(keys[both] >> (limit.bit_length() + 1), shared, minlength=len(right)).astype(np.int64)


def ngram_codes(block: Block, size: int) -> tuple[Numbers, int]:
    """The n-grams of references and predictions as numbers, and what those are below."""
    words = np.concatenate((block.references.words, block.paired.words)).astype(np.int64)
    codes, limit = words, block.range
    for place in range(1, size):
        codes = codes[:-1] * block.range + words[place:]
        limit *= block.range
        if limit * max(len(block.questions), block.range) > LARGEST:
            different, codes = np.unique(codes, return_inverse=True)
            limit = max(len(different), 1)
    return codes, limit


def tally(keys: Numbers) -> tuple[Numbers, Numbers]:
    """The different keys in order, and how often each is there."""
    ordered = np.sort(keys)
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    firsts = np.flatnonzero(is_first)
    return ordered[firsts], np.diff(np.append(firsts, len(keys)))
