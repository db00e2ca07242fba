"""Policies, by literal examples; and the notes of what the data made assay decide."""

import numpy as np
import pytest

import assay
from assay.errors import DuplicateError, MismatchError
from tables import for_each

# Policies. Each is a literal example: judgments, run, the policy, and what a measure is then.

ONE = {"q1": ["a"]}
TIED = {"q1": {"a": 1, "b": 1}}
CLOSE = {"q1": {"a": 1.0 + 1e-12, "b": 1.0}}
TWICE = {"q1": [("a", 3), ("b", 2), ("a", 1)]}
HALF = {"q1": {"a": 1}, "q2": {"b": 1}}
BARE = {"q1": {"a": 1}, "q2": {"b": 0}}
GRADED = {"q1": {"a": 1, "b": 2}}
NEGATIVE = {"q1": {"a": 1, "b": -1}}

POLICIES = [
    (ONE, TIED, {}, {"rr": [0.5]}),
    (ONE, TIED, {"ties": "docid_desc"}, {"rr": [0.5]}),
    (ONE, TIED, {"ties": "docid_asc"}, {"rr": [1]}),
    (ONE, TIED, {"ties": "input"}, {"rr": [1]}),
    (ONE, {"q1": {"b": 1, "a": 1}}, {"ties": "input"}, {"rr": [0.5]}),
    (ONE, {"q1": {"b": 1, "a": 2}}, {"order": "score"}, {"rr": [1]}),
    (ONE, {"q1": {"b": 1, "a": 2}}, {"order": "given"}, {"rr": [0.5]}),
    (ONE, CLOSE, {"precision": "float64"}, {"rr": [1]}),
    (ONE, CLOSE, {"precision": "float32"}, {"rr": [0.5]}),
    (ONE, TWICE, {"duplicates": "first"}, {"rr": [1], "num_ret": [2], "num_rel_ret": [1]}),
    (ONE, TWICE, {"duplicates": "last"}, {"rr": [0.5], "num_ret": [2], "num_rel_ret": [1]}),
    (ONE, TWICE, {"duplicates": "count"}, {"rr": [1], "num_ret": [3], "num_rel_ret": [2]}),
    (HALF, {"q1": ["a"]}, {"missing": "zero"}, {"rr": [1, 0]}),
    (HALF, {"q1": ["a"]}, {"missing": "skip"}, {"rr": [1]}),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "zero"}, {"rr": [1, 0], "num_ret": [1, 1]}),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "nan"}, {"rr": [1, None], "recall": [1, None], "num_ret": [1, 1]}),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "nan_all"}, {"rr": [1, None], "num_ret": [1, None]}),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "skip"}, {"rr": [1], "num_ret": [1]}),
    (NEGATIVE, {"q1": ["b", "a"]}, {"negative": "unjudged"}, {"judged@2": [0.5], "rr": [0.5]}),
    (NEGATIVE, {"q1": ["b", "a"]}, {"negative": "nonrelevant"}, {"judged@2": [1], "rr": [0.5]}),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "nothing"}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "query_id"}, {"rr": [1], "num_ret": [1]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": None}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": 1}, {"rr": [0], "num_ret": [1]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": 2.0}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["x", "a"]}, {"judged_only": False}, {"rr": [0.5]}),
    (ONE, {"q1": ["x", "a"]}, {"judged_only": True}, {"rr": [1], "num_ret": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 1}, {"rr": [1], "precision@2": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 2}, {"rr": [0.5], "precision@2": [0.5]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 1.5}, {"rr": [0.5], "rr(rel=1)": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 3}, {"rr": [0], "num_rel": [0]}),
]  # fmt: skip


@for_each(("qrels", "run", "options", "expected"), POLICIES)
def test_a_policy_does_what_it_says(qrels, run, options, expected):
    result = assay.evaluate(qrels, run, list(expected), **options)
    found = {name: [None if np.isnan(value) else value for value in scores] for name, scores in result.scores.items()}
    assert found == expected
    for policy, value in options.items():
        assert getattr(result.policies, policy) == value


def test_measures_under_several_policies_are_one_result():
    qrels, run = {**HALF, "q3": {"c": 0}}, {"q1": ["x", "a"], "q3": ["z"]}
    result = assay.evaluate(qrels, run, ["rr", "trec_eval:map", "ap"])
    assert list(result.measures) == ["rr", "trec_eval:map", "ap"]
    np.testing.assert_array_equal(result.scores["trec_eval:map"], [0.5, np.nan, 0])
    np.testing.assert_array_equal(result.scores["ap"], [0.5, 0, 0])
    own = ("trec_eval:map",)
    said = [("policies", own), ("missing", ()), ("no_relevant", ()), ("missing", own)]
    assert [(note.kind, note.measures) for note in result.notes] == said


def test_a_missing_query_may_be_an_error():
    said = r"1 query in the judgments is missing from the run: 'q2'; missing=\"zero\" counts"
    with pytest.raises(MismatchError, match=said):
        assay.evaluate(HALF, {"q1": ["a"]}, ["rr"], missing="error")
    assert assay.evaluate(HALF, {"q1": ["a"], "q2": []}, ["rr"], missing="error")["rr"] == 0.5


def test_the_policy_for_duplicates_holds_for_judgments_too():
    qrels = {"q1": ["a", "a"]}
    with pytest.raises(DuplicateError):
        assay.evaluate(qrels, {"q1": ["a"]}, ["num_rel"])
    assert assay.evaluate(qrels, {"q1": ["a"]}, ["num_rel"], duplicates="first")["num_rel"] == 1


def test_nan_is_left_out_of_the_mean_and_with_nothing_left_the_mean_is_nan():
    half = assay.evaluate(BARE, {"q1": ["a"], "q2": ["b"]}, ["recall"], no_relevant="nan")
    assert (half["recall"], half.counted("recall")) == (1, 1)
    assert np.isnan(half.interval("recall")).all()
    result = assay.evaluate({"q1": {"a": 0}}, {"q1": ["a"]}, ["ap"], no_relevant="skip")
    assert result.queries == []
    assert np.isnan(result["ap"])
    assert "undefined" in str(result)


NOTES = [
    (HALF, {"q1": ["a"]}, {}, [("missing", "1 query in the judgments is missing from the run; counted as empty rankings: 'q2'; trec_eval leaves these out: missing=\"skip\"")]),
    (HALF, {"q1": ["a"]}, {"missing": "skip"}, [("missing", "1 query in the judgments is missing from the run; left out: 'q2'")]),
    ({f"q{n}": ["a"] for n in range(5)}, {"q0": ["a"]}, {}, [("missing", "4 queries in the judgments are missing from the run; counted as empty rankings: 'q1', 'q2', 'q3', …; trec_eval leaves these out: missing=\"skip\"")]),
    (ONE, {"q1": ["a"], "q9": ["a"]}, {}, [("unjudged", "1 query in the run has no judgments; left out: 'q9'")]),
    (ONE, {"q1": ["a"], "q9": ["a"], "q8": []}, {}, [("unjudged", "2 queries in the run have no judgments; left out: 'q8', 'q9'")]),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {}, [("no_relevant", "1 query has no relevant documents; scored 0: 'q2'")]),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "nan"}, [("no_relevant", "1 query has no relevant documents; NaN for measures that need one: 'q2'")]),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "skip"}, [("no_relevant", "1 query has no relevant documents; left out: 'q2'")]),
    (NEGATIVE, {"q1": ["a"]}, {}, [("negative", "1 grade below 0; treated as unjudged")]),
    (NEGATIVE, {"q1": ["a"]}, {"negative": "nonrelevant"}, [("negative", "1 grade below 0; treated as not relevant")]),
    (ONE, TWICE, {"duplicates": "first"}, [("duplicates", "1 duplicate document left out")]),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "query_id"}, [("excluded", "1 document with the same id as the query left out")]),
    (ONE, {"q1": ["a"]}, {}, []),
    (ONE, TWICE, {"duplicates": "count"}, []),
]  # fmt: skip


@for_each(("qrels", "run", "options", "expected"), NOTES)
def test_a_note_says_what_the_data_made_assay_decide(qrels, run, options, expected):
    result = assay.evaluate(qrels, run, ["ap"], **options)
    assert [(note.kind, str(note)) for note in result.notes] == expected
    assert all(str(note).startswith(note.text) for note in result.notes)


SAID = [
    (ONE, ["a"], {"measures": ["ap", "auc"]}, "undefined", "auc: 1 query left out of the mean"),
    (GRADED, ["a", "b"], {"measures": ["ndcg", "ap"], "rel": 2}, "rel", "ndcg: not affected by rel=2; gains come from the grades"),
    ({"q1": {"a": 0.9, "b": 2.5, "c": 1}}, ["a", "b"], {"measures": "recall", "grades": "whole"}, "truncated", "2 grades truncated to whole numbers"),
]  # fmt: skip


@for_each("qrels, ranking, options, kind, text", SAID)
def test_what_a_measure_or_a_policy_does_is_said(qrels, ranking, options, kind, text):
    (note,) = assay.evaluate(qrels, {"q1": ranking}, **options).notes
    assert note.kind == kind
    assert str(note).startswith(text)


@for_each("threads", [1, 2])
def test_what_is_left_out_of_a_scattered_query_is_counted_once(threads, tmp_path):
    (tmp_path / "run").write_text("q1 Q0 a 1 9 t\nq1 Q0 a 2 8 t\nq1 Q0 q1 3 7 t\nq2 Q0 a 1 1 t\nq1 Q0 b 1 1 t\n")
    result = assay.evaluate(ONE, tmp_path / "run", ["rr"], duplicates="first", exclude="query_id", threads=threads)
    texts = {note.kind: note.text for note in result.notes}
    assert texts["duplicates"] == "1 duplicate document left out"
    assert texts["excluded"] == "1 document with the same id as the query left out"


# Why a query has no value stands in one note, and no other reason beside it: judgments, ranking, note.
REASONS = [
    (["a"], [], "1 query has no results; left out of the mean: 'q'"),
    ([], ["a"], "1 query has no relevant documents; left out of the mean: 'q'"),
    (None, ["a"], "llama_index cannot use the judgments of 1 query; left out of the mean: 'q'"),
    (["a"], ["a", None], "llama_index cannot use the rankings of 1 query; left out of the mean: 'q'"),
]


@for_each(("judgments", "ranking", "expected"), REASONS)
def test_the_reason_for_no_value_is_the_one_that_led_to_it(judgments, ranking, expected):
    qrels, run, names = {"q": judgments, "p": ["a"]}, {"q": ranking, "p": ["a"]}, ["recall", "ndcg", "hit_rate"]
    result = assay.evaluate(qrels, run, names, convention="llama_index")
    assert [result.mean[name] for name in names] == [1, 1, 1]
    assert all(np.isnan(result.scores[name][0]) for name in names)
    said = [str(note) for note in result.notes if note.kind != "policies"]
    assert {text.removeprefix("recall: ") for text in said} == {expected}


def test_a_measure_gives_its_own_reason():
    result = assay.evaluate({"q": {"a": 0}, "p": ["a"]}, {"q": ["a"], "p": ["a"]}, "recall(nothing=nan)")
    assert [note.kind for note in result.notes] == ["no_relevant", "undefined"]
    assert str(result.notes[1]).startswith("recall(nothing=nan): 1 query left out of the mean; no document is relevant")
