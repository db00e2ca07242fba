"""Spark's `xxhash64` of texts, computed on the driver: XXH64 (xxhash.com) of their UTF-8, with Spark's seed.

Executors look ids up by these hashes and need not hold the ids. Texts of one length are hashed together, by numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars
import pyarrow

if TYPE_CHECKING:
    from numpy import uint64
    from numpy.typing import NDArray

    Hashes = NDArray[uint64]

SEED = 42
P1, P2, P3, P4, P5 = (
    np.uint64(number)
    for number in (
        0x9E3779B185EBCA87,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)
STRIPE = 32
# Texts that are hashed at a time, which takes some ten times their bytes.
PART = 1 << 16


def xxhash64(*columns: polars.Series) -> polars.Series:
    """Spark's hash of one or more columns of texts without nulls, row by row; a column's hash is the next one's seed.

    >>> xxhash64(polars.Series(["Spark"])).to_list()
    [-4294468057691064905]
    """
    hashes = np.full(len(columns[0]), SEED, dtype=np.uint64)
    for column in columns:
        for start in range(0, len(column), PART):
            hash_column(column[start : start + PART], hashes[start : start + PART])
    return polars.Series("hash", hashes.view(np.int64))


def hash_column(column: polars.Series, hashes: Hashes) -> None:
    """Replaces seeds by the hashes of texts."""
    array = column.cast(polars.String).to_arrow(compat_level=polars.CompatLevel.oldest())
    array = array.cast(pyarrow.large_string())
    _, places, content = array.buffers()
    starts = np.frombuffer(places, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    octets = np.frombuffer(content or b"", dtype=np.uint8)
    lengths = np.diff(starts)
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        texts = octets[starts[chosen][:, None] + np.arange(length)]
        hashes[chosen] = hash_texts(np.ascontiguousarray(texts), hashes[chosen])


def hash_texts(texts: NDArray[np.uint8], seeds: Hashes) -> Hashes:
    """The hashes of texts of the same length, one in each row."""
    length = texts.shape[1]
    place = length - length % STRIPE
    made = hash_stripes(texts[:, :place], seeds) if place else seeds + P5
    made = made + np.uint64(length)
    while place + 8 <= length:
        made = rotate(made ^ mix(np.uint64(0), words(texts, place, 8)), 27) * P1 + P4
        place += 8
    if place + 4 <= length:
        made = rotate(made ^ (words(texts, place, 4) * P1), 23) * P2 + P3
        place += 4
    for at in range(place, length):
        made = rotate(made ^ (texts[:, at].astype(np.uint64) * P5), 11) * P1
    for shift, factor in ((33, P2), (29, P3)):
        made = (made ^ (made >> np.uint64(shift))) * factor
    return made ^ (made >> np.uint64(32))


def hash_stripes(texts: NDArray[np.uint8], seeds: Hashes) -> Hashes:
    """What four sums make of texts whose length is a multiple of 32."""
    sums = [seeds + P1 + P2, seeds + P2, seeds, seeds - P1]
    for place in range(0, texts.shape[1], STRIPE):
        sums = [mix(each, words(texts, place + 8 * lane, 8)) for lane, each in enumerate(sums)]
    made = rotate(sums[0], 1) + rotate(sums[1], 7) + rotate(sums[2], 12) + rotate(sums[3], 18)
    for each in sums:
        made = (made ^ mix(np.uint64(0), each)) * P1 + P4
    return made


def mix(total: Hashes | uint64, word: Hashes) -> Hashes:
    """A sum with one more word."""
    return rotate(total + word * P2, 31) * P1


def rotate(numbers: Hashes, bits: int) -> Hashes:
    """The bits of each number moved up, those at the top to the bottom."""
    return (numbers << np.uint64(bits)) | (numbers >> np.uint64(64 - bits))


def words(texts: NDArray[np.uint8], place: int, size: int) -> Hashes:
    """The number that some bytes of each text are."""
    chosen = np.ascontiguousarray(texts[:, place : place + size])
    return chosen.view(f"<u{size}")[:, 0].astype(np.uint64)
