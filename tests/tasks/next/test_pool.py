"""The pool: which pairs are in it, in which order, and how it changes with each judgment."""

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.tasks.next import collect
from assay.tasks.next.api import make_pool
from tables import for_each

RUNS = {
    "old": {"q1": ["a", "b", "c", "d"], "q2": ["e", "f"]},
    "new": {"q1": ["b", "a", "x", "c"], "q2": ["e", "g"], "q3": ["h"]},
}


def names(pairs):
    return [pair.query + pair.document for pair in pairs]


def found(qrels=None, runs=RUNS, measure="precision@3", **how):
    return assay.next_judgments(qrels, runs, measure, **how)


def test_by_depth_the_best_ranks_come_first_and_votes_are_judgments():
    pairs = found(order="depth").pairs
    assert names(pairs) == ["q1a", "q1b", "q2e", "q3h", "q2f", "q2g", "q1c", "q1x", "q1d"]
    assert [pair.rank for pair in pairs] == [1, 1, 1, 1, 2, 2, 3, 3, 4]
    # Pairs are made when they are looked at.
    assert (len(pairs), pairs[-1].document, repr(pairs)) == (9, "d", "<9 pairs to judge>")
    assert names(pairs[1:3]) == ["q1b", "q2e"]
    with pytest.raises(IndexError):
        pairs[9]
    assert names(found(order="depth", depth=1).pairs) == ["q1a", "q1b", "q2e", "q3h"]
    judged = {"q1": {"a": 0, "zz": 1}, "q9": {"a": 1}}
    assert names(found(judged, order="depth", depth=1).pairs) == ["q1b", "q2e", "q3h"]
    rows = [{"query": query, "document": document, "vote": "up"} for query, document in (("q1", "a"), ("q2", "e"))]
    assert names(found(assay.votes(rows), order="depth", depth=1).pairs) == ["q1b", "q3h"]


def test_by_worth_the_largest_moves_come_first():
    pairs = found(measure="dcg@3", top_grade=2).pairs
    assert names(pairs)[0] == "q3h"
    assert pairs[0].worth == pytest.approx(2 / 3)
    worth = [pair.worth for pair in pairs]
    assert worth == sorted(worth, reverse=True)
    # Of no worth is what both runs rank the same, and what is below the cutoff in both.
    assert names(pair for pair in pairs if not pair.worth) == ["q2e", "q1d"]
    # Documents below the depth are in as far as the measure sees them.
    assert names(found(measure="dcg@3", depth=1).pairs) == ["q3h", "q2f", "q2g", "q1c", "q1x", "q1a", "q1b", "q2e"]


def test_against_what_speaks_for_the_run_that_is_behind_comes_first():
    pool = make_pool({"q3": {"h": 1}}, RUNS, "dcg@3")
    assert pool.settlement.better == "new"
    assert names(pool.next("worth", most=4)) == ["q2f", "q2g", "q1c", "q1x"]
    assert names(pool.next("against", most=4)) == ["q2f", "q1c", "q1a", "q2g"]
    assert sorted(names(pool.next("against", most=99))) == sorted(names(pool.next("worth", most=99)))
    pool.judge("q3", "h", None)
    assert names(pool.next("against", most=99)) == names(pool.next("worth", most=99))


def test_random_orders_have_the_whole_pool():
    pool = sorted(names(found(order="depth").pairs))
    orders = {tuple(names(found(order="random", seed=seed).pairs)) for seed in range(9)}
    assert len(orders) > 5
    assert all(sorted(order) == pool for order in orders)
    assert names(found(order="random", seed=3).pairs) == names(found(order="random", seed=3).pairs)


def test_fewest_votes_first():
    qrels = {"q1": {"a": 1, "b": 0}}
    counts = {("q1", "a"): 1, ("q1", "b"): 2, ("q2", "e"): 1, ("zz", "zz"): 9}
    pairs = found(qrels, order="votes", counts=counts, depth=1, wanted=2).pairs
    assert names(pairs) == ["q3h", "q1a", "q2e"]
    # A judgment counts as a vote where no votes are counted.
    assert names(found(qrels, order="votes", depth=1).pairs) == ["q2e", "q3h", "q1a", "q1b"]
    assert names(found(qrels, order="votes", depth=1, wanted=1).pairs) == ["q2e", "q3h"]
    pool = make_pool(None, RUNS, "precision@3", depth=1)
    pool.judge("q1", "a", 1, votes=2)
    pool.judge("q1", "b", 1)
    assert names(pool.next("votes", most=9)) == ["q2e", "q3h", "q1b", "q1a"]
    assert names(pool.next("votes", most=9, wanted=2)) == ["q2e", "q3h", "q1b"]
    pool.judge("q1", "a", None, votes=0)
    assert names(pool.next("votes", most=9, wanted=1)) == ["q1a", "q2e", "q3h"]


def test_next_skips_what_a_voter_has_seen_and_how_much_is_judged():
    pool = make_pool(None, RUNS, "precision@3")
    assert names(pool.next("depth", most=2)) == ["q1a", "q1b"]
    seen = {("q1", "a"), ("q2", "e")}
    assert names(pool.next("depth", most=2, skip=seen)) == ["q1b", "q3h"]
    assert pool.judge("q1", "b", 1)
    assert names(pool.next("depth", most=2, skip=seen)) == ["q3h", "q2f"]
    assert pool.judge("q1", "b", None)
    assert names(pool.next("depth", most=1, skip=seen)) == ["q1b"]
    assert pool.next("depth", skip={(pair.query, pair.document) for pair in pool.next("depth", most=99)}) == []
    assert not pool.judge("q1", "nowhere", 1)
    assert not pool.judge("nowhere", "a", 1)
    assert repr(pool) == "<JudgmentPool: 9 pairs of 3 queries, 9 to judge>"
    pool = make_pool({"q1": {"a": 1}}, RUNS, "precision@3")
    assert (pool.count_judged(), pool.count_judged("q1"), pool.count_judged("q3")) == ((1, 9), (1, 5), (0, 1))
    assert pool.count_judged("nowhere") == (0, 0)
    assert (pool.count_open(), pool.count_open(2)) == (8, 9)
    pool.judge("q1", "a", 1, votes=2)
    assert (pool.count_open(2), pool.count_open(3)) == (8, 9)
    # A judged pair stays in where more votes are wanted.
    assert "q1a" not in names(pool.next("worth", most=9))
    assert all("q1a" in names(pool.next(order, most=9, wanted=3)) for order in ("worth", "against", "depth", "random"))


MEASURES = st.sampled_from(["dcg@2", "dcg(gain=exp2)", "precision@2", "rbp(p=0.5)", "dcg(gain=signed)@3"])
PAIRS = [(query, document) for query in ("q1", "q2", "q3") for document in "abcdefghx"]


@settings(max_examples=settings.default.max_examples // 4)
@given(MEASURES, st.lists(st.tuples(st.sampled_from(PAIRS), st.sampled_from([None, -1, 0, 1, 2])), max_size=12))
def test_judging_one_by_one_is_starting_over(measure, judgments):
    how = {"negative": "nonrelevant"}
    pool = make_pool(None, RUNS, measure, grade_range={"top": 2, "lowest": -1}, **how)
    known = {}
    for (query, document), grade in judgments:
        pool.judge(query, document, grade)
        known.setdefault(query, {}).pop(document, None)
        if grade is not None:
            known[query][document] = grade
    fresh = assay.next_judgments(known, RUNS, measure, top_grade=2, lowest_grade=-1, **how)
    for field, value in fresh.settlement.to_dict().items():
        if field != "sentence":
            expected = pytest.approx(value, abs=1e-12) if isinstance(value, float) else value
            assert getattr(pool.settlement, field) == expected
    for order in ("worth", "depth", "votes"):
        own = assay.next_judgments(known, RUNS, measure, order=order, top_grade=2, lowest_grade=-1, **how)
        assert names(pool.next(order, most=99)) == names(own.pairs)


def test_the_difference_is_that_of_evaluate():
    qrels = {"q1": {"a": 2, "x": 1, "d": 3}, "q2": {"g": 1}, "q3": {"h": 0}}
    for measure in ("dcg@3", "dcg", "precision@2", "rbp", "num_rel_ret", "dcg(gain=exp2)@1"):
        old, new = (assay.evaluate(qrels, RUNS[name], measure)[measure] for name in ("old", "new"))
        assert found(qrels, measure=measure).settlement.difference == pytest.approx(new - old, abs=1e-15)
        assert found(qrels, measure=measure, a="new").settlement.difference == pytest.approx(old - new, abs=1e-15)


def test_policies_rank_the_runs():
    runs = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    # By descending ids, y is first in both.
    assert found(None, runs, "dcg@2").settlement.is_settled
    assert found(None, runs, "dcg@2", ties="docid_asc").settlement.opposing == 2
    assert found(None, runs, "dcg@2", depth=9, convention="trec_eval").settlement.is_settled
    # A policy has the name of a thing that the pool has too; grades are cut to whole numbers.
    runs = {"a": {"q": ["u", "v"]}, "b": {"q": ["v", "u"]}}
    judged = {"q": {"u": 1.9, "v": 0}}
    how = {"order": "depth", "top_grade": 2}
    both = (assay.next_judgments(judged, runs, "dcg@1", **how, **more) for more in ({}, {"grades": "whole"}))
    given, whole = (each.settlement for each in both)
    assert (given.difference, whole.difference) == (-1.9, -1)


def test_duplicates_and_chunks():
    runs = {"a": {"q": [("x", 3.0), ("x", 2.0), ("y", 1.0)]}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    with pytest.raises(assay.errors.DuplicateError):
        found(None, runs, "hits@3")
    # A document that counts twice in a run is worth twice as much.
    counted = found(None, runs, "hits@3", duplicates="count")
    assert [(pair.document, pair.worth) for pair in counted.pairs] == [("x", 1), ("y", 0)]
    assert found(None, runs, "hits@3", duplicates="once").settlement.is_settled
    chunked = {"a": {"q": ["x#1", "x#2", "y#1"]}, "b": {"q": ["y#9", "x#1"]}}
    pairs = found(None, chunked, "hits@3", doc_id="before:#", order="depth").pairs
    assert names(pairs) == ["qx", "qy"]
    data = polars.DataFrame({"query_id": ["q", "q"], "doc_id": ["x", "x"], "relevance": [1, 0]})
    runs = {"a": {"q": ["x"]}, "b": {"q": ["y"]}}
    assert found(data, runs, "hits@1", duplicates="first").settlement.difference == -1
    assert found(data, runs, "hits@1", duplicates="last").settlement.difference == 0
    with pytest.raises(assay.errors.DuplicateError):
        found(data, runs, "hits@1")


def test_queries_that_a_run_lacks_count_as_the_policy_says():
    qrels = {"q1": {"b": 0}}
    zero = found(qrels, measure="hits@1").settlement
    assert (zero.lowest, zero.highest, zero.queries) == (-1 / 3, 1 / 3, 3)
    # Without q3, which only one run has, nothing moves but a, which the old run ranks first.
    skipped = found(qrels, measure="hits@1", missing="skip").settlement
    assert (skipped.lowest, skipped.highest, skipped.queries) == (-1 / 2, 0, 2)
    # trec_eval skips q3, too.
    shown = found(measure="P_2", convention="trec_eval").settlement
    assert (shown.measure, shown.queries, shown.opposing) == ("P_2", 2, 2)


def test_many_chunks_of_queries_are_one_pool(monkeypatch):
    generator = np.random.default_rng(2)

    def draw():
        return [f"d{each}" for each in generator.permutation(12)[: generator.integers(1, 9)]]

    runs = {name: {f"q{n}": draw() for n in range(40)} for name in "ab"}
    qrels = {f"q{n}": {f"d{each}": int(generator.integers(3)) for each in range(4)} for n in range(0, 40, 3)}
    whole = assay.next_judgments(qrels, runs, "dcg@5")
    monkeypatch.setattr(collect, "MOST_ROWS", 17)
    parts = assay.next_judgments(qrels, runs, "dcg@5")
    assert list(parts.pairs) == list(whole.pairs)
    assert parts.settlement == whole.settlement


def test_ids_of_any_kind_and_grades_out_of_range():
    runs = {"a": {"q": ["日本", "ä b", "\x00"]}, "b": {"q": ["ä b"]}}
    pool = make_pool({"q": {"日本": 1}}, runs, "hits@3")
    assert names(pool.next("depth", most=9)) == ["qä b", "q\x00"]
    assert pool.judge("q", "\x00", 1)
    assert not pool.judge("q", "\ud800", 1)
    pool = make_pool(None, RUNS, "dcg@3", grade_range={"top": 2})
    with pytest.raises(assay.errors.DataError, match=r"grade 3 is not from 0 to 2; set top_grade=3"):
        pool.judge("q1", "a", 3)
    with pytest.raises(assay.errors.PolicyError, match="grade must be a finite number"):
        pool.judge("q1", "a", float("nan"))
    assert len(pool.next("depth", most=99)) == 9


def test_table_and_exports():
    shown = found({"q1": {"a": 1, "b": 1}}, measure="dcg@3")
    assert shown.to_polars().columns == ["query", "document", "rank", "worth"]
    assert len(shown.to_polars()) == 7
    assert shown.to_dict()["settlement"]["needed"] == shown.settlement.needed
    assert shown.to_csv().splitlines()[1] == "q3,h,1,0.3333333333333333"
    assert str(shown.settlement) in str(shown)
    many = found(None, {"a": {"q": [f"d{n}" for n in range(30)]}, "b": {"q": ["x"]}}, depth=30)
    assert "11 more pairs to judge" in str(many)
    assert (len(many.first(2).pairs), many.first(2).left, many.left) == (2, 29, 0)
    assert len(many.to_csv().splitlines()) == 32


REFUSED = [
    ({"runs": {}}, "no run to pool; pass at least one"),
    ({"order": "best"}, "unknown order 'best'; choose one of worth, against, depth, random, votes"),
    ({"depth": 0}, "depth must be a whole number at least 1, not '0'"),
    ({"a": "zz"}, "a: unknown run 'zz'; the runs are 'old', 'new'"),
    ({"a": "old", "b": "old"}, "a and b: 'old' is named twice; name two runs"),
    ({"measure": ["dcg@3", "dcg@5"]}, "one measure is needed, not 'dcg@3', 'dcg@5'"),
    ({"judged_only": True}, "judged_only=True removes unjudged documents from rankings, so none is left to judge"),
    ({"order": "votes", "wanted": 0}, "wanted must be a whole number at least 1, not '0'"),
    ({"order": "random", "seed": -1}, "seed must be a whole number at least 0, not '-1'"),
    ({"counts": {("q1", "a"): -1}}, "counts must be a whole number at least 0, not '-1'"),
]


@for_each("how, message", REFUSED)
def test_what_cannot_be(how, message):
    with pytest.raises(assay.AssayError, match=message):
        found(**how)


def test_which_runs_are_compared():
    three = {**RUNS, "third": {"q1": ["z"]}}
    assert found(runs=three, order="depth").reason == "3 runs; name the two to compare with a and b"
    assert found(runs=three, a="third", b="old").settlement.b == "old"
    assert "q1z" in names(found(runs=three, a="old", b="new").pairs)
    assert found(order="depth", no_relevant="skip").reason.endswith('use no_relevant="zero"')
    assert found(runs={"old": RUNS["old"]}, order="depth").reason == "need two runs to compare, got 1"
    with pytest.raises(assay.errors.MeasureError, match="cannot order by worth: 3 runs"):
        found(runs=three)
