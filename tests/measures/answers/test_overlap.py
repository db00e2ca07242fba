"""Exact match and token overlap: literal cases, forms of data and bad input; `test_obvious_answers` has random texts."""

import math

import numpy as np
import pandas
import polars
import pytest

import assay
from tables import for_each

nan = math.nan
# measure, references, prediction, value
CASES = [
    ("em", ["the cat"], "Cat!", 1),
    ("em(normalize=none)", ["cat"], "Cat", 0),
    ("em", [""], "", 1),
    ("em", ["the"], "a", 1),
    ("em", [], "cat", nan),
    ("f1", ["a b c d"], "b c", 2 * 1 * (2 / 3) / (5 / 3)),
    ("f1", [""], "", 1),
    ("f1", [], "cat", nan),
    ("precision", ["cat dog"], "cat bird fish mouse", 1 / 4),
    ("recall", ["cat dog"], "cat bird fish mouse", 1 / 2),
    ("f1", ["yes it is"], "yes", 1 / 2),
    ("f1(yes_no=true)", ["yes it is"], "yes", 0),
    ("f1(yes_no=true)", ["yes"], "Yes.", 1),
    ("f1(normalize=multilingual)", ["東京都"], "東京", 4 / 5),
    ("em(normalize=multilingual)", ["«París»"], "parís", 1),
    ("f1(normalize=multilingual)", ["กรุงเทพ"], "กรุง", 2 * 1 * (4 / 7) / (11 / 7)),
    ("f1(normalize=none)", ["A cat"], "a cat", 1 / 2),
]


@for_each("measure, references, prediction, value", CASES)
def test_literal(measure, references, prediction, value):
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], nan_ok=True)


FORMS = [
    ({"q1": "cat", "q2": ["dog", "cow"]}, {"q1": "cat", "q2": "dog"}),
    (["cat", ["dog", "cow"]], ["cat", "dog"]),
    ({1: "cat", 2: np.array(["dog", "cow"])}, {"1": "cat", 2: "dog"}),
    (
        polars.DataFrame({"query_id": ["q1", "q2"], "references": [["cat"], ["dog", "cow"]]}),
        polars.DataFrame({"query_id": ["q2", "q1"], "prediction": ["dog", "cat"]}),
    ),
]


@for_each("references, predictions", FORMS)
def test_forms_of_data(references, predictions):
    result = assay.evaluate_answers(references, predictions)
    assert list(result.mean) == ["em", "f1"]
    assert result["em"] == result["answer_em"] == 1
    measures = "answer_em(normalize=squad) answer_f1(normalize=squad,yes_no=false)"
    assert str(result.signature) == f"assay {assay.__version__} answers measures: {measures}"
    assert "answers" in str(result)


def test_questions_without_a_prediction_and_predictions_without_a_question():
    result = assay.evaluate_answers({"q1": "a", "q2": "b", "q3": "c"}, {"q1": "a", "q3": None, "q9": "d"}, "em")
    assert result.per_query() == {"q1": {"em": 1}, "q2": {"em": 0}, "q3": {"em": 0}}
    missing = "2 questions have no prediction; counted as empty: 'q2', 'q3'"
    assert [*map(str, result.notes)] == [missing, "1 prediction matches no question; left out: 'q9'"]


BAD = [
    (["cat"], ["cat", "dog"], "em", "1 reference but 2 predictions; lists must have the same length"),
    ({}, {"q": "x"}, "em", "the references are empty"),
    ({"q1": "x"}, {"q2": "x"}, "em", "references and predictions have no question in common; check their ids"),
    ({"q1": 3}, {"q1": "x"}, "em", "references of 'q1' must be text, not '3'"),
    ({"q1": "x"}, {"q1": ["x"]}, "em", "prediction of 'q1' must be text, not '['x']'"),
    (7, {"q1": "x"}, "em", "the references must be a dict, a list or a frame, not 'int'"),
    (pandas.Series(["x"]), ["x"], "em", "the references must be a dict, a list or a frame, not one column"),
    (polars.Series(["x"]), ["x"], "em", "the references must be a dict, a list or a frame, not one column"),
    ({1: "x", "1": "y"}, {"1": "x"}, "em", "the references contain a question twice, as a string and as an integer"),
    ({1.5: "x"}, {"1": "x"}, "em", "references: an id must be a string or an integer, not '1.5'"),
    (["x"], ["x"], "ndcg@10", "ndcg@10 is a measure of rankings; use assay.evaluate"),
    (["x"], ["x"], [], "no measure to compute; name at least one, such as f1"),
    (["x"], ["x"], "f1(normalize=odd)", "answer_f1: normalize must be squad or multilingual or none, not 'odd'"),
]


@for_each("references, predictions, measures, message", BAD)
def test_bad_input(references, predictions, measures, message):
    with pytest.raises(assay.AssayError) as caught:
        assay.evaluate_answers(references, predictions, measures)
    assert str(caught.value).startswith(message)


def test_a_measure_of_answers_is_no_measure_of_rankings():
    with pytest.raises(assay.errors.MeasureError, match="answer_em is a measure of answers; use assay"):
        assay.evaluate({"q": ["a"]}, {"q": ["a"]}, "answer_em")


def test_a_lazy_frame_is_read():
    frame = polars.LazyFrame({"query_id": ["q1"], "reference": ["x"], "prediction": ["x"]})
    assert assay.evaluate_answers(frame, frame, "em")["em"] == 1


@for_each("right, given_text", [("the", "a"), ("", ""), ("!", "The.")])
def test_two_texts_without_words_are_equal_except_in_hotpotqa(right, given_text):
    names = ["f1", "f1(yes_no=true)", "em"]
    assert list(assay.evaluate_answers([[right]], [given_text], names).mean.values()) == [1, 0, 1]
