"""Document 004, "Metrics for Information Retrieval": every formula and every worked example.

Where the document prints another number than its formula gives, the test holds what the formula gives;
docs/sources.md lists what was printed.
"""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from sources.rankings import (
    binary_rankings,
    close,
    cutoffs,
    few_examples,
    mean_score,
    score,
    unseen_relevant,
)
from tables import for_each

QRELS = {
    "Query 1": {"Document 1": 1.0, "Document 2": 0.5, "Document 3": 0.3, "Document 4": 0.1},
    "Query 2": {"Document 1": 0.7, "Document 2": 1.0, "Document 3": 0.2, "Document 4": 0.1},
    "Query 3": {"Document 1": 0.4, "Document 2": 0.2, "Document 3": 1.0, "Document 4": 0.1},
}
# The system returned the documents in the order in which they are listed.
RUN = {query: list(grades) for query, grades in QRELS.items()}

# Ranks 1 to 3, 6 to 8 and 10 of the example of capped recall are relevant: seven documents.
SEVEN_RELEVANT = [1, 1, 1, 0, 0, 1, 1, 1, 0, 1]

hit_rankings = binary_rankings.filter(any)
float_grades = st.lists(st.floats(0, 1).map(lambda grade: round(grade, 2)), min_size=1, max_size=8).filter(any)


def per_query(measure, run=RUN, **policies):
    return assay.evaluate(QRELS, run, measure, **policies).scores[measure]


def dcg_at(grades, k):
    return sum(grade * (1 / log2(i + 1)) for i, grade in enumerate(grades[:k], start=1))


@few_examples
@given(float_grades, cutoffs)
def test_dcg_at_k_formula(grades, k):
    assert score(f"dcg@{k}", grades) == close(dcg_at(grades, k))


@few_examples
@given(float_grades, cutoffs)
def test_ndcg_at_k_formula(grades, k):
    assert score(f"ndcg@{k}", grades) == close(dcg_at(grades, k) / dcg_at(sorted(grades, reverse=True), k))


def test_dcg_at_2_example():
    # 1.0 + 0.5/1.585, 0.7 + 1.0/1.585, 0.4 + 0.2/1.585
    assert per_query("dcg@2") == pytest.approx([1.31546, 1.33093, 0.52619], abs=5e-6)


def test_idcg_at_2_example():
    # 1.0 + 0.5/1.585, 1.0 + 0.7/1.585, 1.0 + 0.4/1.585
    best_first = {query: sorted(grades, key=grades.get, reverse=True) for query, grades in QRELS.items()}
    assert per_query("dcg@2", best_first) == pytest.approx([1.31546, 1.44165, 1.25237], abs=5e-6)
    assert per_query("ndcg@2", best_first) == close([1, 1, 1])


def test_ndcg_at_2_example():
    assert per_query("ndcg@2") == pytest.approx([1, 0.92320, 0.42015], abs=5e-6)
    assert per_query("ndcg@2").round(3).tolist() == [1.0, 0.923, 0.42]


def test_relevance_threshold_leaves_graded_gains_alone():
    assert per_query("ndcg@2", rel=0.5).tolist() == per_query("ndcg@2").tolist()


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=5), cutoffs)
def test_map_at_k_formula_is_the_mean_of_precision_at_k(rankings, k):
    expected = sum(sum(ranking[:k]) / k for ranking in rankings) / len(rankings)
    assert mean_score(f"precision@{k}", rankings) == close(expected)


def test_map_at_2_example_as_the_mean_of_precision_at_2():
    assert assay.evaluate(QRELS, RUN, "precision@2", rel=0.5)["precision@2"] == close(2 / 3)


def test_map_at_k_stays_average_precision():
    # Precision@2 is 1/2 wherever the one hit stands; average precision tells the order.
    assert [score("precision@2", [1, 0]), score("precision@2", [0, 1])] == [0.5, 0.5]
    assert [score("map@2", [1, 0]), score("map@2", [0, 1])] == [1.0, 0.5]
    assert mean_score("map@2", [[1, 0], [0, 1]]) == 0.75


def test_precision_of_two_relevant_among_four():
    assert score("precision", [0, 1, 1, 0]) == 0.5


@few_examples
@given(binary_rankings, cutoffs)
def test_precision_at_k_formula(ranking, k):
    assert score(f"precision@{k}", ranking) == close(sum(ranking[:k]) / k)


def test_precision_at_5_example():
    assert score("precision@5", [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]) == 0.6


@for_each(("measure", "policies"), [("precision(rel=0.5)@2", {}), ("precision@2", {"rel": 0.5})])
def test_precision_at_2_example(measure, policies):
    assert per_query(measure, **policies).tolist() == [1.0, 1.0, 0.0]


@few_examples
@given(hit_rankings, unseen_relevant, cutoffs)
def test_recall_at_k_formula(ranking, unseen, k):
    expected = sum(ranking[:k]) / (sum(ranking) + unseen)
    assert score(f"recall@{k}", ranking, [1] * unseen) == close(expected)


def test_recall_at_5_example_three_of_five():
    assert score("recall@5", [1, 0, 1, 0, 1, 0, 0, 1, 1, 0]) == 0.6


@for_each(("measure", "policies"), [("recall(rel=0.5)@2", {}), ("recall@2", {"rel": 0.5})])
def test_recall_at_2_example(measure, policies):
    assert per_query(measure, **policies).tolist() == [1.0, 1.0, 0.0]


def test_number_of_relevant_documents_at_the_threshold():
    assert per_query("num_rel", rel=0.5).tolist() == [2, 2, 1]
    assert per_query("hits@2", rel=0.5).tolist() == [2, 2, 0]


def test_recall_is_undefined_without_relevant_documents_and_precision_is_not():
    qrels = {"none": {"a": 0, "b": 0}, "one": {"a": 1, "b": 0}}
    run = {"none": ["a", "b"], "one": ["b", "a"]}
    result = assay.evaluate(qrels, run, ["recall@2", "precision@2"], no_relevant="nan")
    assert np.isnan(result.scores["recall@2"]).tolist() == [True, False]
    assert result.scores["precision@2"].tolist() == [0.0, 0.5]
    assert result["recall@2"] == 1.0


def test_recall_is_undefined_where_the_threshold_is_too_high():
    assert np.isnan(per_query("recall@2", rel=1.5, no_relevant="nan")).tolist() == [True, True, True]
    assert np.isnan(per_query("recall@2", rel=1.0, no_relevant="nan")).tolist() == [False, False, False]


@few_examples
@given(hit_rankings, unseen_relevant, cutoffs)
def test_capped_recall_at_k_formula(ranking, unseen, k):
    expected = sum(ranking[:k]) / min(k, sum(ranking) + unseen)
    assert score(f"recall(cap=true)@{k}", ranking, [1] * unseen) == close(expected)


def test_recall_at_5_example_of_seven_relevant():
    assert sum(SEVEN_RELEVANT) == 7
    assert score("recall@5", SEVEN_RELEVANT) == close(3 / 7)


def test_capped_recall_at_5_example_of_seven_relevant():
    assert score("r_cap@5", SEVEN_RELEVANT) == 0.6


def test_recall_at_100_of_five_hundred_relevant():
    assert score("recall@100", [1] * 500) == 0.2
    assert score("r_cap@100", [1] * 500) == 1.0


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=5), cutoffs)
def test_mrr_at_k_formula(rankings, k):
    ranks = [ranking.index(1) + 1 for ranking in rankings if 1 in ranking[:k]]
    assert mean_score(f"mrr@{k}", rankings) == close(sum(1 / rank for rank in ranks) / len(rankings))


def test_mrr_at_5_example():
    value = mean_score("mrr@5", [[0, 0, 1, 0, 1], [1, 0, 0, 0, 0]])
    assert value == close((1 / 3 + 1 / 1) / 2)
    assert round(value, 2) == 0.67


@for_each("measure", ["mrr@2", "mrr(rel=0.5)@2"])
def test_mrr_at_2_example(measure):
    assert per_query(measure, rel=0.5).tolist() == [1.0, 1.0, 0.0]
    assert assay.evaluate(QRELS, RUN, measure, rel=0.5)[measure] == close(2 / 3)


def test_mrr_without_cutoff_is_what_the_mrr_at_2_example_adds_up():
    assert assay.evaluate(QRELS, RUN, "mrr", rel=0.5)["mrr"] == close((1 + 1 + 1 / 3) / 3)
