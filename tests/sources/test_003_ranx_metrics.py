"""Document 003, the metrics page of ranx: its table of aliases and each of its formulas."""

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay
from sources import rankings
from tables import for_each

# Alias, the measure it stands for, and whether the table gives it a cutoff.
ALIASES = [
    ("hits", "hits", True),
    ("hit_rate", "hit_rate", True),
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("f1", "f(beta=1)", True),
    ("r_precision", "r_precision", False),
    ("bpref", "bpref", False),
    ("rbp", "rbp", False),
    ("mrr", "rr", True),
    ("map", "ap", True),
    ("dcg", "dcg(gain=linear)", True),
    ("dcg_burges", "dcg(gain=exp2)", True),
    ("ndcg", "ndcg(gain=linear)", True),
    ("ndcg_burges", "ndcg(gain=exp2)", True),
]
FORMULAS = {
    "hits": lambda ranking, *_: sum(ranking),
    "hits@{k}": lambda ranking, _, k: sum(ranking[:k]),
    "hit_rate": rankings.whole(rankings.hit_rate),
    "hit_rate@{k}": rankings.hit_rate,
    "precision": rankings.whole(rankings.precision),
    "recall": rankings.whole(rankings.recall),
    "recall@{k}": rankings.recall,
    "f1": rankings.whole(rankings.f1),
    "f1@{k}": rankings.f1,
    "r_precision": lambda ranking, unseen, _: rankings.recall(ranking, unseen, rankings.relevant(ranking, unseen)),
    "mrr": rankings.whole(rankings.reciprocal_rank),
    "mrr@{k}": rankings.reciprocal_rank,
    "map": rankings.whole(rankings.average_precision),
    "map@{k}": rankings.average_precision,
}
GRADED = {
    "dcg": rankings.whole(rankings.dcg),
    "dcg@{k}": rankings.dcg,
    "dcg_burges": rankings.whole(rankings.burges(rankings.dcg)),
    "dcg_burges@{k}": rankings.burges(rankings.dcg),
    "ndcg": rankings.uncut(rankings.ndcg),
    "ndcg@{k}": rankings.ndcg,
    "ndcg_burges": rankings.uncut(rankings.burges(rankings.ndcg)),
    "ndcg_burges@{k}": rankings.burges(rankings.ndcg),
}


def bpref(ranking, relevant):
    nonrelevant, total = 0, 0.0
    for grade in ranking:
        if grade == 0:
            nonrelevant += 1
        if grade == 1:
            total += 1 - min(nonrelevant, relevant) / relevant
    return total / relevant


def rank_biased_precision(gains, p):
    return (1 - p) * sum(gain * p ** (i - 1) for i, gain in enumerate(gains, start=1))


@for_each(("alias", "measure", "has_cutoff"), ALIASES)
def test_aliases(alias, measure, has_cutoff):
    assert assay.parse_measure(alias) == assay.parse_measure(measure)
    if has_cutoff:
        assert assay.parse_measure(f"{alias}@5") == assay.parse_measure(f"{measure}@5") != assay.parse_measure(alias)
    elif alias != "rbp":
        with pytest.raises(assay.errors.MeasureError, match="has no cutoff"):
            assay.parse_measure(f"{alias}@5")


@rankings.few_examples
@given(rankings.hit_queries, rankings.graded_queries, rankings.cutoffs)
def test_formulas(drawn, graded, k):
    rankings.agree(FORMULAS, drawn, k)
    rankings.agree(GRADED, graded, k)


@rankings.few_examples
@given(
    st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=12).filter(lambda ranking: 1 in ranking),
    st.integers(0, 4),
)
def test_bpref_formula(ranking, unseen):
    expected = bpref(ranking, ranking.count(1) + unseen)
    assert rankings.score("bpref(denominator=relevant)", ranking, [1] * unseen) == rankings.close(expected)


@rankings.few_examples
@given(st.lists(st.integers(0, 4), min_size=1, max_size=10), st.floats(0.05, 0.95))
def test_rank_biased_precision_formula(ranking, p):
    assert rankings.score(f"rbp(p={p})", ranking) == rankings.close(
        rank_biased_precision([int(grade >= 1) for grade in ranking], p)
    )
    # With raw grades, as the code of ranx has it.
    assert rankings.score(f"rbp(p={p},gain=grade)", ranking) == rankings.close(rank_biased_precision(ranking, p))


BY_HAND = [
    ("rbp(p=0.95)", [1, 0, 1], [], 0.05 * (1 + 0.95**2)),
    # 0.2 · (1 + 0.64) as the document writes it; ranx and trec_eval code 0.2 · (3 + 0.64) and 0.2 · (3/3 + 0.64/3)
    ("rbp(p=0.8)", [3, 0, 1], [], 0.328),
    ("rbp(p=0.8,gain=grade)", [3, 0, 1], [], 0.728),
    ("rbp(p=0.8,gain=max)", [3, 0, 1], [], 0.728 / 3),
    # Precision divides by k even where fewer were retrieved.
    ("precision@5", [1, 1], [], 0.4),
    ("precision(over=retrieved)@5", [1, 1], [], 1),
    ("mrr", [1], [], 1),
    ("mrr", [0, 1], [], 1 / 2),
    ("mrr", [0, 0, 1, 1], [], 1 / 3),
    # Average precision divides by all relevant documents, and not by those retrieved.
    ("map", [1, 0, 1], [1, 1], (1 / 1 + 2 / 3) / 4),
    ("map(norm=found)", [1, 0, 1], [1, 1], (1 / 1 + 2 / 3) / 2),
]


@for_each(("measure", "ranking", "unseen", "expected"), BY_HAND)
def test_examples_by_hand(measure, ranking, unseen, expected):
    assert rankings.score(measure, ranking, unseen) == rankings.close(expected)


@for_each(
    ("ranking", "as_written", "as_coded"),
    [
        ([1, 0, 1], 0.75, 0.5),  # R = 2, N = 1: (1 + (1 - 1/2)) / 2 and (1 + (1 - 1/1)) / 2
        ([0, None, 1, 1, 1], 2 / 3, 0.0),  # R = 3, N = 1: each 1 - 1/3 and 1 - 1/1
        ([0, 1, 0, 1], 0.25, 0.25),  # R = N = 2: ((1 - 1/2) + (1 - 2/2)) / 2 both ways
        ([1, None, 1], 1.0, 1.0),  # nothing is judged not relevant
    ],
)
def test_bpref_as_the_document_writes_it_and_as_trec_eval_codes_it(ranking, as_written, as_coded):
    qrels = {"q": {f"d{rank}": grade for rank, grade in enumerate(ranking) if grade is not None}}
    run = {"q": {f"d{rank}": -float(rank) for rank in range(len(ranking))}}
    assert rankings.score("bpref(denominator=relevant)", ranking) == rankings.close(as_written)
    assert rankings.score("bpref", ranking) == rankings.close(as_coded)
    assert pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(run)["q"]["bpref"] == rankings.close(as_coded)
