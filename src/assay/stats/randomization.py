"""Fisher's randomization test: how often random signs give a mean difference at least as large.

Sums of signed differences are exact (`summable`), so that they can be taken in any order. If there are more pairs of
systems than systems, the signs are applied to the systems' scores and their sums subtracted, which differs from the
sum of a pair's own differences by no more than is known; if that leaves a comparison open, the pair's own sum decides.
Smucker et al., A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay._kernel import Sums
from assay.core.judged import FloatArray
from assay.core.progress import Report
from assay.engine.local import count_threads, map_in_threads
from assay.stats.intervals import ROUNDING, is_summable, summable

# Signs drawn at a time. The draws depend on it, and so does every p-value.
SIGNS = 4_000_000
# Samples, and bytes of signs, that are summed at a time; they bound the memory for any number of queries and samples.
SUMMED = 8192
SUMMED_BYTES = 8_000_000
# A pair's own differences are summed if what is not known of the systems' sums is more than this share of the rounding
# that the test allows for: equal sums, which are common, must not be left open.
OPEN = 0.25
# Rounding of a few subtractions, relative to what is subtracted.
SUBTRACTION = 2.0**-50

Prepare = Callable[[FloatArray], FloatArray]


def randomization(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """The p-value of each column, one row per query; NaN marks a query that does not count.

    All sign patterns are tried if there are no more of them than samples; else p = (c + 1) / (samples + 1).
    """
    test = Randomization(samples, seed)
    for column in differences.T:
        test.add(column)
    return test.p_values(report)


def is_exact(count: Any, samples: int) -> Any:  # noqa: ANN401 - a number, or an array of them
    """Whether this many queries have no more sign patterns than samples, so that all are tried and none is drawn."""
    return count < samples.bit_length()


def share_of(hits: FloatArray, count: int, samples: int) -> FloatArray:
    """The p-value: the share of hits among all patterns, or among those drawn and the observed one."""
    return hits / 2**count if is_exact(count, samples) else (hits + 1.0) / (samples + 1.0)


class Tested(NamedTuple):
    """Differences to be tested: the column of sums `plus`, less the column `minus` if there is one.

    Half of the signed sum must reach `reached`. What the columns give for it is at most `open` away from it; `values`
    makes the differences themselves, which decide if that matters.
    """

    plus: int
    minus: int | None
    reached: float
    open: float
    values: Callable[[], FloatArray]


class Between(NamedTuple):
    """Two systems by the scores of their queries, arrays that other pairs have too, and how these are subtracted.

    `prepare` makes what is summed of the scores of one system.
    """

    a: FloatArray
    b: FloatArray
    difference: Callable[[FloatArray, FloatArray], FloatArray]
    prepare: Prepare

    def subtract(self) -> FloatArray:
        """The differences, one per query."""
        return self.difference(self.a, self.b)


class Randomization:
    """The test of many pairs of systems, all by the same random signs."""

    def __init__(self, samples: int, seed: int) -> None:
        self._samples = samples
        self._seed = seed
        self._count = 0
        # What is summed over the queries of each sample, and the systems' columns by the array they were made of.
        self._columns: list[FloatArray] = []
        self._systems: dict[int, tuple[FloatArray, int]] = {}
        # How large the values of a system's column are together.
        self._sizes: dict[int, float] = {}
        # By the number of the pair: those tested by sums of columns, and the differences of the others.
        self._tested: dict[int, Tested] = {}
        self._apart: dict[int, FloatArray] = {}

    def add(self, differences: FloatArray) -> None:
        """Adds a pair by its differences, one per query."""
        values = self._summed(differences)
        if values is not None:
            self._add_own(values)
        self._count += 1

    def add_between(self, couples: Sequence[Between]) -> None:
        """Adds pairs by the scores of their systems, on all cores."""
        columns = [(self._system(each.a, each.prepare), self._system(each.b, each.prepare)) for each in couples]
        for made in map_in_threads(self._examine, zip(couples, columns, strict=True)):
            if isinstance(made, Tested):
                self._tested[self._count] = made
                self._count += 1
            else:
                self.add(made)

    def _examine(self, pair: tuple[Between, tuple[int, int]]) -> Tested | FloatArray:
        """The test of a pair by the columns of its systems; its differences if it must be tested by itself."""
        couple, (before, after) = pair
        differences = couple.subtract()
        if is_exact(np.count_nonzero(~np.isnan(differences)), self._samples):
            return differences
        values = whole(differences)
        if not is_summable(values):
            return differences
        values = summable(values)
        first, second, size = self._columns[before], self._columns[after], size_of(values)
        is_open = float(np.abs(values - (second - first)).sum()) / 2
        is_open += SUBTRACTION * (self._sizes[before] + self._sizes[after] + size)
        if not is_open <= OPEN * ROUNDING * size:
            return differences
        return Tested(after, before, half_reached(values, size), is_open, couple.subtract)

    def p_values(self, report: Report | None = None) -> FloatArray:
        """The p-value of each pair, in the order in which they were added."""
        p_values = np.ones(self._count)
        for numbers, differences in self._groups_apart():
            p_values[numbers] = flipped(differences, self._samples, self._seed)
        if self._tested:
            p_values[list(self._tested)] = (self._hits(report) + 1.0) / (self._samples + 1.0)
        elif report is not None:
            report(1.0)
        return p_values

    def _summed(self, differences: FloatArray) -> FloatArray | None:
        """What is summed of a pair; None if all its sign patterns are tried, or if its sums are too large."""
        is_counted = ~np.isnan(differences)
        count = np.count_nonzero(is_counted)
        if is_exact(count, self._samples):
            self._apart[self._count] = differences[is_counted]
            return None
        values = whole(differences)
        if not is_summable(values):
            self._apart[self._count] = values
            return None
        return summable(values)

    def _groups_apart(self) -> Iterator[tuple[list[int], FloatArray]]:
        groups: dict[int, list[int]] = {}
        for number, values in self._apart.items():
            groups.setdefault(len(values), []).append(number)
        for numbers in groups.values():
            yield numbers, np.stack([self._apart[number] for number in numbers], axis=1)

    def _add_own(self, values: FloatArray) -> None:
        self._columns.append(values)
        reached = half_reached(values, size_of(values))
        self._tested[self._count] = Tested(len(self._columns) - 1, None, reached, 0.0, lambda: values)

    def _system(self, scores: FloatArray, prepare: Prepare) -> int:
        """The number of a system's column."""
        if id(scores) not in self._systems:
            column = summable(np.nan_to_num(prepare(scores)))
            self._sizes[len(self._columns)] = size_of(column)
            self._columns.append(column)
            # The array is kept, so that no other gets its identity.
            self._systems[id(scores)] = (scores, len(self._columns) - 1)
        return self._systems[id(scores)][1]

    def _hits(self, report: Report | None) -> FloatArray:
        """How many samples reach what was observed, for each pair that is tested by sums."""
        hits, done = np.zeros(len(self._tested)), 0
        table = Sums(np.stack(self._columns, axis=1).tobytes(), len(self._columns))
        count, threads = len(self._columns[0]), count_threads(None)
        halves = np.array([column.sum() / 2 for column in self._columns])
        for bits in packed_signs(count, self._samples, self._seed):
            sums = np.frombuffer(table.chosen(bits, width_of(count), threads)).reshape(len(halves), -1)
            # Half of the signed sum, with its sign turned.
            centred = sums - halves[:, None]
            hits += map_in_threads(partial(count_reached, centred=centred, bits=bits), self._tested.values())
            done += centred.shape[1]
            if report is not None:
                report(done / self._samples)
        return hits


def whole(differences: FloatArray) -> FloatArray:
    """The differences with 0 for queries that do not count."""
    return differences if np.isfinite(differences).all() else np.nan_to_num(differences)


def size_of(values: FloatArray) -> float:
    """How large the values are together."""
    return float(np.abs(values).sum())


def half_reached(values: FloatArray, size: float) -> float:
    """Half of what a signed sum must reach to be as large as the observed one, up to rounding."""
    return float(np.abs(values.sum()) - ROUNDING * size) / 2


def count_reached(tested: Tested, centred: FloatArray, bits: bytes) -> int:
    """How many of some samples reach what was observed; `centred` has a row per column of sums."""
    halves = centred[tested.plus] if tested.minus is None else centred[tested.plus] - centred[tested.minus]
    halves = np.abs(halves)
    sure = int(np.count_nonzero(halves >= tested.reached + tested.open))
    if not tested.open or np.count_nonzero(halves >= tested.reached - tested.open) == sure:
        return sure
    places = np.flatnonzero((halves >= tested.reached - tested.open) & (halves < tested.reached + tested.open))
    values = summable(np.nan_to_num(tested.values()))
    flips = unpacked(bits, len(values))[places].astype(np.float64)
    return sure + int((np.abs(values.sum() / 2 - flips @ values) >= tested.reached).sum())


def packed_signs(count: int, samples: int, seed: int) -> Iterator[bytes]:
    """Random signs for all samples, one bit per query, some samples at a time."""
    generator = np.random.default_rng(seed)
    rows, width = max(1, SIGNS // count), width_of(count)
    size = min(SUMMED, max(1, SUMMED_BYTES // width)) * width
    held = b""
    for start in range(0, samples, rows):
        held += generator.bytes(min(rows, samples - start) * width)
        for first in range(0, len(held) - size + 1, size):
            yield held[first : first + size]
        held = held[len(held) // size * size :]
    if held:
        yield held


def width_of(count: int) -> int:
    """The bytes that the signs of this many queries take."""
    return -(-count // 8)


def unpacked(bits: bytes, count: int) -> NDArray[np.uint8]:
    """One row per sample, 1 for a flipped sign."""
    rows = np.frombuffer(bits, dtype=np.uint8).reshape(-1, width_of(count))
    return np.unpackbits(rows, axis=1, count=count)


def flipped(differences: FloatArray, samples: int, seed: int) -> FloatArray:
    """The p-value of each column, all by the same signs, and by sums that need not be exact."""
    values = summable(differences)
    observed = values.sum(axis=0)
    reached = np.abs(observed) - ROUNDING * np.abs(values).sum(axis=0)
    hits = np.zeros(values.shape[1])
    for flips in sign_patterns(len(values), samples, seed, None):
        hits += (np.abs(observed - 2.0 * (flips @ values)) >= reached).sum(axis=0)
    return share_of(hits, len(values), samples)


def sign_patterns(count: int, samples: int, seed: int, report: Report | None) -> Iterator[FloatArray]:
    """All sign patterns of this many queries, or random ones, in blocks: 1 marks a flipped sign."""
    total = 2**count if is_exact(count, samples) else samples
    generator = np.random.default_rng(seed)
    rows = max(1, SIGNS // max(1, count))
    for start in range(0, total, rows):
        number = min(rows, total - start)
        yield all_flips(start, number, count) if is_exact(count, samples) else random_flips(generator, number, count)
        if report is not None:
            report((start + number) / total)


def all_flips(start: int, rows: int, count: int) -> FloatArray:
    """Some of the patterns, 1 for a flipped sign, in the order of binary numbers."""
    bits = np.arange(start, start + rows)[:, None] >> np.arange(count) & 1
    return bits.astype(np.float64)


def random_flips(generator: np.random.Generator, rows: int, count: int) -> FloatArray:
    """Rows of random patterns, 1 for a flipped sign."""
    return unpacked(generator.bytes(rows * width_of(count)), count).astype(np.float64)
