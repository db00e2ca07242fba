"""What is true of every method, and what slow code and other libraries give."""

import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import assay

thumbs = st.lists(st.booleans(), min_size=1, max_size=9)
graded = st.lists(st.integers(0, 3), min_size=1, max_size=9)
ballots = st.lists(graded, min_size=1, max_size=6)


def rows_of(pairs):
    return [
        {"query": f"q{pair % 2}", "document": f"d{pair}", "voter": f"v{voter}", "vote": vote}
        for pair, cast in enumerate(pairs)
        for voter, vote in enumerate(cast)
    ]


def obvious(cast, method):
    """The grade by the definition, one pair at a time."""
    ordered = sorted(cast, reverse=True)
    if method == "majority":
        times = Counter(cast)
        return min(vote for vote in cast if times[vote] == max(times.values()))
    if method == "quepid":
        return ordered[2] if len(cast) > 2 else statistics.mean(cast)
    return {"mean": statistics.mean, "median": statistics.median}[method](cast)


@pytest.mark.parametrize("method", ["majority", "mean", "median", "quepid"])
@given(pairs=ballots)
def test_grades_are_those_of_obvious_code(method, pairs):
    found = assay.votes(rows_of(pairs), method=method, scale="grades")
    assert [pair.grade for pair in found.pairs] == pytest.approx([obvious(cast, method) for cast in pairs], abs=1e-12)


@given(cast=thumbs)
def test_wilson_is_that_of_scipy(cast):
    expected = binomtest(sum(cast), len(cast)).proportion_ci(method="wilson")
    pair = assay.votes(rows_of([cast]), method="wilson").pairs[0]
    assert (pair.grade, pair.low, pair.high) == pytest.approx((expected.low, expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("method", ["majority", "mean", "median", "quepid", "beta", "wilson", "dawid_skene"])
@given(pairs=st.lists(st.lists(st.booleans(), min_size=2, max_size=6), min_size=1, max_size=5), order=st.randoms())
def test_grades_stay_between_the_votes_and_do_not_depend_on_the_order(method, pairs, order):
    rows = rows_of(pairs)
    found = assay.votes(rows, method=method).qrels
    assert all(0 <= grade <= 1 for query in found for grade in found[query].values())
    order.shuffle(rows)
    again = assay.votes(rows, method=method).qrels
    for query in found:
        assert again[query] == pytest.approx(found[query], abs=1e-6)


@pytest.mark.parametrize("method", ["majority", "mean", "median", "quepid", "beta", "wilson"])
@given(cast=thumbs)
def test_one_more_vote_up_never_lowers_the_grade(method, cast):
    before, after = (assay.votes(rows_of([each]), method=method).pairs[0].grade for each in (cast, [*cast, True]))
    # Quepid goes from the mean of two votes to the third-highest of three.
    assert after >= before - 1e-12 or (method == "quepid" and len(cast) == 2)


def test_resampled_grades_are_centred_on_the_grades():
    generator = np.random.default_rng(3)
    found = assay.votes(rows_of(generator.random((20, 12)) < 0.6), method="mean")
    drawn = np.array(list(found.drawn_grades(2000, 1)))
    assert drawn.mean(axis=0) == pytest.approx(found.grades, abs=0.02)
    # Twelve voters: the variance of a resampled share is p(1 - p) / 12.
    assert drawn.var(axis=0) == pytest.approx(found.grades * (1 - found.grades) / 12, abs=0.005)
