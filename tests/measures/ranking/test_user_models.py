"""User models, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay
from tables import for_each

RANK_BIASED_PRECISION = [
    ("rbp", [1, 0, 1], [], 0.2 * (1 + 0.64)),
    ("rbp(p=0.5)", [1, 0, 1], [], 0.5 * (1 + 0.25)),
    ("rbp", [], [1], 0),
    ("rbp(p=0.5)", [-1, None, 1], [], 0.125),
    ("rbp(p=0.5)@2", [1, 0, 1], [], 0.5),
    ("rbp(p=0.5,rel=2)", [1, 2, 3], [], 0.5 * (0.5 + 0.25)),
    ("rbp(p=0.5,gain=grade)", [3, 0, 2], [], 0.5 * (3 + 2 * 0.25)),
    # The query's highest grade counts even if nothing with it was retrieved.
    ("rbp(p=0.5,gain=max)", [3, 0, 2], [4], 0.5 * (3 / 4 + 2 / 4 * 0.25)),
    ("rbp(p=0.5,gain=max,rel=0)", [0, 0], [], 0),
    # Gains between 0 and 1 stay; wider ones are brought there, from the lowest to the highest of the query's scale.
    ("rbp(p=0.5,gain=1:0.5;2:1)", [1, 0, 2], [], 0.5 * (0.5 + 1 * 0.25)),
    ("rbp(p=0.5,gain=1:3;2:9)", [1, 0, 2], [], 0.5 * (3 / 9 + 1 * 0.25)),
    ("rbp(p=0.5,gain=1:0.5)", [1, 2], [3], 0.5 * (0.5 / 3 + 2 / 3 * 0.5)),
    ("rbp(p=0.5,gain=1:-1,rel=0)", [1, 0, 2], [], 0.5 * (0 + 1 / 3 * 0.5 + 1 * 0.25)),
    ("rbp(p=0.5,gain=0:1,rel=0)@1", [0, 0], [], 0.5),
    ("rbp_residual(p=0.5)", [1, 0], [1], 0.25),
    ("rbp_residual(p=0.5)", [None, 1, -1], [], 0.5 + 0.125 + 0.125),
    ("rbp_residual(p=0.5,complete=zero)", [1, 0], [1], 0),
    ("rbp_residual(complete=zero)", [], [1], 0),
    ("rbp_residual", [], [1], 1),
    # A reader who sees two documents: their weights 1 and 1/2 are made to add up to 1.
    ("rbp(p=0.5,limit=2)", [1, 0, 1], [], 2 / 3),
    ("rbp(p=0.5,limit=2)@1", [0, 1, 1], [], 0),
]

EXPECTED_RECIPROCAL_RANK = [
    # Chances 7/8, 0 and 3/8 on a scale up to 3, which is the highest grade there is.
    ("err", [3, 0, 2], [], 7 / 8 + (1 / 8) * (3 / 8) / 3),
    ("err(max=4)", [3, 0, 2], [], 7 / 16 + (9 / 16) * (3 / 16) / 3),
    ("err", [3, 0, 2], [4], 7 / 16 + (9 / 16) * (3 / 16) / 3),
    ("err", [], [2], 0),
    ("err(max=1)@1", [1, 1], [], 1 / 2),
    ("err(max=1)", [None, 1], [], (1 / 2) / 2),
    ("err(gain=identity)", [0.2, 0.5, 0.8], [], 0.2 + 0.8 * 0.5 / 2 + 0.8 * 0.5 * 0.8 / 3),
    ("err(gain=identity)", [-1, 0, 0.5], [], 0.5 / 3),
]


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


ERRORS = [
    ("err(max=2)", [3], "err: the judgments contain grade 3, but max=2; use a larger max"),
    ("err(gain=identity)", [0.5, 2], "err: the judgments contain grade 2, but gain=identity needs probabilities"),
    ("bpm(min=2,max=2)@5", [1], "max must be above min=2"),
    ("sdcg(max=1)", [1], "sdcg needs k; write sdcg@k"),
]


@for_each(("name", "grades", "message"), ERRORS)
def test_what_cannot_be_computed_is_an_error(name, grades, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.evaluate_labels([grades], name)
    assert str(caught.value) == message


def test_a_query_with_a_grade_above_the_scale_may_have_no_value():
    result = assay.evaluate_labels([[1], [5], [1]], "err(max=4,above=nan)", ideal=[[1], [5], [1, 5]])
    assert [*map(str, result.scores["err(max=4,above=nan)"])] == ["0.0625", "nan", "nan"]


SECOND = 1 / math.log2(3)

SCALED = [
    ("sdcg(max=1)@2", [1, 0], [1], 1 / (1 + SECOND)),
    ("sdcg(max=2)@1", [5], [], 1),
    ("sdcg(min=1,max=3)@1", [2], [], 1 / 2),
    ("sdcg(max=1)@2", [None, 1], [], SECOND / (1 + SECOND)),
    ("sdcg(max=1)@2", [], [1], 0),
    # The scale is that of all judgments.
    ("sdcg@1", [2], [4], 1 / 2),
]
STOPPING = [
    ("bpm(max=1)@5", [0, 1, 1], [], 1 / 2),
    ("bpm(max=1,target=2)@5", [1, 0, 1, 1], [], 2 / 3),
    ("bpm(max=2,target=0.5)@5", [1, 2], [], 1 / 2),
    ("bpm(max=1)@3", [], [1], 0),
]
TARGET = [
    # On from rank 1 with ((1 + 2 - 1 - 1) / (1 + 2 - 1))², and with ((1 + 2 - 1) / (1 + 2))² where nothing was found.
    ("inst(max=1,limit=2)", [1, 0], [], 1 / (1 + 1 / 4)),
    ("inst(max=1,limit=2)", [0, 1], [], (4 / 9) / (1 + 4 / 9)),
    ("inst(max=1,limit=2,target=2)", [1, 0], [], 1 / (1 + (3 / 4) ** 2)),
    ("inst(max=1,limit=3)", [0, 1, 1], [], (4 / 9 + 4 / 9 * 4 / 9) / (1 + 4 / 9 + 4 / 9 * 4 / 9)),
    ("insq(max=1,limit=2)", [1, 0], [], 1 / (1 + 4 / 9)),
    ("insq(max=1,limit=2,target=2)", [1, 0], [], 1 / (1 + 16 / 25)),
]
NEARLY = [
    ("nerr8(max=1)@2", [0.5, 1], [], 2 / 3),
    ("nerr9(max=1)@2", [0.5, 1], [], 0.75 / 1.25),
    ("nerr9(max=1)@3", [0, 0, 1], [], (1 / 3) / (1 + 1 / 2 + 1 / 3)),
    ("nerr10(max=1,limit=2)", [0.5, 1], [], 0.95 / 1.45),
    ("nerr10(max=1,limit=2,p=0.5)", [0.5, 1], [], 0.75 / 1.25),
    ("nerr11(max=1,limit=2)", [0.5, 1], [], (0.5 + 2 / 9) / (1 + 2 / 9)),
    ("nerr11(max=1,limit=2,target=2)", [0.5, 1], [], (0.5 + 8 / 25) / (1 + 8 / 25)),
    ("nerr10(max=1)", [], [1], 0),
]


MODELS = RANK_BIASED_PRECISION + EXPECTED_RECIPROCAL_RANK + SCALED + STOPPING + TARGET + NEARLY


@for_each(("name", "grades", "unseen", "expected"), MODELS)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)


def test_many_queries_are_scored_block_by_block():
    result = assay.evaluate_labels([[1, 0], [0, 1], [0, 0]] * 700, "inst(max=1,limit=2)")
    scores = result.scores["inst(max=1,limit=2)"]
    far = assay.evaluate_labels([[1, 0], [0, 1], [0, 0]] * 700, "inst(max=1)").scores["inst(max=1)"]
    assert scores.tolist() == scores[:3].tolist() * 700
    assert far.tolist() == far[:3].tolist() * 700
