"""`Qrels` and `Run` as objects: what they hold, how they are looked at, pickled and named."""

import copy
import io
import pickle
from itertools import product

import numpy as np
import polars
import pytest

import assay
from assay import Qrels, Run
from assay.conventions.resolve import split_measures
from assay.data.run import run_names
from assay.errors import DataError, PolicyError
from tables import for_each

RUN = Run({"q1": {"d7": 12.5, "d2": 11}, "q2": ["d5", "d1"], "q3": [("a", 1), ("b", 2)], "q4": {}, "q5": []})
QRELS = Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d5": 0.5}})


def test_a_run_gives_each_ranking_as_it_was():
    assert RUN.queries == ["q1", "q2", "q3", "q4", "q5"]
    rankings = [[("d7", 12.5), ("d2", 11.0)], ["d5", "d1"], [("a", 1.0), ("b", 2.0)], [], []]
    assert [RUN[query] for query in RUN] == rankings
    as_dict = {"q1": {"d7": 12.5, "d2": 11.0}, "q2": ["d5", "d1"], "q3": {"a": 1.0, "b": 2.0}, "q4": {}, "q5": []}
    assert Run(RUN.to_dict()).to_dict() == RUN.to_dict() == as_dict
    assert (RUN.starts.tolist(), RUN.values[:2].tolist()) == ([0, 2, 4, 6, 6, 6], [12.5, 11.0])


def test_a_run_as_a_frame():
    scored = [("q1", "d7", 12.5, None), ("q1", "d2", 11.0, None), ("q3", "a", 1.0, None), ("q3", "b", 2.0, None)]
    assert RUN.to_polars().rows() == [*scored[:2], ("q2", "d5", 2.0, 1), ("q2", "d1", 1.0, 2), *scored[2:]]
    assert RUN.to_polars().columns == ["query_id", "doc_id", "score", "given_rank"]
    assert Run({"q1": {"a": 1.0}}).to_polars().columns == ["query_id", "doc_id", "score"]


def test_judgments_give_the_grades_of_each_query():
    assert (QRELS.queries, QRELS["q1"]) == (["q1", "q2"], {"d1": 3.0, "d2": 0.0})
    assert QRELS.to_dict() == {"q1": {"d1": 3.0, "d2": 0.0}, "q2": {"d5": 0.5}}
    assert QRELS.to_polars().rows() == [("q1", "d1", 3.0), ("q1", "d2", 0.0), ("q2", "d5", 0.5)]
    assert QRELS.to_polars().columns == ["query_id", "doc_id", "relevance"]
    assert QRELS.groups("q1") == {"0": {"d1": 3.0, "d2": 0.0}}


def test_tables_are_short_in_a_list_and_can_be_counted():
    assert (repr(RUN), len(RUN)) == ("<Run: 5 queries, 6 documents>", 5)
    assert (repr(QRELS), list(QRELS)) == ("<Qrels: 2 queries, 3 judgments>", ["q1", "q2"])
    assert repr(Run({"q": ["d"]})) == "<Run: 1 query, 1 document>"


def test_queries_are_looked_up_as_text_or_numbers():
    table = Qrels({1: ["a"], "q": ["b"]})
    assert [each in table for each in (1, "1", np.int64(1), 2, "\ud800")] == [True, True, True, False, False]
    assert table[1] == table["1"] == {"a": 1.0}
    for query, look in product((2, "x", "\ud800", None), (table.__getitem__, table.groups)):
        with pytest.raises(DataError, match="unknown query"):
            look(query)


def test_groups_of_alternatives():
    qrels = Qrels({"q1": [["d1", "d2"], ["d3"], ["d1"]], "q2": {"x": 2}, "q3": [["y"]]})
    assert qrels.groups("q1") == {"0": {"d1": 1.0, "d2": 1.0}, "1": {"d3": 1.0}, "2": {"d1": 1.0}}
    assert qrels["q1"] == {"d1": 1.0, "d2": 1.0, "d3": 1.0}
    assert qrels.groups("q2") == {"0": {"x": 2.0}}
    assert qrels.to_polars().columns == ["query_id", "doc_id", "relevance", "group"]


def test_the_second_column_of_trec_judgments_names_groups():
    text = "q1 1 d1 1\nq1 2 d1 2\nq1 2 d2 0\nq2 1 d1 1\n"
    qrels = assay.read_qrels(io.StringIO(text))
    assert qrels.groups("q1") == {"1": {"d1": 1.0}, "2": {"d1": 2.0, "d2": 0.0}}
    assert qrels["q1"] == {"d1": 2.0, "d2": 0.0}
    dcg = assay.evaluate(qrels, {"q1": ["d2", "d1"], "q2": ["d1"]}, ["dcg"]).scores["dcg"]
    assert dcg.tolist() == [2 / np.log2(3), 1.0]
    same = assay.read_qrels(io.StringIO(text.replace(" 2 ", " 1 ").replace("q1 1 d1 1\n", "")))
    assert same.groups("q1") == {"0": {"d1": 2.0, "d2": 0.0}}


def test_the_tag_of_a_run():
    assert (RUN.tag, Run({"q": ["d"]}, tag="bm25").tag) == ("", "bm25")
    text = io.StringIO("q1 Q0 d1 1 2 first\nq1 Q0 d2 2 1 second\n")
    assert assay.read_run(text).tag == "second"
    assert Run(io.StringIO("q1 Q0 d1 1 2 first\n"), tag="mine").tag == "mine"


@for_each("duplicates", ["drop", "", 5])
def test_an_unknown_policy_for_duplicates_is_refused(duplicates):
    with pytest.raises(PolicyError, match="duplicates must be 'error' or 'first' or 'last' or 'count'"):
        Qrels({"q1": ["a"]}, duplicates=duplicates)


NAMES = [
    (("bm25.run",), ["bm25"]),
    (("a/b/bm25.trec.gz", "dense.jsonl", "x.parquet"), ["bm25", "dense", "x"]),
    (("v1.2.run", "run.bm25"), ["v1.2", "run.bm25"]),
    ((".run", "-"), [".run", "stdin"]),
    (("a/x.run", "b/x.run"), ["a/x", "b/x"]),
    (("x.run", "x.txt"), ["x", "x (2)"]),
    (("x.run", "x.run", "x.run"), ["x", "x (2)", "x (3)"]),
    (("runs/bm25/", "runs/dense/part-*.parquet", "runs/mix-*.run", "*.run"), ["bm25", "dense", "mix", "*"]),
]
MEASURES = {
    "": [],
    " ap\trr \n": ["ap", "rr"],
    "ap(rel=2, norm=found)@10 rr": ["ap(rel=2, norm=found)@10", "rr"],
    "P.5,10 map": ["P.5,10", "map"],
    "ndcg@10, rr,ap(rel=2,norm=found)@5 , map": ["ndcg@10", "rr", "ap(rel=2,norm=found)@5", "map"],
    "P.5,10,map": ["P.5,10", "map"],
    "utility.1,-1,0,0,rr": ["utility.1,-1,0,0", "rr"],
    "ndcg.1=3,2=9,11pt_avg": ["ndcg.1=3,2=9", "11pt_avg"],
    "ranx:map,beir:NDCG@10,": ["ranx:map", "beir:NDCG@10"],
}


def test_run_names_and_measures_in_one_text():
    assert [run_names(arguments) for arguments, _ in NAMES] == [names for _, names in NAMES]
    assert {text: list(split_measures(text)) for text in MEASURES} == MEASURES


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
    rows = [(qrels.rows.groups(number), qrels.rows.documents(number)) for number in range(len(qrels))]
    about = (qrels.duplicates, qrels.source, qrels.repeats, repr(qrels))
    return qrels.queries, rows, qrels.values.tolist(), qrels.grades, qrels.to_dict(), about


@for_each("way", WAYS)
@for_each("form", JUDGMENTS)
def test_judgments_are_as_they_were(form, way):
    qrels = JUDGMENTS[form]()
    other = WAYS[way](qrels)
    assert everything(other) == everything(qrels)
    assert other.rows is not qrels.rows
    assert assay.evaluate(WAYS[way](QRELS), WAYS[way](RUN), "ap").mean == assay.evaluate(QRELS, RUN, "ap").mean
