"""Document 004, "Metrics for Information Retrieval": every formula and every worked example.

Where the document prints another number than its formula gives, the test holds what the formula gives;
docs/sources.md lists what was printed.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from sources import rankings
from sources.rankings import agree, binary_queries, close, cutoffs, few_examples, hit_queries, queries, score, whole
from tables import for_each

QRELS = {
    "Query 1": {"Document 1": 1.0, "Document 2": 0.5, "Document 3": 0.3, "Document 4": 0.1},
    "Query 2": {"Document 1": 0.7, "Document 2": 1.0, "Document 3": 0.2, "Document 4": 0.1},
    "Query 3": {"Document 1": 0.4, "Document 2": 0.2, "Document 3": 1.0, "Document 4": 0.1},
}
# The system returned the documents in the order in which they are listed.
RUN = {query: list(grades) for query, grades in QRELS.items()}
BEST_FIRST = {query: sorted(grades, key=grades.get, reverse=True) for query, grades in QRELS.items()}

float_queries = queries(st.floats(0, 1).map(lambda grade: round(grade, 2)), with_hit=True)


@few_examples
@given(binary_queries, hit_queries, float_queries, cutoffs)
def test_formulas(drawn, with_hits, graded, k):
    # The document's MAP@k is the mean of precision at k.
    agree({"precision@{k}": rankings.precision, "mrr@{k}": rankings.reciprocal_rank}, drawn, k)
    agree({"recall@{k}": rankings.recall, "recall(cap=true)@{k}": rankings.capped_recall}, with_hits, k)
    agree({"dcg@{k}": rankings.dcg, "ndcg@{k}": rankings.ndcg, "dcg": whole(rankings.dcg)}, graded, k)


# Measure, run, policies, and the values of the three queries with five decimals.
EXAMPLES = [
    # 1.0 + 0.5/1.585, 0.7 + 1.0/1.585, 0.4 + 0.2/1.585
    ("dcg@2", RUN, {}, [1.31546, 1.33093, 0.52619]),
    # 1.0 + 0.5/1.585, 1.0 + 0.7/1.585, 1.0 + 0.4/1.585
    ("dcg@2", BEST_FIRST, {}, [1.31546, 1.44165, 1.25237]),
    ("ndcg@2", BEST_FIRST, {}, [1, 1, 1]),
    ("ndcg@2", RUN, {}, [1, 0.92320, 0.42015]),
    # A level leaves gains of grades alone.
    ("ndcg@2", RUN, {"rel": 0.5}, [1, 0.92320, 0.42015]),
    ("precision(rel=0.5)@2", RUN, {}, [1, 1, 0]),
    ("precision@2", RUN, {"rel": 0.5}, [1, 1, 0]),
    ("recall(rel=0.5)@2", RUN, {}, [1, 1, 0]),
    ("recall@2", RUN, {"rel": 0.5}, [1, 1, 0]),
    ("num_rel", RUN, {"rel": 0.5}, [2, 2, 1]),
    ("hits@2", RUN, {"rel": 0.5}, [2, 2, 0]),
    ("mrr@2", RUN, {"rel": 0.5}, [1, 1, 0]),
    ("mrr(rel=0.5)@2", RUN, {"rel": 0.5}, [1, 1, 0]),
    # What the example of MRR@2 adds up has no cutoff.
    ("mrr", RUN, {"rel": 0.5}, [1, 1, 1 / 3]),
    # Recall is undefined where nothing is relevant.
    ("recall@2", RUN, {"rel": 1.5, "no_relevant": "nan"}, [np.nan] * 3),
    ("recall@2", RUN, {"rel": 1.0, "no_relevant": "nan"}, [1, 1, 0]),
]


@for_each(("measure", "run", "policies", "expected"), EXAMPLES)
def test_examples_of_three_queries(measure, run, policies, expected):
    result = assay.evaluate(QRELS, run, measure, **policies)
    assert result.scores[measure] == pytest.approx(expected, abs=5e-6, nan_ok=True)
    over_queries = np.sum if measure == "num_rel" else np.mean
    assert result[measure] == pytest.approx(over_queries(expected), abs=5e-6, nan_ok=True)


# Ranks 1 to 3, 6 to 8 and 10 of the example of capped recall are relevant: seven documents.
SEVEN_RELEVANT = [1, 1, 1, 0, 0, 1, 1, 1, 0, 1]
RANKED = [
    # Precision@2 is 1/2 wherever the one hit stands; average precision tells the order.
    ("precision@2", [1, 0], 1 / 2),
    ("precision@2", [0, 1], 1 / 2),
    ("map@2", [1, 0], 1),
    ("map@2", [0, 1], 1 / 2),
    ("precision", [0, 1, 1, 0], 1 / 2),
    ("precision@5", [1, 0, 1, 1, 0, 0, 1, 0, 0, 0], 3 / 5),
    ("recall@5", [1, 0, 1, 0, 1, 0, 0, 1, 1, 0], 3 / 5),
    ("recall@5", SEVEN_RELEVANT, 3 / 7),
    ("r_cap@5", SEVEN_RELEVANT, 3 / 5),
    ("recall@100", [1] * 500, 1 / 5),
    ("r_cap@100", [1] * 500, 1),
    ("mrr@5", [0, 0, 1, 0, 1], 1 / 3),
    ("mrr@5", [1, 0, 0, 0, 0], 1),
]


@for_each(("measure", "ranking", "expected"), RANKED)
def test_examples_of_one_ranking(measure, ranking, expected):
    assert score(measure, ranking) == close(expected)


def test_recall_is_undefined_without_relevant_documents_and_precision_is_not():
    qrels = {"none": {"a": 0, "b": 0}, "one": {"a": 1, "b": 0}}
    run = {"none": ["a", "b"], "one": ["b", "a"]}
    result = assay.evaluate(qrels, run, ["recall@2", "precision@2"], no_relevant="nan")
    assert np.isnan(result.scores["recall@2"]).tolist() == [True, False]
    assert result.scores["precision@2"].tolist() == [0.0, 0.5]
    assert result["recall@2"] == 1.0
