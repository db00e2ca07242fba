"""Dawid and Skene: slow code gives the same, reliability is recovered from simulated voters, and few votes gain most."""

import numpy as np
import pytest

import assay


def obvious(votes, labels, rounds=200):
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
    posterior, confusion = obvious(votes, labels)
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
