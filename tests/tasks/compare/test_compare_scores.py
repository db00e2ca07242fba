"""`assay.compare` where there is little to compare: scores that are missing, equal, infinite or contradict each other."""

import json
import math
import re

import numpy as np
import pytest
import scipy.stats

import assay
from assay.stats.significance import TESTS
from comparisons import one_pair, results_of
from tables import for_each

nan, inf = math.nan, math.inf


# Scores of a and b, kinds of notes, and of the pair: difference, low, high, cohen_d, wins/ties/losses, detectable.
LITTLE = {
    "the same runs": ([0.2, 0.7], [0.2, 0.7], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "constant scores": ([0.5, 0.5], [0.5, 0.5], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "equal but for rounding": ([0.3, 0.6], [0.1 + 0.2, 0.6], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "a constant difference": ([0.1, 0.5, 0.3], [0.2, 0.6, 0.4], ["constant"], (0.1, 0.1, 0.1, inf, (3, 0, 0), nan)),
    "one query": ([0.25], [0.75], ["few"], (0.5, nan, nan, nan, (1, 0, 0), nan)),
    "one query with a value": ([0.25, nan], [0.75, 0.5], ["undefined", "few"], (0.5, nan, nan, nan, (1, 0, 0), nan)),
    "no query with a value": ([nan, 0.5], [0.5, nan], ["undefined", "few"], (nan, nan, nan, nan, (0, 0, 0), nan)),
    "no query": ([], [], ["few"], (nan, nan, nan, nan, (0, 0, 0), nan)),
}  # fmt: skip


@for_each("test", TESTS)
@for_each("a, b, kinds, expected", LITTLE.values())
def test_little_to_compare_has_an_answer_and_a_note(a, b, kinds, expected, test):
    comparison, pair = one_pair(a, b, test=test, samples=200)
    difference, low, high, cohen_d, counts, detectable = expected
    found = (pair.difference, pair.low, pair.high, pair.cohen_d, pair.detectable)
    assert found == pytest.approx((difference, low, high, cohen_d, detectable), abs=1e-12, nan_ok=True)
    assert (pair.wins, pair.ties, pair.losses) == counts
    assert math.isnan(pair.p) == math.isnan(difference)
    assert math.isnan(pair.p_corrected) == math.isnan(difference)
    assert [kind for kind in kinds if kind not in {note.kind for note in comparison.notes}] == []
    if test != "tukey_randomized":
        p = 0.25 if kinds == ["constant"] else nan if math.isnan(difference) else 1
        assert pair.p == pytest.approx(p, nan_ok=True)
    assert not comparison.is_significant(pair)
    for text in (str(comparison), comparison.to_latex(), comparison.to_markdown(), comparison.to_html()):
        assert "NaN" not in text
    records = json.loads(comparison.to_json())["comparisons"]
    assert all(value is None or not isinstance(value, float) or math.isfinite(value) for value in records[0].values())


def test_queries_without_a_value_are_left_out_of_everything():
    a, b = [0.5, nan, 0.25, 1.0, 0.0, 0.9], [0.75, 1.0, nan, 0.5, 1.0, 0.9]
    comparison, pair = one_pair(a, b)
    _, whole = one_pair([0.5, 1.0, 0.0, 0.9], [0.75, 0.5, 1.0, 0.9])
    assert pair[:8] == whole[:8]
    assert pair[10:] == whole[10:]
    said = "2 queries left out; no finite value in both runs (a and b)"
    assert comparison.notes == (assay.Note("undefined", said, 2, measures=("ap",)),)
    scores = {f"run{number}": [0.5, nan, number / 10] for number in range(5)}
    (note,) = assay.compare(None, results_of(**scores)).notes
    assert str(note) == "ap: 1 query left out; no finite value in both runs (every pair)"


def test_tukey_leaves_out_a_query_that_any_run_has_no_value_for():
    scores = {"a": [0.1, 0.5, nan, 0.3], "b": [0.2, 0.9, 0.4, 0.3], "c": [0.5, 0.6, 0.8, 0.7]}
    comparison = assay.compare(None, results_of(**scores), test="tukey")
    assert [str(note) for note in comparison.notes] == ["ap: 1 query left out; no finite value in every run"]
    whole = results_of(**{name: [*each[:2], each[3]] for name, each in scores.items()})
    assert comparison.pairs == assay.compare(None, whole, test="tukey").pairs


@for_each("test", ["tukey", "tukey_randomized"])
def test_tukey_calls_that_run_better_which_is_better_where_it_looks(test):
    generator = np.random.default_rng(0)
    half = np.arange(50) < 25
    a = generator.normal(0.5, 0.01, size=50)
    b = np.where(half, a - 0.1, a + 0.4) + generator.normal(0, 0.01, size=50)
    comparison = assay.compare(None, results_of(a=a, b=b, c=np.where(half, a, nan)), test=test, samples=500)
    pair = comparison.pairs[0]
    assert pair.difference == pytest.approx(-0.1, abs=0.01)
    assert pair.wins + pair.ties + pair.losses == 25
    assert comparison.winner(pair) == "a"


@pytest.mark.filterwarnings("error")
@for_each("test", TESTS)
@for_each("x, y", [(inf, 0.5), (-inf, 0.5), (inf, inf), (inf, -inf), (0.5, inf), (inf, nan)])
def test_infinite_scores_do_not_count(test, x, y):
    a, b = [0.1, 0.5, 0.4, 0.9], [0.3, 0.6, 0.9, 0.8]
    comparison, pair = one_pair([x, *a], [y, *b], test=test, samples=200)
    assert pair == one_pair(a, b, test=test, samples=200)[1]
    assert [note.kind for note in comparison.notes] == ["undefined"]
    assert "1 query left out; no finite value" in comparison.notes[0].text
    for form in (str(comparison), comparison.to_latex(), comparison.to_html(), comparison.to_json()):
        assert re.search(r"\b(nan|inf|infinity)\b", form, re.IGNORECASE) is None
    assert comparison.queries("ap", "a", "b").counts == (3, 0, 1)


@pytest.mark.filterwarnings("error")
@for_each("test", TESTS)
@for_each("exponent", [-1040, -600, 300, 600, 1022])
def test_very_large_and_small_scores_are_compared_as_others(test, exponent):
    a, b = np.random.default_rng(5).integers(-8, 9, size=(2, 20)).astype(float)
    _, pair = one_pair(a, b, test=test, samples=200)
    _, large = one_pair(np.ldexp(a, exponent - 3), np.ldexp(b, exponent - 3), test=test, samples=200)
    assert large[8:15] == pytest.approx(pair[8:15], rel=1e-9)
    for field in ("mean_a", "mean_b", "difference", "low", "high"):
        expected = math.ldexp(getattr(pair, field), exponent - 3)
        assert getattr(large, field) == pytest.approx(expected, rel=1e-9, abs=1e-322)


def test_where_less_is_better_a_win_is_a_lower_score():
    comparison, pair = one_pair([5, 4, 6, 3, 7, 9, 5, 8], [1, 2, 1, 4, 1, 2, 1, 1], "first_rank")
    assert pair.difference == pytest.approx(-4.25)
    assert (pair.wins, pair.ties, pair.losses) == (7, 0, 1)
    assert comparison.is_significant(pair)
    assert comparison.winner(pair) == "b"
    row_a, row_b = comparison.to_latex().splitlines()[-5:-3]
    assert row_a.strip() == r"a & a & \underline{5.8750} \\"
    assert row_b.strip() == r"b & b & \textbf{1.6250}$^{a}$ \\"


def test_a_sum_is_bounded_as_a_sum_and_a_geometric_mean_is_tested_by_its_logarithms():
    a, b = np.random.default_rng(3).integers(0, 9, size=(2, 20))
    total, mean = one_pair(a, b, "num_rel_ret")[1], one_pair(a, b)[1]
    assert (*total[5:8], total.detectable) == pytest.approx([20 * each for each in (*mean[5:8], mean.detectable)])
    a, b = np.random.default_rng(2).beta([[1], [2]], 3, size=(2, 30))
    _, pair = one_pair(a, b, "gm_ap", test="t")
    assert pair.p == pytest.approx(scipy.stats.ttest_rel(np.log(b), np.log(a)).pvalue)
    assert pair.mean_b == pytest.approx(np.exp(np.log(b).mean()))
    assert pair.low < pair.difference < pair.high
    logarithms = one_pair(np.log(a), np.log(b), test="t")[1]
    assert pair.cohen_d == pytest.approx(logarithms.cohen_d)
    assert pair.detectable == pytest.approx(pair.mean_a * (np.exp(logarithms.detectable) - 1))


def test_a_rank_test_that_contradicts_the_means_calls_neither_better():
    a = [0.5] * 12
    b = [0.51] * 11 + [0.0]
    comparison, pair = one_pair(a, b, test="sign")
    assert pair.difference < 0
    assert comparison.is_significant(pair)
    assert comparison.winner(pair) is None
    assert [note.kind for note in comparison.notes] == ["split"]
    # The randomization test looks at the mean, so there is nothing to contradict.
    assert one_pair(a, b)[0].notes == ()
