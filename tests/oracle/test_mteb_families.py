"""mteb's measures of families of queries: plain loops over pytrec_eval's values and over sorted rankings."""

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay

DOCUMENTS = [f"d{number}" for number in range(8)]
SCORES = st.tuples(st.integers(0, 4), st.sampled_from([0, 0, 2**-40])).map(sum)
RANKINGS = st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1, max_size=8)
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0, 1, 1, 2]), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(GRADES, RANKINGS, GRADES, RANKINGS), min_size=1, max_size=6)
MISSING = st.sets(st.integers(0, 5))


def collection(pairs, first, second):
    """Judgments and a run of which each pair has two queries, with the endings of their ids."""
    qrels, run = {}, {}
    for number, (grades, ranking, other_grades, other_ranking) in enumerate(pairs):
        qrels |= {f"{number}{first}": grades, f"{number}{second}": other_grades}
        run |= {f"{number}{first}": ranking, f"{number}{second}": other_ranking}
    return qrels, run


@given(pairs=PAIRS)
def test_families(pairs):
    qrels, run = collection(pairs, "_q1", "_q2")
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recall.1", "ndcg_cut.10"}).evaluate(run)
    result = assay.evaluate(qrels, run, ["paired_accuracy", "robustness_at_10"], convention="mteb")
    both, lowest = [], []
    for number in range(len(pairs)):
        one, two = theirs[f"{number}_q1"], theirs[f"{number}_q2"]
        both.append(float(one["recall_1"] == 1 and two["recall_1"] == 1))
        lowest.append(min(one["ndcg_cut_10"], two["ndcg_cut_10"]))
    assert result.scores["paired_accuracy"][::2] == pytest.approx(both, abs=1e-9)
    assert result.scores["robustness_at_10"][::2] == pytest.approx(lowest, abs=1e-9)
    assert result["robustness_at_10"] == pytest.approx(sum(lowest) / len(lowest), abs=1e-9)


def rank_of(document, ranking):
    """The place of a document by score and then id, both from high to low; one after the last if it is not there."""
    order = sorted(ranking, key=lambda each: (ranking[each], each), reverse=True)
    return order.index(document) + 1 if document in order else len(order) + 1


def move(old, new):
    return (1 / old) / (1 / new) - 1 if old >= new else 1 - (1 / new) / (1 / old)


@given(pairs=PAIRS, missing=MISSING)
def test_p_mrr(pairs, missing):
    qrels, run = collection(pairs, "-og", "-changed")
    lacking = [query for place, query in enumerate(qrels) if place in missing]
    run = {query: ranking for query, ranking in run.items() if query not in lacking} or run
    expected = []
    for number, (grades, _, other_grades, _) in enumerate(pairs):
        changed = [each for each, grade in grades.items() if grade > 0 and other_grades.get(each) == 0]
        before, after = run.get(f"{number}-og"), run.get(f"{number}-changed")
        if changed and before is not None and after is not None:
            expected.append(sum(move(rank_of(each, before), rank_of(each, after)) for each in changed) / len(changed))
    result = assay.evaluate(qrels, run, "p-MRR", convention="mteb")
    scores = [score for score in result.scores["p-MRR"] if not math.isnan(score)]
    assert scores == pytest.approx(expected, abs=1e-12)
    assert result["p-MRR"] == pytest.approx(sum(expected) / len(expected) if expected else math.nan, nan_ok=True)
