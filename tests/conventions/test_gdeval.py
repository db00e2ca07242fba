"""gdeval, by hand and against the script that ir_measures carries."""

import importlib.resources
import math
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from strategies import SCORES, judgments, rankings
from tables import for_each

SECOND = 1 / math.log2(3)

VALUES = [
    ("ndcg@2", {"a": 2, "b": 1}, {"b": 2, "a": 1}, (1 + 3 * SECOND) / (3 + SECOND)),
    ("ndcg@1", {"a": 4, "b": 1}, {"b": 2, "a": 1}, 1 / 15),
    ("err@2", {"a": 2, "b": 1}, {"b": 2, "a": 1}, 1 / 16 + 15 / 16 * 3 / 16 / 2),
    ("err@1", {"a": 2, "b": 1}, {"b": 2, "a": 1}, 1 / 16),
    # Ties from high to low ids.
    ("err@1", {"a": 4, "b": 0}, {"a": 1, "b": 1}, 0),
    ("err@1", {"a": 4, "b": -2}, {"a": 2, "b": 1}, 15 / 16),
    # The default cutoff is 20.
    ("err", {"a": 4}, {"a": 1}, 15 / 16),
    ("err", {"a": 4}, {"a": 0, **{f"x{place}": 1 for place in range(20)}}, 0),
    ("ndcg", {"a": 4}, {"a": 0, **{f"x{place}": 1 for place in range(19)}}, 1 / math.log2(21)),
    # A document listed again counts again.
    ("err@2", {"a": 1}, [("a", 2), ("a", 1)], 1 / 16 + 15 / 16 / 16 / 2),
    ("err@1", {"a": 5}, {"a": 1}, math.nan),
    ("ndcg@1", {"a": 1, "b": 5}, {"a": 1}, math.nan),
    # No float can be the gain of such a grade.
    ("ndcg@5", {"a": 2000}, {"a": 1}, math.nan),
    ("err@5", {"a": 2000}, {"a": 1}, math.nan),
]


@for_each(("name", "grades", "ranking", "expected"), VALUES)
def test_values(name, grades, ranking, expected):
    result = assay.evaluate({"q": grades}, {"q": ranking}, name, convention="gdeval")
    assert result.scores[name][0] == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_queries_that_are_missing_or_have_nothing_relevant_are_left_out():
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}, "4": {"a": 9}}
    result = assay.evaluate(qrels, {"1": ["a"], "3": ["a"], "4": ["a"], "5": ["a"]}, "err@5", convention="gdeval")
    assert result.queries == ["1", "4"]
    assert result["err@5"] == 1 / 16


def gdeval(folder, qrels, run, k):
    """What the script prints of each query."""
    judged = [f"{query} 0 {each} {grade}\n" for query, grades in qrels.items() for each, grade in grades.items()]
    ranked = [f"{query} Q0 {each} 0 {score} tag\n" for query, scores in run.items() for each, score in scores.items()]
    (folder / "qrels").write_text("".join(judged))
    (folder / "run").write_text("".join(ranked))
    script = importlib.resources.files("ir_measures") / "bin" / "gdeval.pl"
    command = ["perl", str(script), str(folder / "qrels"), str(folder / "run"), str(k)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[1:]  # noqa: S603
    return {query: (float(ndcg), float(err)) for _, query, ndcg, err in (line.split(",") for line in lines)}


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
@settings(max_examples=settings.default.max_examples // 5)
@given(
    qrels=st.dictionaries(st.sampled_from(["1", "2", "30"]), judgments(st.integers(-2, 4), min_size=1), min_size=1),
    run=st.dictionaries(st.sampled_from(["1", "2", "30", "4"]), rankings(SCORES, min_size=1), min_size=1),
    k=st.sampled_from([1, 2, 5, 20]),
)
def test_agrees_with_the_script(tmp_path_factory, qrels, run, k):
    run["1"] = {"a": 1.0, **run.get("1", {})}
    qrels["1"] = {"b": 1, **qrels.get("1", {})}
    expected = gdeval(tmp_path_factory.mktemp("gdeval"), qrels, run, k)
    found = assay.evaluate(qrels, run, [f"ndcg@{k}", f"err@{k}"], convention="gdeval").per_query()
    assert found.keys() == expected.keys()
    for query, values in expected.items():
        assert tuple(found[query].values()) == pytest.approx(values, abs=5.1e-6)
