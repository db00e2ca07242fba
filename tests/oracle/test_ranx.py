"""Agreement with ranx, on scores that all differ and on ties, which its sort puts in an order of its own.

It compiles its functions for each length of document id, so all ids here are equally long, and many queries go into one
call. A query without relevant documents spoils its bpref of other queries, so bpref is never given such.
"""

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from real_ranx import evaluate, interpolated_precision, ranx

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("ranx")]  # one worker, so that ranx compiles once

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


def as_frame(run):
    rows = [(query, *row) for query, ranking in run.items() for row in ranking.items()]
    return polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def as_lists(run):
    return {query: list(ranking.items()) for query, ranking in run.items()}


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


@st.composite
def tied_collections(draw):
    """Rankings up to 80 documents with many ties."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    levels = draw(st.integers(1, 30))
    queries = []
    for _ in range(30):
        size = int(random.integers(1, 80))
        documents = [f"d{number:02}" for number in random.permutation(99)]
        judged = [f"d{number:02}" for number in random.permutation(99)[: random.integers(1, 12)]]
        grades = random.integers(0, 4, len(judged)).tolist()
        scores = (random.integers(0, levels, size) / 4).tolist()
        queries.append((dict(zip(judged, grades, strict=True)), dict(zip(documents, scores, strict=False))))
    return collection(queries)


@few
@given(tied=tied_collections(), form=st.sampled_from([dict, assay.Run, as_frame, as_lists]))
def test_agrees_on_ties(tied, form):
    qrels, run = tied
    expected = peer_scores(qrels, run, NAMES)
    result = assay.evaluate(qrels, form(run), NAMES, convention="ranx")
    for name in NAMES:
        np.testing.assert_allclose(result.scores[name], expected[name], rtol=1e-9, atol=1e-9, err_msg=name)


def test_ties_in_a_file_keep_its_order(tmp_path):
    run = {"q1": {f"d{number:02}": 1.0 for number in range(16)}, "q2": {f"d{number:02}": 1.0 for number in range(15)}}
    qrels, path = {"q1": {"d03": 1}, "q2": {"d03": 1}}, tmp_path / "bm25.run"
    path.write_text("".join(f"{q} Q0 {d} 1 1.0 tag\n" for q, ranking in run.items() for d in ranking))
    (note,) = assay.evaluate(qrels, str(path), "mrr", convention="ranx").notes
    assert (note.kind, note.queries) == ("ties", ("q1",))
    assert assay.evaluate(qrels, str(path), "mrr", convention="ranx").scores["mrr"].tolist() == [1 / 4, 1 / 4]
    expected = peer_scores(qrels, run, ["mrr", "map"])["mrr"]
    result = assay.evaluate(qrels, assay.read_run(path), "mrr", convention="ranx")
    assert (result.notes, result.scores["mrr"].tolist()) == ((), expected.tolist())
    assert expected[0] < 1 / 4
