"""Queries that were asked in several parts, by hand."""

import pytest

import assay

QRELS = {"q_1_0": {"a": 1, "b": 0}, "q_1_1": {"a": 1, "b": 1}, "q_2": {"c": 1}, "alone": {"d": 1}}
RUN = {
    "q_1_1": {"a": 0.5, "x": 0.4},
    "q_1_0": {"b": 0.9, "a": 0.1, "x": 0.6},
    "q_2": {"c": -1.0, "x": -0.5},
    "alone": {"d": 0.3},
    "other_1": {"z": 1.0},
}


def test_parts_become_one_query_with_the_highest_scores():
    qrels, run = assay.merge_subqueries(QRELS, RUN)
    assert qrels.to_dict() == {"q_1": {"a": 1, "b": 1}, "q": {"c": 1}, "alone": {"d": 1}}
    assert run.to_dict() == {
        "q_1": {"a": 0.5, "x": 0.6, "b": 0.9},
        "q": {"c": -1.0, "x": -0.5},
        "alone": {"d": 0.3},
        "other_1": {"z": 1.0},
    }


def test_it_is_ready_for_mteb():
    result = assay.evaluate(*assay.merge_subqueries(QRELS, RUN), ["map_at_1000", "mrr_at_1"], convention="mteb")
    assert result.scores["map_at_1000"] == pytest.approx([(1 + 2 / 3) / 2, 1 / 2, 1])
    assert result["mrr_at_1"] == pytest.approx(2 / 3)
    assert "1 query of the run has no judgments and is left out: 'other_1'" in map(str, result.notes)


def test_a_part_that_the_run_lacks_is_no_loss():
    merged = assay.merge_subqueries(assay.Qrels(QRELS), assay.Run({"q_1_0": RUN["q_1_0"]}))
    assert merged.run.to_dict() == {"q_1": RUN["q_1_0"]}
    assert merged.qrels.queries == ["q_1", "q", "alone"]


def test_a_document_that_is_listed_twice_has_its_highest_score():
    merged = assay.merge_subqueries({"q_1": ["a"]}, {"q_1": [("a", 1.0), ("b", 1.5), ("a", 2.0)]})
    assert merged.run.to_dict() == {"q": {"a": 2.0, "b": 1.5}}


def test_rankings_without_scores_cannot_be_merged():
    with pytest.raises(assay.DataError) as caught:
        assay.merge_subqueries({"q_1": ["a"]}, {"q_1": ["a", "b"]})
    assert str(caught.value) == ("the ranking of query 'q_1' has no scores; give scores, which say how to merge parts")
