"""`assay.compat.ranx` beside ranx itself: the same calls, the same shapes, the same numbers.

All document ids are equally long, so that ranx compiles only once.
"""

import gzip
import json

import numpy as np
import pandas
import polars
import pytest

import assay
import real_ranx
from assay.compat import ranx as ours
from real_ranx import ranx as theirs
from tables import for_each

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("ranx")]  # one worker, so that ranx compiles once

QRELS = {
    "q2": {"d01": 1, "d02": 0, "d03": 2},
    "q1": {"d01": 3, "d05": 1},
    "q3": {"d01": 0},
    "q4": {"d07": -1, "d08": 1, "d09": 2},
}
RUN = {
    "q1": {"d05": 0.5, "d01": 0.25, "d09": 0.75},
    "q2": {"d02": 3.0, "d03": 2.0, "d01": 1.0, "d11": 4.0},
    "q4": {"d07": 1.5, "d08": 1.0},
    "q3": {"d04": 0.1},
}
METRICS = ["map", "ndcg@3", "mrr@2-l2", "hits@0", "r-precision@3", "rbp.95", "precision@5", "dcg_burges"]
BOTH = for_each("library", [ours, theirs])


def evaluate(library, *arguments, **options):
    return (ours.evaluate if library is ours else real_ranx.evaluate)(*arguments, **options)


def same(found, expected):
    """Whether two results have the same shape and numbers."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            same(found[key], value)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    else:
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, abs=1e-12)


CALLS = [
    ("map", {}),
    (["map"], {}),
    (METRICS, {}),
    (METRICS, {"return_mean": False}),
    ("ndcg", {"return_mean": False}),
    (METRICS, {"return_std": True}),
    ("recall@2", {"return_std": True}),
    ("f1", {"return_mean": False, "return_std": True}),
    (METRICS, {"save_results_in_run": False}),
    ([], {}),
]


@for_each(("metrics", "options"), CALLS)
def test_gives_the_same_shapes_and_numbers(metrics, options):
    runs = {library: library.Run(RUN, name="bm25") for library in (ours, theirs)}
    found, expected = (evaluate(each, each.Qrels(QRELS), run, metrics, **options) for each, run in runs.items())
    same(found, expected)
    for kept in ("mean_scores", "std_scores", "scores"):
        same(dict(getattr(runs[ours], kept)), dict(getattr(runs[theirs], kept)))


def test_float_grades_of_plain_dicts_stay_and_those_of_qrels_are_cut():
    qrels, run = {"q1": {"d01": 1.7, "d02": 0.5, "d03": 2.9}}, {"q1": {"d01": 3.0, "d02": 2.0, "d03": 1.0}}
    same(ours.evaluate(qrels, run, ["dcg", "map"]), evaluate(theirs, qrels, run, ["dcg", "map"]))
    cut = (evaluate(each, each.Qrels(qrels), each.Run(run), ["dcg", "map"]) for each in (ours, theirs))
    same(*cut)
    assert ours.evaluate(qrels, run, "dcg") == pytest.approx(1.7 + 2.9 / 2)
    assert ours.evaluate(ours.Qrels(qrels), ours.Run(run), "dcg") == 1 + 2 / 2


def test_plain_dicts_are_paired_by_query():
    assert ours.evaluate(QRELS, RUN, "map") == ours.evaluate(ours.Qrels(QRELS), ours.Run(RUN), "map")
    by_query = dict(zip(QRELS, ours.evaluate(QRELS, RUN, "mrr", return_mean=False), strict=True))
    assert by_query == {"q1": 0.5, "q2": 1 / 3, "q3": 0, "q4": 1 / 2}
    run = ours.Run(RUN)
    ours.evaluate(QRELS, run, "mrr")
    assert run.scores["mrr"] == by_query


@BOTH
def test_can_be_made_comparable(library):
    run = library.Run({"q1": {"d01": 1.0}, "q9": {"d01": 1.0}})
    qrels = library.Qrels(QRELS)
    assert evaluate(library, qrels, run, "mrr", make_comparable=True) == 1 / 4
    assert list(run.keys()) == ["q1", "q2", "q3", "q4"]
    assert run["q3"] == {}


def test_queries_that_do_not_match_are_an_error():
    with pytest.raises(assay.errors.MismatchError) as caught:
        ours.evaluate(ours.Qrels(QRELS), ours.Run({"q1": {"d01": 1}, "q9": {"d01": 1}}), "map")
    assert "'q2', 'q3', 'q4'" in str(caught.value)
    assert "make_comparable=True" in str(caught.value)
    with pytest.raises(assay.errors.DataError, match="query 0 must be an array of two columns"):
        ours.evaluate([1], ours.Run(RUN), "map")
    with pytest.raises(assay.errors.MeasureError, match="ranx has no measure 'mapp'"):
        ours.evaluate(ours.Qrels(QRELS), ours.Run(RUN), "mapp")
    with pytest.raises(assay.errors.MeasureError, match=r"such as rbp\.95"):
        ours.evaluate(ours.Qrels(QRELS), ours.Run(RUN), "rbp")


@BOTH
def test_looks_the_same_from_outside(library):
    qrels, run = library.Qrels(QRELS, name="judgments"), library.Run(RUN, name="bm25")
    assert (qrels.name, run.name, len(qrels), len(run), qrels.size, run.size) == ("judgments", "bm25", 4, 4, 4, 4)
    assert list(qrels.keys()) == run.get_query_ids() == ["q1", "q2", "q3", "q4"]
    assert list(run["q2"].items()) == [("d11", 4.0), ("d02", 3.0), ("d03", 2.0), ("d01", 1.0)]
    assert dict(qrels.get_doc_ids_and_scores()[0]) == {"d01": 3, "d05": 1}
    assert qrels.to_dict() == QRELS
    assert run.to_dict() == RUN
    assert run.to_dict()["q7"] == {}
    assert {query: dict(each) for query, each in qrels.qrels.items()} == QRELS
    assert {query: dict(each) for query, each in run.run.items()} == RUN
    assert library.Run.from_dict(RUN, name="x").name == "x"
    assert (run.metadata, run.mean_scores, run.std_scores, dict(run.scores)) == ({}, {}, {}, {})
    assert len(library.Run()) == 0


@BOTH
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_grows(library):
    qrels, run = library.Qrels(), library.Run()
    qrels.add("q2", ["d01", "d02"], [1, 2])
    qrels.add_multi(["q1", "q3"], [["d03"], ["d04", "d05"]], [[1], [0, 3]])
    qrels.add_score("q1", "d09", 5)
    qrels.add_score("q1", "d03", 2)
    run.add("q1", ["d01", "d02"], [0.5, 1.5])
    run.add_multi(["q3", "q2"], [["d04"], ["d01"]], [[1], [2]])
    run.add_score("q2", "d02", 9)
    assert qrels.to_dict() == {"q1": {"d09": 5, "d03": 2}, "q2": {"d02": 2, "d01": 1}, "q3": {"d05": 3, "d04": 0}}
    assert run.to_dict() == {"q1": {"d02": 1.5, "d01": 0.5}, "q2": {"d02": 9.0, "d01": 2.0}, "q3": {"d04": 1.0}}
    assert evaluate(library, qrels, run, "mrr") == pytest.approx(1 / 3)
    assert list(run.keys()) == ["q1", "q2", "q3"]
    # The level of relevance can be moved.
    qrels = library.Qrels({"q1": {"d01": 3, "d05": 1, "d06": 0}})
    qrels.set_relevance_level(2)
    assert qrels.to_dict() == {"q1": {"d01": 2, "d05": 0, "d06": -1}}


@BOTH
def test_frames(library):
    frame = library.Qrels(QRELS).to_dataframe()
    assert list(frame.columns) == ["q_id", "doc_id", "score"]
    assert frame["score"].tolist() == [3, 1, 2, 1, 0, 0, 2, 1, -1]
    assert library.Run(RUN).to_dataframe()["q_id"].tolist() == ["q1"] * 3 + ["q2"] * 4 + ["q3"] + ["q4"] * 2


def test_from_frames():
    frame = {"q": ["q1", "q2", "q1"], "d": ["d01", "d02", "d01"], "s": [1, 2, 3]}
    for library in (pandas, polars):
        qrels = ours.Qrels.from_df(library.DataFrame(frame), q_id_col="q", doc_id_col="d", score_col="s")
        assert qrels.to_dict() == {"q1": {"d01": 3}, "q2": {"d02": 2}}
        run = ours.Run.from_df(library.DataFrame(frame), "q", "d", "s", name="bm25")
        assert (run.to_dict(), run.name) == ({"q1": {"d01": 3.0}, "q2": {"d02": 2.0}}, "bm25")


KINDS = ["json", "trec", "txt", "parquet", "parq", "lz4"]
PAIRS = [(ours, ours, kind) for kind in KINDS] + [(theirs, ours, kind) for kind in KINDS]
# ranx cannot read Parquet with pandas 3.
PAIRS += [(ours, theirs, kind) for kind in KINDS if not kind.startswith("parq")]


# ranx leaves files open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@for_each(("writer", "reader", "ending"), PAIRS)
def test_reads_and_writes_the_same_files(tmp_path, writer, reader, ending):
    path = str(tmp_path / f"run.{ending}")
    writer.Run(RUN, name="bm25").save(path)
    read = (reader.Run.from_parquet if ending.startswith("parq") else reader.Run.from_file)(path)
    assert read.to_dict() == RUN
    assert read.name == ("bm25" if ending in {"trec", "txt"} else None)
    if ending != "lz4":
        path = str(tmp_path / f"qrels.{ending}")
        writer.Qrels(QRELS).save(path)
        read = (reader.Qrels.from_parquet if ending.startswith("parq") else reader.Qrels.from_file)(path)
        assert read.to_dict() == QRELS


@for_each("ending", ["json", "trec"])
def test_writes_the_same_bytes(tmp_path, ending):
    for library in (ours, theirs):
        library.Run(RUN, name="bm25").save(str(tmp_path / f"{library.__name__}.run.{ending}"))
        library.Qrels(QRELS).save(str(tmp_path / f"{library.__name__}.qrels.{ending}"))
    for kind in ("run", "qrels"):
        found, expected = (tmp_path / f"{library.__name__}.{kind}.{ending}" for library in (ours, theirs))
        assert found.read_bytes() == expected.read_bytes()


def test_other_files(tmp_path, monkeypatch):
    path = tmp_path / "qrels.gz"
    ours.Qrels(QRELS).save(path)
    assert gzip.decompress(path.read_bytes()).decode().splitlines()[0] == "q1 0 d01 3"
    assert ours.Qrels.from_file(path).to_dict() == theirs.Qrels.from_file(str(path)).to_dict() == QRELS
    ours.Run(RUN).save(tmp_path / "odd", kind="json")
    assert ours.Run.from_file(tmp_path / "odd", kind="json", name="x").name == "x"
    ours.Qrels(QRELS).save(parquet := tmp_path / "qrels.parquet")
    assert ours.Qrels.from_file(parquet).to_dict() == QRELS
    read = ours.Qrels.from_parquet(parquet, pd_kwargs={"columns": ["q_id", "doc_id", "score"]})
    assert read["q3"] == {"d01": 0}
    monkeypatch.chdir(tmp_path)
    ours.Qrels(QRELS).save()
    assert json.loads((tmp_path / "qrels.json").read_bytes()) == QRELS
    with pytest.raises(assay.errors.FormatError, match="kind must be json, trec, gz, lz4 or parquet, not 'csv'"):
        ours.Run.from_file("run.csv")
