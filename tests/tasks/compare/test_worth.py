"""What a document is worth: against computing the measure without it, one document at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.tasks.compare.report import hit_worth
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

MEASURES = ["ndcg@10", "ap", "rr", "precision@5", "recall@3", "bpref", "err@10", "rbp", "ndcg(gain=exp2)@3"]
GRADES = st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=1, max_size=8)


def worth_of(measure, qrels, run):
    _, ranks = Scorer(make_plan([measure]), qrels).score_all({"run": run})
    judged = ranks.judged["run", measure]
    return judged, hit_worth(ranks.measures[measure], judged, np.arange(len(judged.hits.query)))


@pytest.mark.parametrize("measure", MEASURES)
@given(rankings=st.lists(GRADES, min_size=1, max_size=4))
def test_worth_is_what_is_lost_without_the_document(measure, rankings):
    qrels, run = {}, {}
    for n, each in enumerate(rankings):
        qrels[f"q{n}"] = {f"d{p}": g for p, g in enumerate(each) if g is not None} | {"other": 1}
        run[f"q{n}"] = [f"d{p}" for p in range(len(each))]
    judged, worth = worth_of(measure, qrels, run)
    assert worth is not None
    whole = assay.evaluate(qrels, run, [measure])
    for hit, value in enumerate(worth.tolist()):
        query, place = int(judged.hits.query[hit]), int(judged.hits.rank[hit]) - 1
        # Another document in its place, which nobody judged.
        changed = [f"d{p}" if p != place else "unknown" for p in range(len(rankings[query]))]
        without = assay.evaluate(qrels, {**run, f"q{query}": changed}, [measure])
        expected = whole.scores[measure][query] - without.scores[measure][query]
        assert value == pytest.approx(expected, abs=1e-12)


def test_measures_over_several_queries_have_none():
    @assay.extend.measure("share_of_all_hits")
    def share(judged: assay.extend.Judged):
        hits = judged.relevant(1).count()
        return hits / max(hits.sum(), 1)

    try:
        _, worth = worth_of("share_of_all_hits", {"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["b"]})
    finally:
        assay.extend.remove_measure("share_of_all_hits")
    assert worth is None
