"""Counts of n-grams that texts share, for a block of questions at once."""

from __future__ import annotations

import numpy as np

from assay.answers.blocks import Block, Counts
from assay.answers.numbering import Numbers, Texts

Coded = tuple[Numbers, Numbers]
LARGEST = 2**62


def ngram_totals(texts: Texts, size: int) -> Numbers:
    """How many n-grams each text has."""
    return np.maximum(texts.lengths - size + 1, 0)


def count_ngrams(block: Block, size: int) -> Counts:
    given = ngram_totals(block.predictions, size)[block.questions]
    return Counts(shared_ngrams(block, size), ngram_totals(block.references, size), given, block.questions)


def shared_ngrams(block: Block, size: int) -> Numbers:
    """How many n-grams each reference shares with its prediction, as often as both have them."""
    right, given, codes = ngram_codes(block, size)
    right_codes, right_owners = right
    given_codes, given_owners = given
    right_keys, right_counts = tally(right_owners * codes + right_codes)
    given_keys, given_counts = tally(given_owners * codes + given_codes)
    references, code = np.divmod(right_keys, codes)
    wanted = block.questions[references] * codes + code
    places = np.minimum(np.searchsorted(given_keys, wanted), max(len(given_keys) - 1, 0))
    is_found = given_keys[places] == wanted if len(given_keys) else np.zeros(len(wanted), dtype=np.bool_)
    shared = np.minimum(right_counts[is_found], given_counts[places[is_found]])
    return np.bincount(references[is_found], shared, minlength=len(block.questions)).astype(np.int64)


def ngram_codes(block: Block, size: int) -> tuple[Coded, Coded, int]:
    """The n-grams of references and predictions as numbers with the text of each, and what the numbers are below."""
    sides = [block.references, block.predictions]
    owners = [each.owners for each in sides]
    words = [each.words.astype(np.int64) for each in sides]
    codes, limit = words, block.range
    texts = max(len(each.starts) for each in sides)
    for place in range(1, size):
        codes = [code[:-1] * block.range + word[place:] for code, word in zip(codes, words, strict=True)]
        limit *= block.range
        if limit * max(texts, block.range) > LARGEST:
            codes, limit = renumbered(codes)
    inside = [owner[: len(code)] == owner[size - 1 :] for owner, code in zip(owners, codes, strict=True)]
    right, given = (
        (code[mask], owner[: len(code)][mask]) for code, owner, mask in zip(codes, owners, inside, strict=True)
    )
    return right, given, limit


def renumbered(codes: list[Numbers]) -> tuple[list[Numbers], int]:
    """The same codes as small numbers."""
    different, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    cut = len(codes[0])
    return [numbers[:cut], numbers[cut:]], max(len(different), 1)


def tally(keys: Numbers) -> Coded:
    """The different keys in order, and how often each is there."""
    ordered = np.sort(keys)
    firsts = np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), dtype=np.bool_), ordered[1:] != ordered[:-1])))
    return ordered[firsts], np.diff(np.append(firsts, len(keys)))
