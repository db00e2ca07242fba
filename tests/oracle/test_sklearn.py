"""Agreement with scikit-learn, a query at a time: its arrays are the retrieved documents with grades and scores."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics

import assay
from strategies import ANY_GRADES, Collection, collections, judgments

CUTOFFS = (1, 2, 3, 5, 10, 100)


def graded(function, **options):
    """A function of one row of grades and scores."""
    return lambda grades, scores, _: function([grades], [scores], **options)


def labelled(function, *, rows=False):
    """A function of labels, 1 where a grade reaches the level."""

    def call(grades, scores, rel):
        labels = [int(grade >= rel) for grade in grades]
        return function([labels], [scores]) if rows else function(labels, scores)

    return call


THEIRS = {
    "ndcg_score": graded(metrics.ndcg_score),
    "dcg_score": graded(metrics.dcg_score),
    "dcg_score(log_base=10,k=3)": graded(metrics.dcg_score, log_base=10, k=3),
    "dcg_score(log_base=1.5)": graded(metrics.dcg_score, log_base=1.5),
    **{f"ndcg_score(k={k})": graded(metrics.ndcg_score, k=k) for k in CUTOFFS},
    **{f"dcg_score(k={k})": graded(metrics.dcg_score, k=k) for k in CUTOFFS},
    "average_precision_score": labelled(metrics.average_precision_score),
    "roc_auc_score": labelled(metrics.roc_auc_score),
    "label_ranking_average_precision_score": labelled(metrics.label_ranking_average_precision_score, rows=True),
}


def peer_score(function, grades, scores, rel):
    """What scikit-learn says, NaN where it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(grades, scores, rel)
        except (ValueError, IndexError):
            return math.nan


@given(collection=collections(judgments(ANY_GRADES)), rel=st.sampled_from([1, 2, 0.5]))
@example(Collection({"q": {"a": 1}}, {"q": {"a": 1.0}}), 1)
@example(Collection({"q": {"a": 1}}, {"q": {}}), 1)
@example(Collection({"q": {"a": -1, "b": 2}}, {"q": {"a": 1, "b": 1, "x": 1}}), 1)
@example(Collection({"q": {"a": 1e6, "b": 3}}, {"q": {"a": 1, "b": 1, "x": 2}}), 1)
def test_agrees(collection, rel):
    qrels, run = collection
    result = assay.evaluate(qrels, run, THEIRS, convention="sklearn", rel=rel)
    assert result.queries == [query for query in qrels if query in run]
    for name, function in THEIRS.items():
        pairs = [(run[query], [qrels[query].get(each, 0) for each in run[query]]) for query in result.queries]
        expected = [peer_score(function, grades, list(ranking.values()), rel) for ranking, grades in pairs]
        np.testing.assert_allclose(result.scores[name], expected, rtol=1e-9, atol=1e-9, err_msg=name)
        known = [value for value in expected if not math.isnan(value)]
        assert result[name] == pytest.approx(np.mean(known) if known else math.nan, abs=1e-9, nan_ok=True)


@given(st.permutations([3.0, 2, 1, 0, 2.5]))
def test_agrees_without_ties_where_they_are_ignored(scores):
    qrels = {"q": {"a": 2, "b": 0, "c": 1.5}}
    run = {"q": dict(zip("abcde", scores, strict=True))}
    result = assay.evaluate(qrels, run, ["ndcg_score(ignore_ties=True,k=3)"], convention="sklearn")
    expected = metrics.ndcg_score([[2, 0, 1.5, 0, 0]], [scores], k=3, ignore_ties=True)
    assert result["ndcg_score(ignore_ties=True,k=3)"] == pytest.approx(expected, abs=1e-9)
