"""Agreement with ranx, on scores that all differ: it sorts ties in no defined order.

It compiles its functions for each length of document id, so all ids here are equally long, and many queries go into one
call. A query without relevant documents spoils its bpref of other queries, so bpref is never given such.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from real_ranx import evaluate, interpolated_precision, ranx

pytestmark = pytest.mark.xdist_group("ranx")  # one worker, so that ranx compiles once

DOCUMENTS = [f"d{number:02}" for number in range(14)]
GRADES = st.sampled_from([-2, -1, -0.5, 0, 0, 0.9, 1, 1, 1.7, 2, 3])
JUDGMENTS = st.dictionaries(st.sampled_from(DOCUMENTS), GRADES, max_size=10)
BASES = ["hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges", "ndcg", "ndcg_burges"]
LEVELS = ["", "-l0", "-l1", "-l2", "-l9"]
NAMES = [f"{base}{at}{level}" for base in BASES for at in ("", "@1", "@3", "@100") for level in LEVELS]
NAMES += [f"{base}{level}" for base in ("r-precision", "rbp.95", "rbp.5", "rbp@8") for level in LEVELS]
# Cutoffs that ranx pays no heed to.
NAMES += ["map@0", "ndcg@0-l2", "precision@0", "r-precision@1", "r-precision@5-l2"]
# Something to compile for: both sides have a document.
FIRST = ({"d00": 1, "d01": 0}, {"d00": 1.0})
few = settings(max_examples=settings.default.max_examples // 10)


@st.composite
def rankings(draw):
    """Documents with scores that all differ."""
    documents = draw(st.lists(st.sampled_from(DOCUMENTS), unique=True))
    return dict(zip(documents, draw(st.permutations([number / 4 for number in range(len(documents))])), strict=True))


QUERIES = st.lists(st.tuples(JUDGMENTS, rankings()), min_size=1, max_size=30)


def collection(queries):
    pairs = {f"q{number:02}": pair for number, pair in enumerate([FIRST, *queries])}
    return {query: pair[0] for query, pair in pairs.items()}, {query: pair[1] for query, pair in pairs.items()}


def peer_scores(qrels, run, names):
    return evaluate(ranx.Qrels(qrels), ranx.Run(run), names, return_mean=False)


@few
@given(queries=QUERIES)
def test_agrees(queries):
    qrels, run = collection(queries)
    expected = peer_scores(qrels, run, NAMES)
    result = assay.evaluate(qrels, run, NAMES, convention="ranx")
    for name in NAMES:
        np.testing.assert_allclose(result.scores[name], expected[name], rtol=1e-9, atol=1e-9, err_msg=name)
        assert result[name] == pytest.approx(np.mean(expected[name]), abs=1e-9)


@few
@given(queries=QUERIES, level=st.sampled_from([1, 2]))
def test_agrees_on_bpref(queries, level):
    queries = [pair for pair in queries if any(grade >= level for grade in pair[0].values())]
    qrels, run = collection([({"d00": level, "d01": 0}, {"d00": 1.0}), *queries])
    del qrels["q00"], run["q00"]
    name = f"bpref-l{level}"
    expected = peer_scores(qrels, run, [name, "mrr"])[name]
    result = assay.evaluate(qrels, run, name, convention="ranx")
    np.testing.assert_allclose(result.scores[name], expected, rtol=1e-9, atol=1e-9)
    # What ranx cannot divide is left out of the mean.
    assert result[name] == pytest.approx(np.nanmean(expected), abs=1e-9)


@few
@given(queries=QUERIES)
def test_agrees_on_the_curve_that_it_plots(queries):
    qrels, run = collection(queries)
    expected = interpolated_precision(ranx.Qrels(qrels), ranx.Run(run))
    result = assay.evaluate(qrels, run, "interpolated_precision_at_recall", convention="ranx")
    assert list(result) == [f"interpolated_precision_at_recall@{tenth / 10}" for tenth in range(11)]
    np.testing.assert_allclose(np.column_stack(list(result.scores.values())), expected, rtol=1e-9, atol=1e-9)
