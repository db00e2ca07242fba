"""The ranx drop-in at the edges: scores that are not finite, errors of ranx's types, and what is not here."""

import copy
import gzip
import math
import warnings

import numpy as np
import pytest

import assay
import real_ranx
from assay.compat import ranx as ours
from assay.compat._ranx_report import Report
from real_ranx import ranx as theirs
from tables import for_each

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from ranx.statistical_tests import compute_statistical_significance

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("ranx")]  # one worker, so that ranx compiles once

INF, NAN = math.inf, math.nan
QRELS = {"q1": {"d01": 1, "d02": 0, "d03": 2}, "q2": {"d01": 1}}
RUN = {"q1": {"d01": 1.0}, "q2": {"d01": 1.0}}
BOTH = for_each("library", [ours, theirs])
METRICS = ["map", "mrr", "ndcg@2", "rbp.80"]

# Without ties: ranx sorts those in no defined order.
NOT_FINITE = [
    {"d01": 1.0, "d02": INF, "d03": -INF, "d04": 2.0},
    {"d01": -INF, "d02": -1e308, "d03": 1e308, "d04": INF},
    {"d01": NAN, "d02": 1.0, "d03": 2.0, "d04": 3.0},
    {"d01": 3.0, "d02": 2.0, "d03": NAN, "d04": 1.0},
    {"d01": -INF, "d02": NAN, "d03": INF, "d04": 0.0},
]


def evaluated(library, qrels, run):
    return (ours.evaluate if library is ours else real_ranx.evaluate)(qrels, run, METRICS, return_mean=False)


@for_each("ranking", NOT_FINITE)
@for_each("is_plain", [False, True])
def test_scores_that_are_not_finite_stand_where_ranx_puts_them(ranking, is_plain):
    run = {"q1": ranking, "q2": {"d01": 1.0, "d02": 2.0}}
    if is_plain:
        found, expected = (evaluated(each, QRELS, run) for each in (ours, theirs))
    else:
        found, expected = (evaluated(each, each.Qrels(QRELS), each.Run(run)) for each in (ours, theirs))
    for name in METRICS:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-12)


def test_nan_and_infinite_scores():
    run = {"q1": {"d02": NAN, "d01": -INF}, "q2": {"d01": 1.0}}
    assert list(ours.Run(run)["q1"]) == ["d01", "d02"]
    assert ours.evaluate(ours.Qrels(QRELS), ours.Run(run), "mrr") == 1.0
    # NaN is first in a dict, and ties of a dict are in reverse.
    assert ours.evaluate(QRELS, run, "mrr") == 0.75
    run = {"q1": {"d04": INF, "d01": INF, "d03": 1e308}, "q2": {"d02": np.float32(INF), "d01": 1.0}}
    assert ours.evaluate(ours.Qrels(QRELS), ours.Run(run), "mrr") == 0.5
    assert ours.evaluate(QRELS, run, "mrr") == real_ranx.evaluate(QRELS, run, "mrr") == 0.75
    for library in (ours, theirs):
        assert math.isnan(library.Run({"q1": {"d01": None}})["q1"]["d01"])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@BOTH
def test_a_file_may_hold_them(library, tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 d01 1 inf bm25\nq1 Q0 d02 2 nan bm25\nq1 Q0 d03 3 -Infinity bm25\n")
    run = library.Run.from_file(str(path))
    assert (list(run["q1"]), run.name) == (["d01", "d03", "d02"], "bm25")


def test_a_malformed_file_is_still_refused(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 d01 1 inf bm25\nq1 Q0 d02 2 high bm25\n")
    with pytest.raises(
        assay.errors.FormatError, match=r"run\.trec', line 2: expected query .*, found 'q1 Q0 d02 2 high"
    ):
        ours.Run.from_file(path)
    path.write_bytes(b"q1 Q0 d\xff 1 1.5 bm25\n")
    with pytest.raises(assay.errors.FormatError, match="not UTF-8"):
        ours.Run.from_file(path)


@BOTH
def test_judgments_and_rankings_can_be_named_and_replaced(library):
    qrels, run = library.Qrels(qrels=QRELS, name="j"), library.Run(run=RUN, name="r")
    assert (len(qrels), len(run)) == (2, 2)
    qrels.qrels, run.run = library.Qrels({"q9": {"d01": 1}}).qrels, library.Run({"q9": {"d01": 1.0}}).run
    assert (list(qrels.keys()), list(run.keys())) == (["q9"], ["q9"])


def scoring(metrics="map", run=RUN):
    return lambda library: library.evaluate(library.Qrels(QRELS), library.Run(run), metrics)


def compare(library):
    runs = [library.Run(RUN, name="a"), library.Run(RUN, name="b")]
    return library.compare(library.Qrels(QRELS), runs, ["map"], stat_test="anova")


# What is called, the type of ranx's error, and assay's.
ERRORS = [
    (scoring(run={"q7": {"d01": 1}}), AssertionError, assay.errors.MismatchError),
    (scoring("foo"), ValueError, assay.errors.MeasureError),
    (scoring("map@-1"), AssertionError, assay.errors.MeasureError),
    (scoring(["map", 5]), AssertionError, assay.errors.MeasureError),
    (compare, NotImplementedError, assay.errors.PolicyError),
    (lambda library: library.Run.from_file("run.csv"), AssertionError, assay.errors.FormatError),
    (lambda library: library.Run(RUN).save("run.csv"), AssertionError, assay.errors.FormatError),
    (lambda library: library.Run.from_file("none.trec"), FileNotFoundError, assay.errors.FileError),
    (lambda library: library.Qrels.from_file("none.json"), FileNotFoundError, assay.errors.FileError),
    (lambda library: library.Run({"q1": {"d01": "x"}}), ValueError, assay.errors.FormatError),
    (lambda library: library.Qrels({"q1": {"d01": NAN}}), ValueError, assay.errors.FormatError),
    (lambda library: library.Qrels({"q1": {"d01": INF}}), OverflowError, assay.errors.FormatError),
    (lambda library: library.Run().add("q1", ["d01", "d02"], [1.0]), IndexError, assay.errors.DataError),
]


@BOTH
@for_each(("call", "type_there", "type_here"), ERRORS)
@pytest.mark.filterwarnings("ignore")
def test_errors_are_of_ranxs_types_and_assays(library, call, type_there, type_here):
    with pytest.raises(type_there) as caught:
        call(library)
    if library is ours:
        assert isinstance(caught.value, type_here)
        assert str(caught.value)
        assert str(copy.copy(caught.value)) == str(caught.value)


@BOTH
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
def test_json_that_is_none(library, tmp_path):
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(ValueError, match="line 1 column 2"):
        library.Run.from_file(str(tmp_path / "run.json"))


@for_each("name", ["MAP", "map ", "ndcg@1e1", "rr", "beir:NDCG@10", "interpolated_precision_at_recall"])
@pytest.mark.filterwarnings("ignore")
def test_names_that_only_others_have_and_odd_persistences_are_an_error(name):
    for library, error in ((ours, assay.errors.MeasureError), (theirs, ValueError)):
        with pytest.raises(error):
            scoring(name)(library)
    for odd in ("rbp.0", "rbp.", "rbp.9.5"):
        with pytest.raises(assay.errors.MeasureError, match="rbp"):
            scoring(odd)(ours)


@BOTH
@for_each("score", ["0.5", "inf"])
@for_each("ending", ["trec", "gz"])
def test_the_name_is_that_of_the_first_line(library, ending, score, tmp_path):
    content = f"q1 Q0 d01 1 {score} first\nq1 Q0 d02 2 0.1 last\n".encode()
    path = tmp_path / f"run.{ending}"
    path.write_bytes(gzip.compress(content) if ending == "gz" else content)
    assert library.Run.from_file(str(path)).name == "first"


def test_what_is_out_of_scope_says_so():
    for name in ("fuse", "normalize", "optimize_fusion", "plot"):
        assert callable(getattr(theirs, name))
        function = getattr(ours, name)
        with pytest.raises(NotImplementedError, match=f"assay.compat.ranx has no {name}: .* use ranx itself"):
            function([ours.Run(RUN), ours.Run(RUN)], norm="min-max")
        with pytest.raises(assay.AssayError):
            function()
    with pytest.raises(NotImplementedError, match=r"ranx.Run.from_ranxhub\('abc'\).save"):
        ours.Run.from_ranxhub("abc")
    with pytest.raises(AttributeError, match=r"no 'metrics'; it has Qrels, Report, Run, compare, evaluate\. The rest"):
        ours.metrics  # noqa: B018


def report(scores, stat_test):
    columns = {name: {"m": values} for name, values in scores.items()}
    options = {"n_permutations": 100, "max_p": 0.05, "random_seed": 1, "rounding_digits": 3, "show_percentages": False}
    return Report(columns, ["m"], stat_test=stat_test, **options)


GENERATOR = np.random.default_rng(5)
SCORES = {"low": GENERATOR.random(20) / 9, "high": GENERATOR.random(20) + 1}
SCORES |= {
    "nan": np.where(np.arange(20) == 3, NAN, SCORES["low"]),
    "inf": np.where(np.arange(20) == 3, INF, SCORES["low"]),
}


def test_a_metric_without_a_value_has_no_p_value():
    found = report(SCORES, "student")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = {name: {"m": values} for name, values in SCORES.items()}
        expected = compute_statistical_significance(list(SCORES), columns, "student", max_p=0.05)
    for a, b in [("low", "high"), ("low", "nan"), ("nan", "high"), ("inf", "high"), ("nan", "inf")]:
        entry = expected[a, b]["m"]
        assert found.comparisons[a, b]["m"]["p_value"] == pytest.approx(entry["p_value"], nan_ok=True)
        assert found.comparisons[a, b]["m"]["significant"] == entry["significant"]
    assert math.isnan(found.results["nan"]["m"])
    assert found.win_tie_loss["nan", "low"]["m"] == {"W": 0, "T": 19, "L": 0}


@for_each("stat_test", ["student", "fisher", "tukey"])
def test_other_models_are_still_compared(stat_test):
    found = report(SCORES, stat_test)
    alone = report({name: SCORES[name] for name in ("low", "high")}, stat_test)
    assert found.comparisons["low", "high"] == alone.comparisons["low", "high"]
    assert found.comparisons["low", "high"]["m"]["significant"]
    assert not found.comparisons["nan", "high"]["m"]["significant"]
    assert math.isnan(found.to_dict()["inf"]["comparisons"]["nan"]["m"])
    lines = found.to_table().splitlines()
    assert lines[3].split()[:2] == ["b", "high"]
    assert lines[4].split() == ["c", "nan", "undefined"]
    assert lines[5].split() == ["d", "inf", "inf"]
    assert "nan & undefined" in found.to_latex()


def test_one_run_and_a_metric_without_a_value():
    found = ours.compare(ours.Qrels(QRELS), [ours.Run(RUN, name="a")], "map")
    assert found.to_dict()["a"]["comparisons"] == {}
    assert "0.750" in found.to_table()
    # No document is judged not relevant.
    qrels = ours.Qrels({"q1": {"d01": 1}, "q2": {"d01": 1, "d02": 0}})
    found = ours.compare(qrels, [ours.Run(RUN, name="a"), ours.Run(RUN, name="b")], ["bpref", "map"])
    assert math.isnan(found.results["a"]["bpref"])
    assert math.isnan(found.comparisons["a", "b"]["bpref"]["p_value"])
    assert found.comparisons["a", "b"]["map"]["p_value"] == 1.0
