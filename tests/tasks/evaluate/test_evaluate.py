"""`evaluate` and `evaluate_many`, as the README promises them."""

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import MeasureError
from tables import for_each

QRELS = {"q2": {"d1": 3, "d2": 0, "d3": 1}, "q1": {"d4": 1}, "q3": {"d5": 2}}
RUN = {"q1": {"d9": 0.5, "d4": 0.4}, "q2": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q3": {"d5": 1.0}}
HALF = {"q1": {"a": 1}, "q2": {"b": 1}}
MEASURES = ["ndcg@10", "ap", "rr@10", "recall@100"]
# 3 + 1 / log2(4), over 3 + 1 / log2(3); the relevant document at rank 2.
NDCG = [3.5 / (3 + 1 / np.log2(3)), 1 / np.log2(3), 1.0]


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, MEASURES, convention="assay")


def test_means_and_scores_stand_under_the_names_that_the_user_wrote(result):
    expected = {"ndcg@10": sum(NDCG) / 3, "ap": (5 / 6 + 1 / 2 + 1) / 3, "rr@10": (1 + 0.5 + 1) / 3, "recall@100": 1}
    assert result.mean == {name: result[name] for name in MEASURES} == pytest.approx(expected, abs=1e-15)
    assert list(result.mean) == list(result) == list(result.scores) == MEASURES
    assert len(result) == 4
    assert repr(result) == "<Result: ndcg@10=0.8650, ap=0.7778, rr@10=0.8333, recall@100=1.0000; 3 queries>"
    names = ["nDCG@10", "map", "MRR@10", "R@100"]
    assert list(assay.evaluate(QRELS, RUN, names).mean.items()) == list(zip(names, result.mean.values(), strict=True))
    assert isinstance(result.scores["ndcg@10"], np.ndarray)
    assert result.scores["ndcg@10"].dtype == np.float64
    assert result.scores["ndcg@10"].tolist() == pytest.approx(NDCG, abs=1e-15)
    assert result.scores["rr@10"].tolist() == [1.0, 0.5, 1.0]
    per_query = result.per_query()
    assert list(per_query) == ["q2", "q1", "q3"]
    assert per_query["q1"] == {"ndcg@10": pytest.approx(NDCG[1]), "ap": 0.5, "rr@10": 0.5, "recall@100": 1.0}


def test_queries_stand_in_the_order_of_the_judgments(result):
    again = assay.evaluate(QRELS, dict(reversed(RUN.items())), MEASURES)
    assert result.queries == again.queries == ["q2", "q1", "q3"]
    # Results may be compared and kept in sets.
    assert len({result, again}) == 2


def test_the_signature_holds_every_choice_and_the_version(result):
    assert str(result.signature) == (
        f"assay {assay.__version__} convention=assay ties=docid_desc order=score precision=float64 duplicates=error "
        "missing=zero no_relevant=zero no_results=zero grades=as_given negative=unjudged "
        "exclude=nothing depth=all judged_only=no rel=1 "
        "measures: ndcg(gain=linear,rel=0,ties=rank,ideal=judged,fewest=0)@10 ap(rel=1,norm=relevant,ties=rank,nothing=zero) rr(rel=1,credit=first)@10 recall(rel=1,cap=false,total=relevant,nothing=zero)@100"
    )
    options = {
        "ties": "input", "order": "given", "precision": "float32", "duplicates": "last", "missing": "skip", "no_relevant": "nan", "no_results": "nan",
        "grades": "as_given", "negative": "nonrelevant", "exclude": "query_id", "depth": 7, "judged_only": True, "rel": 0.5, "doc_id": "before:#", "chunks": "once",
    }  # fmt: skip
    changed = assay.evaluate(QRELS, RUN, ["ap"], convention="trec_eval", **options).signature
    assert str(changed) == (
        f"assay {assay.__version__} convention=trec_eval ties=input order=given precision=float32 duplicates=last "
        "missing=skip no_relevant=nan no_results=nan grades=as_given negative=nonrelevant "
        "exclude=query_id depth=7 judged_only=yes rel=0.5 doc_id=before:# chunks=once "
        "measures: ap(rel=0.5,norm=relevant,ties=rank,nothing=zero)"
    )
    assert set(options) == set(assay.Policies.__slots__)


@for_each(
    ("written", "asked"),
    [
        ("ndcg@10", "nDCG@10"),
        ("ndcg@10", "ndcg_cut_10"),
        ("MAP", "AP"),
        ("P_5", "precision@5"),
        ("P@5", "P.5"),
        ("err", "ERR"),
        ("err", "err(max=3)"),
        ("err@5", "ERR@5"),
        ("recall(rel=2)@10", "R(rel=2.0)@10"),
    ],
)
def test_any_equal_spelling_finds_a_measure(written, asked):
    result = assay.evaluate(QRELS, RUN, [written])
    for name in (asked, result.measures[written]):
        assert result[name] == result[written]
        assert result.key(name) == written
        assert result.interval(name) == result.interval(written)


@for_each(
    ("name", "words"),
    [
        ("ndcg@5", "'ndcg@5' was not computed; the result has ndcg@10"),
        ("err", "'err' was not computed; the result has ndcg@10, ap, rr@10, recall@100"),
        ("ap(rel=2)", "'ap\\(rel=2\\)' was not computed"),
        ("ndgc@10", "unknown measure 'ndgc'; did you mean ndcg"),
        (5, "a measure is a name"),
    ],
)
def test_what_was_not_computed_is_told(name, words, result):
    with pytest.raises(MeasureError, match=words):
        result[name]
    with pytest.raises(MeasureError, match=words):
        result.interval(name)
    with pytest.raises(MeasureError, match="'err' was not computed"):
        assay.evaluate(QRELS, RUN, ["err@5"])["err"]


def test_measures_have_defaults_and_may_be_one_name_or_objects():
    assert list(assay.evaluate(QRELS, RUN).mean) == ["ndcg@10", "ap", "rr@10", "recall@100"]
    assert list(assay.evaluate(QRELS, RUN, "ap").mean) == ["ap"]
    assert list(assay.evaluate(QRELS, RUN, assay.parse_measure("MAP@5")).mean) == ["ap@5"]
    assert list(assay.evaluate(QRELS, RUN, (assay.parse_measure("MAP@5"), "rr")).mean) == ["ap@5", "rr"]
    assert list(assay.evaluate(QRELS, RUN, (name for name in ["rr", "ap"])).mean) == ["rr", "ap"]
    assert len({*assay.evaluate(QRELS, RUN, ["ap", "map"]).mean.values()}) == 1


def test_evaluate_many_takes_the_list_of_paths_that_compare_takes(tmp_path):
    paths = [tmp_path / "one.run", str(tmp_path / "two.run")]
    for path, document in zip(paths, "ab", strict=True):
        Path(path).write_text(f"q1 Q0 {document} 1 1.0 t\nq2 Q0 b 1 1.0 t\n")
    results = assay.evaluate_many(HALF, paths, "rr")
    assert {name: result["rr"] for name, result in results.items()} == {"one": 1.0, "two": 0.5}
    assert list(assay.compare(HALF, paths, "rr").results) == list(results)


def test_evaluate_many_gives_each_run_its_result():
    frame = assay.Run({"q1": ["x", "a"]}).to_polars()
    runs = {"good": {"q1": ["a"], "q2": ["b"]}, "half": {"q1": ["a"]}, "frame": frame}
    results = assay.evaluate_many(HALF, runs, ["rr", "ap"], missing="skip")
    assert len(results) == 3
    means = {name: [*result.mean.values()] for name, result in results.items()}
    assert means == {"good": [1, 1], "half": [1, 1], "frame": [0.5, 0.5]}
    assert results["half"].queries == ["q1"]
    assert results["good"].policies.missing == "skip"
    assert results.notes["good"] == ()
    assert [note.kind for note in results.notes["half"]] == ["missing"]
    with pytest.raises(MeasureError, match="unknown run 'bad'; the runs are 'good', 'half', 'frame'"):
        results["bad"]
    for name, run in runs.items():
        assert results[name].per_query() == assay.evaluate(HALF, run, ["rr", "ap"], missing="skip").per_query()
