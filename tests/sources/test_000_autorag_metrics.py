"""Document 000, AutoRAG's "Retrieval Metrics": one example, worked for each of six metrics."""

from math import log2

import assay
from sources.rankings import close
from tables import for_each

GROUPS = [["test-1", "test-2"], ["test-3"]]
RESULT = ["test-1", "pred-1", "test-2", "pred-3"]

# The document's metric, and the measure that it is without AutoRAG's policies.
NAMES = {
    "retrieval_precision": "precision",
    "retrieval_recall": "group_recall",
    "retrieval_f1": "group_f1",
    "retrieval_mrr": "group_rr",
    "retrieval_map": "group_ap",
    "retrieval_ndcg": "ndcg(gain=binary,ideal=listed_cut)",
}
WORKED = {
    "retrieval_precision": 2 / 4,
    "retrieval_recall": 1 / 2,
    "retrieval_f1": 2 * (0.5 * 0.5) / (0.5 + 0.5),
    "retrieval_mrr": (1 + 0) / 2,
    # The document works out 5/6 and 0, and then prints the mean of the reciprocal ranks.
    "retrieval_map": (5 / 6 + 0) / 2,
    "retrieval_ndcg": 0.7039180890341347,
}


def value(groups, name, **options):
    return assay.evaluate({"q": groups}, {"q": RESULT}, name, **options)[name]


@for_each("name", NAMES)
def test_the_example(name):
    assert value(GROUPS, name, convention="autorag") == close(WORKED[name])
    assert value(GROUPS, f"autorag:{name}") == close(WORKED[name])
    assert value(GROUPS, name) == close(WORKED[name])
    assert value(GROUPS, NAMES[name]) == close(WORKED[name])


def test_each_list_of_the_example_by_itself():
    first, second = [GROUPS[0]], [GROUPS[1]]
    assert (value(first, "group_recall"), value(second, "group_recall")) == (1, 0)
    assert (value(first, "group_rr"), value(second, "group_rr")) == (1, 0)
    assert (value(first, "group_ap"), value(second, "group_ap")) == (close((1 + 2 / 3) / 2), 0)


def test_gains_of_the_example():
    assert value(GROUPS, "dcg") == close(1 / log2(1 + 1) + 1 / log2(1 + 3)) == 1.5
    ideal = 1 / log2(1 + 1) + 1 / log2(1 + 2) + 1 / log2(1 + 3)
    assert value(GROUPS, "ndcg") == close(1.5 / ideal) == WORKED["retrieval_ndcg"]
