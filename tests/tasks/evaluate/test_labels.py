"""`evaluate_labels`: rankings given as grades in rank order."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AssayError
from assay.errors import DataError
from tables import for_each

LOG3, LOG5 = math.log2(3), math.log2(5)

# Labels, options, a measure, and its value for each ranking.
CASES = [
    ([[3, 0, 2], [1, 0, 1, 0]], {}, "ap", [5 / 6, 5 / 6]),
    ([[3, 0, 2]], {}, "ndcg@3", [(3 + 2 / 2) / (3 + 2 / LOG3)]),
    ([[0, 1]], {}, "rr", [0.5]),
    ([[]], {}, "ap", [0]),
    ([[], [1]], {}, "num_ret", [0, 1]),
    # None marks a document without a judgment: it takes a rank and nothing else.
    ([[None, 1]], {}, "rr", [0.5]),
    ([[None, 1]], {}, "judged@2", [0.5]),
    ([[None, None]], {}, "num_rel", [0]),
    # Relevant documents that were not retrieved.
    ([[1, 0]], {"relevant": 2}, "recall", [0.5]),
    ([[1, 0], [1, 1]], {"relevant": 4}, "recall", [0.25, 0.5]),
    ([[1, 0], [1, 1]], {"relevant": [1, 4]}, "recall", [1, 0.5]),
    ([[1, 0]], {"relevant": np.array([2])}, "recall", [0.5]),
    ([[0]], {"relevant": 0}, "recall", [0]),
    ([[2, 0]], {"relevant": 2}, "ndcg", [2 / (2 + 1 / LOG3)]),
    ([[2, 0]], {"relevant": 2, "rel": 2}, "ndcg", [2 / (2 + 2 / LOG3)]),
    ([[3, 0, 2], [1, 0, 1]], {"relevant": 3}, "ndcg@3", [4 / (3.5 + 2 / LOG3), (1 + 1 / 2) / (3 / 2 + 1 / LOG3)]),
    # All grades that there are.
    ([[2, 0]], {"ideal": [[0, 3, 2]]}, "ndcg", [2 / (3 + 2 / LOG3)]),
    ([[2, None]], {"ideal": [[2, 1, 1]]}, "recall", [1 / 3]),
    ([[1], [0]], {"ideal": [[1, 1], [0, 1, 0]]}, "num_rel", [2, 1]),
    ([[1, 0]], {"ideal": np.array([[1, 0, 1]])}, "recall", [0.5]),
    # Policies.
    ([[1, 2]], {"rel": 2}, "rr", [0.5]),
    ([[0, 1]], {"depth": 1}, "rr", [0]),
    ([[None, 1]], {"judged_only": True}, "rr", [1]),
    ([[-1, 1]], {}, "judged@2", [0.5]),
    ([[-1, 1]], {"negative": "nonrelevant"}, "judged@2", [1]),
    ([[0], [1]], {"no_relevant": "skip"}, "ap", [1]),
    ([[0.5, 1.5]], {}, "rr", [0.5]),
    ([[0.5, 1.5]], {"rel": 0.5}, "rr", [1]),
    # Kinds of lists and of numbers.
    (((1, 0), (0, 1)), {}, "rr", [1, 0.5]),
    ([np.array([0.0, 2.0])], {}, "rr", [0.5]),
    ([[np.int64(0), np.float32(1)]], {}, "rr", [0.5]),
    (([0, 1] for _ in range(2)), {}, "rr", [0.5, 0.5]),
]


@for_each(("labels", "options", "measure", "expected"), CASES)
def test_labels_are_scored(labels, options, measure, expected):
    scores = assay.evaluate_labels(labels, [measure], **options).scores[measure]
    assert scores.tolist() == pytest.approx(expected, abs=1e-15)


@for_each(
    ("labels", "options", "notes"),
    [
        ([[1]], {}, []),
        ([[1]], {"relevant": 1}, []),
        ([[1]], {"relevant": 2}, ["1 relevant document was not retrieved; added at grade 1"]),
        ([[2], [2]], {"relevant": 3, "rel": 2}, ["4 relevant documents were not retrieved; added at grade 2"]),
        ([[1]], {"ideal": [[1, 1]]}, []),
        ([[1, -1]], {}, ["1 grade below 0; treated as unjudged"]),
        ([[0], [1]], {}, ["1 query has no relevant documents; scored 0: '0'"]),
        ([[0], [1]], {"no_relevant": "skip"}, ["1 query has no relevant documents; left out: '0'"]),
    ],
)
def test_notes_of_labels(labels, options, notes):
    assert [str(note) for note in assay.evaluate_labels(labels, ["ap"], **options).notes] == notes


BAD = [
    (None, {}, ["labels must be a list"]),
    ("123", {}, ["labels must be a list", "'123'"]),
    ([], {}, ["no ranking to evaluate; pass at least one"]),
    ([5], {}, ["labels[0] must be a list", "5"]),
    ([[1], None], {}, ["labels[1] must be a list", "None"]),
    ([{1: 2}], {}, ["labels[0] must be a list"]),
    ([["x"]], {}, ["labels[0] must be a list of grades"]),
    ([[[1]]], {}, ["labels[0] must be a list of grades"]),
    ([[10**5000]], {}, ["labels[0] has the grade", "between -1e+100 and 1e+100"]),
    ([[2e100]], {}, ["labels[0] has the grade '2e+100'", "between -1e+100 and 1e+100"]),
    ([[float("nan")]], {}, ["labels[0] has the grade 'nan'"]),
    ([[1, float("inf")]], {}, ["labels[0] has the grade 'inf'"]),
    ([[1, 0]], {"relevant": 0}, ["relevant[0] is 0", "labels[0] has 1 relevant"]),
    ([[1]], {"relevant": -1}, ["relevant[0] is -1"]),
    ([[1]], {"relevant": [1, 2]}, ["one number per ranking: 1, not 2"]),
    ([[1]], {"relevant": 1.5}, ["relevant= must be a list"]),
    ([[1]], {"relevant": [1.5]}, ["relevant= must be whole numbers", "1.5"]),
    ([[1]], {"relevant": [None]}, ["relevant= must be whole numbers", "None"]),
    ([[1]], {"relevant": [True]}, ["relevant= must be whole numbers", "True"]),
    ([[1]], {"ideal": [[2, 0]]}, ["ideal[0] must include every grade above 0 in labels[0]"]),
    ([[1]], {"ideal": [[1], [1]]}, ["one list per ranking: 1, not 2"]),
    ([[1]], {"ideal": 5}, ["ideal= must be a list"]),
    ([[1]], {"ideal": [[1, None]]}, ["ideal[0] must be a list of grades"]),
    ([[1]], {"ideal": [[1]], "relevant": 1}, ["relevant= or ideal=, not both"]),
]


@for_each(("labels", "options", "words"), BAD)
def test_bad_labels_are_refused(labels, options, words):
    with pytest.raises(DataError) as refusal:
        assay.evaluate_labels(labels, ["ap"], **options)
    assert [word for word in words if word not in str(refusal.value)] == [], refusal.value


def test_left_out_queries_and_names_of_another_convention():
    result = assay.evaluate_labels([[0], [1], [0], [0, 1]], ["rr"], no_relevant="skip")
    assert result.per_query() == {"1": {"rr": 1}, "3": {"rr": 0.5}}
    recall = assay.evaluate_labels([[0, 0], [1]], "recall", no_relevant="nan").scores["recall"]
    assert np.isnan(recall).tolist() == [True, False]
    means = assay.evaluate_labels([[0, 1]], ["map", "P_1,2"], convention="trec_eval").mean
    assert means == {"map": 0.5, "P_1": 0, "P_2": 0.5}


grades = st.lists(st.none() | st.sampled_from([-1, 0, 0, 1, 2, 3]), max_size=8)


@given(st.lists(grades, min_size=1, max_size=4))
def test_labels_agree_with_documents(labels):
    """The same rankings with names for the documents give the same bits."""
    measures = ["ap", "ndcg@3", "rr", "bpref", "rbp", "err(max=3)", "judged@5", "num_rel", "precision@3"]
    qrels = [{str(place): grade for place, grade in enumerate(each) if grade is not None} for each in labels]
    run = [[str(place) for place, _ in enumerate(each)] for each in labels]
    expected = assay.evaluate(qrels, run, measures)
    found = assay.evaluate_labels(labels, measures)
    assert found.per_query() == expected.per_query()
    assert found.signature == expected.signature


numbers = st.integers() | st.floats(-1e300, 1e300) | st.sampled_from([math.nan, math.inf])
anything = st.recursive(
    st.none() | numbers | st.text(max_size=2) | st.booleans() | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers(0, 3), inner, max_size=2),
    max_leaves=8,
)


@given(
    labels=anything,
    ideal=st.none() | anything,
    relevant=st.none() | st.integers(-2, 50) | st.lists(st.integers(-2, 50) | st.text(max_size=1)),
)
def test_anything_as_labels_gives_a_result_or_an_error_of_assay(labels, ideal, relevant):
    try:
        result = assay.evaluate_labels(labels, ["ap", "ndcg"], ideal=ideal, relevant=relevant)
    except AssayError as error:
        assert str(error)
    else:
        assert ((result.scores["ap"] >= 0) & (result.scores["ap"] <= 1)).all()
