"""Document 000, AutoRAG's "Retrieval Metrics": one example, worked for each of six metrics."""

from math import log2

import assay
from sources.rankings import close
from tables import for_each

FIRST, SECOND = ["test-1", "test-2"], ["test-3"]
RESULT = ["test-1", "pred-1", "test-2", "pred-3"]
# The document's metric, the measure that it is without AutoRAG's policies, and the value that is worked out.
METRICS = [
    ("retrieval_precision", "precision", 2 / 4),
    ("retrieval_recall", "group_recall", 1 / 2),
    ("retrieval_f1", "group_f1", 2 * (0.5 * 0.5) / (0.5 + 0.5)),
    ("retrieval_mrr", "group_rr", (1 + 0) / 2),
    # The document works out 5/6 and 0, and then prints the mean of the reciprocal ranks.
    ("retrieval_map", "group_ap", (5 / 6 + 0) / 2),
    ("retrieval_ndcg", "ndcg(gain=binary,ideal=listed_cut)", 0.7039180890341347),
]


def value(groups, name, **options):
    return assay.evaluate({"q": groups}, {"q": RESULT}, name, **options)[name]


@for_each(("metric", "measure", "worked"), METRICS)
def test_the_example(metric, measure, worked):
    assert value([FIRST, SECOND], metric, convention="autorag") == close(worked)
    assert [value([FIRST, SECOND], name) for name in (f"autorag:{metric}", metric, measure)] == close([worked] * 3)


# Each list of the example by itself, and its gains.
PARTS = [
    ([FIRST], "group_recall", 1),
    ([SECOND], "group_recall", 0),
    ([FIRST], "group_rr", 1),
    ([SECOND], "group_rr", 0),
    ([FIRST], "group_ap", (1 + 2 / 3) / 2),
    ([SECOND], "group_ap", 0),
    ([FIRST, SECOND], "dcg", 1 / log2(1 + 1) + 1 / log2(1 + 3)),
    ([FIRST, SECOND], "ndcg", 1.5 / (1 / log2(1 + 1) + 1 / log2(1 + 2) + 1 / log2(1 + 3))),
]


@for_each(("groups", "measure", "worked"), PARTS)
def test_parts_of_the_example(groups, measure, worked):
    assert value(groups, measure) == close(worked)
