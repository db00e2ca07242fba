"""Names of runs and of measures on the command line."""

from assay.conventions.resolve import split_measures
from assay.data.run import run_names
from tables import for_each


@for_each(
    ("arguments", "expected"),
    [
        (("bm25.run",), ["bm25"]),
        (("a/b/bm25.trec.gz", "dense.jsonl", "x.parquet"), ["bm25", "dense", "x"]),
        (("v1.2.run", "run.bm25"), ["v1.2", "run.bm25"]),
        ((".run", "-"), [".run", "stdin"]),
        (("a/x.run", "b/x.run"), ["a/x", "b/x"]),
        (("x.run", "x.txt"), ["x", "x (2)"]),
        (("x.run", "x.run", "x.run"), ["x", "x (2)", "x (3)"]),
    ],
)
def test_run_names(arguments, expected):
    assert run_names(arguments) == expected


@for_each(
    ("measures", "expected"),
    [
        ((), []),
        (("",), []),
        (("ap", "rr"), ["ap", "rr"]),
        ((" ap\trr \n",), ["ap", "rr"]),
        (("ap(rel=2, norm=found)@10 rr",), ["ap(rel=2, norm=found)@10", "rr"]),
        (("P.5,10 map",), ["P.5,10", "map"]),
        (("ndcg@10,rr",), ["ndcg@10", "rr"]),
        (("ndcg@10, rr,ap(rel=2,norm=found)@5 , map",), ["ndcg@10", "rr", "ap(rel=2,norm=found)@5", "map"]),
        (("P.5,10,map", "utility.1,-1,0,0,rr"), ["P.5,10", "map", "utility.1,-1,0,0", "rr"]),
        (("ndcg.1=3,2=9,11pt_avg",), ["ndcg.1=3,2=9", "11pt_avg"]),
        (("ranx:map,beir:NDCG@10,",), ["ranx:map", "beir:NDCG@10"]),
    ],
)
def test_split_measures(measures, expected):
    assert [name for text in measures for name in split_measures(text)] == expected
