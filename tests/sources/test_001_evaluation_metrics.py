"""Document 001, "Metric-based evaluation": formulas without worked examples."""

from math import log2

from hypothesis import given
from hypothesis import strategies as st

import assay
from sources.rankings import (
    binary_rankings,
    close,
    cutoffs,
    few_examples,
    graded_rankings,
    mean_score,
    score,
    unseen_relevant,
)
from tables import for_each


def precision_at(ranking, k):
    return sum(ranking[:k]) / k


def average_precision_at(ranking, n):
    return sum(precision_at(ranking, i) * ranking[i - 1] for i in range(1, min(n, len(ranking)) + 1))


def reciprocal_rank_at(ranking, k):
    return sum(relevance / i for i, relevance in enumerate(ranking[:k], start=1))


def dcg_at(ranking, k):
    return sum(relevance / log2(i + 1) for i, relevance in enumerate(ranking[:k], start=1))


def idcg_at(judged, k):
    return dcg_at(sorted(judged, reverse=True), k)


def test_hit_rate_is_the_share_of_queries_with_a_correct_context():
    correct = {"q1": ["c1"], "q2": ["c2", "c3"], "q3": ["c4"], "q4": ["c5"]}
    retrieved = {"q1": ["c9", "c1"], "q2": ["c3", "c8"], "q3": ["c1", "c2"], "q4": ["c5"]}
    with_correct = sum(bool(set(correct[query]) & set(retrieved[query])) for query in correct)
    assert with_correct == 3
    assert assay.evaluate(correct, retrieved, "hit_rate")["hit_rate"] == with_correct / len(correct)


def test_hit_rate_needs_one_correct_context_and_not_all():
    assert assay.evaluate({"q": ["c1", "c2"]}, {"q": ["c7", "c2"]}, "hit_rate")["hit_rate"] == 1.0


@few_examples
@given(binary_rankings)
def test_precision_is_the_relevant_share_of_all_retrieved(ranking):
    assert score("precision", ranking) == close(sum(ranking) / len(ranking))


@few_examples
@given(binary_rankings, st.integers(1, 4))
def test_recall_is_the_retrieved_share_of_all_relevant(ranking, unseen):
    assert score("recall", ranking, [1] * unseen) == close(sum(ranking) / (sum(ranking) + unseen))


@few_examples
@given(binary_rankings, cutoffs)
def test_precision_at_k(ranking, k):
    assert score(f"precision@{k}", ranking) == close(precision_at(ranking, k))


@few_examples
@given(binary_rankings, cutoffs, unseen_relevant)
def test_average_precision_at_n_is_a_sum_without_division(ranking, n, unseen):
    assert score(f"ap(norm=none)@{n}", ranking, [1] * unseen) == close(average_precision_at(ranking, n))


@for_each(
    ("ranking", "expected"),
    [
        ([1, 1, 1], 3.0),  # 1/1 + 2/2 + 3/3: passes 1
        ([1, 0, 1, 0], 5 / 3),  # 1/1 + 2/3
        ([0, 1, 0, 1], 1.0),  # 1/2 + 2/4
        ([0, 0, 0], 0.0),
    ],
)
def test_average_precision_without_division_by_hand(ranking, expected):
    assert score("ap(norm=none)", ranking) == close(expected)


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=5))
def test_map_is_the_mean_of_average_precision_over_queries(rankings):
    expected = sum(average_precision_at(ranking, len(ranking)) for ranking in rankings) / len(rankings)
    assert mean_score("map(norm=none)", rankings) == close(expected)


@few_examples
@given(binary_rankings, cutoffs)
def test_reciprocal_rank_at_k_is_a_sum_over_all_hits(ranking, k):
    assert score(f"rr(credit=sum)@{k}", ranking) == close(reciprocal_rank_at(ranking, k))


@for_each(
    ("ranking", "as_sum", "as_first"),
    [
        ([1, 1, 0], 1.5, 1.0),  # 1/1 + 1/2: passes 1
        ([0, 1, 0, 1], 0.75, 0.5),  # 1/2 + 1/4
        ([0, 0, 1], 1 / 3, 1 / 3),  # one hit: both are the same
    ],
)
def test_reciprocal_rank_as_a_sum_and_as_the_first_hit(ranking, as_sum, as_first):
    assert score("rr(credit=sum)", ranking) == close(as_sum)
    assert score("rr", ranking) == close(as_first)


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=5))
def test_mrr_is_the_mean_of_reciprocal_rank_over_queries(rankings):
    expected = sum(reciprocal_rank_at(ranking, len(ranking)) for ranking in rankings) / len(rankings)
    assert mean_score("mrr(credit=sum)", rankings) == close(expected)


@few_examples
@given(graded_rankings, cutoffs)
def test_dcg_at_k(ranking, k):
    assert score(f"dcg@{k}", ranking) == close(dcg_at(ranking, k))


@few_examples
@given(graded_rankings, cutoffs)
def test_idcg_at_k_is_the_dcg_of_the_ideal_list(ranking, k):
    assert score(f"dcg@{k}", sorted(ranking, reverse=True)) == close(idcg_at(ranking, k))


@few_examples
@given(graded_rankings.filter(any), cutoffs, st.lists(st.integers(1, 4), max_size=3))
def test_ndcg_at_k_is_dcg_over_idcg(ranking, k, unseen):
    expected = dcg_at(ranking, k) / idcg_at(ranking + unseen, k)
    assert score(f"ndcg@{k}", ranking, unseen) == close(expected)
