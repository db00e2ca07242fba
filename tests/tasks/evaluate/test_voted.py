"""`evaluate(votes=…)`: the same means, wider intervals, and their coverage of simulated users."""

from math import log2

import numpy as np
import pytest

import assay
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan
from assay.tasks.evaluate.voted import DRAWS, SEED, drawn_means
from tables import for_each

RUN = {"q1": ["a", "b", "c"], "q2": ["d", "e"], "q3": ["g", "f"]}
FIELDS = ("query", "document", "voter", "vote")


def rows_of(table):
    return [
        dict(zip(FIELDS, (*pair.split(), voter, vote), strict=True))
        for pair, cast in table.items()
        for voter, vote in cast.items()
    ]


TABLE = {
    "q1 a": {"ann": 1, "bob": 1, "eve": 0},
    "q1 b": {"ann": 0, "bob": 1, "eve": 0},
    "q2 d": {"ann": 0, "bob": 1},
    "q2 e": {"ann": 1, "eve": 1},
    "q3 f": {"bob": 1, "eve": 0, "ann": 1},
}


@pytest.mark.parametrize("method", ["majority", "mean", "beta", "dawid_skene"])
def test_means_are_those_of_the_judgments_and_intervals_are_wider(method):
    votes = assay.votes(rows_of(TABLE), method=method)
    names = ["ndcg@10", "ap", "rr", "precision@2"]
    plain = assay.evaluate(votes.qrels, RUN, names, rel=0.5)
    voted = assay.evaluate(None, RUN, names, votes=votes, rel=0.5)
    assert voted.mean == plain.mean
    assert assay.evaluate(votes, RUN, names, rel=0.5).to_json() == voted.to_json()
    for name in names:
        inner, outer = plain.interval(name), voted.interval(name)
        assert outer.low <= inner.low <= inner.high <= outer.high
    assert voted.interval("precision@2").low < plain.interval("precision@2").low
    assert "the interval allows for other voters: 3 voters, resampled 200 times" in map(str, voted.notes)
    assert votes.signature in str(voted.signature)


def test_votes_as_data_and_other_judgments_beside_them():
    rows = rows_of(TABLE)
    by_data = assay.evaluate(None, RUN, "ap", votes=rows)
    assert by_data.mean == assay.evaluate(None, RUN, "ap", votes=assay.votes(rows)).mean
    more = {"q1": {"c": 1, "a": 0}, "q9": {"z": 1}}
    both = assay.evaluate(more, {**RUN, "q9": ["z"]}, "ap", votes=rows)
    merged = {**assay.votes(rows).qrels.to_dict(), "q9": {"z": 1}}
    merged["q1"] = {**merged["q1"], "c": 1}
    assert both.mean == pytest.approx(assay.evaluate(merged, {**RUN, "q9": ["z"]}, "ap").mean)


def test_a_draw_is_scored_as_its_judgments_are():
    votes = assay.votes(rows_of(TABLE), method="mean")
    names = ["ndcg@10", "ap(rel=0.5)", "bpref(rel=0.5)", "err", "ranx:ndcg_burges@5"]
    scorer = Scorer(make_plan(names), votes.qrels)
    read = scorer.read(RUN)
    result = scorer.score(read)
    means = drawn_means(result, scorer, read, votes)
    for number, grades in enumerate(votes.drawn_grades(DRAWS, SEED)):
        if number % 20:
            continue
        drawn = {}
        for (query, document), grade in zip(votes.pair_names, grades.tolist(), strict=True):
            drawn.setdefault(query, {})[document] = grade
        expected = assay.evaluate(drawn, RUN, [str(name) for name in names])
        for name in (name for name in names if name != "err"):
            assert means[name][number] == pytest.approx(expected[name], abs=1e-12)


def test_stored_results_keep_their_intervals_and_one_voter_is_said(tmp_path):
    voted = assay.evaluate(None, RUN, "ndcg@10", votes=rows_of(TABLE))
    voted.save(tmp_path / "result.json")
    assert assay.load_result(tmp_path / "result.json").to_json() == voted.to_json()
    one = assay.evaluate(None, RUN, ["gmap"], votes=[row for row in rows_of(TABLE) if row["voter"] == "ann"])
    said = [str(note) for note in one.notes]
    assert "a single voter says nothing about others; the interval does not allow for them" in said
    assert "gmap: the interval does not allow for other voters; it is not a mean over queries" in said


BAD = [
    (None, {"votes": rows_of(TABLE), "human": {"q1": {"a": 1}}}, "votes are people's judgments already; leave out human"),
    ({"q1": [["a"], ["b"]]}, {"votes": rows_of(TABLE)}, "the judgments have groups"),
    (None, {"votes": 3}, "the votes"),
]  # fmt: skip


@for_each("qrels, options, message", BAD)
def test_bad_votes(qrels, options, message):
    with pytest.raises((assay.errors.PolicyError, assay.errors.DataError), match=message):
        assay.evaluate(qrels, RUN, "ap", **options)


def simulate(generator, queries=40, voters=7, k=5):
    """Votes of a few people, some strict and some lenient, who vote on everything; the run ranks at random."""
    quality = generator.normal(size=(queries, k))
    strictness = generator.normal(scale=0.7, size=voters)
    drift = generator.normal(scale=0.5, size=(queries, k, voters))
    votes = quality[:, :, None] + drift > strictness
    rows = [
        {"query": f"q{q}", "document": f"d{d}", "voter": f"v{v}", "vote": int(votes[q, d, v])}
        for q in range(queries)
        for d in range(k)
        for v in range(voters)
    ]
    return rows, {f"q{q}": [f"d{d}" for d in range(k)] for q in range(queries)}


# As many people are strict as lenient, so all of them together give half of the documents a vote up.
TRUTHS = [("mean", "dcg@5", 0.5 * sum(1 / log2(rank + 1) for rank in range(1, 6))), ("majority", "precision@5", 0.5)]


@pytest.mark.parametrize(("method", "measure", "truth"), TRUTHS)
def test_the_interval_covers_the_truth_more_often_than_one_that_ignores_the_voters(method, measure, truth):
    generator = np.random.default_rng(15)
    covered, trials = np.zeros(2), 40
    for _ in range(trials):
        rows, run = simulate(generator)
        votes = assay.votes(rows, method=method)
        both = (assay.evaluate(votes.qrels, run, measure), assay.evaluate(None, run, measure, votes=votes))
        covered += [low <= truth <= high for low, high in (result.interval(measure) for result in both)]
    plain, voted = covered / trials
    assert plain < 0.7, covered
    assert voted > 0.85, covered
