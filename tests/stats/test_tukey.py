"""Tukey's HSD: a published example with blocks, scipy where it must agree, and where there is little to test."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from assay.stats.paired import TUKEY_TESTS, gaps, residual, tukey, tukey_randomized
from tables import for_each

# Montgomery, Design and Analysis of Experiments, the vascular graft experiment: six batches of resin (rows), extruded
# under 8500, 8700, 8900 and 9100 psi (columns); the share of grafts without defects.
ROWS = "90.3 92.5 85.5 82.5  89.2 89.5 90.8 89.5  98.2 90.6 89.6 85.6  93.9 94.7 86.2 87.4"
ROWS += "  87.4 87.0 88.0 78.9  97.9 95.8 93.4 90.7"
GRAFTS = np.array(ROWS.split(), dtype=float).reshape(6, 4)


def test_the_published_example_by_hand():
    # The book's table: the error's sum of squares is 109.89 with 15 degrees of freedom.
    assert residual(GRAFTS) == pytest.approx(109.89, abs=0.005)
    p = tukey(GRAFTS, 0, 0)
    # From tables, q(0.05; 4, 15) = 4.08, so that pairs are apart from 4.08 √(7.33 / 6) = 4.51 on.
    honest = 4.08 * math.sqrt(109.89 / 15 / 6)
    assert honest == pytest.approx(4.51, abs=0.005)
    np.testing.assert_array_equal(p < 0.05, gaps(GRAFTS) > honest)
    assert [(a, b) for a, b in itertools.combinations(range(4), 2) if p[a, b] < 0.05] == [(0, 3), (1, 3)]
    # q(0.01; 4, 15) = 5.25, which makes 5.80: the same pairs, 7.05 and 5.92 apart, go beyond 1 %.
    np.testing.assert_array_equal(p < 0.01, gaps(GRAFTS) > 5.25 * math.sqrt(109.89 / 15 / 6))
    assert gaps(GRAFTS)[[0, 1], 3] == pytest.approx([7.05, 5.92], abs=0.005)


def test_a_difference_of_exactly_the_critical_one_has_p_alpha():
    critical = scipy.stats.studentized_range.isf(0.05, 4, 15)
    scores = GRAFTS - GRAFTS.mean(axis=0)
    # Shifting a column changes the gaps and not the residual.
    scores[:, 0] += critical * math.sqrt(residual(scores) / 15 / 6)
    assert tukey(scores, 0, 0)[0, 1] == pytest.approx(0.05, abs=1e-6)


def test_two_systems_are_the_paired_t_test():
    a, b = np.random.default_rng(1).normal([[0.4], [0.6]], 0.3, size=(2, 30))
    p = tukey(np.stack([a, b], axis=1), 0, 0)
    assert p[0, 1] == p[1, 0] == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue, rel=1e-6)


def test_without_blocks_it_is_scipys_one_way_test():
    """Where queries differ as much as chance makes them, blocks change nothing but the degrees of freedom."""
    systems, queries = 3, 2000
    scores = np.random.default_rng(2).normal([0, 0.05, 0.15], 1, size=(queries, systems))
    blocks = scores.mean(axis=1, keepdims=True) - scores.mean()
    error = residual(scores) / ((queries - 1) * (systems - 1))
    wanted = math.sqrt(error * (queries - 1) / systems / (blocks**2).sum())
    scores += (wanted - 1) * blocks
    expected = scipy.stats.tukey_hsd(*scores.T).pvalue
    assert tukey(scores, 0, 0) == pytest.approx(expected, abs=1e-3)
    assert expected[0, 2] < 0.05 < expected[0, 1]


def test_the_randomized_test_is_the_share_of_all_shuffles():
    scores = np.random.default_rng(4).normal([0, 0.5, 1], 0.8, size=(4, 3))
    largest = []
    for shuffle in itertools.product(itertools.permutations(range(3)), repeat=4):
        means = np.array([scores[row, list(order)] for row, order in enumerate(shuffle)]).mean(axis=0)
        largest.append(np.ptp(means))
    exact = (np.array(largest)[:, None, None] >= gaps(scores) - 1e-9).mean(axis=0)
    assert tukey_randomized(scores, 20_000, 0) == pytest.approx(exact, abs=0.015)


def test_shuffles_that_are_made_in_parts(monkeypatch):
    monkeypatch.setattr("assay.stats.paired.VALUES", 100 * GRAFTS.size)
    shares = []
    tukey_randomized(GRAFTS, 950, 0, shares.append)
    assert shares == pytest.approx([min(1, (part + 1) * 100 / 950) for part in range(10)])


LITTLE = {
    "one query": ([[0.1, 0.5, 0.9]], 1, 1),
    "no difference": ([[0.3, 0.3, 0.3], [0.5, 0.5, 0.5]], 1, 1),
    "all the same": (np.full((5, 3), 0.25), 1, 1),
    "nothing but zero": (np.zeros((5, 3)), 1, 1),
    # Nothing is known of the spread, so signs are all that counts; of the 6 to the 3 shuffles a share is as large.
    "a constant difference": ([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 2 / 8, 6 / 216),
}


@for_each("scores, expected, randomized", LITTLE.values())
def test_little_to_test(scores, expected, randomized):
    scores = np.array(scores)
    assert tukey(scores, 0, 0)[0, 2] == expected
    assert tukey_randomized(scores, 5000, 0)[0, 2] == pytest.approx(randomized, abs=0.01)


@for_each("name", TUKEY_TESTS)
def test_a_run_does_not_differ_from_itself(name):
    p = TUKEY_TESTS[name](GRAFTS, 100, 0)
    np.testing.assert_array_equal(np.diag(p), np.ones(4))
    np.testing.assert_array_equal(p, p.T)


def test_among_systems_without_a_difference_some_pair_is_found_as_often_as_alpha_says():
    generator = np.random.default_rng(5)
    critical = scipy.stats.studentized_range.isf(0.05, 4, 57)
    found, found_randomized = [], []
    for trial in range(400):
        scores = generator.normal(size=(20, 1)) + generator.normal(size=(20, 4))
        # What `tukey` does, without the time that p-values take.
        found.append(gaps(scores).max() / math.sqrt(residual(scores) / 57 / 20) > critical)
        found_randomized.append((tukey_randomized(scores, 200, trial) < 0.05).any())
    assert np.mean(found) == pytest.approx(0.05, abs=0.03)
    assert np.mean(found_randomized) == pytest.approx(0.05, abs=0.03)
