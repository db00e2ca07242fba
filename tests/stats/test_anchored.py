"""Means and differences that human labels anchor: by hand, at the edges, and their coverage by simulation."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.weightstats import DescrStatsW

from assay.core.note import NoteKind
from assay.stats.anchored import anchored_mean, compare_anchored, corrected_shares, sample_p
from assay.stats.pairs import Measured
from assay.stats.significance import PPI, ComparisonSettings
from tables import for_each

nan, inf = math.nan, math.inf
PAGE = (Path(__file__).parents[2] / "docs" / "agreement.md").read_text(encoding="utf-8")


def arrays(judge, human):
    return np.array(judge, float), np.array([*human, *[nan] * (len(judge) - len(human))], float)


def literal(judge, human, level=0.95):
    """PPI++ as its formulas stand, with Student's t."""
    judge, human = arrays(judge, human)
    labelled = ~np.isnan(human)
    y, f, g = human[labelled], judge[labelled], judge[~labelled]
    n, count = len(y), len(g)
    weight = np.cov(y, f)[0, 1] / ((1 + n / count) * np.var(judge, ddof=1))
    weight = np.clip(weight, 0, 1)
    value = weight * g.mean() + (y - weight * f).mean()
    parts = weight**2 * g.var(ddof=1) / count, (y - weight * f).var(ddof=1) / n
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (count - 1) + parts[1] ** 2 / (n - 1))
    return value, weight, student.ppf((1 + level) / 2, freedom) * math.sqrt(sum(parts))


CASES = {
    "a good judge": ([0.9, 0.4, 0.8, 0.1, 0.7, 0.6, 0.2, 0.5], [1.0, 0.5, 0.9, 0.1]),
    "a strict judge": ([0.1, 0.2, 0.3, 0.2, 0.1, 0.0, 0.4], [0.5, 0.6, 0.9]),
    "few others": ([0.9, 0.4, 0.8, 0.1, 0.7, 0.6], [1.0, 0.5, 0.9, 0.1]),
    "two verdicts": ([1, 0, 1, 1, 0, 0, 1, 0, 0, 1], [1, 0, 0, 1, 0]),
    "a judge that is wrong": ([0.9, 0.4, 0.8, 0.1, 0.7, 0.6, 0.2], [0.0, 0.5, 0.1, 1.0]),
}


@for_each("name", CASES)
@for_each("level", [0.95, 0.8])
def test_the_formulas(name, level):
    judge, human = CASES[name]
    found = anchored_mean(*arrays(judge, human), level)
    value, weight, radius = literal(judge, human, level)
    assert (found.value, found.weight) == pytest.approx((value, weight))
    assert (found.low, found.high) == pytest.approx((value - radius, value + radius))
    alone = DescrStatsW(human).tconfint_mean(alpha=1 - level)
    assert found.gain == pytest.approx((alone[1] - alone[0]) / (2 * radius))
    assert found.human == len(human)


# The judge's values, the human ones, and the mean, λ and number of human values.
EDGES = {
    "a judge that says the same of every query": ([1, 1, 1, 1, 1], [0, 1, 1], (2 / 3, 0, 3)),
    "the same up to rounding": ([0.3, 0.1 + 0.2, 0.3, 0.3], [0, 1], (0.5, 0, 2)),
    "every query has a human value": ([0.1, 0.9, 0.5], [0, 1, 1], (2 / 3, 0, 3)),
    "all but one": ([0.1, 0.9, 0.5, 0.4], [0, 1, 1], (2 / 3, 0, 3)),
    "people say the same of every query": ([0.1, 0.9, 0.5, 0.4], [1, 1], (1, 0, 2)),
    "values that are not finite do not count": ([nan, 0.5, inf, 0.5, 0.5], [9, 1, 9, 0], (0.5, 0, 2)),
    "a judge that is wrong": (*CASES["a judge that is wrong"], (0.4, 0, 4)),
    "a perfect judge": ([0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1], (0.5, 7 / 12, 4)),
}


@for_each("name", EDGES)
def test_edges(name):
    *values, expected = EDGES[name]
    found = anchored_mean(*arrays(*values))
    assert (found.value, found.weight, found.human) == pytest.approx(expected)
    assert found.low <= found.value <= found.high
    assert found.gain >= 1 - 1e-12


@for_each("human, value", [([], nan), ([0.5], 0.5)])
def test_fewer_than_two_labels_have_no_interval(human, value):
    found = anchored_mean(*arrays([0.1, 0.4, 0.2], human))
    assert found.value == pytest.approx(value, nan_ok=True)
    assert np.isnan([found.low, found.high, found.gain]).all()


def test_no_spread_means_no_width():
    found = anchored_mean(*arrays([0, 1, 0, 1, 0, 1], [1, 1]))
    assert (found.low, found.high, found.gain, found.p) == (1, 1, 1, 0.5)


JUDGES = ("good", "poor", "useless")
DRAWS = 1000
# How many queries have labels, and how many have none.
SIZES = [(50, 450), (100, 400)]


def draw(judge, scores, size, generator):
    """Human values with a known mean, and a judge's."""
    if scores == "binary":
        y = (generator.random(size) < 0.3).astype(float)
        agrees = {"good": 0.95, "poor": 0.7, "useless": 0.0}[judge]
        f = np.where(generator.random(size) < agrees, y, generator.random(size) < 0.5)
        return y, f.astype(float), 0.3
    y = generator.beta(0.5, 0.8, size)
    if judge == "useless":
        return y, generator.random(size), 0.5 / 1.3
    share, noise, bias = {"good": (1.0, 0.1, 0.1), "poor": (0.3, 0.3, 0.3)}[judge]
    return y, np.clip(share * y + generator.normal(bias, noise, size), 0, 1), 0.5 / 1.3


def simulate(judge, scores, n, count, difference=False):
    """The share of intervals that contain the truth, and the ratios of their widths to those of human labels alone."""
    generator = np.random.default_rng(2023)
    hits, ratios = 0, []
    for _ in range(DRAWS):
        y, f, mean = draw(judge, scores, n + count, generator)
        if difference:
            other_y, other_f, other = draw(judge, scores, n + count, generator)
            # The second run keeps half of the first's values, as runs do.
            kept = generator.random(n + count) < 0.5
            y, f, mean = np.where(kept, 0, other_y - y), np.where(kept, 0, other_f - f), 0.5 * (other - mean)
        found = anchored_mean(f, np.where(np.arange(n + count) < n, y, nan))
        hits += found.low <= mean <= found.high
        ratios.append(1 / found.gain)
    return hits / DRAWS, np.array(ratios)


def row_of(scores, n, count, judge, found):
    """The row of the page that shows the figures."""
    coverage, ratios = found
    figures = f"{coverage:.1%} | {ratios.mean():.2f} | {ratios.max():.2f}".replace("%", " %")
    return f"| {scores} | {n} of {n + count} | {judge} | {figures} |"


@pytest.mark.parametrize(("n", "count"), SIZES)
@pytest.mark.parametrize("scores", ["binary", "graded"])
@pytest.mark.parametrize("judge", JUDGES)
def test_95_of_100_intervals_contain_the_truth(judge, scores, n, count):
    coverage, ratios = simulate(judge, scores, n, count)
    assert abs(coverage - 0.95) <= 0.02
    assert ratios.max() <= 1.02
    if judge == "good":
        assert np.mean(ratios) < 0.8
    assert row_of(scores, n, count, judge, (coverage, ratios)) in PAGE


@pytest.mark.parametrize("judge", JUDGES)
def test_95_of_100_intervals_of_differences_contain_the_truth(judge):
    coverage, ratios = simulate(judge, "graded", 100, 400, difference=True)
    assert abs(coverage - 0.95) <= 0.02
    assert ratios.max() <= 1.02
    assert row_of("differences", 100, 400, judge, (coverage, ratios)) in PAGE


def test_labels_that_are_no_random_part_are_noticed():
    generator = np.random.default_rng(0)
    judge = generator.random(1000)
    chosen = np.where(generator.random(1000) < 0.2, 1.0, nan)
    assert sample_p(judge, chosen) > 0.01
    assert sample_p(judge, np.where(judge < 0.2, 1.0, nan)) < 1e-6
    assert sample_p(judge, np.ones(1000)) == 1
    assert sample_p(np.ones(1000), chosen) == 1


def compared(a, b, human_a, human_b, **settings):
    measured = {"rr": Measured({"a": np.array(a, float), "b": np.array(b, float)})}
    human = {"rr": {"a": np.array(human_a, float), "b": np.array(human_b, float)}}
    known = ComparisonSettings(test=PPI, **settings)
    return compare_anchored(measured, human, [("a", "b")], known)


def test_a_difference_is_anchored_by_differences():
    generator = np.random.default_rng(3)
    a, b = generator.random((2, 40))
    human_a, human_b = np.clip([a + 0.1, b + 0.2], 0, 1)
    human_a[25:], human_b[20:] = nan, nan
    (pair,), (anchor,), notices = compared(a, b, human_a, human_b)
    same = anchored_mean(b - a, human_b - human_a)
    assert (pair.difference, pair.low, pair.high, anchor.human) == pytest.approx((same.value, same.low, same.high, 20))
    assert pair.mean_b - pair.mean_a == pytest.approx(pair.difference)
    assert pair.p == pytest.approx(2 * student.sf(abs(same.value) / same.error, same.freedom))
    assert pair.wins + pair.ties + pair.losses == 40
    radius = student.ppf(0.975, same.freedom) + student.ppf(0.8, same.freedom)
    assert pair.detectable == pytest.approx(same.error * radius)
    assert notices == []


def test_a_constant_difference_is_said():
    (pair,), _, notices = compared([0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, nan], [1, 1, 1, nan])
    assert (pair.difference, pair.p) == (1, 0.25)
    assert [each.note.kind for each in notices] == [NoteKind.CONSTANT]


def test_a_pair_without_labels_has_no_numbers():
    (pair,), _, _ = compared([0, 1, 0], [1, 1, 1], [nan, 1, nan], [1, nan, nan])
    assert np.isnan([pair.difference, pair.p, pair.p_corrected]).all()


# The judge's share, its sensitivity and specificity, and the share behind it.
SHARES = [(0.4, 1, 1, 0.4), (0.4, 0.9, 0.8, 0.2 / 0.7), (0.05, 0.9, 0.8, 0), (0.95, 0.9, 0.8, 1)]
SHARES += [(0.4, 0.5, 0.5, nan), (0.4, 0.2, 0.3, nan)]


def test_shares_behind_those_of_a_judge():
    *given, expected = np.array(SHARES).T
    np.testing.assert_allclose(corrected_shares(*given), expected)
