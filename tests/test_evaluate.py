"""`evaluate`, `evaluate_many` and `Evaluator`, as the README promises them."""

import numpy as np
import pytest

import assay
from assay import DataError, DuplicateError, MeasureError, MismatchError, PolicyError

QRELS = {"q2": {"d1": 3, "d2": 0, "d3": 1}, "q1": {"d4": 1}, "q3": {"d5": 2}}
RUN = {"q1": {"d9": 0.5, "d4": 0.4}, "q2": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q3": {"d5": 1.0}}
MEASURES = ["ndcg@10", "ap", "rr@10", "recall@100"]
# 3 + 1 / log2(4), over 3 + 1 / log2(3); the relevant document at rank 2.
NDCG = [3.5 / (3 + 1 / np.log2(3)), 1 / np.log2(3), 1.0]


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, MEASURES, convention="assay")


# The result, word by word.


def test_a_measure_looked_up_is_its_mean(result):
    assert result["ndcg@10"] == pytest.approx(sum(NDCG) / 3, abs=1e-15)
    assert result["ap"] == pytest.approx((5 / 6 + 1 / 2 + 1) / 3, abs=1e-15)
    assert result["rr@10"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-15)
    assert result["recall@100"] == 1


def test_mean_holds_every_measure_under_the_name_the_user_wrote(result):
    assert list(result.mean) == MEASURES
    assert result.mean == {name: result[name] for name in MEASURES}
    names = ["nDCG@10", "map", "MRR@10", "R@100"]
    assert list(assay.evaluate(QRELS, RUN, names).mean.items()) == list(zip(names, result.mean.values(), strict=True))


def test_queries_stand_in_the_order_of_the_judgments(result):
    assert result.queries == ["q2", "q1", "q3"]
    assert assay.evaluate(QRELS, dict(reversed(RUN.items())), MEASURES).queries == ["q2", "q1", "q3"]


def test_scores_are_arrays_in_that_order(result):
    assert isinstance(result.scores["ndcg@10"], np.ndarray)
    assert result.scores["ndcg@10"].dtype == np.float64
    assert result.scores["ndcg@10"].tolist() == pytest.approx(NDCG, abs=1e-15)
    assert result.scores["rr@10"].tolist() == [1.0, 0.5, 1.0]
    assert list(result.scores) == MEASURES


def test_per_query_holds_every_value(result):
    per_query = result.per_query()
    assert list(per_query) == ["q2", "q1", "q3"]
    assert per_query["q1"] == {"ndcg@10": pytest.approx(NDCG[1]), "ap": 0.5, "rr@10": 0.5, "recall@100": 1.0}


def test_an_interval_is_seeded(result):
    low, high = result.interval("rr@10")
    assert (low, high) == (0.5, 1.0)
    assert result.interval("ap") == result.interval("ap", level=0.95, seed=0)
    four = assay.evaluate(
        {f"q{n}": ["a"] for n in range(4)}, {"q0": ["b"], **{f"q{n}": ["a"] for n in (1, 2, 3)}}, ["rr"]
    )
    assert four.interval("rr") == (0.25, 1.0)
    many = assay.evaluate_labels([[3, 0, n] for n in range(50)], ["dcg"])
    assert many.interval("dcg", seed=0) != many.interval("dcg", seed=1)
    narrow, wide = many.interval("dcg", level=0.5), many.interval("dcg", level=0.99)
    assert wide.low < narrow.low < many["dcg"] < narrow.high < wide.high


@pytest.mark.parametrize("level", [0, 1, 2, -0.5, float("nan")])
def test_an_impossible_level_is_refused(level, result):
    with pytest.raises(PolicyError, match="level must be a number between 0 and 1"):
        result.interval("ap", level=level)


def test_the_signature_holds_every_choice_and_the_version(result):
    assert result.signature == (
        f"assay {assay.__version__} convention=assay ties=docid_desc order=score precision=float64 duplicates=error "
        "missing=zero no_relevant=zero no_results=zero grades=as_given negative=unjudged "
        "exclude=nothing depth=all judged_only=no rel=1 "
        "measures: ndcg(gain=linear,rel=0,ties=rank,ideal=judged,fewest=0)@10 ap(rel=1,norm=relevant,ties=rank,nothing=zero) rr(rel=1,credit=first)@10 recall(rel=1,cap=false,total=relevant,nothing=zero)@100"
    )
    options = {
        "ties": "input",
        "order": "given",
        "precision": "float32",
        "duplicates": "last",
        "missing": "skip",
        "no_relevant": "nan",
        "no_results": "nan",
        "grades": "as_given",
        "negative": "nonrelevant",
        "exclude": "query_id",
        "depth": 7,
        "judged_only": True,
        "rel": 0.5,
    }
    changed = assay.evaluate(QRELS, RUN, ["ap"], convention="trec_eval", **options).signature
    assert changed == (
        f"assay {assay.__version__} convention=trec_eval ties=input order=given precision=float32 duplicates=last "
        "missing=skip no_relevant=nan no_results=nan grades=as_given negative=nonrelevant "
        "exclude=query_id depth=7 judged_only=yes rel=0.5 "
        "measures: ap(rel=0.5,norm=relevant,ties=rank,nothing=zero)"
    )
    assert set(options) == set(assay.Policies.__slots__)


def test_a_parameter_that_the_data_sets_is_in_the_signature():
    assert "err(max=3,gain=exp2,above=error)" in assay.evaluate(QRELS, RUN, ["err"]).signature


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("ndcg@10", "nDCG@10"),
        ("ndcg@10", "ndcg_cut.10"),
        ("ndcg@10", "ndcg_cut_10"),
        ("ndcg@10", "ndcg( gain = linear )@10"),
        ("ap", "map"),
        ("MAP", "AP"),
        ("ap", "ap(rel=1)"),
        ("rr@10", "recip_rank@10"),
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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndcg@5", "'ndcg@5' was not computed; this result has ndcg@10"),
        ("err", "'err' was not computed; this result has ndcg@10, ap, rr@10, recall@100"),
        ("ap(rel=2)", "'ap\\(rel=2\\)' was not computed"),
        ("ndgc@10", "there is no measure 'ndgc'; did you mean ndcg"),
        (5, "a measure is a name"),
    ],
)
def test_what_was_not_computed_is_told(name, words, result):
    with pytest.raises(MeasureError, match=words):
        result[name]
    with pytest.raises(MeasureError, match=words):
        result.interval(name)


def test_err_at_a_cutoff_is_not_err():
    result = assay.evaluate(QRELS, RUN, ["err@5"])
    with pytest.raises(MeasureError, match="'err' was not computed"):
        result["err"]


def test_measures_have_defaults_and_may_be_one_name_or_objects():
    assert list(assay.evaluate(QRELS, RUN).mean) == ["ndcg@10", "ap", "rr@10", "recall@100"]
    assert list(assay.evaluate(QRELS, RUN, "ap").mean) == ["ap"]
    assert list(assay.evaluate(QRELS, RUN, assay.parse_measure("MAP@5")).mean) == ["ap@5"]
    assert list(assay.evaluate(QRELS, RUN, (assay.parse_measure("MAP@5"), "rr")).mean) == ["ap@5", "rr"]
    assert list(assay.evaluate(QRELS, RUN, (name for name in ["rr", "ap"])).mean) == ["rr", "ap"]


def test_two_spellings_of_one_measure_are_two_keys():
    result = assay.evaluate(QRELS, RUN, ["ap", "map"])
    assert result.mean == {"ap": result["ap"], "map": result["ap"]}


def test_a_result_counts_its_measures_and_is_short_in_a_list(result):
    assert len(result) == 4
    assert list(result) == MEASURES
    assert repr(result) == "<Result: ndcg@10=0.8650, ap=0.7778, rr@10=0.8333, recall@100=1.0000; 3 queries>"


def test_results_may_be_compared_and_kept_in_sets(result):
    again = assay.evaluate(QRELS, RUN, MEASURES)
    assert result == result  # noqa: PLR0124 - must not raise
    assert result != again
    assert len({result, again}) == 2


# Policies. Each is a literal example: judgments, run, the policy, and what a measure is then.

ONE = {"q1": ["a"]}
TIED = {"q1": {"a": 1, "b": 1}}
CLOSE = {"q1": {"a": 1.0 + 1e-12, "b": 1.0}}
TWICE = {"q1": [("a", 3), ("b", 2), ("a", 1)]}
HALF = {"q1": {"a": 1}, "q2": {"b": 1}}
BARE = {"q1": {"a": 1}, "q2": {"b": 0}}
GRADED = {"q1": {"a": 1, "b": 2}}
NEGATIVE = {"q1": {"a": 1, "b": -1}}

POLICIES = [
    (ONE, TIED, {}, {"rr": [0.5]}),
    (ONE, TIED, {"ties": "docid_desc"}, {"rr": [0.5]}),
    (ONE, TIED, {"ties": "docid_asc"}, {"rr": [1]}),
    (ONE, TIED, {"ties": "input"}, {"rr": [1]}),
    (ONE, {"q1": {"b": 1, "a": 1}}, {"ties": "input"}, {"rr": [0.5]}),
    (ONE, {"q1": {"b": 1, "a": 2}}, {"order": "score"}, {"rr": [1]}),
    (ONE, {"q1": {"b": 1, "a": 2}}, {"order": "given"}, {"rr": [0.5]}),
    (ONE, CLOSE, {"precision": "float64"}, {"rr": [1]}),
    (ONE, CLOSE, {"precision": "float32"}, {"rr": [0.5]}),
    (ONE, TWICE, {"duplicates": "first"}, {"rr": [1], "num_ret": [2], "num_rel_ret": [1]}),
    (ONE, TWICE, {"duplicates": "last"}, {"rr": [0.5], "num_ret": [2], "num_rel_ret": [1]}),
    (ONE, TWICE, {"duplicates": "count"}, {"rr": [1], "num_ret": [3], "num_rel_ret": [2]}),
    (HALF, {"q1": ["a"]}, {"missing": "zero"}, {"rr": [1, 0]}),
    (HALF, {"q1": ["a"]}, {"missing": "skip"}, {"rr": [1]}),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "zero"}, {"rr": [1, 0], "num_ret": [1, 1]}),
    (
        BARE,
        {"q1": ["a"], "q2": ["b"]},
        {"no_relevant": "nan"},
        {"rr": [1, None], "recall": [1, None], "num_ret": [1, 1]},
    ),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {"no_relevant": "skip"}, {"rr": [1], "num_ret": [1]}),
    (NEGATIVE, {"q1": ["b", "a"]}, {"negative": "unjudged"}, {"judged@2": [0.5], "rr": [0.5]}),
    (NEGATIVE, {"q1": ["b", "a"]}, {"negative": "nonrelevant"}, {"judged@2": [1], "rr": [0.5]}),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "nothing"}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "query_id"}, {"rr": [1], "num_ret": [1]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": None}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": 1}, {"rr": [0], "num_ret": [1]}),
    (ONE, {"q1": ["x", "a"]}, {"depth": 2.0}, {"rr": [0.5], "num_ret": [2]}),
    (ONE, {"q1": ["x", "a"]}, {"judged_only": False}, {"rr": [0.5]}),
    (ONE, {"q1": ["x", "a"]}, {"judged_only": True}, {"rr": [1], "num_ret": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 1}, {"rr": [1], "precision@2": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 2}, {"rr": [0.5], "precision@2": [0.5]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 1.5}, {"rr": [0.5], "rr(rel=1)": [1]}),
    (GRADED, {"q1": ["a", "b"]}, {"rel": 3}, {"rr": [0], "num_rel": [0]}),
]


@pytest.mark.parametrize(("qrels", "run", "options", "expected"), POLICIES)
def test_a_policy_does_what_it_says(qrels, run, options, expected):
    result = assay.evaluate(qrels, run, list(expected), **options)
    found = {name: [None if np.isnan(value) else value for value in scores] for name, scores in result.scores.items()}
    assert found == expected
    for policy, value in options.items():
        assert getattr(result.policies, policy) == value


def test_a_missing_query_may_be_an_error():
    with pytest.raises(
        MismatchError, match="1 query of the judgments is missing from the run: 'q2'; missing=\"zero\" counts"
    ):
        assay.evaluate(HALF, {"q1": ["a"]}, ["rr"], missing="error")
    assert assay.evaluate(HALF, {"q1": ["a"], "q2": []}, ["rr"], missing="error")["rr"] == 0.5


def test_a_repeated_document_is_an_error():
    with pytest.raises(DuplicateError, match="query 'q1' lists document 'a' more than once"):
        assay.evaluate(ONE, TWICE, ["rr"])


def test_the_policy_for_duplicates_holds_for_judgments_too():
    qrels = {"q1": ["a", "a"]}
    with pytest.raises(DuplicateError):
        assay.evaluate(qrels, {"q1": ["a"]}, ["num_rel"])
    assert assay.evaluate(qrels, {"q1": ["a"]}, ["num_rel"], duplicates="first")["num_rel"] == 1


def test_nan_is_left_out_of_the_mean_and_counted():
    result = assay.evaluate(BARE, {"q1": ["a"], "q2": ["b"]}, ["recall"], no_relevant="nan")
    assert result["recall"] == 1
    assert result.counted("recall") == 1
    assert result.interval("recall") == (1, 1)


def test_with_nothing_left_the_mean_is_nan():
    result = assay.evaluate({"q1": {"a": 0}}, {"q1": ["a"]}, ["ap"], no_relevant="skip")
    assert result.queries == []
    assert np.isnan(result["ap"])
    assert "undefined" in str(result)


# Notes.

NOTES = [
    (
        HALF,
        {"q1": ["a"]},
        {},
        [("missing", "1 query of the judgments is missing from the run, counted as empty rankings: 'q2'")],
    ),
    (
        HALF,
        {"q1": ["a"]},
        {"missing": "skip"},
        [("missing", "1 query of the judgments is missing from the run, left out: 'q2'")],
    ),
    (
        {f"q{n}": ["a"] for n in range(5)},
        {"q0": ["a"]},
        {},
        [
            (
                "missing",
                "4 queries of the judgments are missing from the run, counted as empty rankings: 'q1', 'q2', 'q3', …",
            )
        ],
    ),
    (ONE, {"q1": ["a"], "q9": ["a"]}, {}, [("unjudged", "1 query of the run has no judgments and is left out: 'q9'")]),
    (
        ONE,
        {"q1": ["a"], "q9": ["a"], "q8": []},
        {},
        [("unjudged", "2 queries of the run have no judgments and are left out: 'q8', 'q9'")],
    ),
    (BARE, {"q1": ["a"], "q2": ["b"]}, {}, [("no_relevant", "1 query has no relevant document, scored 0: 'q2'")]),
    (
        BARE,
        {"q1": ["a"], "q2": ["b"]},
        {"no_relevant": "nan"},
        [("no_relevant", "1 query has no relevant document, NaN where a measure needs one: 'q2'")],
    ),
    (
        BARE,
        {"q1": ["a"], "q2": ["b"]},
        {"no_relevant": "skip"},
        [("no_relevant", "1 query has no relevant document, left out: 'q2'")],
    ),
    (NEGATIVE, {"q1": ["a"]}, {}, [("negative", "1 grade below 0 taken as not judged")]),
    (NEGATIVE, {"q1": ["a"]}, {"negative": "nonrelevant"}, [("negative", "1 grade below 0 taken as not relevant")]),
    (ONE, TWICE, {"duplicates": "first"}, [("duplicates", "1 repeated document left out")]),
    (ONE, {"q1": ["q1", "a"]}, {"exclude": "query_id"}, [("excluded", "1 document named like the query left out")]),
    (ONE, {"q1": ["a"]}, {}, []),
    (ONE, TWICE, {"duplicates": "count"}, []),
]


@pytest.mark.parametrize(("qrels", "run", "options", "expected"), NOTES)
def test_a_note_says_what_the_data_made_assay_decide(qrels, run, options, expected):
    result = assay.evaluate(qrels, run, ["ap"], **options)
    assert [(note.kind, note.text) for note in result.notes] == expected
    assert [str(note) for note in result.notes] == [text for _, text in expected]


def test_scattered_rows_are_noted(tmp_path):
    (tmp_path / "run").write_text("q1 Q0 x 1 3 t\nq2 Q0 b 1 1 t\nq1 Q0 a 1 2 t\n")
    result = assay.evaluate(HALF, tmp_path / "run", ["rr"])
    assert result.scores["rr"].tolist() == [0.5, 1]
    assert [str(note) for note in result.notes] == ["the rows of 1 query do not stand together and were gathered"]


def test_undefined_values_are_noted():
    notes = assay.evaluate(ONE, {"q1": ["a"]}, ["ap", "auc"]).notes
    assert [note.kind for note in notes] == ["undefined"]
    assert notes[0].text.startswith("auc: 1 query left out of the mean")


def test_a_level_that_changes_nothing_is_noted():
    notes = assay.evaluate(GRADED, {"q1": ["a", "b"]}, ["ndcg", "ap"], rel=2).notes
    assert [note.kind for note in notes] == ["rel"]
    assert notes[0].text.startswith("rel=2 does not change ndcg")


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_left_out_of_a_scattered_query_is_counted_once(threads, tmp_path):
    (tmp_path / "run").write_text("q1 Q0 a 1 9 t\nq1 Q0 a 2 8 t\nq1 Q0 q1 3 7 t\nq2 Q0 a 1 1 t\nq1 Q0 b 1 1 t\n")
    result = assay.evaluate(ONE, tmp_path / "run", ["rr"], duplicates="first", exclude="query_id", threads=threads)
    texts = {note.kind: note.text for note in result.notes}
    assert texts["duplicates"] == "1 repeated document left out"
    assert texts["excluded"] == "1 document named like the query left out"


# Conventions.


def test_trec_eval_skips_missing_queries_and_has_its_own_names():
    result = assay.evaluate(
        HALF, {"q1": ["x", "a"]}, ["map", "P_5,1", "recip_rank", "num_q", "ndcg_cut.5"], convention="trec_eval"
    )
    assert result.mean == {
        "map": 0.5,
        "P_1": 0,
        "P_5": 0.2,
        "recip_rank": 0.5,
        "num_q": 1,
        "ndcg_cut.5": 1 / np.log2(3),
    }
    assert result.queries == ["q1"]
    assert result.convention == "trec_eval"
    assert assay.evaluate(HALF, {"q1": ["x", "a"]}, ["map"], convention="trec_eval", missing="zero")["map"] == 0.25


def test_the_default_convention_counts_every_query():
    result = assay.evaluate(HALF, {"q1": ["a"]}, ["ap", "num_q"])
    assert result.mean == {"ap": 0.5, "num_q": 2}
    assert result.convention == "assay"


# Several runs.


def test_evaluate_many_gives_each_run_its_result():
    runs = {
        "good": {"q1": ["a"], "q2": ["b"]},
        "half": {"q1": ["a"]},
        "frame": assay.Run({"q1": ["x", "a"]}).to_polars(),
    }
    results = assay.evaluate_many(HALF, runs, ["rr", "ap"], missing="skip")
    assert list(results) == ["good", "half", "frame"]
    assert len(results) == 3
    assert {name: result.mean for name, result in results.items()} == {
        "good": {"rr": 1, "ap": 1},
        "half": {"rr": 1, "ap": 1},
        "frame": {"rr": 0.5, "ap": 0.5},
    }
    assert results["half"].queries == ["q1"]
    assert results["good"].policies.missing == "skip"
    assert results.notes["good"] == ()
    assert [note.kind for note in results.notes["half"]] == ["missing"]
    with pytest.raises(MeasureError, match="there is no run 'bad'; there are 'good', 'half', 'frame'"):
        results["bad"]
    for name, run in runs.items():
        assert results[name].per_query() == assay.evaluate(HALF, run, ["rr", "ap"], missing="skip").per_query()


# The evaluator.


def test_an_evaluator_serves_many_runs():
    evaluator = assay.Evaluator(HALF, ["rr"], missing="skip")
    assert evaluator.evaluate({"q1": ["a"]}).scores["rr"].tolist() == [1]
    assert evaluator.evaluate({"q1": ["x", "a"], "q2": ["b"]}).scores["rr"].tolist() == [0.5, 1]
    assert evaluator.evaluate({"q2": ["x"]}).scores["rr"].tolist() == [0]


def test_an_evaluator_takes_queries_one_by_one():
    evaluator = assay.Evaluator(HALF, ["rr"])
    with pytest.raises(DataError, match="what was added holds no rankings"):
        evaluator.result()
    evaluator.add("q2", ["x", "b"])
    first = evaluator.result()
    assert first.scores["rr"].tolist() == [0, 0.5]
    assert [note.kind for note in first.notes] == ["missing"]
    evaluator.add("q1", {"a": 0.3, "x": 0.2})
    second = evaluator.result()
    assert second.scores["rr"].tolist() == [1, 0.5]
    assert second.notes == ()
    assert first.scores["rr"].tolist() == [0, 0.5]
    whole = assay.evaluate(HALF, {"q2": ["x", "b"], "q1": {"a": 0.3, "x": 0.2}}, ["rr"])
    assert second.per_query() == whole.per_query()
    assert second.signature == whole.signature


@pytest.mark.parametrize(
    "ranking", [["x", "a"], {"x": 2, "a": 1}, [("a", 1), ("x", 2)], ("x", "a"), np.array(["x", "a"])]
)
def test_a_ranking_may_be_added_in_any_form(ranking):
    evaluator = assay.Evaluator(ONE, ["rr"])
    evaluator.add("q1", ranking)
    assert evaluator.result()["rr"] == 0.5


def test_skipping_gives_the_result_so_far():
    evaluator = assay.Evaluator({n: [n] for n in range(3)}, ["rr"], missing="skip")
    evaluator.add(1, [1])
    evaluator.add(np.int64(2), [7, 2])
    assert evaluator.result().per_query() == {"1": {"rr": 1}, "2": {"rr": 0.5}}


def test_a_query_is_added_once():
    evaluator = assay.Evaluator(HALF, ["rr"])
    evaluator.add("q1", ["x", "a"])
    for ranking in (["a"], ["x", "a"], {}, {"a": 1.0}):
        with pytest.raises(DataError, match="query 'q1' was added before; add each query once"):
            evaluator.add("q1", ranking)
    assert evaluator.result().scores["rr"].tolist() == [0.5, 0]


def test_a_bad_ranking_adds_nothing():
    evaluator = assay.Evaluator(HALF, ["rr"])
    with pytest.raises(DuplicateError):
        evaluator.add("q1", ["a", "a"])
    with pytest.raises(DataError):
        evaluator.add("q1", "a")
    evaluator.add("q1", ["a"])
    assert evaluator.result().scores["rr"].tolist() == [1, 0]


def test_a_query_without_judgments_is_noted():
    evaluator = assay.Evaluator(ONE, ["rr"])
    evaluator.add("q7", ["a"])
    with pytest.raises(MismatchError, match="no query in common"):
        evaluator.result()
    evaluator.add("q1", ["a"])
    assert [str(note) for note in evaluator.result().notes] == [
        "1 query of the run has no judgments and is left out: 'q7'"
    ]


def test_reset_forgets_what_was_added():
    evaluator = assay.Evaluator(HALF, ["rr"])
    evaluator.add("q1", ["a"])
    evaluator.reset()
    with pytest.raises(DataError, match="holds no rankings"):
        evaluator.result()
    evaluator.add("q1", ["x", "a"])
    assert evaluator.result().scores["rr"].tolist() == [0.5, 0]


def test_evaluating_a_run_does_not_touch_what_was_added():
    evaluator = assay.Evaluator(HALF, ["rr"])
    evaluator.add("q1", ["x", "a"])
    assert evaluator.evaluate({"q1": ["a"], "q2": ["b"]})["rr"] == 1
    assert evaluator.result().scores["rr"].tolist() == [0.5, 0]


def test_judgments_are_read_once_and_shared():
    qrels = assay.Qrels(HALF)
    assert assay.Evaluator(qrels, ["rr"]).qrels is qrels
    assert assay.evaluate(qrels, {"q1": ["a"]}, ["rr"])["rr"] == 0.5


# Measures of users.


@pytest.fixture
def half():
    @assay.measure("half_rr", title="Half of the reciprocal rank", formula="1 / (2 rank)", aliases={"HalfRR": {}})
    def half_reciprocal_rank(judged: assay.Judged, *, rel: assay.Rel = 1, k: assay.Cutoff = None):
        """Half of what rr is."""
        hits = judged.relevant(rel).top(k)
        first = hits.where(hits.ordinal == 1)
        return first.sum(0.5 / first.rank)

    yield half_reciprocal_rank
    if "half_rr" in assay.measures.TABLE:
        assay.remove_measure("half_rr")


@pytest.mark.usefixtures("half")
def test_a_users_measure_works_wherever_a_name_works(tmp_path):
    run = {"q1": ["a"], "q2": ["x", "b"]}
    result = assay.evaluate(HALF, run, ["half_rr", "HalfRR@1", "half_rr(rel=2)", "rr"])
    assert result.mean == {"half_rr": 0.375, "HalfRR@1": 0.25, "half_rr(rel=2)": 0, "rr": 0.75}
    assert result["HALF_RR"] == 0.375
    assert result["half_rr@1"] == 0.25
    assert result.interval("half_rr") == (0.25, 0.5)
    assert "half_rr(rel=1)@1" in result.signature
    assert str(assay.parse_measure("halfrr@3")) == "half_rr@3"
    assert "half_rr" in str(result)
    assert "half_rr" in result.to_polars().columns
    assert assay.evaluate_many(HALF, {"a": run}, "half_rr")["a"]["half_rr"] == 0.375
    assert assay.evaluate_labels([[0, 1]], ["half_rr"])["half_rr"] == 0.25
    assert assay.evaluate(HALF, run, ["half_rr", "P_1"], convention="trec_eval", rel=2)["half_rr"] == 0
    evaluator = assay.Evaluator(HALF, assay.parse_measure("half_rr"))
    evaluator.add("q1", ["a"])
    assert evaluator.result()["half_rr"] == 0.25
    path = tmp_path / "run.trec"
    assay.Run(run).write(path, lossy=True)
    assert assay.evaluate(HALF, path, ["half_rr"])["half_rr"] == 0.375


def test_a_measure_can_be_removed(half):
    assert half.name == "half_rr"
    assay.remove_measure("half_rr")
    for name in ("half_rr", "HalfRR"):
        with pytest.raises(MeasureError, match="there is no measure"):
            assay.evaluate(HALF, {"q1": ["a"]}, [name])
    with pytest.raises(MeasureError, match="there is no measure named 'half_rr'"):
        assay.remove_measure("half_rr")


@pytest.mark.usefixtures("half")
@pytest.mark.parametrize("name", ["half_rr", "HalfRR", "ndcg", "map"])
def test_a_name_is_taken_once(name):
    with pytest.raises(MeasureError, match=f"there is a measure named '{name}' already"):
        assay.measure(name, title="x", formula="x")(lambda judged: judged.retrieved)


def test_a_measure_that_gives_the_wrong_shape_is_told():
    @assay.measure("one_number", title="One number", formula="1")
    def one_number(_):
        return np.ones(1)

    try:
        with pytest.raises(MeasureError, match="one_number: expected 2 values, one a query, found an array of shape"):
            assay.evaluate(HALF, {"q1": ["a"]}, ["one_number"])
    finally:
        assay.remove_measure("one_number")
