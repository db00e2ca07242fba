"""Document 001, "Metric-based evaluation": formulas without worked examples."""

from hypothesis import given

from sources import rankings
from tables import for_each

FORMULAS = {
    "hit_rate": rankings.whole(rankings.hit_rate),
    "precision": rankings.whole(rankings.precision),
    "precision@{k}": rankings.precision,
    "ap(norm=none)@{k}": rankings.sum_of_precisions,
    "map(norm=none)": rankings.whole(rankings.sum_of_precisions),
    "rr(credit=sum)@{k}": rankings.sum_of_reciprocal_ranks,
    "mrr(credit=sum)": rankings.whole(rankings.sum_of_reciprocal_ranks),
}


@rankings.few_examples
@given(rankings.binary_queries, rankings.hit_queries, rankings.graded_queries, rankings.cutoffs)
def test_formulas(drawn, with_hits, graded, k):
    rankings.agree(FORMULAS, drawn, k)
    rankings.agree({"recall": rankings.whole(rankings.recall)}, with_hits, k)
    rankings.agree({"dcg@{k}": rankings.dcg, "ndcg@{k}": rankings.ndcg}, graded, k)
    # IDCG@k is the DCG@k of the ideal list.
    ideal = [(sorted(ranking, reverse=True), unseen) for ranking, unseen in graded]
    rankings.agree({"dcg@{k}": rankings.dcg}, ideal, k)


BY_HAND = [
    ("ap(norm=none)", [1, 1, 1], 3.0),  # 1/1 + 2/2 + 3/3: passes 1
    ("ap(norm=none)", [1, 0, 1, 0], 5 / 3),  # 1/1 + 2/3
    ("ap(norm=none)", [0, 1, 0, 1], 1.0),  # 1/2 + 2/4
    ("ap(norm=none)", [0, 0, 0], 0.0),
    ("rr(credit=sum)", [1, 1, 0], 1.5),  # 1/1 + 1/2: passes 1
    ("rr", [1, 1, 0], 1.0),
    ("rr(credit=sum)", [0, 1, 0, 1], 0.75),  # 1/2 + 1/4
    ("rr", [0, 1, 0, 1], 0.5),
    ("rr(credit=sum)", [0, 0, 1], 1 / 3),  # one hit: both are the same
    ("rr", [0, 0, 1], 1 / 3),
]


@for_each(("measure", "ranking", "expected"), BY_HAND)
def test_sums_by_hand(measure, ranking, expected):
    assert rankings.score(measure, ranking) == rankings.close(expected)
