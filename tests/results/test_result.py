"""`Result` and `Results` in print, in notebooks, and as data for other programs."""

import csv
import io
import json
import math

import numpy as np
import polars
import pytest

import assay

VERSION = assay.__version__
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "q9": ["y"]}
NAMES = ["ap", "P@2", "auc", "num_rel_ret"]


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, NAMES)


@pytest.fixture
def results():
    return assay.evaluate_many(QRELS, {"one": RUN, "two": {"q1": ["b"], "q2": ["c"], "q3": ["d"]}}, ["ap", "rr"])


def test_print_is_a_clean_table(result):
    assert str(result) == (
        "measure        mean     low    high  queries\n"
        "────────────────────────────────────────────\n"
        "ap           0.4444  0.0000  0.8333        3\n"
        "P@2          0.3333  0.0000  0.5000        3\n"
        "auc          0.2500  0.0000  0.5000        2\n"
        "num_rel_ret       3                        3\n"
        "\n"
        f"assay {VERSION}, convention assay, details: result.signature\n"
        "note: 1 query in the run has no judgments; left out: 'q9'\n"
        "note: 1 query in the judgments is missing from the run; counted as empty rankings: 'q3'; trec_eval leaves these out: missing=\"skip\"\n"
        "note: 1 query has no relevant documents; scored 0: 'q3'\n"
        "note: auc: 1 query left out of the mean; the ranking has no relevant documents, or only relevant ones"
    )


def test_print_names_the_policies_that_were_changed():
    result = assay.evaluate(QRELS, RUN, ["ap"], missing="skip", ties="input", rel=2, depth=10, convention="trec_eval")
    said = "convention trec_eval, ties=input depth=10 rel=2, details: result.signature"
    assert f"assay {VERSION}, {said}\n" in str(result)


def test_print_of_several_runs(results):
    assert str(results) == (
        "run               ap               rr\n"
        "─────────────────────────────────────\n"
        "one  0.4444 ± 0.4167  0.5000 ± 0.5000\n"
        "two  0.5000 ± 0.5000  0.6667 ± 0.5000\n"
        "\n"
        "± is half the width of the 95 % interval\n"
        f"assay {VERSION}, convention assay, details: result.signature\n"
        "note: one: 1 query in the run has no judgments; left out: 'q9'\n"
        "note: one: 1 query in the judgments is missing from the run; counted as empty rankings: 'q3'; trec_eval leaves these out: missing=\"skip\"\n"
        "note: one: 1 query has no relevant documents; scored 0: 'q3'\n"
        "note: two: 1 query has no relevant documents; scored 0: 'q3'"
    )
    assert repr(results) == "<Results: one, two>"
    shared = assay.evaluate_many(QRELS, {"one": {"q1": ["a"]}, "two": {"q1": ["b"]}}, ["ap"])
    assert str(shared).count("note: 2 queries in the judgments are missing") == 1


def test_exports_have_every_digit(result, results):
    page, markdown, latex = result.to_html(), result.to_markdown().splitlines(), result.to_latex()
    assert page == result._repr_html_()
    assert '<td style="text-align:left">ap</td><td style="text-align:right">0.4444</td>' in page
    rows = ["| measure | mean | low | high | queries |", "| MAP | 0.4444 | 0.0000 | 0.8333 | 3 |"]
    assert markdown[:3:2] == rows
    assert latex.startswith("\\begin{table}\n  \\centering\n  \\caption{assay ")
    assert "    MAP & 0.4444 & 0.0000 & 0.8333 & 3 \\\\\n" in latex
    assert "signature" not in latex
    rows = list(csv.reader(io.StringIO(result.to_csv())))
    assert rows[0] == ["measure", "mean", "low", "high", "queries"]
    assert [row[0] for row in rows[1:]] == NAMES
    assert float(rows[1][1]) == result["ap"] == np.mean([(1 + 2 / 3) / 2, 0.5, 0])
    assert rows[4] == ["num_rel_ret", "3", "", "", "3"]
    assert results.to_csv().splitlines()[::2] == ["run,ap,rr", f"two,0.5,{2 / 3}"]


def test_frames(result, results):
    frame = result.to_polars()
    assert frame.columns == list(result.to_pandas().columns) == ["query_id", *NAMES]
    assert frame["query_id"].to_list() == ["q1", "q2", "q3"]
    assert frame["P@2"].to_list() == result.to_pandas()["P@2"].tolist() == [0.5, 0.5, 0.0]
    assert frame.schema["ap"] == polars.Float64
    assert math.isnan(frame["auc"][2])
    both = results.to_polars()
    assert both.columns == ["run", "query_id", "ap", "rr"]
    assert both.rows()[2:4] == [("one", "q3", 0.0, 0.0), ("two", "q1", 0.5, 1.0)]
    assert results.to_pandas()["run"].tolist() == ["one"] * 3 + ["two"] * 3


def test_a_measure_that_is_nowhere_defined():
    empty = assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, ["auc"])
    assert empty.to_csv() == "measure,mean,low,high,queries\nauc,,,,0\n"
    (run,) = empty.to_dict()["runs"]
    nothing = {"mean": None, "low": None, "high": None, "queries": 0}
    assert run["measures"]["auc"] == {"measure": "auc(rel=1,over=retrieved,tied=half)", **nothing}


def test_json_has_everything_and_null_for_nan(result, results):
    whole = json.loads(result.to_json())
    assert list(whole) == ["schema", "version", "runs"]
    assert (whole["schema"], whole["version"]) == ("assay/results", 1)
    (content,) = whole["runs"]
    assert list(content) == ["name", "signature", "level", "measures", "queries", "notes"]
    assert (content["name"], content["level"]) == (None, 0.95)
    assert content["signature"] == str(result.signature)
    numbers = {"mean": 1 / 3, "low": 0.0, "high": 0.5, "queries": 3}
    assert content["measures"]["P@2"] == {"measure": "precision(rel=1,over=k)@2", **numbers}
    assert content["queries"]["q3"] == {"ap": 0.0, "P@2": 0.0, "auc": None, "num_rel_ret": 0.0}
    text = "1 query in the run has no judgments; left out: 'q9'"
    assert content["notes"][0] == {"kind": "unjudged", "text": text, "count": 1, "queries": ["q9"]}
    assert "NaN" not in result.to_json()
    one, two = json.loads(results.to_json())["runs"]
    assert (one["name"], two["name"], two["measures"]["rr"]["mean"]) == ("one", "two", results["two"]["rr"])
    assert two | {"name": None} == json.loads(results["two"].to_json())["runs"][0]


def test_the_table_of_queries_ends_with_the_means(result):
    table = result.query_table()
    assert [column.name for column in table.columns] == ["query", *NAMES]
    assert table.rows[1] == ("q2", 0.5, 0.5, 0.5, 1.0)[:1] + tuple(result.scores[name][1] for name in NAMES)
    assert table.rows[-1] == ("all", *result.mean.values())
    assert len(table.rows) == 4


def test_one_query_has_no_interval_and_a_note_says_why():
    qrels, run = {"q1": ["a"], "q2": {"b": 0}}, {"q1": ["x", "a"], "q2": ["b"]}
    single = assay.evaluate(qrels, run, ["rr", "auc"], no_relevant="skip")
    assert math.isnan(single.interval("rr").low)
    assert [row[2:] for row in single.table().rows] == [(None, None, 1)] * 2
    (run,) = single.to_dict()["runs"]
    assert (run["measures"]["rr"]["low"], run["notes"][-1]["kind"]) == (None, "few")
    assert "note: no interval; a single query says nothing about others" in str(single)
    assert "few" not in {note.kind for note in single.notes}


RESULT_NAMES = (
    "anchored convention counted human interval judge key matching mean measures noise notes only own_policies per_query "
    "plot policies policies_of queries query_table report save scores signature statistics subject table version"
)
RESULTS_NAMES = "common_notes items notes plot query_table results save table"


def test_completion_shows_only_what_users_are_meant_to_use(result, results):
    for shown, names in ((result, RESULT_NAMES), (results, RESULTS_NAMES)):
        public = {name for name in dir(shown) if not name.startswith(("_", "to_"))}
        assert public == {*names.split()}
