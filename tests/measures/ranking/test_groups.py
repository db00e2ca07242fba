"""Measures over groups of judgments."""

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from oracle import obvious_groups
from tables import for_each

MEASURES = ["group_recall", "group_f1", "group_rr", "group_ap"]

# Groups, ranking, and what the four measures say. Every document counts as often as it is retrieved.
VALUES = [
    ([["a", "b"], ["c"]], ["a", "x", "b", "y"], 1 / 2, 1 / 2, 1 / 2, (1 + 2 / 3) / 2 / 2),
    ([["a", "b"]], ["x", "b", "a"], 1, 2 * (2 / 3) / (2 / 3 + 1), 1 / 2, (1 / 2 + 2 / 3) / 2),
    # One document may serve several groups.
    ([["a", "b"], ["a", "c"]], ["a", "b", "c"], 1, 1, 1, (1 + (1 + 2 / 3) / 2) / 2),
    ([["a"], ["a"]], ["x", "a"], 1, 2 / 3, 1 / 2, 1 / 2),
    ([["a"], ["b"], ["c"]], ["c"], 1 / 3, 1 / 2, 1 / 3, 1 / 3),
    ([["a", "a"]], ["x", "a"], 1, 2 / 3, 1 / 2, 1 / 2),
    ([["a"]], ["a", "x", "a"], 1, 4 / 5, 1, (1 + 2 / 3) / 2),
    ([["a"], ["b"]], ["x"], 0, 0, 0, 0),
    ([["a"], ["b"]], [], 0, 0, 0, 0),
    # Without groups each document is one.
    (["a", "b"], ["a", "x", "b"], 1, 4 / 5, (1 + 1 / 3) / 2, (1 + 1 / 3) / 2),
    ([], ["a"], 0, 0, 0, 0),
]


@for_each(("groups", "ranking", "expected"), [(*row[:2], row[2:]) for row in VALUES])
def test_values(groups, ranking, expected):
    result = assay.evaluate({"q": groups}, {"q": ranking}, MEASURES, duplicates="count")
    assert [result[name] for name in MEASURES] == pytest.approx(list(expected), rel=1e-14)


def graded(rows):
    return polars.DataFrame(rows, schema=["query_id", "doc_id", "relevance", "group"], orient="row")


def test_a_group_without_a_relevant_document_does_not_count():
    qrels = graded([("q", "a", 1, "one"), ("q", "b", 0, "two"), ("q", "c", 1, "three"), ("p", "a", 1, "two")])
    result = assay.evaluate(qrels, {"q": ["a", "b"], "p": ["a"]}, ["group_recall", "group_recall(rel=2)"])
    assert result.scores["group_recall"].tolist() == [1 / 2, 1]
    assert result.scores["group_recall(rel=2)"].tolist() == [0, 0]


def test_a_document_has_a_grade_in_each_group():
    qrels = graded([("q", "a", 2, "one"), ("q", "a", 1, "two"), ("q", "b", 2, "two")])
    result = assay.evaluate(qrels, {"q": ["a"]}, ["group_recall", "group_recall(rel=2)"])
    assert result.scores["group_recall"].tolist() == [1]
    assert result.scores["group_recall(rel=2)"].tolist() == [1 / 2]


def test_a_query_without_relevant_documents_can_be_undefined():
    result = assay.evaluate({"q": [["a"]], "p": []}, {"q": ["a"], "p": ["a"]}, MEASURES, no_relevant="nan")
    assert [str(result.per_query()["p"][name]) for name in MEASURES] == ["nan"] * 4
    assert [result[name] for name in MEASURES] == [1] * 4


def test_queries_that_are_left_out_take_their_groups_along():
    qrels = {"p": [["a"], ["b"]], "q": [["a", "b"], ["c"]], "r": [["x"]]}
    result = assay.evaluate(qrels, {"q": ["b"], "r": ["x"]}, MEASURES, missing="skip")
    assert result.scores["group_recall"].tolist() == [1 / 2, 1]
    assert result.scores["group_ap"].tolist() == [1 / 2, 1]


LETTERS = st.sampled_from("abcdefgh")
GROUPS = st.lists(st.lists(LETTERS, min_size=1, max_size=4), max_size=4)


@given(qrels=st.lists(GROUPS, min_size=1, max_size=3), data=st.data())
def test_agrees_with_the_obvious_form(qrels, data):
    run = [data.draw(st.lists(LETTERS, max_size=8)) for _ in qrels]
    k = data.draw(st.none() | st.integers(1, 6))
    names = [name if k is None else f"{name}@{k}" for name in MEASURES]
    result = assay.evaluate(qrels, run, names, duplicates="count")
    for place, (groups, ranking) in enumerate(zip(qrels, run, strict=True)):
        top = ranking[:k]
        expected = [
            obvious_groups.group_recall(groups, top),
            obvious_groups.group_f_score(groups, top, len(ranking) if k is None else k, 1),
            obvious_groups.group_reciprocal_rank(groups, top),
            obvious_groups.group_average_precision(groups, top),
        ]
        assert [result.scores[name][place] for name in names] == pytest.approx(expected, rel=1e-12)


# q has the judges 1 and 2, who agree on b only; p has one.
QRELS = "q 1 a 1\nq 1 b 1\nq 2 b 2\nq 2 c 0\nq 2 d 1\np 2 a 1\n"
RUN = {"q": ["a", "x", "b", "c"], "p": ["x", "a"]}

JUDGES_VALUES = {
    # judge 1 sees 1 - 1 -, judge 2 sees - - 1 0 and lacks d
    "judges_ap": [((1 + 2 / 3) / 2 + (1 / 3) / 2) / 2, 1 / 2],
    "judges_ap(rel=2)": [(0 + 1 / 3) / 2, 0],
    # without what a judge has not judged: 1 1, and 1 0
    "judges_ap(condensed=true)": [(1 + 1 / 2) / 2, 1],
    "judges_precision@2": [(1 / 2 + 0) / 2, 1 / 2],
    "judges_precision": [(2 / 4 + 1 / 4) / 2, 1 / 2],
    "judges_precision(condensed=true)@2": [(2 / 2 + 1 / 2) / 2, 1 / 2],
}


@for_each("name", JUDGES_VALUES)
def test_judges_values(make, name):
    result = assay.evaluate(make("qrels.txt", QRELS), RUN, [name])
    assert result.scores[name].tolist() == pytest.approx(JUDGES_VALUES[name], abs=1e-15)


ONE_GROUP = [
    ("judges_ap", [1, 0, 1], [1], (1 + 2 / 3) / 3),
    ("judges_ap", [], [1], 0),
    ("judges_ap(condensed=true)", [None, 1], [], 1),
    ("judges_precision@5", [1, 1], [], 2 / 5),
]


@for_each(("name", "grades", "unseen", "expected"), ONE_GROUP)
def test_one_group(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
