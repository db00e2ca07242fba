"""nAUC, the worst of a family and p-MRR, by hand; values of queries with one relevant document are 1, 1/2 and so on."""

import itertools
import math

import numpy as np
import pytest

import assay
from tables import for_each

nan = math.nan


def collection(*queries):
    """Each query: the rank of its relevant document, and the scores of the ranking; and its id if that matters."""
    qrels, run = {}, {}
    for number, (rank, scores, *ids) in enumerate(queries):
        documents = [f"d{place}" for place in range(len(scores))]
        if rank:
            documents[rank - 1] = "good"
        query = ids[0] if ids else f"q{number}"
        qrels[query], run[query] = {"good": 1}, dict(zip(documents, scores, strict=True))
    return qrels, run


def family(ranks):
    """Queries with one relevant document at the given rank."""
    return collection(*((rank, (4.0, 3.0, 2.0, 1.0), query) for query, rank in ranks.items()))


# Two queries: at rates up to 0.2 both are left, and from 0.3 on one (0.25 · 2 rounds to 0, 0.3 · 2 to 1).
GOOD, BAD = (1, [5.0, 1.0]), (0, [4.0, 3.0])
TABLE = [
    # The better query is the surer one, by each figure: as good as the oracle.
    ("nauc(of=rr)", [GOOD, BAD], 1),
    ("nauc(of=rr,figure=std)", [GOOD, BAD], 1),
    ("nauc(of=rr,figure=diff1)", [GOOD, BAD], 1),
    # The worse query is the surer one: as far below the flat line as the oracle is above.
    ("nauc(of=rr)", [(0, [5.0, 1.0]), (1, [4.0, 3.0])], -1),
    # The top score says nothing: whichever goes first, on average it is the flat line.
    ("nauc(of=rr)", [(0, [4.0, 1.0]), (1, [4.0, 3.0])], 0),
    ("nauc(of=rr)", [(1, [4.0, 3.0]), (0, [4.0, 1.0])], 0),
    ("nauc(of=rr,figure=std)", [(0, [9.0, 9.0]), (1, [4.0, 3.0])], 1),
    # Nothing to gain: all the same, or one query.
    ("nauc(of=rr)", [GOOD, GOOD], math.nan),
    # Another measure has another oracle.
    ("nauc(of=precision)@1", [GOOD, BAD], 1),
    ("nauc(of=hit_rate)", [(2, [2.0, 1.0]), (1, [1.0, 0.5])], math.nan),
    # Rates 0, .1 leave 3 queries, .2 to .5 (rounded to the even) and up to .9 leave fewer; the middle one is out of order.
    ("nauc(of=rr)", [(1, [3.0, 0.0]), (2, [1.0, 0.0]), (0, [2.0, 0.0])], None),
]


def area(curve):
    return sum((left + right) / 2 * 0.1 for left, right in itertools.pairwise(curve))


@for_each(("name", "queries", "expected"), TABLE)
def test_values(name, queries, expected):
    if expected is None:
        # Values 1, 1/2, 0. By confidence 1/2 goes first, then 0; the oracle leaves out 0, then 1/2. At rates 0 and 0.1
        # nobody is left out, from 0.2 to 0.4 one query, at 0.5 two (1.5 rounds to 2), and never the last.
        flat = [1 / 2] * 10
        ours = [1 / 2] * 2 + [(1 + 0) / 2] * 3 + [1] * 5
        oracle = [1 / 2] * 2 + [(1 + 1 / 2) / 2] * 3 + [1] * 5
        expected = (area(ours) - area(flat)) / (area(oracle) - area(flat))
    result = assay.evaluate(*collection(*queries), name)
    assert result[name] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_query_has_the_value_of_the_measure():
    result = assay.evaluate(*collection(GOOD, (2, [2.0, 1.0])), ["nauc(of=rr)", "rr", "nauc(of=ap,rel=2)", "ap(rel=2)"])
    assert result.scores["nauc(of=rr)"].tolist() == result.scores["rr"].tolist() == [1, 1 / 2]
    assert result.scores["nauc(of=ap,rel=2)"].tolist() == result.scores["ap(rel=2)"].tolist()


def test_queries_without_scores_have_no_confidence():
    qrels, run = collection(GOOD, BAD)
    lists = {query: list(ranking) for query, ranking in run.items()}
    assert math.isnan(assay.evaluate(qrels, lists, "nauc(of=rr)")["nauc(of=rr)"])
    assert math.isnan(assay.evaluate_labels([[1], [0]], "nauc(of=rr)")["nauc(of=rr)"])
    more = {**qrels, "q7": {"good": 1}}
    assert assay.evaluate(more, run, "nauc(of=rr)")["nauc(of=rr)"] == pytest.approx(1)


def test_it_has_no_interval():
    result = assay.evaluate(*collection(GOOD, BAD), "nauc(of=rr)")
    with pytest.raises(assay.errors.MeasureError, match="is one number for all queries and has no interval"):
        result.interval("nauc(of=rr)")
    ((name, *values),) = result.table().rows
    assert (name.name, values) == ("nauc(of=rr)", [pytest.approx(1), None, None, 2])


def test_ties_by_the_order_of_queries():
    # Two equally sure queries: the first is dropped first. The better one left is the oracle's choice, the other not.
    bad, good = (0, [4.0, 1.0]), (1, [4.0, 3.0])
    name = "nauc(of=rr,tied=order)"
    assert assay.evaluate(*collection(bad, good), name)[name] == pytest.approx(1)
    assert assay.evaluate(*collection(good, bad), name)[name] == pytest.approx(-1)


# What mteb gives on these data with equally confident queries: 2.26.5 and later, and 2.26.4 and earlier.
MTEB_QRELS = {"a": {"x": 1, "y": 2}, "b": {"y": 1}, "c": {"z": 1}, "d": {"x": 1, "z": 1}, "e": {"w": 1}}
MTEB_RUN = {"a": {"x": 2.0, "y": 1.5, "w": 0.5}, "b": {"x": 2.0, "y": 1.0, "z": 0.5}, "c": {"z": 3.0, "x": 2.5}}
MTEB_RUN |= {"d": {"w": 1.0, "x": 0.5}, "e": {"x": 3.0, "y": 2.0}}
MTEB_VALUES = [
    ("max", -0.08532573868468941, -0.6725077566301386),
    ("std", 0.14161028062021203, -0.014451308521257113),
    ("diff1", -0.5595452760863882, -1.0666747734458473),
]


@for_each(("figure", "later", "earlier"), MTEB_VALUES)
def test_ties_in_two_versions_of_mteb(figure, later, earlier):
    names = [f"nauc_ndcg_at_3_{figure}", f"nauc(of=ndcg,figure={figure},tied=order)@3"]
    result = assay.evaluate(MTEB_QRELS, MTEB_RUN, names, convention="mteb")
    assert [result[name] for name in names] == pytest.approx([later, earlier], abs=1e-12)


# Query, rank of its one relevant document among d1 d2 d3 d4, or 0 if it was not retrieved.
FAMILIES = {"7_a": 1, "8_a": 2, "7_b": 4, "8_b": 2, "9": 3, "7_b_x": 0}


WORST = [
    # The family 7 holds 1, 1/4 and 0; 8 holds 1/2 twice; 9 is alone.
    ("worst(of=rr)", {"7_a": 0, "8_a": 1 / 2, "9": 1 / 3}),
    # Up to the last low line, 7_b_x belongs to a family of its own, 7_b.
    ("worst(of=rr,part=last)", {"7_a": 1 / 4, "8_a": 1 / 2, "9": 1 / 3, "7_b_x": 0}),
    ("worst(of=rr,members=2)", {"8_a": 1 / 2}),
    ("worst(of=recall,whole=true)@2", {"7_a": 0, "8_a": 1, "9": 0}),
    ("worst(of=rr,whole=true,part=last)@1", {"7_a": 0, "8_a": 0, "9": 0, "7_b_x": 0}),
    ("worst@2", {"7_a": 0, "8_a": 1 / math.log2(3), "9": 0}),
]


@for_each(("name", "expected"), WORST)
def test_the_worst_of_a_family_stands_at_its_first_query(name, expected):
    result = assay.evaluate(*family(FAMILIES), name)
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
    qrels, run = family({"7_a": 1, "7_b": 1, "8_a": 1, "8_b": 2})
    del run["7_a"]
    zero = assay.evaluate(qrels, run, "worst(of=rr)")
    assert zero.scores["worst(of=rr)"] == pytest.approx([0, nan, 1 / 2, nan], nan_ok=True)
    skipped = assay.evaluate(qrels, run, "worst(of=rr)", missing="skip")
    assert skipped.queries == ["7_b", "8_a", "8_b"]
    assert skipped.scores["worst(of=rr)"] == pytest.approx([nan, 1 / 2, nan], nan_ok=True)


def ranking(*documents):
    return {document: -float(place) for place, document in enumerate(documents)}


def test_each_pair_counts_once_however_many_documents_it_has():
    qrels = {"1-og": {"a": 2, "b": 1}, "1-changed": {"a": 0, "b": 0}, "2-og": {"a": 1}, "2-changed": {"a": 0}}
    qrels |= {"3-og": {"a": 1}, "4-changed": {"a": 0}, "5": {"a": 1}}
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
