"""Fisher's randomization test: how often random signs give a mean difference at least as large.

Sums of signed differences are exact (`summable`), so that they can be taken in any order. If there are more pairs of
systems than systems, the signs are applied to the systems' scores and their sums subtracted, which differs from the
sum of a pair's own differences by no more than is known; if that leaves a comparison open, the pair's own sum decides.
For a score of summed statistics, such as corpus BLEU, the statistics of both systems are swapped on random queries, and
scored again: Riezler and Maxwell, On some pitfalls in automatic evaluation and significance testing for MT, 2005.
Smucker et al., A comparison of statistical significance tests for information retrieval evaluation, CIKM 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay._kernel import Sums
from assay.core.judged import FloatArray
from assay.core.progress import Report
from assay.engine.kernel import count_threads
from assay.stats.intervals import ROUNDING, Arrays, is_summable, summable
from assay.stats.pairs import PooledSums, differences_of, rounded_of

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
# Of a test without a column to subtract.
NO_COLUMN = 2**32 - 1
# The tests that can test a score of summed statistics; the others test values per query.
POOLED_TESTS = ("randomization",)


def randomization(differences: FloatArray, samples: int, seed: int, report: Report | None = None) -> FloatArray:
    """The p-value of each column, one row per query; NaN marks a query that does not count."""
    test = Randomization(samples, seed)
    for column in differences.T:
        test.add(column)
    return test.p_values(report)


def is_exact(count: Any, samples: int) -> Any:  # noqa: ANN401 - a number, or an array of them
    """Whether this many queries have no more sign patterns than samples, so that all are tried and none is drawn."""
    return count < samples.bit_length()


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


class Randomization:
    """The test of many pairs of systems, all by the same random signs."""

    def __init__(self, samples: int, seed: int) -> None:
        self._samples = samples
        self._seed = seed
        self._count = 0
        # What is summed over the queries of each sample: the differences of a pair, or the scores of a system.
        self._columns: list[FloatArray] = []
        # By the identity of a system's array: the array, kept so that no other gets its identity, the number of its
        # column, and how large the values of that are together.
        self._systems: dict[int, tuple[FloatArray, int, float]] = {}
        # By the number of the pair: those tested by sums of columns, and the differences of the others.
        self._tested: dict[int, Tested] = {}
        self._apart: dict[int, FloatArray] = {}

    def add(self, differences: FloatArray) -> None:
        """Adds a pair by its differences, one per query."""
        counted = ~np.isnan(differences)
        values = differences if np.isfinite(differences).all() else np.nan_to_num(differences)
        if is_exact(np.count_nonzero(counted), self._samples):
            self._apart[self._count] = differences[counted]
        elif not is_summable(values):
            self._apart[self._count] = values
        else:
            values = summable(values)
            # Half of what a signed sum must reach to be as large as the observed one, up to rounding.
            reached = (abs(float(values.sum())) - ROUNDING * float(np.abs(values).sum())) / 2
            self._tested[self._count] = Tested(len(self._columns), None, reached, 0.0, lambda: values)
            self._columns.append(values)
        self._count += 1

    def add_between(self, pairs: Sequence[Arrays]) -> None:
        """Adds pairs by the scores of their systems, arrays that other pairs have too, on all cores."""
        systems = [(self._system(a), self._system(b)) for a, b in pairs]
        columns = [(self._columns[before], self._columns[after]) for (before, _), (after, _) in systems]
        for pair, sides, each in zip(pairs, systems, rounded_of(pairs, columns), strict=True):
            (before, size_before), (after, size_after) = sides
            is_open = each.gap / 2 + SUBTRACTION * (size_before + size_after + each.size)
            # By itself if the columns of its systems leave too much open.
            if is_exact(each.counted, self._samples) or not is_open <= OPEN * ROUNDING * each.size:
                self.add(differences_of(*pair))
            else:
                reached, own = (abs(each.total) - ROUNDING * each.size) / 2, partial(differences_of, *pair)
                self._tested[self._count] = Tested(after, before, reached, is_open, own)
                self._count += 1

    def _system(self, scores: FloatArray) -> tuple[int, float]:
        """The number of a system's column, and how large its values are together."""
        if id(scores) not in self._systems:
            column = summable(np.nan_to_num(scores))
            self._systems[id(scores)] = (scores, len(self._columns), float(np.abs(column).sum()))
            self._columns.append(column)
        _, number, size = self._systems[id(scores)]
        return number, size

    def p_values(self, report: Report | None = None) -> FloatArray:
        """The p-value of each pair, in the order in which they were added."""
        p_values = np.ones(self._count)
        groups: dict[int, list[int]] = {}
        for number, values in self._apart.items():
            groups.setdefault(len(values), []).append(number)
        for numbers in groups.values():
            differences = np.stack([self._apart[number] for number in numbers], axis=1)
            p_values[numbers] = flipped(differences, self._samples, self._seed)
        if self._tested:
            p_values[list(self._tested)] = (self._hits(report) + 1.0) / (self._samples + 1.0)
        elif report is not None:
            report(1.0)
        return p_values

    def _hits(self, report: Report | None) -> FloatArray:
        """How many samples reach what was observed, for each pair that is tested by sums."""
        tests, done, queries = list(self._tested.values()), 0, len(self._columns[0])
        plus = np.array([each.plus for each in tests], dtype=np.uint32)
        minus = np.array([NO_COLUMN if each.minus is None else each.minus for each in tests], dtype=np.uint32)
        reached, is_open = np.array([each.reached for each in tests]), np.array([each.open for each in tests])
        columns = (plus.tobytes(), minus.tobytes(), (reached - is_open).tobytes(), (reached + is_open).tobytes())
        table = Sums(np.stack(self._columns, axis=1).tobytes(), len(self._columns))
        hits, width, threads = np.zeros(len(tests)), width_of(queries), count_threads(None)
        for bits in packed_signs(queries, self._samples, self._seed):
            counts, places = table.reached(bits, width, *columns, threads)
            hits += np.frombuffer(counts, dtype=np.uint64)
            left, samples = np.frombuffer(places, dtype=np.uint32).reshape(-1, 2).T.astype(np.int64)
            rows = np.frombuffer(bits, dtype=np.uint8).reshape(-1, width)
            for number in np.unique(left):
                # The differences themselves decide.
                values = summable(np.nan_to_num(tests[number].values()))
                flips = unpacked(rows[samples[left == number]].tobytes(), queries).astype(np.float64)
                hits[number] += (np.abs(values.sum() / 2 - flips @ values) >= tests[number].reached).sum()
            done += len(bits) // width
            if report is not None:
                report(done / self._samples)
        return hits


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
    return -(-count // 8)


def unpacked(bits: bytes, count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
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


def share_of(hits: FloatArray, count: int, samples: int) -> FloatArray:
    """The p-value: the share of hits among all patterns, or among those drawn and the observed one."""
    return hits / 2**count if is_exact(count, samples) else (hits + 1.0) / (samples + 1.0)


def sign_patterns(count: int, samples: int, seed: int, report: Report | None) -> Iterator[FloatArray]:
    """All sign patterns of this many queries, or random ones, in blocks: 1 marks a flipped sign."""
    total = 2**count if is_exact(count, samples) else samples
    generator = np.random.default_rng(seed)
    rows = max(1, SIGNS // max(1, count))
    for start in range(0, total, rows):
        number = min(rows, total - start)
        if is_exact(count, samples):
            # In the order of binary numbers.
            yield (np.arange(start, start + number)[:, None] >> np.arange(count) & 1).astype(np.float64)
        else:
            yield unpacked(generator.bytes(number * width_of(count)), count).astype(np.float64)
        if report is not None:
            report((start + number) / total)


def swapped_p(sums: PooledSums, samples: int, seed: int, report: Report | None = None) -> float:
    """How often swapping the runs on random queries gives a difference at least as large."""
    count = len(sums.both)
    # Stacked, so that both runs are rounded alike and sums with swapped statistics are exact too.
    first, second = np.split(summable(np.concatenate(np.split(sums.both, 2, axis=1))), 2)
    gain = np.concatenate([second - first, first - second], axis=1)
    totals = np.concatenate([first, second], axis=1).sum(axis=0)
    observed = sums.scores(totals)
    reached = np.abs(np.diff(observed)) - ROUNDING * np.abs(observed).max()
    hits = np.zeros(1)
    for flips in sign_patterns(count, samples, seed, report):
        hits += (np.abs(np.diff(sums.scores(totals + flips @ gain))) >= reached).sum()
    return float(share_of(hits, count, samples)[0])
