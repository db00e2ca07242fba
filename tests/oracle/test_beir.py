"""BEIR's and mteb's formulas: pytrec_eval where they call it, and plain loops where they have their own.

pytrec_eval crashes or loops on an empty ranking and on grades that are all negative, so it is never given those.
"""

import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc

import assay
from strategies import DOCUMENTS, QUERIES, WHOLE_GRADES, collections

CUTOFFS = (1, 3, 5, 10, 100, 1000)
# Documents may be named like a query, and scores may differ only beyond 32 bits.
NAMES = [*DOCUMENTS[:8], *QUERIES[:2]]
SCORES = st.tuples(st.integers(-3, 8).map(lambda number: number / 4), st.sampled_from([0, 0, 2**-40])).map(sum)
GRADES = st.dictionaries(st.sampled_from(NAMES), WHOLE_GRADES, min_size=1, max_size=8).filter(
    lambda grades: max(grades.values()) >= 0
)
RANKINGS = st.dictionaries(st.sampled_from(NAMES), SCORES, min_size=2, max_size=10)
COLLECTIONS = collections(GRADES, RANKINGS)
TREC = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P", "hit_rate": "success"}


def trec_scores(qrels, run):
    wanted = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in TREC.values()}
    return pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)


def top(ranking, k, by_id=False):
    """The first k documents by score; ties as given, or by document id from high to low."""
    documents = sorted(ranking, reverse=True) if by_id else list(ranking)
    return sorted(documents, key=lambda document: -ranking[document])[:k]


def relevant(judgments):
    return {document for document, grade in judgments.items() if grade > 0}


def reciprocal_rank(judgments, documents):
    good = relevant(judgments)
    return next((1 / rank for rank, document in enumerate(documents, start=1) if document in good), 0.0)


def capped_recall(judgments, documents, k):
    good = relevant(judgments)
    # A query that the run lacks is never looked at; it only counts in what the sum is divided by.
    return len(good & set(documents)) / min(len(good), k) if good else math.nan if documents else 0


def close(found, expected):
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(collection=COLLECTIONS)
def test_beir_is_pytrec_eval_without_documents_named_like_the_query(collection):
    qrels, run = collection
    names = ["NDCG", "MAP", "Recall", "P"]
    result = assay.evaluate(qrels, run, names, convention="beir")
    kept = {query: {each: s for each, s in ranking.items() if each != query} for query, ranking in run.items()}
    expected = trec_scores(qrels, kept)
    assert set(result.queries) == set(expected)
    for name in names:
        for k in CUTOFFS:
            values = {query: scores[f"{TREC[name]}_{k}"] for query, scores in expected.items()}
            found = dict(zip(result.queries, result.scores[f"{name}@{k}"], strict=True))
            close(found, values)
            close(result[f"{name}@{k}"], sum(values.values()) / len(values))


@given(collection=COLLECTIONS)
def test_beir_has_four_measures_of_its_own(collection):
    qrels, run = collection
    result = assay.evaluate(qrels, run, ["mrr", "r_cap@k", "Hole", "accuracy"], convention="beir")
    annotated = {document for judgments in qrels.values() for document in judgments}
    assert result.queries == list(qrels)
    for k in CUTOFFS:
        tops = {query: top(run.get(query, {}), k) for query in qrels}
        close(result.scores[f"MRR@{k}"], [reciprocal_rank(qrels[query], tops[query]) for query in qrels])
        close(result.scores[f"R_cap@{k}"], [capped_recall(qrels[query], tops[query], k) for query in qrels])
        close(result.scores[f"Hole@{k}"], [len(set(tops[query]) - annotated) / k for query in qrels])
        close(result.scores[f"Accuracy@{k}"], [float(bool(relevant(qrels[q]) & set(tops[q]))) for q in qrels])
        # BEIR divides by the number of judged queries.
        total = sum(reciprocal_rank(qrels[query], tops[query]) for query in qrels)
        close(result[f"MRR@{k}"], total / len(qrels))


MTEB = {"ndcg": "ndcg_cut", "map": "map_cut", "recall": "recall", "precision": "P", "hit_rate": "success"}


@given(collection=COLLECTIONS)
def test_mteb_is_pytrec_eval_and_a_reciprocal_rank_of_its_own(collection):
    qrels, run = collection
    names = [f"{name}_at_{k}" for name in [*MTEB, "mrr"] for k in CUTOFFS]
    result = assay.evaluate(qrels, run, [*names, "accuracy"], convention="mteb")
    expected = trec_scores(qrels, run)
    assert set(result.queries) == set(expected)
    for k in CUTOFFS:
        for name, theirs in MTEB.items():
            close(result.scores[f"{name}_at_{k}"], [expected[query][f"{theirs}_{k}"] for query in result.queries])
        own = [reciprocal_rank(qrels[query], top(run[query], k, by_id=True)) for query in result.queries]
        close(result.scores[f"mrr_at_{k}"], own)
    np.testing.assert_array_equal(result.scores["accuracy"], result.scores["recall_at_1"])


def abstention_area(confidences, values):
    """Mteb's nAUC: areas under the curves of a score, of an oracle, and of no abstention at all."""
    rates = np.linspace(0, 1, 11)[:-1]
    values = np.asarray(values)

    def curve(figures):
        figures = np.asarray(figures)
        # Of queries that are equally sure, each counts as their mean.
        left = [values[figures == figure].mean() for figure in np.sort(figures)]
        cuts = [min(round(rate * len(left)), len(left) - 1) for rate in rates]
        return np.array([np.mean(left[cut:]) for cut in cuts])

    flat = values.mean() * (rates[-1] - rates[0])
    best = auc(rates, curve(values))
    return (auc(rates, curve(confidences)) - flat) / (best - flat)


def difference(scores):
    first, second = sorted(scores, reverse=True)[:2]
    return first - second


FIGURES = {"max": max, "std": np.std, "diff1": difference}
# Sums of quarters, so that a deviation has the same bits however it is computed.
EXACT = st.dictionaries(
    st.sampled_from(DOCUMENTS[:6]), st.integers(0, 40).map(lambda number: number / 4), min_size=2, max_size=6
)
MANY = st.lists(st.tuples(GRADES, EXACT), min_size=2, max_size=23)


@settings(max_examples=settings.default.max_examples // 2)
@given(queries=MANY)
def test_mteb_tells_how_well_scores_say_which_queries_are_good(queries):
    qrels = {f"q{number:02}": judgments for number, (judgments, _) in enumerate(queries)}
    run = {f"q{number:02}": ranking for number, (_, ranking) in enumerate(queries)}
    theirs = trec_scores(qrels, run)
    bases = {"ndcg": "ndcg_cut_3", "map": "map_cut_3", "recall": "recall_3", "precision": "P_3"}
    values = {name: [theirs[query][trec] for query in qrels] for name, trec in bases.items()}
    values["mrr"] = [reciprocal_rank(qrels[query], top(run[query], 3, by_id=True)) for query in qrels]
    names = [f"nauc_{name}_at_3_{figure}" for name in values for figure in FIGURES]
    result = assay.evaluate(qrels, run, names, convention="mteb")
    for name, each in values.items():
        for figure, function in FIGURES.items():
            found = result[f"nauc_{name}_at_3_{figure}"]
            if max(each) - min(each) < 1e-12:
                assert math.isnan(found)
                continue
            confidences = [function(list(run[query].values())) for query in qrels]
            assert found == pytest.approx(abstention_area(confidences, each), abs=1e-9)
            close(result.scores[f"nauc_{name}_at_3_{figure}"], each)
