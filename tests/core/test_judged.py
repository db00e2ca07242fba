"""What hits can tell about themselves, by hand and against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
    ("count", HITS.count(), [3, 0, 2]),
    ("sum", HITS.sum(HITS.grade), [3, 0, 0]),
    ("count of the first", HITS.count(3), [2, 0, 1]),
    ("sum of the first", HITS.sum(HITS.grade, 3), [1, 0, 1]),
    ("running sums", HITS.running(HITS.grade), [1, 1, 3, 1, 0]),
    ("before all", HITS.before(np.array([True] * 5)), [0, 1, 2, 0, 1]),
    ("before some", HITS.before(HITS.grade > 0), [0, 1, 1, 0, 1]),
    ("product", HITS.product_before(np.array([0.5, 0.25, 9, 3, 9])), [1, 0.5, 0.125, 1, 3]),
    ("where", HITS.where(HITS.grade == 1).rank, [1, 2]),
    ("top", HITS.top(3).rank, [1, 3, 2]),
    ("no top", HITS.top(None).rank, [1, 3, 4, 2, 5]),
    ("distinct", HITS.distinct().rank, [1, 3, 2, 5]),
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


@st.composite
def random_hits(draw):
    """Hits of a few queries, with a mask and factors for them."""
    rows = []
    size = draw(st.integers(1, 5))
    for query in range(size):
        scores = sorted(draw(st.lists(st.integers(0, 3), max_size=6)), reverse=True)
        rows += [(query, place + 1, score) for place, score in enumerate(scores)]
    columns = np.array(rows).reshape(-1, 3).T
    query, rank, score = columns.astype(np.int64)
    mask = np.array([draw(st.booleans()) for _ in rows], dtype=np.bool_)
    factors = np.array([draw(st.sampled_from([0, 0.5, 1, -3])) for _ in rows], dtype=np.float64)
    zeros = np.zeros(len(rows), dtype=np.int64)
    return (
        Hits(size, query, mask.astype(float), rank, score.astype(float), zeros, zeros, np.arange(len(query))),
        mask,
        factors,
    )


@given(drawn=random_hits())
def test_against_loops(drawn):
    hits, mask, factors = drawn
    rows = range(len(hits.query))
    others = [[other for other in rows if hits.query[other] == hits.query[row] and other != row] for row in rows]
    earlier = [[other for other in others[row] if other < row] for row in rows]
    assert hits.ordinal.tolist() == [len(earlier[row]) + 1 for row in rows]
    assert hits.before(mask).tolist() == [sum(bool(mask[other]) for other in earlier[row]) for row in rows]
    products = [np.prod([1.0, *(factors[other] for other in earlier[row])]) for row in rows]
    assert hits.product_before(factors).tolist() == products
    counts = [sum(int(query) == number for query in hits.query) for number in range(hits.size)]
    assert hits.count().tolist() == counts
    sums = [sum(factors[row] for row in rows if hits.query[row] == number) for number in range(hits.size)]
    assert hits.sum(factors).tolist() == sums
    themselves = hits.among_themselves()
    better = [[hits.score[other] - hits.score[row] for other in others[row]] for row in rows]
    assert themselves.higher.tolist() == [sum(each > 0 for each in found) for found in better]
    assert themselves.tied.tolist() == [sum(each == 0 for each in found) for found in better]
    queries, ranks = hits.first()
    assert dict(zip(queries.tolist(), ranks.tolist(), strict=True)) == {
        number: 1 for number, count in enumerate(counts) if count
    }


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
