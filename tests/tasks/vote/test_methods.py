"""Grades by every method against slow and obvious code and scipy; Dawid and Skene's against simulated voters, too."""

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


def obvious_reliability(votes, labels, rounds=200):
    """EM with dicts; `votes` is {pair: {voter: vote}}."""
    voters = {voter for cast in votes.values() for voter in cast}
    posterior = {
        pair: {t: sum(vote == t for vote in cast.values()) / len(cast) for t in labels} for pair, cast in votes.items()
    }
    for _ in range(rounds):
        prevalence = {t: sum(each[t] for each in posterior.values()) / len(votes) for t in labels}
        confusion = {}
        for voter in voters:
            for t in labels:
                counts = {
                    vote: sum(posterior[pair][t] for pair, cast in votes.items() if cast.get(voter) == vote)
                    for vote in labels
                }
                total = sum(counts.values())
                confusion[voter, t] = {vote: count / total if total else 0 for vote, count in counts.items()}
        for pair, cast in votes.items():
            likely = {
                t: prevalence[t] * np.prod([confusion[voter, t][vote] for voter, vote in cast.items()]) for t in labels
            }
            posterior[pair] = {t: value / sum(likely.values()) for t, value in likely.items()}
    return posterior, confusion


def simulate(seed, pairs=400, voters=8, each=5, labels=(0, 1)):
    """True labels, and votes of people who are right with different probabilities."""
    generator = np.random.default_rng(seed)
    truth = generator.choice(labels, pairs)
    accuracy = np.linspace(0.55, 0.95, voters)
    rows = []
    for pair in range(pairs):
        for voter in generator.choice(voters, each, replace=False):
            is_right = generator.random() < accuracy[voter]
            vote = truth[pair] if is_right else generator.choice([t for t in labels if t != truth[pair]])
            rows.append({"query": f"q{pair}", "document": "d", "voter": f"v{voter}", "vote": int(vote)})
    return truth, accuracy, rows


@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2)])
def test_obvious_code_gives_the_same(labels):
    _, _, rows = simulate(2, pairs=60, voters=5, each=4, labels=labels)
    votes = {}
    for row in rows:
        votes.setdefault(row["query"], {})[row["voter"]] = row["vote"]
    posterior, confusion = obvious_reliability(votes, labels)
    found = assay.votes(rows, method="dawid_skene")
    expected = {pair: sum(t * share for t, share in each.items()) for pair, each in posterior.items()}
    assert {pair.query: pair.grade for pair in found.pairs} == pytest.approx(expected, abs=1e-4)
    for name, table in found.confusion.items():
        for true, row in table.items():
            assert row == pytest.approx({float(k): v for k, v in confusion[name, int(true)].items()}, abs=1e-3)


def test_the_accuracy_of_simulated_voters_is_recovered():
    _, accuracy, rows = simulate(7, pairs=2000)
    found = {each.name: each.accuracy for each in assay.votes(rows, method="dawid_skene").voters}
    assert [found[f"v{number}"] for number in range(8)] == pytest.approx(accuracy, abs=0.04)


@pytest.mark.parametrize("seed", range(3))
def test_it_beats_the_majority_where_votes_are_few(seed):
    truth, _, rows = simulate(seed, pairs=1000, each=3)
    wrong = {}
    for method in ("majority", "dawid_skene"):
        grades = {pair.query: pair.grade for pair in assay.votes(rows, method=method).pairs}
        wrong[method] = sum((grades[f"q{number}"] >= 0.5) != truth[number] for number in range(1000))
    assert wrong["dawid_skene"] < 0.9 * wrong["majority"]
