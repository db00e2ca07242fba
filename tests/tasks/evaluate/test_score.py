"""`score`: measures on ranked judgments, without files, kernels or evaluators."""

import numpy as np
import pytest

import assay
from assay.conventions import Chosen
from assay.core.judged import Hits, Judged
from assay.core.policies import Policies
from assay.tasks.evaluate.plan import by_policies
from assay.tasks.evaluate.score import merge_parts, score
from tables import for_each

QUERIES = ["q1", "q2", "q3"]
AP, RR = assay.parse_measure("ap"), assay.parse_measure("rr")
SKIP = Policies(missing="skip")


@pytest.fixture
def judged():
    """A relevant document at rank 2 of q1; q2 has a relevant document that was not retrieved; q3 has none."""
    column = np.array([1])
    hits = Hits(3, np.array([0]), np.array([1.0]), np.array([2]), np.array([0.5]), column, np.array([0]), np.array([0]))
    return Judged(3, np.array([2, 0, 4]), np.array([0, 1, 2]), np.array([1.0, 1.0, 0.0]), hits, 0.0)


PRESENT = np.array([True, False, True])
SCORES = [
    (Policies(), [0, 1, 2], [0.5, 0, 0], ["missing", "no_relevant"]),
    (SKIP, [0, 2], [0.5, 0], ["missing", "no_relevant"]),
    (Policies(no_relevant="nan_all"), [0, 1, 2], [0.5, 0, np.nan], ["missing", "no_relevant"]),
    (Policies(missing="skip", no_relevant="skip"), [0], [0.5], ["missing", "no_relevant"]),
]


@for_each(("policies", "keep", "expected", "kinds"), SCORES)
def test_scores_under_policies(judged, policies, keep, expected, kinds):
    scored = score(judged, {"rr": RR}, policies, queries=QUERIES, present=PRESENT)
    assert scored.keep.tolist() == keep
    np.testing.assert_array_equal(scored.scores["rr"], expected)
    assert [note.kind for note in scored.notes] == kinds


def test_every_query_is_present_unless_said_otherwise(judged):
    scored = score(judged, {"rr": RR}, SKIP, queries=QUERIES)
    assert scored.keep.tolist() == [0, 1, 2]
    assert [note.kind for note in scored.notes] == ["no_relevant"]


def test_queries_that_a_tool_refuses_have_no_value(judged):
    scored = score(judged, {"rr": RR, "ap": AP}, Policies(), queries=QUERIES, unusable={"rr": {"q1"}})
    np.testing.assert_array_equal(scored.scores["rr"], [np.nan, 0, 0])
    np.testing.assert_array_equal(scored.scores["ap"], [0.5, 0, 0])


def test_parts_under_several_policies_make_one_result(judged):
    resolved = {"rr": Chosen(RR, Policies()), "tool:ap": Chosen(AP, SKIP), "ap": Chosen(AP, Policies())}
    parts = [
        score(judged, measures, policies, queries=QUERIES, present=PRESENT)
        for policies, measures in by_policies(resolved).items()
    ]
    result = merge_parts(parts, resolved, queries=QUERIES, convention="assay", policies=Policies())
    assert list(result.measures) == ["rr", "tool:ap", "ap"]
    np.testing.assert_array_equal(result.scores["tool:ap"], [0.5, np.nan, 0])
    np.testing.assert_array_equal(result.scores["ap"], [0.5, 0, 0])
    assert [(note.kind, note.measures) for note in result.notes] == [
        ("policies", ("tool:ap",)),
        ("missing", ()),
        ("no_relevant", ()),
        ("missing", ("tool:ap",)),
    ]


def test_a_missing_query_can_be_an_error(judged):
    message = r"1 query in the judgments is missing from the run: 'q2'; missing=\"zero\" counts them as"
    with pytest.raises(assay.errors.MismatchError, match=message):
        score(judged, {"rr": RR}, Policies(missing="error"), queries=QUERIES, present=PRESENT)
