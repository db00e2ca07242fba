"""Measures under several policies, and the notes on what the data made assay decide."""

import numpy as np

import assay
from tables import for_each

ONE = {"q1": ["a"]}
TWICE = {"q1": [("a", 3), ("b", 2), ("a", 1)]}
HALF = {"q1": {"a": 1}, "q2": {"b": 1}}
BARE = {"q1": {"a": 1}, "q2": {"b": 0}}
GRADED = {"q1": {"a": 1, "b": 2}}
NEGATIVE = {"q1": {"a": 1, "b": -1}}


def test_measures_under_several_policies_are_one_result():
    qrels, run = {**HALF, "q3": {"c": 0}}, {"q1": ["x", "a"], "q3": ["z"]}
    result = assay.evaluate(qrels, run, ["rr", "trec_eval:map", "ap"])
    assert list(result.measures) == ["rr", "trec_eval:map", "ap"]
    np.testing.assert_array_equal(result.scores["trec_eval:map"], [0.5, np.nan, 0])
    np.testing.assert_array_equal(result.scores["ap"], [0.5, 0, 0])
    own = ("trec_eval:map",)
    said = [("policies", own), ("missing", ()), ("no_relevant", ()), ("missing", own)]
    assert [(note.kind, note.measures) for note in result.notes] == said
    assert (result["ap"], result["trec_eval:map"], result["map"]) == (1 / 6, 1 / 4, 1 / 6)
    assert str(result.notes[0]) == "trec_eval:map: computed with missing=skip grades=whole"
    ap = "ap(rel=1,norm=relevant,ties=rank,nothing=zero)"
    assert str(result.signature).endswith(f" {ap}[missing=skip grades=whole] {ap}")


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
