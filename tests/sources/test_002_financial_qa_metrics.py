"""Document 002, ten metrics for answering financial questions: every formula and every worked example."""

from math import log2, prod

import pytest
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

hit_rankings = binary_rankings.filter(any)
probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def ranking_with_first_hit_at(position):
    return [0] * (position - 1) + [1]


def average_precision(ranking):
    return sum(sum(ranking[:i]) / i for i, hit in enumerate(ranking, start=1) if hit) / sum(ranking)


def dcg(ranking):
    return sum((2**relevance - 1) / log2(i + 1) for i, relevance in enumerate(ranking, start=1))


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall)


def expected_reciprocal_rank(chances):
    return sum(prod(1 - earlier for earlier in chances[: i - 1]) * r / i for i, r in enumerate(chances, start=1))


@few_examples
@given(binary_rankings, cutoffs)
def test_precision_at_k_formula(ranking, k):
    assert score(f"precision@{k}", ranking) == close(sum(ranking[:k]) / k)


def test_precision_example_revenue_sources():
    relevant = {"Revenue Streams", "Revenue Recognition Policies", "Financial Statements"}
    retrieved = [
        "Revenue Streams",
        "Executive Profiles",
        "Market Analysis",
        "Revenue Recognition Policies",
        "Financial Statements",
    ]
    assert assay.evaluate({"q": list(relevant)}, {"q": retrieved}, "precision@5")["precision@5"] == 0.6


@few_examples
@given(hit_rankings, unseen_relevant)
def test_recall_formula(ranking, unseen):
    assert score("recall", ranking, [1] * unseen) == close(sum(ranking) / (sum(ranking) + unseen))


def test_recall_example_six_of_ten():
    ranking = [1, 1, 0, 1, 1, 0, 1, 1]
    assert assay.evaluate_labels([ranking], "recall", relevant=10)["recall"] == 0.6


@few_examples
@given(st.lists(hit_rankings, min_size=1, max_size=5))
def test_map_formula(rankings):
    expected = sum(average_precision(ranking) for ranking in rankings) / len(rankings)
    assert mean_score("map", rankings) == close(expected)


def test_map_example_of_three_queries():
    rankings = [
        [1, 0, 0, 0, 1],  # (1/1 + 2/5) / 2
        [1, 1, 1, *[0] * 16, 1],  # (1/1 + 2/2 + 3/3 + 4/20) / 4
        [1, *[0] * 8, 1],  # (1/1 + 2/10) / 2
    ]
    result = assay.evaluate_labels(rankings, "map")
    assert result.scores["map"] == close([0.7, 0.8, 0.6])
    assert result["map"] == close(0.7)


@few_examples
@given(graded_rankings.filter(any))
def test_dcg_formula_with_exponential_gain(ranking):
    assert score("dcg(gain=exp2)", ranking) == close(dcg(ranking))


@few_examples
@given(graded_rankings.filter(any), st.lists(st.integers(1, 4), max_size=3))
def test_ndcg_formula_with_exponential_gain(ranking, unseen):
    expected = dcg(ranking) / dcg(sorted(ranking + unseen, reverse=True))
    assert score("ndcg(gain=exp2)", ranking, unseen) == close(expected)


def test_ndcg_example_three_zero_two():
    # 7/log2(2) + 0 + 3/log2(4) = 8.5, and ideally 7/log2(2) + 3/log2(3) = 8.892789
    assert score("dcg(gain=exp2)", [3, 0, 2]) == close(8.5)
    assert score("dcg(gain=exp2)", [3, 2, 0]) == pytest.approx(8.892789, abs=1e-6)
    assert score("ndcg(gain=exp2)", [3, 0, 2]) == pytest.approx(0.955830, abs=1e-6)
    assert score("ndcg(gain=exp2)", [3, 2, 0]) == 1.0


@few_examples
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_mrr_formula(positions):
    rankings = [ranking_with_first_hit_at(position) for position in positions]
    assert mean_score("mrr", rankings) == close(sum(1 / position for position in positions) / len(positions))


def test_mrr_example_positions_two_one_four():
    rankings = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
    value = mean_score("mrr", rankings)
    assert value == close((1 / 2 + 1 / 1 + 1 / 4) / 3)
    assert round(value, 2) == 0.58


@few_examples
@given(hit_rankings, unseen_relevant)
def test_f1_formula(ranking, unseen):
    precision = sum(ranking) / len(ranking)
    recall = sum(ranking) / (sum(ranking) + unseen)
    assert score("f1", ranking, [1] * unseen) == close(f1(precision, recall))


def test_f1_example_of_precision_and_recall():
    ranking = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    result = assay.evaluate_labels([ranking], ["precision", "recall", "f1"], relevant=14)
    assert (result["precision"], result["recall"]) == (0.7, 0.5)
    assert result["f1"] == close(7 / 12)
    assert round(result["f1"], 2) == 0.58


@few_examples
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=10).filter(
        lambda documents: len({is_relevant for is_relevant, _ in documents}) == 2
    )
)
def test_auc_is_the_chance_that_a_relevant_document_is_ranked_higher(documents):
    relevant = [value for is_relevant, value in documents if is_relevant]
    others = [value for is_relevant, value in documents if not is_relevant]
    right = sum((one > other) + (one == other) / 2 for one in relevant for other in others)
    qrels = {"q": {f"d{number}": int(is_relevant) for number, (is_relevant, _) in enumerate(documents)}}
    run = {"q": {f"d{number}": value for number, (_, value) in enumerate(documents)}}
    assert assay.evaluate(qrels, run, "auc")["auc"] == close(right / (len(relevant) * len(others)))


def test_auc_without_discrimination_is_a_half():
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0}}
    run = {"q": dict.fromkeys("abcde", 0.3)}
    assert assay.evaluate(qrels, run, "auc")["auc"] == 0.5


def test_auc_of_perfect_discrimination_is_one():
    assert score("auc", [1, 1, 1, 0, 0]) == 1.0
    assert score("auc", [0, 0, 1, 1, 1]) == 0.0


def test_auc_example_eighty_five_in_a_hundred():
    # Five relevant documents, with 0, 0, 0, 1 and 2 of the four others above them: 3 of 20 pairs are in wrong order.
    assert score("auc", [1, 1, 1, 0, 1, 0, 1, 0, 0]) == close(0.85)


@few_examples
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_mean_rank_formula(positions):
    rankings = [ranking_with_first_hit_at(position) for position in positions]
    assert mean_score("first_rank", rankings) == close(sum(positions) / len(positions))


def test_mean_rank_example_positions_three_two_five():
    rankings = [[0, 0, 1, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1]]
    value = mean_score("mean_rank", rankings)
    assert value == close((3 + 2 + 5) / 3)
    assert round(value, 2) == 3.33


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=6), cutoffs)
def test_hit_rate_at_k_formula(rankings, k):
    expected = sum(any(ranking[:k]) for ranking in rankings) / len(rankings)
    assert mean_score(f"hit_rate@{k}", rankings) == close(expected)


def test_hit_rate_example_fifteen_of_twenty_queries():
    # The first relevant document of the other five stands just below the top five.
    rankings = [ranking_with_first_hit_at(1 + number % 5) for number in range(15)] + [ranking_with_first_hit_at(6)] * 5
    assert mean_score("hit_rate@5", rankings) == 0.75
    assert mean_score("hit_rate@6", rankings) == 1.0


def test_hit_rate_is_recall_only_with_one_relevant_document():
    assert score("hit_rate@5", [0, 1, 0, 0, 0]) == score("recall@5", [0, 1, 0, 0, 0]) == 1.0
    assert score("hit_rate@5", [0, 1, 0, 0, 0], [1, 1, 1]) == 1.0
    assert score("recall@5", [0, 1, 0, 0, 0], [1, 1, 1]) == 0.25


@few_examples
@given(probabilities)
def test_err_formula(chances):
    assert score("err(gain=identity)", chances) == close(expected_reciprocal_rank(chances))


def test_err_example_of_three_probabilities():
    # 0.2 + 0.8·0.5/2 + 0.8·0.5·0.8/3 = 0.2 + 0.2 + 0.106667
    assert score("err(gain=identity)", [0.2, 0.5, 0.8]) == pytest.approx(0.506667, abs=1e-6)
    assert score("err(gain=identity)", [0.8, 0.5, 0.2]) == pytest.approx(0.856667, abs=1e-6)
