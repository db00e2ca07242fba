"""The randomization test of many pairs: by sums of systems' scores as by each pair's own differences, to the last hit."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernel import Sums
from assay.errors import FormatError
from assay.stats import randomization as module
from assay.stats.pairs import Measured, cliff_delta, couples_of, differences_of
from assay.stats.randomization import Randomization, flipped, packed_signs, randomization, unpacked, width_of
from tables import for_each

SAMPLES = 700


def make_scores(kind, queries, runs, seed):
    """Scores with a tie wherever one can be: of values, of differences, of sums, of whole runs."""
    generator = np.random.default_rng(seed)
    scores = generator.beta(2, 3, size=(queries, runs))
    base = scores[:, :1]
    changed = {
        "smooth": scores,
        "tenths": np.round(scores * 10) / 10,
        "thirds": np.round(scores * 3) / 3,
        "reciprocal": 1 / np.ceil(scores * 12 + 1e-9),
        "mostly equal": np.where(generator.random(scores.shape) < 0.8, base, scores),
        "equal but for rounding": base * (1 + 1e-10 * generator.normal(size=scores.shape)),
        "one query differs": base + (np.arange(queries)[:, None] == 0) * 10.0 ** -np.arange(1, runs + 1),
        "one run twice": scores[:, np.arange(runs) // 2],
        "a constant apart": base + np.arange(runs) / 4,
    }[kind]
    changed[generator.random(queries) < 0.1] = np.nan
    return list(np.ascontiguousarray(changed.T))


KINDS = ("smooth", "tenths", "thirds", "reciprocal", "mostly equal", "equal but for rounding")
KINDS += ("one query differs", "one run twice", "a constant apart")


def both_ways(scores, samples, seed):
    """The p-values of all pairs from the systems' sums, and from a plain product of signs and differences."""
    test = Randomization(samples, seed)
    test.add_between(list(combinations(scores, 2)))
    moved = np.stack([differences_of(a, b) for a, b in combinations(scores, 2)], axis=1)
    return test.p_values().tolist(), flipped(np.nan_to_num(moved), samples, seed).tolist(), moved


@for_each("kind", KINDS)
@for_each("queries", [20, 61, 300])
def test_sums_of_systems_decide_as_sums_of_differences(kind, queries):
    for seed in range(3):
        found, expected, moved = both_ways(make_scores(kind, queries, 6, seed), SAMPLES, seed)
        assert found == expected
        assert randomization(moved, SAMPLES, seed).tolist() == expected


@pytest.mark.parametrize("kind", KINDS[:5] + KINDS[6:8])
def test_what_the_sums_leave_open_the_differences_decide(kind, monkeypatch):
    monkeypatch.setattr(module, "OPEN", np.inf)
    monkeypatch.setattr(module, "SUBTRACTION", 1e-3)
    settled = []
    monkeypatch.setattr(module, "unpacked", lambda *each: settled.append(1) or unpacked(*each))
    test = Randomization(SAMPLES, 1)
    scores = make_scores(kind, 90, 5, 2)
    test.add_between(list(combinations(scores, 2)))
    found = test.p_values().tolist()
    assert settled
    moved = np.stack([differences_of(a, b) for a, b in combinations(scores, 2)], axis=1)
    assert found == flipped(np.nan_to_num(moved), SAMPLES, 1).tolist()


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0]), min_size=4, max_size=4), min_size=9, max_size=40)
)
@settings(max_examples=settings.default.max_examples // 3)
def test_ties_of_sums_are_decided_alike(rows):
    found, expected, _ = both_ways(list(np.ascontiguousarray(np.array(rows).T)), 200, 0)
    assert found == expected


def test_few_queries_try_all_patterns_each_on_its_own_queries():
    scores = make_scores("tenths", 12, 4, 0)
    scores[0][:5] = np.nan
    test = Randomization(5000, 0)
    test.add_between(list(combinations(scores, 2)))
    alone = [
        float(flipped(moved[~np.isnan(moved)][:, None], 5000, 0)[0])
        for moved in (differences_of(a, b) for a, b in combinations(scores, 2))
    ]
    assert test.p_values().tolist() == alone


def test_sums_too_large_to_be_exact_are_tested_too():
    values = np.full((40, 2), 1e307)
    values[::2, 0] *= -1
    with np.errstate(over="ignore", invalid="ignore"):
        found = randomization(values, 100, 0)
        assert found.tolist() == flipped(values, 100, 0).tolist()


@pytest.mark.parametrize("summed", [1, 7, 100, 8192])
@pytest.mark.parametrize("signs", [90, 4_000_000])
def test_signs_are_those_that_were_drawn_however_many_are_summed(summed, signs, monkeypatch):
    monkeypatch.setattr(module, "SIGNS", signs)
    monkeypatch.setattr(module, "SUMMED", summed)
    pieces = list(packed_signs(21, 64, 5))
    generator, rows = np.random.default_rng(5), max(1, signs // 21)
    drawn = [generator.bytes(min(rows, 64 - start) * width_of(21)) for start in range(0, 64, rows)]
    assert b"".join(pieces) == b"".join(drawn)
    assert {len(piece) for piece in pieces[:-1]} <= {3 * summed}


def test_the_kernel_counts_what_bits_reach_and_sums_what_is_drawn():
    generator = np.random.default_rng(3)
    values = generator.integers(-50, 50, size=(27, 11)).astype(np.float64)
    bits = generator.bytes(3000 * 4)
    table = Sums(values.tobytes(), 11)
    halves = np.abs(unpacked(bits, 27) @ values - values.sum(axis=0) / 2)
    least, most = np.full(11, 20.0), np.full(11, 60.0)
    tests = [np.arange(11, dtype=np.uint32), np.full(11, module.NO_COLUMN, dtype=np.uint32), least, most]
    draws = np.random.default_rng(8).integers(27, size=(6, 27), dtype=np.int32)
    for threads in (1, 2, 9):
        counts, places = table.reached(bits, 4, *(each.tobytes() for each in tests), threads)
        assert np.array_equal(np.frombuffer(counts, dtype=np.uint64), (halves >= most).sum(axis=0))
        is_open = np.zeros(halves.shape, dtype=bool)
        left, samples = np.frombuffer(places, dtype=np.uint32).reshape(-1, 2).T
        is_open[samples, left] = True
        assert np.array_equal(is_open, (halves >= least) & (halves < most))
        sums = np.frombuffer(table.drawn(draws.tobytes(), threads)).reshape(11, 6).T
        assert np.array_equal(sums, values[draws].sum(axis=1))


@for_each("width, column, message", [(2, 0, "3 entries are not samples of 2"), (3, 7, "column 7")])
def test_the_kernel_refuses_what_it_cannot_sum(width, column, message):
    tests = [np.array([column], dtype=np.uint32).tobytes()] * 2 + [np.array([1.0]).tobytes()] * 2
    with pytest.raises(FormatError, match=message):
        Sums(np.array([1.0, 2.0]).tobytes(), 1).reached(b"123", width, *tests, 1)


@for_each("kind", KINDS)
def test_shared_scores_give_cliffs_delta(kind):
    runs = {str(number): each for number, each in enumerate(make_scores(kind, 50, 5, 4))}
    for couple in couples_of("", Measured(runs), list(combinations(runs, 2))):
        assert couple.is_shared
        first, second = (runs[run][~np.isnan(runs[run])] for run in (couple.a, couple.b))
        expected = np.sign(second - first[:, None]).sum() / (len(first) * len(second))
        assert couple.cliff_delta == cliff_delta(first, second) == expected
    [couple] = couples_of("", Measured({"a": np.array([np.nan]), "b": np.array([np.nan])}), [("a", "b")])
    assert np.isnan(couple.cliff_delta)
