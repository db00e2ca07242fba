"""What the differences of many pairs come to: the same bits as NumPy's, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._kernel import Lists
from assay.errors import FormatError
from assay.stats import intervals
from assay.stats import pairs as module
from assay.stats.intervals import batches_of, is_summable, summable
from assay.stats.pairs import differences_of, figures_of, rounded_of

ODD = [0.0, -0.0, 0.1, 0.2, 0.30000000000000004, 0.3, 1.0, np.nan, np.inf, -np.inf, 1e300, -1e308, 5e-324]
NUMBERS = st.sampled_from(ODD) | st.floats(-1, 1)


def expected_figures(a, b):
    moved = differences_of(a, b)
    counted = moved[~np.isnan(moved)]
    with np.errstate(all="ignore"):
        squares = (counted - counted.sum() / len(counted)) ** 2
        bounds = (counted.min(initial=np.inf), counted.max(initial=-np.inf))
        return (len(counted), (counted > 0).sum(), (counted < 0).sum(), *bounds, counted.sum(), squares.sum())


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=300))
@settings(max_examples=settings.default.max_examples * 3 // 4)
def test_figures_have_the_bits_of_numpy(rows):
    a, b = np.array(rows, dtype=np.float64).reshape(-1, 2).T.copy()
    np.testing.assert_array_equal(figures_of([(a, b)])[0], expected_figures(a, b))


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 127, 128, 129, 136, 255, 1000, 6980, 100_003])
def test_sums_and_deviations_have_the_bits_of_numpy(size):
    a, b = np.random.default_rng(size).beta(2, 3, size=(2, size))
    figures = figures_of([(a, b)])[0]
    moved = differences_of(a, b)
    assert figures.total == moved.sum()
    if size > 1:
        assert np.sqrt(figures.squares / (size - 1)) == moved.std(ddof=1)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=60))
@settings(max_examples=settings.default.max_examples * 3 // 4)
def test_rounded_differences_are_summable_ones(rows):
    a, b = np.array(rows, dtype=np.float64).T.copy()
    moved = differences_of(a, b)
    found = rounded_of([(a, b)], [(np.zeros(len(a)), np.ones(len(a)))])[0]
    assert found.counted == (~np.isnan(moved)).sum()
    with np.errstate(over="ignore"):
        values = np.where(np.isnan(moved), 0.0, moved)
        assert np.isnan(found.size) != is_summable(values)
    if is_summable(values):
        values = summable(values)
        assert (found.size, found.total) == (np.abs(values).sum(), values.sum())
        assert found.gap == pytest.approx(np.abs(values - 1).sum())


def test_pairs_in_batches_are_the_same_on_any_number_of_threads(monkeypatch):
    arrays = list(np.random.default_rng(0).beta(2, 3, size=(6, 50)))
    pairs = [(a, b) for a in arrays for b in arrays]
    expected = [figures_of([pair])[0] for pair in pairs]
    for threads in (1, 2, 5):
        monkeypatch.setattr(module, "count_threads", lambda _, threads=threads: threads)
        assert figures_of(pairs) == expected
    monkeypatch.setattr(intervals, "PASSED", 3 * 400)
    assert len(list(batches_of(pairs))) > 3
    assert max(len(batch.arrays) for batch in batches_of(pairs)) <= 3
    assert figures_of(pairs) == expected


def test_arrays_of_other_lengths_are_in_other_batches():
    short, long = np.array([1.0, 3.0]), np.array([1.0, 2.0, 6.0])
    found = figures_of([(short, short[::-1]), (long, long + 1), (short, short + 1)])
    assert [(each.counted, each.total) for each in found] == [(2, 0), (3, 3), (2, 2)]
    assert figures_of([]) == []


def test_the_kernel_refuses_lists_that_are_not_there():
    with pytest.raises(FormatError, match="there is no list 2"):
        Lists(np.zeros(4).tobytes(), 2).figures(np.array([[0, 2]], dtype=np.uint32).tobytes(), 0.0, 1)
