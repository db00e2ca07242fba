"""Aligning results by query permutes everything that has a row per query."""

import numpy as np
import pytest

import assay
from assay.results.results import align_by_query, check_computed_alike, select_queries, shared_means, spread_to_queries

REFERENCES = {"q1": "the cat sat on the mat", "q2": "a dog ran in the park", "q3": None, "q4": "it rains a lot today"}
PREDICTIONS = {"q1": "the cat sat on a mat", "q2": "dogs run", "q3": "what", "q4": "it rains a lot"}
ORDER = ["q3", "q1", "q4", "q2"]


@pytest.fixture
def result():
    return assay.evaluate_answers(REFERENCES, PREDICTIONS, ["bleu", "f1"])


def test_scores_and_statistics_follow_their_queries(result):
    aligned = align_by_query(result, ORDER)
    assert aligned.queries == ORDER
    for name in ("bleu", "f1"):
        np.testing.assert_array_equal(aligned.scores[name], result.scores[name][[2, 0, 3, 1]])
    np.testing.assert_array_equal(aligned.statistics["bleu"], result.statistics["bleu"][[2, 0, 3, 1]])
    assert aligned.mean == result.mean


def test_an_aligned_result_is_as_if_it_had_been_evaluated_so_for_a_gate_too(result):
    from assay.tasks.gate.api import align_baseline

    again = assay.evaluate_answers({query: REFERENCES[query] for query in ORDER}, PREDICTIONS, ["bleu", "f1"])
    for aligned in (align_by_query(result, ORDER), align_baseline(again, result, ["bleu", "f1"])):
        assert aligned.queries == again.queries
        np.testing.assert_array_equal(aligned.statistics["bleu"], again.statistics["bleu"])
        assert aligned.interval("bleu") == again.interval("bleu")
        first, second = (select_queries(each, [0, 1])["bleu"] for each in (aligned, again))
        assert first == pytest.approx(second)


def test_results_on_other_queries_are_left_as_they_are(result):
    assert align_by_query(result, ["q1"]) is result
    assert align_by_query(result, result.queries) is result


def test_a_result_spread_to_more_queries_keeps_its_numbers(result):
    some = select_queries(result, [0, 3])
    wide = spread_to_queries(some, ["q4", "q9", "q1"])
    assert wide.queries == ["q4", "q9", "q1"]
    for name in ("bleu", "f1"):
        np.testing.assert_array_equal(wide.scores[name], [some.scores[name][1], np.nan, some.scores[name][0]])
    np.testing.assert_array_equal(wide.statistics["bleu"][[0, 2]], some.statistics["bleu"][[1, 0]])
    assert np.isnan(wide.statistics["bleu"][1]).all()
    assert wide.mean == some.mean
    assert select_queries(wide, [0, 1, 2])["bleu"] == pytest.approx(some["bleu"])


def test_a_result_without_queries_is_spread(result):
    wide = spread_to_queries(select_queries(result, []), ["q1", "q2"])
    assert np.isnan([*wide.scores["f1"], *wide.scores["bleu"]]).all()
    assert wide.statistics["bleu"].shape == (2, result.statistics["bleu"].shape[1])


def test_means_over_the_queries_that_all_have(result):
    other = assay.evaluate_answers({**REFERENCES, "q1": None}, PREDICTIONS, ["bleu", "f1"])
    first, second = shared_means([result, other], "f1")
    assert first == second == other["f1"]


def test_measures_must_be_computed_alike():
    one, two = (assay.evaluate({"q": ["a"]}, {"q": ["a"]}, "ap", depth=depth) for depth in (1, 2))
    said = r"ap was not computed alike: depth=1 in one result, depth=2 in the other; compute both"
    with pytest.raises(assay.errors.MismatchError, match=said):
        check_computed_alike("ap", one, two)
    cut = assay.evaluate({"q": ["a"]}, {"q": ["a"]}, "ap@5")
    other = assay.Result({"ap@5": one.measures["ap"]}, one.queries, {"ap@5": one.scores["ap"]}, "assay", cut.policies)
    with pytest.raises(assay.errors.MismatchError, match=r"\)@5 in one result, ap\(rel=1,.* in the other; compute"):
        assay.compare(None, {"a": cut, "b": other})
