"""The policies and signatures: a literal example of each value, and what is said about values they do not have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.conventions import CONVENTIONS
from assay.core.doc_id import EXAMPLES, DocIdRule
from assay.core.policies import CHOICES, Policies, Signature, SignedMeasure, check_policy, check_whole
from assay.core.text import EMPTY_ID
from tables import for_each

nan = math.nan
LOG = 1 / math.log2(3)

# A policy, its value, the judgments and the ranking of one query, and what measures then say.
ONE_QUERY = [
    ("ties", "docid_desc", {"a": 1}, {"b": 1, "a": 1, "c": 1}, {"rr": 1 / 3}),
    ("ties", "docid_asc", {"a": 1}, {"b": 1, "a": 1, "c": 1}, {"rr": 1}),
    ("ties", "quicksort", {"a": 1}, dict.fromkeys("bacdefghijklmnop", 1), {"rr": 1 / 14}),
    ("ties", "input", {"a": 1}, {"b": 1, "a": 1, "c": 1}, {"rr": 1 / 2}),
    # Ids are compared as text: 10 comes before 9.
    ("ties", "docid_asc", {10: 1}, {9: 1, 10: 1}, {"rr": 1}),
    ("ties", "docid_asc", {"é": 1}, {"é": 1, "z": 1}, {"rr": 1 / 2}),
    ("order", "score", {"a": 1}, {"b": 1, "a": 2}, {"rr": 1}),
    ("order", "given", {"a": 1}, {"b": 1, "a": 2}, {"rr": 1 / 2}),
    ("precision", "float64", {"a": 1}, {"b": 1.0, "a": 1.0 + 2**-40}, {"rr": 1}),
    ("precision", "float32", {"a": 1}, {"b": 1.0, "a": 1.0 + 2**-40}, {"rr": 1 / 2}),
    ("duplicates", "first", {"a": 1}, [("a", 3), ("b", 2), ("a", 1)], {"rr": 1, "hits": 1, "num_ret": 2}),
    ("duplicates", "last", {"a": 1}, [("a", 3), ("b", 2), ("a", 1)], {"rr": 1 / 2, "hits": 1, "num_ret": 2}),
    ("duplicates", "count", {"a": 1}, [("a", 3), ("b", 2), ("a", 1)], {"rr": 1, "hits": 2, "num_ret": 3, "ap": 5 / 3}),
    ("duplicates", "first", ["a", "a"], ["a"], {"num_rel": 1}),
    # An empty ranking is not missing.
    ("missing", "error", {"a": 1}, [], {"rr": 0}),
    ("no_relevant", "zero", {"a": 0}, ["a"], {"ap": 0, "ndcg": 0, "precision": 0, "num_q": 1}),
    ("no_relevant", "nan", {"a": 0}, ["a"], {"ap": nan, "ndcg": nan, "precision": 0, "num_q": 1}),
    ("no_relevant", "nan", {"a": 1}, ["b"], {"ap": 0, "ap(rel=2)": nan, "ndcg": 0, "ndcg(rel=2)": nan}),
    ("no_relevant", "nan", {"a": 0.5}, ["a"], {"ap": nan, "ap(rel=0.5)": 1, "ndcg": 1}),
    # Where 0 is relevant there is something to find; but it gains nothing.
    ("no_relevant", "nan", {"a": 0}, ["a"], {"ap(rel=0)": 1, "ap(rel=-1)": 1, "ndcg(rel=0)": nan}),
    ("duplicates", "once", {"a": 1}, ["a", "a", "b"], {"ap": 1, "hits": 1, "num_ret": 3, "precision": 1 / 3}),
    ("no_relevant", "nan_all", {"a": 0}, ["a"], {"ap": nan, "precision": nan}),
    # A measure's own level tells whether there is anything to find.
    ("no_relevant", "nan_all", {"a": 0.5}, ["a"], {"ap(rel=0.5)": 1, "ap": nan}),
    ("no_results", "zero", {"a": 1}, [], {"ap": 0, "precision": 0}),
    ("no_results", "nan", {"a": 1}, [], {"ap": nan, "precision": nan}),
    ("grades", "as_given", {"a": 1.7, "b": 0.9}, ["b", "a"], {"rr": 1 / 2, "dcg@1": 0.9}),
    ("grades", "whole", {"a": 1.7, "b": 0.9, "c": -0.5}, ["b", "a"], {"rr": 1 / 2, "dcg@1": 0, "ndcg(rel=1)@2": LOG}),
    ("negative", "unjudged", {"a": 1, "b": -1}, ["b", "a"], {"bpref": 1, "judged": 1 / 2, "infap": 3 / 4}),
    ("negative", "nonrelevant", {"a": 1, "b": -1}, ["b", "a"], {"bpref": 0, "judged": 1}),
    ("exclude", "nothing", {"a": 1, "q": 1}, ["q", "a"], {"hits": 2, "num_ret": 2, "rr(rel=1)": 1}),
    # Only the ranking loses the document; the judgments are as they are.
    ("exclude", "query_id", {"a": 1, "q": 1}, ["q", "a"], {"hits": 1, "num_ret": 1, "rr": 1, "num_rel": 2, "ap": 0.5}),
    ("exclude", "empty_id", {"a": 1, EMPTY_ID: 1}, [EMPTY_ID, "a"], {"hits": 1, "num_ret": 2, "rr": 0.5, "recall": 1}),
    ("depth", None, {"a": 1}, ["b", "c", "a"], {"rr": 1 / 3, "num_ret": 3}),
    ("depth", 2, {"a": 1}, ["b", "c", "a"], {"rr": 0, "num_ret": 2, "num_rel": 1}),
    # A document that ties with the last one kept is cut by the rule for ties, and a pair that is cut is no pair.
    ("depth", 2, {"c": 1}, {"a": 1, "b": 1, "c": 1}, {"rr": 1, "num_ret": 2, "auc": 1 / 2}),
    ("depth", 2.0, {"a": 1}, ["b", "a"], {"rr": 1 / 2, "num_ret": 2}),
    ("depth", np.int32(2), {"a": 1}, ["b", "c", "a"], {"rr": 0, "num_ret": 2}),
    ("depth", 10**30, {"a": 1}, {"b": 1, "a": 1}, {"rr": 1 / 2, "num_ret": 2, "auc": 1 / 2}),
    ("judged_only", False, {"a": 1, "c": -1}, ["b", "c", "a"], {"rr": 1 / 3, "num_ret": 3}),
    ("judged_only", True, {"a": 1, "c": -1}, ["b", "c", "a"], {"rr": 1, "num_ret": 1, "precision": 1}),
    ("judged_only", True, {"a": 1, "c": 0}, {"b": 1, "c": 1, "a": 1}, {"rr": 1 / 2, "num_ret": 2, "auc": 1 / 2}),
    ("rel", 1, {"a": 1, "b": 2}, ["a", "b"], {"rr": 1, "recall": 1, "rr(rel=2)": 1 / 2}),
    ("rel", 2, {"a": 1, "b": 2}, ["a", "b"], {"rr": 1 / 2, "recall": 1, "rr(rel=1)": 1, "num_rel": 1}),
    ("rel", 1.5, {"a": 1, "b": 2}, ["a", "b"], {"rr": 1 / 2, "rr(rel=1)": 1}),
    ("rel", 3, {"a": 1, "b": 2}, ["a", "b"], {"rr": 0, "num_rel": 0}),
    ("doc_id", None, {"a": 1}, ["b#1", "a#2"], {"rr": 0}),
    ("doc_id", "before:#", {"a": 1}, ["b#1", "b#2", "a#2", "a#1"], {"rr": 1 / 2, "num_ret": 2}),
    ("chunks", "best", {"a": 1}, ["b#1", "b#2", "a#2", "a#1"], {"rr": 1 / 2, "hits": 1, "num_ret": 2}),
    ("chunks", "count", {"a": 1}, ["b#1", "b#2", "a#2", "a#1"], {"rr": 1 / 3, "hits": 2, "num_ret": 4}),
    ("chunks", "once", {"a": 1}, ["b#1", "b#2", "a#2", "a#1"], {"rr": 1 / 3, "hits": 1, "num_ret": 4}),
]


@for_each(("policy", "value", "judgments", "ranking", "expected"), ONE_QUERY)
def test_one_query(policy, value, judgments, ranking, expected):
    rule = {"doc_id": "before:#"} if policy == "chunks" else {}
    result = assay.evaluate({"q": judgments}, {"q": ranking}, list(expected), **{policy: value}, **rule)
    assert result.per_query()["q"] == pytest.approx(expected, nan_ok=True)
    assert getattr(result.policies, policy) == value


QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
RUN = {"q1": ["a"], "q3": ["c"], "q9": ["x"]}
QUERIES = [
    ({}, {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ({"missing": "zero"}, {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ({"missing": "skip"}, {"q1": 1, "q3": 0}, 1 / 2),
    ({"no_relevant": "zero"}, {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ({"no_relevant": "nan"}, {"q1": 1, "q2": 0, "q3": nan}, 1 / 2),
    ({"no_relevant": "skip"}, {"q1": 1, "q2": 0}, 1 / 2),
    ({"no_relevant": "skip_unjudged"}, {"q1": 1, "q2": 0, "q3": 0}, 1 / 3),
    ({"no_relevant": "nan_all"}, {"q1": 1, "q2": 0, "q3": nan}, 1 / 2),
    ({"no_relevant": "skip", "missing": "skip"}, {"q1": 1}, 1),
    ({"no_relevant": "skip", "missing": "skip", "rel": 5}, {}, nan),
]


@for_each(("policies", "expected", "mean"), QUERIES)
def test_which_queries_count(policies, expected, mean):
    result = assay.evaluate(QRELS, RUN, "ap", **policies)
    assert {query: values["ap"] for query, values in result.per_query().items()} == pytest.approx(expected, nan_ok=True)
    assert result["ap"] == pytest.approx(mean, nan_ok=True)
    assert {"missing", "unjudged", "no_relevant"} == {note.kind for note in result.notes}


def test_a_query_without_results_can_be_skipped():
    result = assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": []}, "ap", no_results="skip")
    assert result.per_query() == {"q1": {"ap": 1}}
    assert [str(note) for note in result.notes] == ["1 query has no results; left out: 'q2'"]


def test_no_convention_of_that_name():
    with pytest.raises(assay.errors.PolicyError) as caught:
        assay.evaluate(QRELS, RUN, "ap", convention="treceval")
    known = ", ".join(CONVENTIONS)
    assert str(caught.value) == f"unknown convention 'treceval'; did you mean trec_eval? The conventions are {known}"


ERRORS = [
    ("duplicates", {"q": ["a"]}, {"q": ["a", "b", "a"]}, assay.errors.DuplicateError, ["'q'", "'a'", "duplicates="]),
    ("duplicates", {"q": ["a", "a"]}, {"q": ["a"]}, assay.errors.DuplicateError, ["'q'", "'a'", "duplicates="]),
    ("missing", QRELS, RUN, assay.errors.MismatchError, ["1 query", "'q2'", 'missing="zero"', '"skip"']),
]


@for_each(("policy", "qrels", "run", "error", "words"), ERRORS)
def test_policies_that_raise(policy, qrels, run, error, words):
    with pytest.raises(error) as caught:
        assay.evaluate(qrels, run, "ap", **{policy: "error"})
    assert [word for word in words if word not in str(caught.value)] == []


OPTIONS = (
    "ties, order, precision, duplicates, missing, no_relevant, no_results, grades, negative, exclude, depth, "
    "judged_only, rel, doc_id, chunks"
)
BAD = [
    ("ties", None, "ties must be 'docid_desc' or 'docid_asc' or 'input' or 'quicksort', not 'None'"),
    ("ties", ["input"], "ties must be 'docid_desc' or 'docid_asc' or 'input' or 'quicksort', not '['input']'"),
    ("ties", np.array([1, 2]), "ties must be 'docid_desc' or 'docid_asc' or 'input' or 'quicksort', not '[1 2]'"),
    ("order", "rank", "order must be 'score' or 'given', not 'rank'"),
    ("precision", 64, "precision must be 'float64' or 'float32', not '64'"),
    ("duplicates", "drop", "duplicates must be 'error' or 'first' or 'last' or 'count' or 'once', not 'drop'"),
    ("missing", "nan", "missing must be 'zero' or 'skip' or 'error', not 'nan'"),
    ("negative", "", "negative must be 'unjudged' or 'nonrelevant', not ''"),
    ("exclude", "self", "exclude must be 'nothing' or 'query_id' or 'empty_id', not 'self'"),
    ("depth", 0, "depth must be a whole number at least 1, or None, not '0'"),
    ("depth", math.inf, "depth must be a whole number at least 1, or None, not 'inf'"),
    ("depth", nan, "depth must be a whole number at least 1, or None, not 'nan'"),
    ("depth", True, "depth must be a whole number at least 1, or None, not 'True'"),
    ("depth", "10", "depth must be a whole number at least 1, or None, not '10'"),
    ("judged_only", 1, "judged_only must be True or False, not '1'"),
    ("judged_only", "yes", "judged_only must be True or False, not 'yes'"),
    ("rel", nan, "rel must be a number, not 'nan'"),
    ("rel", True, "rel must be a number, not 'True'"),
    ("rel", None, "rel must be a number, not 'None'"),
    ("doc_id", 3, f"doc_id must be a rule or a function, not '3'; a rule is {EXAMPLES}"),
    ("chunks", "keep", "chunks must be 'best' or 'count' or 'once', not 'keep'"),
    ("chunks", "once", "chunks has no effect without doc_id, the rule that finds the documents of chunks"),
    ("tie", "input", f"unknown option 'tie'; did you mean ties? The options are {OPTIONS}"),
    ("level", 2, f"unknown option 'level'; the options are {OPTIONS}"),
]


@for_each(("policy", "value", "message"), BAD)
def test_bad_values(policy, value, message):
    with pytest.raises(assay.errors.PolicyError) as caught:
        assay.evaluate(QRELS, RUN, "ap", **{policy: value})
    assert str(caught.value) == message


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()) | st.binary()


@given(name=st.sampled_from(assay.Policies.__slots__) | st.text(), value=ANYTHING)
def test_any_value_is_taken_or_refused(name, value):
    try:
        check_policy(name, value)
    except assay.errors.PolicyError as error:
        assert name not in CHOICES or value not in CHOICES[name]
        assert str(error).isprintable()
    else:
        policies = assay.Policies().changed({name: value})
        taken = DocIdRule.parse(value) if name == "doc_id" and value is not None else value
        assert getattr(policies, name) == taken


def test_every_choice_has_an_example():
    shown = {(policy, value) for policy, value, *_ in ONE_QUERY} | {(policy, "error") for policy, *_ in ERRORS}
    shown |= {each for policies, *_ in QUERIES for each in policies.items()} | {("no_results", "skip")}
    assert {(policy, value) for policy, values in CHOICES.items() for value in values} <= shown


WHOLE = [
    (0, 1, None, "top must be a whole number at least 1, not '0'"),
    (9, 1, 8, "top must be a whole number from 1 to 8, not '9'"),
    (True, 0, None, "top must be a whole number at least 0, not 'True'"),
    (2.0, 0, None, "top must be a whole number at least 0, not '2.0'"),
    ("3", 0, None, "top must be a whole number at least 0, not '3'"),
    (None, 0, None, "top must be a whole number at least 0, not 'None'"),
]


@for_each(("value", "least", "most", "message"), WHOLE)
def test_a_whole_number_is_checked_in_one_wording(value, least, most, message):
    for error in (assay.errors.PolicyError, assay.errors.MeasureError):
        with pytest.raises(error, match=f"^{message}$"):
            check_whole("top", value, least, most, error)
    assert type(check_whole("top", np.int64(3), 1, 3)) is int


PLAIN = Signature("1.2", "assay", Policies(), Policies())
CHANGED = Signature(
    "1.2",
    "trec_eval",
    Policies(depth=7),
    Policies(),
    (SignedMeasure("ap(rel=1)"), SignedMeasure("rr(rel=1)", Policies(depth=9), "lib 3")),
)


def test_signatures():
    assert PLAIN.short == "assay 1.2, convention assay, details: result.signature"
    assert PLAIN.with_details("x", owner="comparison").short.endswith(", details: comparison.signature")
    assert CHANGED.short == "assay 1.2, convention trec_eval, depth=7, details: result.signature"
    answers = Signature("1.2", "assay", Policies(), Policies(), subject="answers")
    assert answers.short == "assay 1.2, answers, details: result.signature"
    how, measures = str(CHANGED).split(" measures: ")
    assert how == f"assay 1.2 convention=trec_eval {Policies(depth=7)}"
    assert measures == "ap(rel=1) rr(rel=1)[depth=9; lib 3]"
    assert repr(CHANGED) == f"<Signature: {CHANGED}>"
    assert str(CHANGED.with_details("gate: alpha=0.05", "seed=0")) == f"{CHANGED} gate: alpha=0.05 seed=0"


def test_equal_choices_have_equal_signatures():
    results = [assay.evaluate({"q": ["a"]}, {"q": ["a"]}, measure) for measure in ("ap", "ap", "rr")]
    first, second, third = (result.signature for result in results)
    assert (first, hash(first)) == (second, hash(second))
    assert first != third
