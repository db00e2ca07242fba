"""nAUC, by hand, on queries with one relevant document each: their values are 1, 1/2 and so on."""

import itertools
import math

import pytest

import assay
from tables import for_each


def collection(*queries):
    """Each query: the rank of its relevant document, and the scores of the ranking."""
    qrels = {f"q{number}": {"good": 1} for number in range(len(queries))}
    run = {}
    for number, (rank, scores) in enumerate(queries):
        documents = [f"d{place}" for place in range(len(scores))]
        if rank:
            documents[rank - 1] = "good"
        run[f"q{number}"] = dict(zip(documents, scores, strict=True))
    return qrels, run


# Two queries: at rates up to 0.2 both are left, and from 0.3 on one (0.25 · 2 rounds to 0, 0.3 · 2 to 1).
GOOD, BAD = (1, [5.0, 1.0]), (0, [4.0, 3.0])
TABLE = [
    # The better query is the surer one, by each figure: as good as the oracle.
    ("nauc(of=rr)", [GOOD, BAD], 1),
    ("nauc(of=rr,figure=std)", [GOOD, BAD], 1),
    ("nauc(of=rr,figure=diff1)", [GOOD, BAD], 1),
    ("nauc(of=rr)@1", [BAD, GOOD], 1),
    # The worse query is the surer one: as far below the flat line as the oracle is above.
    ("nauc(of=rr)", [(0, [5.0, 1.0]), (1, [4.0, 3.0])], -1),
    ("nauc(of=rr,figure=diff1)", [(0, [9.0, 1.0]), (1, [4.0, 3.0])], -1),
    # The top score says nothing: whichever goes first, on average it is the flat line.
    ("nauc(of=rr)", [(0, [4.0, 1.0]), (1, [4.0, 3.0])], 0),
    ("nauc(of=rr)", [(1, [4.0, 3.0]), (0, [4.0, 1.0])], 0),
    ("nauc(of=rr,figure=std)", [(0, [9.0, 9.0]), (1, [4.0, 3.0])], 1),
    # Nothing to gain: all the same, or one query.
    ("nauc(of=rr)", [GOOD, GOOD], math.nan),
    ("nauc(of=rr)", [GOOD], math.nan),
    # Another measure has another oracle.
    ("nauc(of=precision)@1", [GOOD, BAD], 1),
    ("nauc(of=hit_rate)", [(2, [2.0, 1.0]), (1, [1.0, 0.5])], math.nan),
    ("nauc(of=ndcg)@1", [(2, [2.0, 1.0]), (1, [1.0, 0.5])], -1),
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
MTEB_RUN = {
    "a": {"x": 2.0, "y": 1.5, "w": 0.5},
    "b": {"x": 2.0, "y": 1.0, "z": 0.5},
    "c": {"z": 3.0, "x": 2.5},
    "d": {"w": 1.0, "x": 0.5},
    "e": {"x": 3.0, "y": 2.0},
}
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
