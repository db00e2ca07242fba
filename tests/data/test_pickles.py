"""Judgments and runs survive pickling and copying with everything they hold."""

import copy
import io
import pickle

import polars

import assay
from tables import for_each

JUDGMENTS = {
    "graded": lambda: assay.Qrels({"q2": {"d1": 3, "d2": 0, "d3": -1.5}, "q1": {"é\n": 1}}),
    "relevant": lambda: assay.Qrels([["a", "b"], ["c"]]),
    "groups": lambda: assay.Qrels({"q1": [["a", "b"], ["c"]], "q2": [["d"]]}),
    "groups, one empty": lambda: assay.Qrels({"q1": [["a", "b"], ["c"]], "q2": []}),
    "empty": lambda: assay.Qrels({"q1": {"a": 2, "b": 0.5}, "q2": {}}),
    "named groups": lambda: assay.Qrels(io.StringIO("q1 x a 1\nq1 y a 2\nq1 y b 0\n"), format="trec"),
    "preferences": lambda: assay.Qrels(io.StringIO("q1 x y a 1\nq1 x y b 2\nq1 x z b 1\n"), format="prefs"),
    "a frame": lambda: assay.Qrels(polars.DataFrame({"query_id": ["1", "2"], "doc_id": ["x", "y"], "rel": [1, 0]})),
    "duplicates, first": lambda: assay.Qrels(io.StringIO("q1 0 a 1\nq1 0 a 2\n"), duplicates="first"),
    "duplicates, open": lambda: assay.Qrels(io.StringIO("q1 0 a 1\nq1 0 a 2\n"), duplicates=None),
    "duplicates in a list": lambda: assay.Qrels({"q1": ["a", "a"], "q2": []}, duplicates="last"),
}
WAYS = {
    "pickle": lambda data: pickle.loads(pickle.dumps(data)),  # noqa: S301 - our own
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
}


def everything(qrels):
    """All that judgments hold."""
    groups = [qrels.rows.groups(number) for number in range(len(qrels))]
    documents = [qrels.rows.documents(number) for number in range(len(qrels))]
    return {
        "queries": qrels.queries,
        "documents": documents,
        "values": qrels.values.tolist(),
        "groups": groups,
        "grades": qrels.grades,
        "dict": qrels.to_dict(),
        "about": (qrels.duplicates, qrels.source, qrels.repeats, repr(qrels)),
    }


@for_each("way", WAYS)
@for_each("form", JUDGMENTS)
def test_judgments_are_as_they_were(form, way):
    qrels = JUDGMENTS[form]()
    other = WAYS[way](qrels)
    assert everything(other) == everything(qrels)
    assert other.rows is not qrels.rows


@for_each("way", WAYS)
def test_they_score_the_same(way):
    qrels, run = assay.Qrels({"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}), assay.Run({"q1": ["x", "a", "b"], "q2": ["c"]})
    expected = assay.evaluate(qrels, run, ["ap", "ndcg@10"]).per_query()
    assert assay.evaluate(WAYS[way](qrels), WAYS[way](run), ["ap", "ndcg@10"]).per_query() == expected
