"""Measures of families of queries, by hand."""

import math

import numpy as np
import pytest

import assay
from tables import for_each

nan = math.nan

# Query, rank of its one relevant document among d1 d2 d3 d4, or 0 if it was not retrieved.
FAMILIES = {"7_a": 1, "8_a": 2, "7_b": 4, "8_b": 2, "9": 3, "7_b_x": 0}


def collection(ranks):
    """Queries with one relevant document at the given rank."""
    qrels = {query: {"good": 1} for query in ranks}
    run = {}
    for query, rank in ranks.items():
        documents = [f"d{place}" for place in range(1, 5)]
        if rank:
            documents[rank - 1] = "good"
        run[query] = dict(zip(documents, (4.0, 3.0, 2.0, 1.0), strict=True))
    return qrels, run


WORST = [
    # The family 7 holds 1, 1/4 and 0; 8 holds 1/2 twice; 9 is alone.
    ("worst(of=rr)", {"7_a": 0, "8_a": 1 / 2, "9": 1 / 3}),
    # Up to the last low line, 7_b_x belongs to a family of its own, 7_b.
    ("worst(of=rr,part=last)", {"7_a": 1 / 4, "8_a": 1 / 2, "9": 1 / 3, "7_b_x": 0}),
    ("worst(of=rr,part=last)@3", {"7_a": 0, "8_a": 1 / 2, "9": 1 / 3, "7_b_x": 0}),
    ("worst(of=rr,members=2)", {"8_a": 1 / 2}),
    ("worst(of=rr,members=1)", {"9": 1 / 3}),
    ("worst(of=recall)@2", {"7_a": 0, "8_a": 1, "9": 0}),
    ("worst(of=recall,whole=true)@2", {"7_a": 0, "8_a": 1, "9": 0}),
    ("worst(of=rr,whole=true,part=last)@1", {"7_a": 0, "8_a": 0, "9": 0, "7_b_x": 0}),
    ("worst@2", {"7_a": 0, "8_a": 1 / math.log2(3), "9": 0}),
]


@for_each(("name", "expected"), WORST)
def test_the_worst_of_a_family_stands_at_its_first_query(name, expected):
    result = assay.evaluate(*collection(FAMILIES), name)
    values = {query: expected.get(query, nan) for query in FAMILIES}
    assert dict(zip(result.queries, result.scores[name], strict=True)) == pytest.approx(values, nan_ok=True)
    assert result[name] == pytest.approx(sum(expected.values()) / len(expected))
    left_out = f"{name}: {len(FAMILIES) - len(expected)} queries left out of the mean; a query is not the first of its"
    assert any(str(note).startswith(left_out) for note in result.notes)


def test_half_of_what_is_relevant_is_not_all_of_it():
    qrels = {"1_q1": {"a": 1, "b": 1}, "1_q2": {"a": 1}}
    run = {"1_q1": {"a": 2.0, "b": 1.0}, "1_q2": {"a": 2.0}}
    result = assay.evaluate(qrels, run, ["worst(of=recall)@1", "worst(of=recall,whole=true)@1"])
    assert list(result.mean.values()) == [1 / 2, 0]


def test_a_family_of_which_a_query_was_left_out_has_no_value():
    qrels, run = collection({"7_a": 1, "7_b": 1, "8_a": 1, "8_b": 2})
    del run["7_a"]
    zero = assay.evaluate(qrels, run, "worst(of=rr)")
    assert zero.scores["worst(of=rr)"] == pytest.approx([0, nan, 1 / 2, nan], nan_ok=True)
    skipped = assay.evaluate(qrels, run, "worst(of=rr)", missing="skip")
    assert skipped.queries == ["7_b", "8_a", "8_b"]
    assert skipped.scores["worst(of=rr)"] == pytest.approx([nan, 1 / 2, nan], nan_ok=True)


def ranking(*documents):
    return {document: -float(place) for place, document in enumerate(documents)}


# Documents that stop being relevant, then the original ranking, the changed one, and p-MRR.
MOVES = [
    (["a"], "axyz", "xaya", 1 - (1 / 2) / 1),
    (["a"], "xa", "ax", (1 / 2) / 1 - 1),
    (["a"], "xa", "xa", 0),
    (["a"], "xay", "xyza", 1 - (1 / 4) / (1 / 2)),
    # Not retrieved: one after the last.
    (["a"], "ax", "xyz", 1 - 1 / 4),
    (["a"], "xy", "axyz", 1 / 3 - 1),
    (["a"], "x", "y", 0),
    (["a", "b"], "abx", "xba", (1 - 1 / 3 + 0) / 2),
    (["a", "b"], "abx", "bxa", (1 - 1 / 3 + 1 / 2 - 1) / 2),
    ([], "ab", "ba", nan),
]


@for_each(("moved", "before", "after", "expected"), MOVES)
def test_how_far_documents_fall(moved, before, after, expected):
    # w stays relevant, v becomes relevant, and u is judged only once: none of them counts.
    qrels = {
        "q-changed": {**dict.fromkeys(moved, 0), "w": 1, "v": 1},
        "q-og": {**dict.fromkeys(moved, 1), "w": 1, "v": 0, "u": 1},
    }
    run = {"q-og": ranking(*before), "q-changed": ranking(*dict.fromkeys(after))}
    result = assay.evaluate(qrels, run, "p_mrr")
    assert result.scores["p_mrr"] == pytest.approx([expected, nan], abs=1e-15, nan_ok=True)


def test_each_pair_counts_once_however_many_documents_it_has():
    qrels = {
        "1-og": {"a": 2, "b": 1},
        "1-changed": {"a": 0, "b": 0},
        "2-og": {"a": 1},
        "2-changed": {"a": 0},
        "3-og": {"a": 1},
        "4-changed": {"a": 0},
        "5": {"a": 1},
    }
    run = {query: ranking("a", "b") if query.endswith("-og") else ranking("b", "a") for query in qrels}
    result = assay.evaluate(qrels, run, ["p_mrr", "p_mrr(rel=2)"])
    assert result.scores["p_mrr"] == pytest.approx([(1 / 2 - 1 / 2) / 2, nan, 1 / 2, nan, nan, nan, nan], nan_ok=True)
    assert result["p_mrr"] == pytest.approx((0 + 1 / 2) / 2)
    assert result["p_mrr(rel=2)"] == pytest.approx(1 / 2)
    del run["2-changed"]
    assert assay.evaluate(qrels, run, "p_mrr", missing="skip")["p_mrr"] == 0


def test_a_document_in_several_groups_is_one():
    qrels = {"q-og": [["a", "b"], ["a"]], "q-changed": {"a": 0, "b": 0}}
    run = {"q-og": ranking("a", "b"), "q-changed": ranking("b", "a")}
    assert assay.evaluate(qrels, run, "p_mrr")["p_mrr"] == pytest.approx(0)


def test_ids_that_are_not_known_make_no_families():
    result = assay.evaluate_labels([[1], [0, 1]], ["worst(of=rr)", "p_mrr"])
    assert result.scores["worst(of=rr)"].tolist() == [1, 1 / 2]
    assert np.isnan(result.scores["p_mrr"]).all()
