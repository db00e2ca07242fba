"""Expected reciprocal rank, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay

EXPECTED_RECIPROCAL_RANK = [
    # Chances 7/8, 0 and 3/8 on a scale up to 3, which is the highest grade there is.
    ("err", [3, 0, 2], [], 7 / 8 + (1 / 8) * (3 / 8) / 3),
    ("err(max=3)", [3, 0, 2], [], 7 / 8 + (1 / 8) * (3 / 8) / 3),
    ("err(max=4)", [3, 0, 2], [], 7 / 16 + (9 / 16) * (3 / 16) / 3),
    ("err", [3, 0, 2], [4], 7 / 16 + (9 / 16) * (3 / 16) / 3),
    ("err(gain=exp2,max=4)", [1], [], 1 / 16),
    ("err(max=2.5)", [2.5], [], 1 - 2**-2.5),
    ("err", [], [2], 0),
    ("err", [0, 0], [], 0),
    ("err", [1, 1], [], 1 / 2 + (1 / 2) * (1 / 2) / 2),
    ("err(max=1)@1", [1, 1], [], 1 / 2),
    ("err(max=1)@9", [1, 1], [], 1 / 2 + (1 / 2) * (1 / 2) / 2),
    ("err(max=1)", [None, 1], [], (1 / 2) / 2),
    ("err(max=1)", [-1, 1], [], (1 / 2) / 2),
    ("err(gain=identity)", [0.2, 0.5, 0.8], [], 0.2 + 0.8 * 0.5 / 2 + 0.8 * 0.5 * 0.8 / 3),
    ("err(gain=identity)@2", [0.2, 0.5, 0.8], [], 0.2 + 0.8 * 0.5 / 2),
    ("err(gain=identity)", [1, 1], [], 1),
    ("err(gain=identity)", [-1, 0, 0.5], [], 0.5 / 3),
    ("err(gain=identity)", [], [0.5], 0),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), EXPECTED_RECIPROCAL_RANK)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)


def test_scale_is_that_of_all_judgments_and_not_of_one_query():
    result = assay.evaluate_labels([[1], [2]], "err")
    assert result.scores["err"].tolist() == [1 / 4, 3 / 4]


def test_scale_does_not_depend_on_which_queries_the_run_has():
    qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
    result = assay.evaluate(qrels, {"q1": ["a"]}, "err", missing="skip")
    assert result.scores["err"].tolist() == [1 / 8]
    assert "err(max=3,gain=exp2,above=error)" in str(result.signature)


def test_large_grades_are_computed_without_overflow():
    result = assay.evaluate_labels([[2000, 1999]], "err")
    assert result["err"] == 1


@pytest.mark.parametrize(
    ("name", "grades", "message"),
    [
        ("err(max=2)", [3], "err: the judgments contain grade 3, but max=2; use a larger max"),
        ("err(gain=identity)", [0.5, 2], "err: the judgments contain grade 2, but gain=identity needs probabilities"),
    ],
)
def test_a_grade_above_the_scale_is_an_error(name, grades, message):
    with pytest.raises(assay.MeasureError) as caught:
        assay.evaluate_labels([grades], name)
    assert str(caught.value) == message


def test_a_query_with_a_grade_above_the_scale_may_have_no_value():
    result = assay.evaluate_labels([[1], [5], [1]], "err(max=4,above=nan)", ideal=[[1], [5], [1, 5]])
    assert [str(value) for value in result.scores["err(max=4,above=nan)"]] == ["0.0625", "nan", "nan"]
    assert result["err(max=4,above=nan)"] == 1 / 16
