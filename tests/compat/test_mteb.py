"""Queries that were asked in several parts, by hand."""

import pytest

import assay
from assay.compat.mteb import merge_subqueries
from tables import for_each

QRELS = {"q_1_0": {"a": 1, "b": 0}, "q_1_1": {"a": 1, "b": 1}, "q_2": {"c": 1}, "alone": {"d": 1}}
RUN = {
    "q_1_1": {"a": 0.5, "x": 0.4},
    "q_1_0": {"b": 0.9, "a": 0.1, "x": 0.6},
    "q_2": {"c": -1.0, "x": -0.5},
    "alone": {"d": 0.3},
    "other_1": {"z": 1.0},
}


def test_parts_become_one_query_with_the_highest_scores_ready_for_mteb():
    qrels, run = merge_subqueries(QRELS, RUN)
    assert qrels.to_dict() == {"q_1": {"a": 1, "b": 1}, "q": {"c": 1}, "alone": {"d": 1}}
    merged = {"q_1": {"a": 0.5, "x": 0.6, "b": 0.9}, "q": {"c": -1.0, "x": -0.5}}
    assert run.to_dict() == merged | {"alone": {"d": 0.3}, "other_1": {"z": 1.0}}
    result = assay.evaluate(*merge_subqueries(QRELS, RUN), ["map_at_1000", "mrr_at_1"], convention="mteb")
    assert result.scores["map_at_1000"] == pytest.approx([(1 + 2 / 3) / 2, 1 / 2, 1])
    assert result["mrr_at_1"] == pytest.approx(2 / 3)
    assert "1 query in the run has no judgments; left out: 'other_1'" in map(str, result.notes)


def test_a_query_without_judgments_is_no_part_of_another():
    run = {"q1_0": {"d1": 0.5}, "q1": {"d9": 100.0}, "q1_7": {"d8": 90.0}}
    merged = merge_subqueries({"q1_0": {"d1": 1}}, run)
    assert merged.run.to_dict() == {"q1": {"d1": 0.5}, "q1_7": {"d8": 90.0}}
    assert assay.evaluate(*merged, "mrr_at_10", convention="mteb")["mrr_at_10"] == 1


@for_each("ids", [("q1", "q1_0"), ("q1_0", "q1"), ("q1_0", "q1_1", "q1")])
def test_a_query_that_has_the_name_of_a_merged_one_is_an_error(ids):
    with pytest.raises(assay.errors.DataError) as caught:
        merge_subqueries({query: {"d1": 1} for query in ids}, {"q1_0": {"d1": 0.5}})
    assert str(caught.value) == "queries 'q1' and 'q1_0' would both become 'q1'; rename or remove one of them"


def test_parts_of_parts_and_parts_that_the_run_lacks():
    qrels, run = merge_subqueries({"q_1": {"a": 1}, "q_1_0": {"b": 1}}, {"q_1": {"a": 1.0}, "q_1_0": {"b": 2.0}})
    assert qrels.to_dict() == {"q": {"a": 1}, "q_1": {"b": 1}}
    assert run.to_dict() == {"q": {"a": 1.0}, "q_1": {"b": 2.0}}
    merged = merge_subqueries(assay.Qrels(QRELS), assay.Run({"q_1_0": RUN["q_1_0"]}))
    assert merged.run.to_dict() == {"q_1": RUN["q_1_0"]}
    assert merged.qrels.queries == ["q_1", "q", "alone"]


def test_rankings_without_scores_cannot_be_merged():
    with pytest.raises(assay.errors.DataError) as caught:
        merge_subqueries({"q_1": ["a"]}, {"q_1": ["a", "b"]})
    assert str(caught.value) == "the ranking of query 'q_1' has no scores; merging subqueries needs them"


ONCE = "q1_0 0 d1 1\n", "q1_0 Q0 d1 1 0.5 t\n"


@for_each(("qrels", "run"), [(ONCE[0] * 2, ONCE[1]), (ONCE[0], ONCE[1] * 2)])
def test_repeated_documents_are_an_error(qrels, run, tmp_path):
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "a.run").write_text(run)
    with pytest.raises(assay.errors.DuplicateError, match="remove duplicates before merging queries"):
        merge_subqueries(assay.Qrels(tmp_path / "qrels.txt", duplicates=None), tmp_path / "a.run")
