"""Measures of users: defined, used by name wherever a name is taken, and removed."""

import numpy as np
import pytest

import assay
from assay.errors import MeasureError
from tables import for_each

HALF = {"q1": {"a": 1}, "q2": {"b": 1}}


@pytest.fixture
def half():
    @assay.extend.measure(
        "half_rr", title="Half of the reciprocal rank", formula="1 / (2 rank)", aliases={"HalfRR": {}}
    )
    def half_reciprocal_rank(judged: assay.extend.Judged, *, rel: assay.extend.Rel = 1, k: assay.extend.Cutoff = None):
        """Half of what rr is."""
        hits = judged.relevant(rel).top(k)
        first = hits.where(hits.ordinal == 1)
        return first.sum(0.5 / first.rank)

    yield half_reciprocal_rank
    if "half_rr" in assay.measures.TABLE:
        assay.extend.remove_measure("half_rr")


@pytest.mark.usefixtures("half")
def test_a_users_measure_works_wherever_a_name_works(tmp_path):
    run = {"q1": ["a"], "q2": ["x", "b"]}
    result = assay.evaluate(HALF, run, ["half_rr", "HalfRR@1", "half_rr(rel=2)", "rr"])
    assert result.mean == {"half_rr": 0.375, "HalfRR@1": 0.25, "half_rr(rel=2)": 0, "rr": 0.75}
    assert result["HALF_RR"] == 0.375
    assert result["half_rr@1"] == 0.25
    assert result.interval("half_rr") == (0.25, 0.5)
    assert "half_rr(rel=1)@1" in str(result.signature)
    assert str(assay.parse_measure("halfrr@3")) == "half_rr@3"
    assert "half_rr" in str(result)
    assert "half_rr" in result.to_polars().columns
    assert assay.evaluate_many(HALF, {"a": run}, "half_rr")["a"]["half_rr"] == 0.375
    assert assay.evaluate_labels([[0, 1]], ["half_rr"])["half_rr"] == 0.25
    assert assay.evaluate(HALF, run, ["half_rr", "P_1"], convention="trec_eval", rel=2)["half_rr"] == 0
    evaluator = assay.Evaluator(HALF, assay.parse_measure("half_rr"))
    evaluator.add("q1", ["a"])
    assert evaluator.result()["half_rr"] == 0.25
    path = tmp_path / "run.trec"
    assay.Run(run).write(path, lossy=True)
    assert assay.evaluate(HALF, path, ["half_rr"])["half_rr"] == 0.375


def test_a_measure_can_be_removed(half):
    assert half.name == "half_rr"
    assay.extend.remove_measure("half_rr")
    for name in ("half_rr", "HalfRR"):
        with pytest.raises(MeasureError, match="unknown measure"):
            assay.evaluate(HALF, {"q1": ["a"]}, [name])
    with pytest.raises(MeasureError, match="unknown measure 'half_rr'; nothing to remove"):
        assay.extend.remove_measure("half_rr")


@pytest.mark.usefixtures("half")
@for_each("name", ["half_rr", "HalfRR", "ndcg", "map"])
def test_a_name_is_taken_once(name):
    with pytest.raises(MeasureError, match=f"a measure named '{name}' already exists"):
        assay.extend.measure(name, title="x", formula="x")(lambda judged: judged.retrieved)


def test_a_measure_that_gives_the_wrong_shape_is_told():
    assay.extend.measure("one_number", title="One number", formula="1")(lambda _: np.ones(1))
    try:
        with pytest.raises(MeasureError, match="one_number: expected 2 values, one per query, got an array of shape"):
            assay.evaluate(HALF, {"q1": ["a"]}, ["one_number"])
    finally:
        assay.extend.remove_measure("one_number")
