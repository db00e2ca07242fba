"""Rankings in a given order: every format holds them, with the scores that they had, and reads them back the same."""

import pickle

import polars
import pytest

import assay
from assay import Run
from tables import for_each

QRELS = {"q1": ["a"], "q2": ["a"], "q3": ["a"]}
ORDERED = {"q1": ["z", "a"], "q2": [("a", 0.5, 1), ("b", 0.5, 2), ("c", 0.75, 3)], "q3": {"a": 1.0, "b": 2.0}}
RUN = Run(ORDERED)
MEASURES = ["rr", "ap", "nauc(of=rr)"]
FILES = ["run.trec", "run.json", "run.jsonl", "run.csv", "run.tsv", "run.parquet", "run.trec.gz"]


@for_each("name", FILES)
def test_an_order_comes_back_with_its_scores(name, tmp_path):
    RUN.write(tmp_path / name)
    assert assay.read_run(tmp_path / name).to_dict() == ORDERED
    expected = assay.evaluate(QRELS, ORDERED, MEASURES)
    for form in (tmp_path / name, assay.read_run(tmp_path / name)):
        result = assay.evaluate(QRELS, form, MEASURES)
        assert repr(result.mean) == repr(expected.mean)
        assert result.scores["rr"].tolist() == [0.5, 1.0, 0.5]


def test_other_tools_rank_by_score_and_see_the_order(tmp_path):
    RUN.write(tmp_path / "run.trec")
    ranked = ["q2 assay-order=0.5 a 1 3", "q2 assay-order=0.5 b 2 2", "q2 assay-order=0.75 c 3 1"]
    lines = ["q1 assay-order z 1 2", "q1 assay-order a 2 1", *ranked, "q3 Q0 b 1 2", "q3 Q0 a 2 1"]
    assert (tmp_path / "run.trec").read_text() == "".join(f"{line} assay\n" for line in lines)
    RUN.write(tmp_path / "run.csv")
    assert polars.read_csv(tmp_path / "run.csv")["score"].to_list() == [2.0, 1.0, 3.0, 2.0, 1.0, 1.0, 2.0]


def test_rows_in_another_order_are_ranked_by_given_rank():
    frame = RUN.to_polars().reverse()
    assert dict(Run(frame).to_dict()) == {"q3": {"b": 2.0, "a": 1.0}, "q2": ORDERED["q2"], "q1": ORDERED["q1"]}
    assert assay.evaluate(QRELS, frame, "rr")["rr"] == assay.evaluate(QRELS, RUN, "rr")["rr"]


def test_an_order_survives_pickling_and_its_ranking_is_a_list_of_ids():
    assert pickle.loads(pickle.dumps(RUN)).to_dict() == ORDERED  # noqa: S301 - our own
    assert RUN["q2"] == ["a", "b", "c"]


def test_scattered_lines_of_an_order_are_gathered(tmp_path):
    lines = ["q1 assay-order=2 b 1 2 x", "q2 Q0 a 1 1 x", "q1 assay-order=3 a 2 1 x"]
    (tmp_path / "run.trec").write_text("\n".join(lines))
    assert assay.evaluate(QRELS, tmp_path / "run.trec", "rr").scores["rr"].tolist() == [0.5, 1.0, 0.0]


def test_the_second_field_of_other_runs_says_nothing(tmp_path):
    lines = ["q1 order b 1 1 x", "q1 order=9 a 2 2 x", "q2 assay-ordered b 1 1 x", "q2 assay-ordered a 2 2 x"]
    (tmp_path / "run.trec").write_text("\n".join(lines))
    assert assay.evaluate(QRELS, tmp_path / "run.trec", "rr").scores["rr"].tolist()[:2] == [1.0, 1.0]
    assert assay.read_run(tmp_path / "run.trec")["q1"] == [("b", 1.0), ("a", 2.0)]


EDITED = [
    (["q1 assay-order b 2 1 x", "q1 assay-order a 1 2 x"], "line 2: a ranking in a given order"),
    (["q1 assay-order b 1 2 x", "q2 Q0 a 1 1 x", "q1 assay-order a 1 2 x"], "line 3: a ranking in a given order"),
    (["q1 assay-order b 1 2 x", "q1 Q0 a 2 1 x"], "line 2: a ranking in a given order"),
    (["q1 Q0 b 1 2 x", "q1 assay-order a 2 1 x"], "line 2: a ranking in a given order"),
    (["q1 assay-order=x b 1 2 x"], "line 1: the score 'x' is not a number"),
]


@for_each(("lines", "said"), EDITED)
def test_an_order_whose_lines_were_moved_or_changed_is_refused(lines, said, tmp_path):
    (tmp_path / "run.trec").write_text("\n".join(lines))
    for act in (assay.read_run, lambda path: assay.evaluate(QRELS, path)):
        with pytest.raises(assay.errors.FormatError, match=said):
            act(tmp_path / "run.trec")


BAD = [
    ([("a", 0.5, 2)], "rank 2 at position 1; ranks must be 1, 2, 3 and so on, in order"),
    ([("a", 0.5, 1), ("b", 0.5)], r"expected a triple \(document, score, rank\)"),
    ([("a", "x", 1)], "the score must be a number"),
    ("q1,a,2,1\nq1,b,1,\n", "given_rank of query 'q1' is empty in some rows"),
    ("q1,a,2,x\n", "line 2: 'x' in the column 'given_rank' is not a number"),
]


@for_each(("ranking", "said"), BAD)
def test_a_bad_order_is_refused(ranking, said, tmp_path):
    (tmp_path / "run.csv").write_text(f"query_id,doc_id,score,given_rank\n{ranking}")
    with pytest.raises(assay.errors.DataError, match=said):
        assay.evaluate(QRELS, tmp_path / "run.csv" if isinstance(ranking, str) else Run({"q1": ranking}))


def test_parquet_holds_the_tag(tmp_path):
    Run({"q1": {"a": 1.0}}, tag="bm25 tuned").write(tmp_path / "run.parquet")
    assert assay.read_run(tmp_path / "run.parquet").tag == "bm25 tuned"
