"""What hits can tell about themselves, by hand; the oracles of all measures compute with them on random data."""

import numpy as np

import assay
from assay.core.judged import Judged
from assay.extend import Hits, ratio
from tables import for_each

# Three hits of query 0, none of query 1, two of query 2.
HITS = Hits(
    size=3,
    query=np.array([0, 0, 0, 2, 2]),
    grade=np.array([1.0, 0.0, 2.0, 1.0, -1.0]),
    rank=np.array([1, 3, 4, 2, 5]),
    score=np.array([9.0, 7.0, 7.0, 4.0, 1.0]),
    higher=np.array([0, 2, 2, 1, 4]),
    tied=np.array([0, 1, 1, 0, 3]),
    document=np.array([0, 1, 0, 7, 8]),
)
JUDGED = Judged(
    size=3,
    retrieved=np.array([5, 0, 9]),
    owner=np.array([0, 0, 0, 2, 2]),
    grades=np.array([2.0, 1.0, 0.0, 1.0, -1.0]),
    hits=HITS,
)
TABLE = [
    ("starts", HITS.starts, [0, 3, 3, 5]),
    ("ordinal", HITS.ordinal, [1, 2, 3, 1, 2]),
    ("count", HITS.count(), [3, 0, 2]),
    ("sum", HITS.sum(HITS.grade), [3, 0, 0]),
    ("count of the first", HITS.count(3), [2, 0, 1]),
    ("sum of the first", HITS.sum(HITS.grade, 3), [1, 0, 1]),
    ("running sums", HITS.running(HITS.grade), [1, 1, 3, 1, 0]),
    ("before all", HITS.before(np.array([True] * 5)), [0, 1, 2, 0, 1]),
    ("before some", HITS.before(HITS.grade > 0), [0, 1, 1, 0, 1]),
    ("before none", HITS.before(np.array([False] * 5)), [0, 0, 0, 0, 0]),
    ("product", HITS.product_before(np.array([0.5, 0.25, 9, 3, 9])), [1, 0.5, 0.125, 1, 3]),
    ("where", HITS.where(HITS.grade == 1).rank, [1, 2]),
    ("top", HITS.top(3).rank, [1, 3, 2]),
    ("no top", HITS.top(None).rank, [1, 3, 4, 2, 5]),
    ("distinct", HITS.distinct().rank, [1, 3, 2, 5]),
    ("first queries", HITS.first()[0], [0, 2]),
    ("first ranks", HITS.first()[1], [1, 2]),
    ("higher", HITS.among_themselves().higher, [0, 1, 1, 0, 1]),
    ("tied", HITS.among_themselves().tied, [0, 1, 1, 0, 0]),
    ("nothing", HITS.where(HITS.grade > 9).among_themselves().query, []),
    ("nothing first", HITS.where(HITS.grade > 9).first()[0], []),
    ("nothing before", HITS.where(HITS.grade > 9).before(np.array([], dtype=bool)), []),
    ("ratio", ratio(np.array([1.0, 2, 0]), np.array([4.0, 0, 0])), [0.25, 0, 0]),
    ("ratio of one", ratio(np.array([1, 2]), 4), [0.25, 0.5]),
    ("ratio of none", ratio(np.array([1, 2]), 0), [0, 0]),
    ("judged", JUDGED.judged().rank, [1, 3, 4, 2]),
    ("relevant", JUDGED.relevant(1).rank, [1, 4, 2]),
    ("highly relevant", JUDGED.relevant(2).rank, [4]),
    ("never below the floor", JUDGED.relevant(-5).rank, [1, 3, 4, 2]),
    ("count relevant", JUDGED.count_relevant(1), [2, 0, 1]),
    ("count relevant at 0", JUDGED.count_relevant(0), [3, 0, 1]),
    ("count relevant below 0", JUDGED.count_relevant(-5), [3, 0, 1]),
    ("found", JUDGED.found(1, None), [2, 0, 1]),
    ("found among the first", JUDGED.found(1, 3), [1, 0, 1]),
    ("count nonrelevant", JUDGED.count_nonrelevant(1), [1, 0, 0]),
    ("count nonrelevant at 2", JUDGED.count_nonrelevant(2), [2, 0, 1]),
    ("highest grade", JUDGED.highest_grade(), [2, 0, 1]),
    ("cut", JUDGED.cut(6), [5, 0, 6]),
    ("no cut", JUDGED.cut(None), [5, 0, 9]),
]


@for_each(("what", "found", "expected"), TABLE)
def test_values(what, found, expected):
    np.testing.assert_array_equal(found, expected, what)


def test_what_is_remembered_is_made_once():
    judged = Judged(1, np.array([1]), np.array([0]), np.array([1.0]), HITS)
    made = []
    for _ in range(2):
        assert judged.remember("key", lambda: made.append(1) or len(made)) == 1
    assert made == [1]


def test_a_measure_of_ones_own_sees_hits_by_query_and_rank():
    seen = []

    @assay.extend.measure("spy", title="Spy", formula="none")
    def spy(judged):
        seen.append(judged)
        return np.zeros(judged.size)

    try:
        run = {"q2": {"x": 1, "a": 3, "b": 2}, "q1": {"b": 1, "c": 1}}
        assay.evaluate({"q1": {"c": 2, "b": 1}, "q2": {"b": 0, "a": -1, "z": 1}}, run, "spy")
    finally:
        assay.extend.remove_measure("spy")
    (judged,) = seen
    hits = judged.hits
    assert (hits.query.tolist(), hits.rank.tolist()) == ([0, 0, 1, 1], [1, 2, 1, 2])
    assert hits.grade.tolist() == [2, 1, -1, 0]
    assert hits.score.tolist() == [1, 1, 3, 2]
    assert (hits.higher.tolist(), hits.tied.tolist()) == ([0, 0, 0, 1], [1, 1, 0, 0])
    assert judged.retrieved.tolist() == [2, 3]
    assert (judged.owner.tolist(), judged.grades.tolist()) == ([0, 0, 1, 1, 1], [2, 1, 1, 0, -1])
