"""`Evaluator`: judgments read once, for many runs or for one query after another."""

import numpy as np
import pytest

import assay
from assay.errors import DataError, DuplicateError, MismatchError
from tables import for_each

ONE = {"q1": ["a"]}
HALF = {"q1": {"a": 1}, "q2": {"b": 1}}


def test_an_evaluator_takes_runs_beside_queries_one_by_one():
    qrels = assay.Qrels(HALF)
    evaluator = assay.Evaluator(qrels, ["rr"], missing="skip")
    assert evaluator.qrels is qrels
    evaluator.add("q1", ["x", "a"])
    assert evaluator.evaluate({"q1": ["a"]}).scores["rr"].tolist() == [1]
    assert evaluator.evaluate({"q1": ["x", "a"], "q2": ["b"]}).scores["rr"].tolist() == [0.5, 1]
    assert evaluator.result().per_query() == {"q1": {"rr": 0.5}}
    evaluator.reset()
    with pytest.raises(DataError, match="has no rankings"):
        evaluator.result()
    evaluator.add("q2", ["b"])
    assert evaluator.result().per_query() == {"q2": {"rr": 1}}


def test_an_evaluator_takes_queries_one_by_one():
    evaluator = assay.Evaluator(HALF, ["rr"])
    with pytest.raises(DataError, match="what was added has no rankings"):
        evaluator.result()
    evaluator.add("q2", ["x", "b"])
    first = evaluator.result()
    assert first.scores["rr"].tolist() == [0, 0.5]
    assert [note.kind for note in first.notes] == ["missing"]
    evaluator.add("q1", {"a": 0.3, "x": 0.2})
    second = evaluator.result()
    assert second.scores["rr"].tolist() == [1, 0.5]
    assert second.notes == ()
    assert first.scores["rr"].tolist() == [0, 0.5]
    whole = assay.evaluate(HALF, {"q2": ["x", "b"], "q1": {"a": 0.3, "x": 0.2}}, ["rr"])
    assert second.per_query() == whole.per_query()
    assert second.signature == whole.signature


@for_each("ranking", [["x", "a"], {"x": 2, "a": 1}, [("a", 1), ("x", 2)], ("x", "a"), np.array(["x", "a"])])
def test_a_ranking_may_be_added_in_any_form(ranking):
    evaluator = assay.Evaluator(ONE, ["rr"])
    evaluator.add("q1", ranking)
    assert evaluator.result()["rr"] == 0.5


def test_a_query_is_added_once_and_a_bad_ranking_adds_nothing():
    evaluator = assay.Evaluator(HALF, ["rr"])
    evaluator.add("q1", ["x", "a"])
    for ranking in (["a"], ["x", "a"], {}, {"a": 1.0}):
        with pytest.raises(DataError, match="query 'q1' was already added; add each query once"):
            evaluator.add("q1", ranking)
    # A bad one adds nothing.
    with pytest.raises(DuplicateError):
        evaluator.add("q2", ["b", "b"])
    with pytest.raises(DataError):
        evaluator.add("q2", "b")
    assert evaluator.result().scores["rr"].tolist() == [0.5, 0]
    evaluator.add("q2", ["b"])
    assert evaluator.result().scores["rr"].tolist() == [0.5, 1]


def test_a_query_without_judgments_is_noted():
    evaluator = assay.Evaluator(ONE, ["rr"])
    evaluator.add("q7", ["a"])
    with pytest.raises(MismatchError, match="no query in common"):
        evaluator.result()
    evaluator.add("q1", ["a"])
    assert [str(note) for note in evaluator.result().notes] == ["1 query in the run has no judgments; left out: 'q7'"]


def test_completion_shows_only_what_users_are_meant_to_use():
    evaluator = assay.Evaluator(HALF, ["rr"])
    public = [name for name in dir(evaluator) if not name.startswith("_")]
    assert public == ["add", "convention", "evaluate", "measures", "policies", "qrels", "reset", "result"]
    assert evaluator.measures == {"rr": assay.parse_measure("rr")}
    assert (evaluator.convention, evaluator.policies) == ("assay", assay.Policies())


def test_a_ranker_is_built_only_when_something_is_added(monkeypatch):
    from assay.tasks.evaluate.api import Scorer

    built = []
    monkeypatch.setattr(Scorer, "start", lambda self, start=Scorer.start: built.append(1) or start(self))
    evaluator = assay.Evaluator(HALF, ["rr"])
    evaluator.reset()
    assert built == []
    evaluator.add("q1", ["a"])
    evaluator.add("q2", ["a"])
    assert built == [1]


def test_long_ties_of_rankings_added_one_by_one_keep_their_order():
    qrels = {f"q{number}": {"d3": 1} for number in range(120)}
    evaluator = assay.Evaluator(qrels, "mrr", convention="ranx")
    for query in qrels:
        evaluator.add(query, {f"d{place}": 1.0 for place in range(20)})
    result = evaluator.result()
    assert result.per_query() == {query: {"mrr": 1 / 4} for query in qrels}
    assert [(note.kind, note.count) for note in result.notes if note.kind == "ties"] == [("ties", 120)]
