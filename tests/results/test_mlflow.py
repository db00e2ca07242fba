"""Metrics for MLflow: names that it takes, no two the same, and finite numbers only."""

import math
import re
from posixpath import normpath

from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.results.mlflow import grouped_metrics, legal_metrics, legal_name
from tables import for_each

QRELS = {f"q{n}": {"a": 2, "b": 1} for n in range(5)}
RUN = {f"q{n}": ["x", "a"] if n % 2 else ["a", "b"] for n in range(5)}


def is_legal(name):
    """The rule of MLflow 2 and 3: these characters, a plain path, not too long. The colon is not legal in older ones."""
    path = normpath(name)
    is_plain = path == name and path != "." and not path.startswith(("..", "/"))
    return re.fullmatch(r"[/\w.\- ]+", name) is not None and is_plain and len(name) <= 250


NAMES = [
    ("ndcg@10", "ndcg_at_10"),
    ("ap(rel=2)@100", "ap_rel_2_at_100"),
    ("ndcg(gain=1:3;2:9)@10", "ndcg_gain_1_3_2_9_at_10"),
    ("rbp(p=0.95)", "rbp_p_0.95"),
    ("ranx:map@100-l2", "ranx_map_at_100-l2"),
    ("score:faithfulness", "score_faithfulness"),
    ("score:Treue", "score_Treue"),
    ("score:忠実", "score_忠実"),
    ("../a/b", "a_b"),
    ("@", "at"),
    ("%", "unnamed"),
    ("", "unnamed"),
]


@for_each(("name", "legal"), NAMES)
def test_names(name, legal):
    assert legal_name(name) == legal
    assert is_legal(legal)


@given(st.lists(st.tuples(st.text(max_size=300), st.floats())), st.text(max_size=300))
def test_any_names_become_legal_and_no_number_is_lost(numbers, group):
    finite = [value for _, value in numbers if math.isfinite(value)]
    for found in (legal_metrics(numbers), grouped_metrics({group: numbers})):
        assert list(found.values()) == finite
        assert all(map(is_legal, found))
        assert len({name.lower() for name in found}) == len(found)


def test_means_and_interval_ends():
    result = assay.evaluate(QRELS, RUN, ["ndcg@10", "ap(rel=2)", "num_rel"])
    metrics = result.to_mlflow()
    low, high = result.interval("ndcg@10")
    assert metrics["ndcg_at_10"] == result["ndcg@10"]
    assert (metrics["ndcg_at_10_low"], metrics["ndcg_at_10_high"]) == (low, high)
    names = "ndcg_at_10 ndcg_at_10_low ndcg_at_10_high num_rel ap_rel_2 ap_rel_2_low ap_rel_2_high"
    assert set(metrics) == {*names.split()}
    assert all(type(value) is float for value in metrics.values())


def test_what_is_undefined_is_left_out_and_a_measure_called_like_an_interval_end_keeps_its_name():
    result = assay.evaluate_rag([{"scores": {"a": None, "b": 1}}, {"scores": {"a": None, "b": 0}}])
    assert set(result.to_mlflow()) == {"score_b", "score_b_low", "score_b_high"}
    records = [{"scores": {"x": n, "x_low": 7, "X": 1}} for n in range(4)]
    metrics = assay.evaluate_rag(records).to_mlflow()
    assert (metrics["score_x"], metrics["score_x_low"], metrics["score_X_2"]) == (1.5, 7, 1)
    assert len(metrics) == 9


def test_several_runs():
    results = assay.evaluate_many(QRELS, {"runs/bm25": RUN, "runs.bm25": RUN, "dense": RUN}, ["rr@10"])
    metrics = results.to_mlflow()
    assert list(metrics)[:3] == ["runs_bm25/rr_at_10", "runs_bm25/rr_at_10_low", "runs_bm25/rr_at_10_high"]
    assert {name.partition("/")[0] for name in metrics} == {"runs_bm25", "runs.bm25", "dense"}


def test_a_comparison():
    runs = {"old": RUN, "new": {query: ["a", "b"] for query in RUN}}
    pair = assay.compare(QRELS, runs, ["rr"]).pairs[0]
    names = ("difference", "low", "high", "p", "p_corrected")
    expected = {f"new_vs_old/rr_{name}": getattr(pair, name) for name in names}
    assert assay.compare(QRELS, runs, ["rr"]).to_mlflow() == expected
