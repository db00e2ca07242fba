"""`Result` and `Results` in print, in notebooks, and as data for other programs."""

import csv
import io
import json
import math

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.render import render
from tables import for_each

VERSION = assay.__version__
QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "q9": ["y"]}
NAMES = ["ap", "P@2", "auc", "num_rel_ret"]
# Everything that some target could take for its own: tags, pipes, commands, quotes, line ends, colours of a terminal.
NASTY = "<script>alert('x')</script> & | a_b \\ {c} $d$ #e %f ~g ^h `i` *j* [k](l) \"m\",\tn\r\no\x1b[31mp"


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, NAMES)


@pytest.fixture
def results():
    return assay.evaluate_many(QRELS, {"one": RUN, "two": {"q1": ["b"], "q2": ["c"], "q3": ["d"]}}, ["ap", "rr"])


@pytest.fixture
def nasty():
    return assay.evaluate({NASTY: ["a"]}, {NASTY: ["a"], NASTY + "!": ["a"]}, ["ap"])


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
    assert f"assay {VERSION}, convention trec_eval, ties=input depth=10 rel=2, details: result.signature\n" in str(
        result
    )


def test_large_numbers_are_grouped():
    result = assay.evaluate_labels([[1] * 1500], ["num_ret", "num_rel"])
    assert "1,500" in str(result).splitlines()[2]


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


def test_notes_that_all_runs_share_are_said_once():
    results = assay.evaluate_many(QRELS, {"one": {"q1": ["a"]}, "two": {"q1": ["b"]}}, ["ap"])
    assert str(results).count("missing from the run") == 1
    assert "note: 2 queries in the judgments are missing" in str(results)


def test_html_is_a_table(result):
    page = result.to_html()
    assert page == result._repr_html_()
    assert page.startswith(
        '<table><thead><tr><th style="text-align:left">measure</th><th style="text-align:right">mean</th>'
    )
    assert '<td style="text-align:left">ap</td><td style="text-align:right">0.4444</td>' in page
    assert page.count("<tr>") == 5
    assert "<p>1 query has no relevant documents; scored 0: &#x27;q3&#x27;</p>" in page


def test_html_is_escaped(nasty):
    page = nasty.to_html()
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; |" in page
    assert "<script" not in page
    assert "\x1b" not in page
    named = assay.evaluate_many({"q1": ["a"]}, {"<b>bold</b>": {"q1": ["a"]}}, ["ap"])
    assert '<td style="text-align:left">&lt;b&gt;bold&lt;/b&gt;</td>' in named._repr_html_()


def test_a_terminal_is_sent_no_commands():
    red, qrels = "\x1b[31mred", {"q1": ["a"]}
    texts = [
        str(assay.evaluate(qrels, {"q1": ["a"], red: ["a"]}, ["ap"])),
        str(assay.evaluate_many(qrels, {red: {"q1": ["a"]}}, ["ap"])),
        render(assay.evaluate({red: ["a"]}, {red: ["a"]}, ["ap"]).query_table(), "table"),
    ]
    for text in texts:
        assert "\\x1b[31mred" in text
        assert all(line.isprintable() for line in text.split("\n"))


def test_polars(result):
    frame = result.to_polars()
    assert frame.columns == ["query_id", *NAMES]
    assert frame["query_id"].to_list() == ["q1", "q2", "q3"]
    assert frame["P@2"].to_list() == [0.5, 0.5, 0.0]
    assert frame.schema["ap"] == polars.Float64
    assert math.isnan(frame["auc"][2])


def test_pandas(result):
    frame = result.to_pandas()
    assert list(frame.columns) == ["query_id", *NAMES]
    assert frame["ap"].tolist() == result.scores["ap"].tolist()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape == (3, 5)


def test_frames_of_several_runs(results):
    frame = results.to_polars()
    assert frame.columns == ["run", "query_id", "ap", "rr"]
    assert frame.rows()[2:4] == [("one", "q3", 0.0, 0.0), ("two", "q1", 0.5, 1.0)]
    assert results.to_pandas()["run"].tolist() == ["one"] * 3 + ["two"] * 3


def test_json_has_everything_and_null_for_nan(result):
    whole = json.loads(result.to_json())
    assert list(whole) == ["schema", "version", "runs"]
    assert (whole["schema"], whole["version"]) == ("assay/results", 1)
    (content,) = whole["runs"]
    assert list(content) == ["name", "signature", "level", "measures", "queries", "notes"]
    assert (content["name"], content["level"]) == (None, 0.95)
    assert content["signature"] == str(result.signature)
    assert content["measures"]["P@2"] == {
        "measure": "precision(rel=1,over=k)@2",
        "mean": 1 / 3,
        "low": 0.0,
        "high": 0.5,
        "queries": 3,
    }
    assert content["queries"]["q3"] == {"ap": 0.0, "P@2": 0.0, "auc": None, "num_rel_ret": 0.0}
    assert content["notes"][0] == {
        "kind": "unjudged",
        "text": "1 query in the run has no judgments; left out: 'q9'",
        "count": 1,
        "queries": ["q9"],
    }
    assert "NaN" not in result.to_json()
    assert result.to_json().endswith("}\n")


def test_json_of_a_measure_that_is_nowhere_defined():
    content = json.loads(assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, ["auc"]).to_json())["runs"][0]
    assert content["measures"]["auc"] == {
        "measure": "auc(rel=1,over=retrieved,tied=half)",
        "mean": None,
        "low": None,
        "high": None,
        "queries": 0,
    }


def test_json_of_several_runs(results):
    content = json.loads(results.to_json())
    assert list(content) == ["schema", "version", "runs"]
    assert [run["name"] for run in content["runs"]] == ["one", "two"]
    assert content["runs"][1]["measures"]["rr"]["mean"] == results["two"]["rr"]
    assert content["runs"][1] | {"name": None} == json.loads(results["two"].to_json())["runs"][0]


def test_json_keeps_every_id(nasty):
    assert list(json.loads(nasty.to_json())["runs"][0]["queries"]) == [NASTY]


def test_csv_has_every_digit(result):
    rows = list(csv.reader(io.StringIO(result.to_csv())))
    assert rows[0] == ["measure", "mean", "low", "high", "queries"]
    assert [row[0] for row in rows[1:]] == NAMES
    assert float(rows[1][1]) == result["ap"]
    assert rows[4] == ["num_rel_ret", "3", "", "", "3"]
    assert result.to_tsv().splitlines()[1].split("\t")[0] == "ap"


def test_csv_of_a_measure_that_is_nowhere_defined():
    assert assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, ["auc"]).to_csv() == "measure,mean,low,high,queries\nauc,,,,0\n"


def test_csv_of_several_runs(results):
    assert results.to_csv().splitlines()[0] == "run,ap,rr"
    assert results.to_csv().splitlines()[2] == f"two,0.5,{2 / 3}"


def test_csv_keeps_every_name():
    results = assay.evaluate_many({"q1": ["a"]}, {NASTY: {"q1": ["a"]}}, ["ap"])
    for text, delimiter in ((results.to_csv(), ","), (results.to_tsv(), "\t")):
        assert list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) == [["run", "ap"], [NASTY, "1.0"]]


def test_markdown(result):
    lines = result.to_markdown().splitlines()
    assert lines[:4] == [
        "| measure | mean | low | high | queries |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| MAP | 0.4444 | 0.0000 | 0.8333 | 3 |",
        "| P@2 | 0.3333 | 0.0000 | 0.5000 | 3 |",
    ]
    assert lines[5] == "| num\\_rel\\_ret | 3 |  |  | 3 |"


def test_markdown_is_escaped():
    results = assay.evaluate_many(
        {"q1": ["a"]}, {"a|b": {"q1": ["a"]}, "<i>*c*</i>": {"q1": ["a"]}, "d\ne": {"q1": ["a"]}}, ["ap"]
    )
    assert results.to_markdown().splitlines()[2:5] == [
        "| a\\|b | 1.0000 |",
        "| &lt;i&gt;\\*c\\*&lt;/i&gt; | 1.0000 |",
        "| d\\\\ne | 1.0000 |",
    ]


def test_latex(result):
    text = result.to_latex()
    assert text.startswith("\\begin{table}\n  \\centering\n  \\caption{assay ")
    assert "    MAP & 0.4444 & 0.0000 & 0.8333 & 3 \\\\\n" in text
    assert "signature" not in text
    assert "    num\\_rel\\_ret & 3 &  &  & 3 \\\\\n" in text
    assert text.endswith("\\end{table}\n")


def test_latex_is_escaped():
    results = assay.evaluate_many({"q1": ["a"]}, {NASTY: {"q1": ["a"]}}, ["ap"])
    row = next(line for line in results.to_latex().splitlines() if "script" in line)
    assert row == (
        "    \\textless{}script\\textgreater{}alert('x')\\textless{}/script\\textgreater{} \\& \\textbar{} a\\_b "
        '\\textbackslash{} \\{c\\} \\$d\\$ \\#e \\%f \\textasciitilde{}g \\textasciicircum{}h `i` *j* [k](l) "m",'
        "\\textbackslash{}tn\\textbackslash{}r\\textbackslash{}no\\textbackslash{}x1b[31mp & 1.0000 \\\\"
    )


def test_the_table_of_queries_ends_with_the_means(result):
    table = result.query_table()
    assert [column.name for column in table.columns] == ["query", *NAMES]
    assert table.rows[1] == ("q2", 0.5, 0.5, 0.5, 1.0)[:1] + tuple(result.scores[name][1] for name in NAMES)
    assert table.rows[-1] == ("all", *result.mean.values())
    assert len(table.rows) == 4


def test_scores_are_not_rounded_before_they_are_printed(result):
    assert result.scores["ap"][0] == (1 + 2 / 3) / 2
    assert result.to_dict()["runs"][0]["measures"]["ap"]["mean"] == np.mean([(1 + 2 / 3) / 2, 0.5, 0])


RESULT_NAMES = {
    *(
        "convention",
        "counted",
        "interval",
        "judge",
        "key",
        "matching",
        "mean",
        "measures",
        "notes",
        "only",
        "own_policies",
    ),
    *(
        "per_query",
        "policies",
        "policies_of",
        "queries",
        "query_table",
        "save",
        "scores",
        "signature",
        "statistics",
        "subject",
    ),
    *("anchored", "human", "noise", "plot", "report", "table", "version"),
}
RESULTS_NAMES = {"common_notes", "items", "notes", "plot", "query_table", "results", "save", "table"}


def test_one_query_has_no_interval_and_a_note_says_why():
    single = assay.evaluate(
        {"q1": ["a"], "q2": {"b": 0}}, {"q1": ["x", "a"], "q2": ["b"]}, ["rr", "auc"], no_relevant="skip"
    )
    assert math.isnan(single.interval("rr").low)
    assert [row[2:] for row in single.table().rows] == [(None, None, 1)] * 2
    (run,) = single.to_dict()["runs"]
    assert (run["measures"]["rr"]["low"], run["notes"][-1]["kind"]) == (None, "few")
    assert "note: no interval; a single query says nothing about others" in str(single)
    assert "few" not in {note.kind for note in single.notes}


@for_each(("owner", "names"), [("result", RESULT_NAMES), ("results", RESULTS_NAMES)])
def test_completion_shows_only_what_users_are_meant_to_use(owner, names):
    result = assay.evaluate(QRELS, RUN, ["ap"])
    shown = {"result": result, "results": assay.evaluate_many(QRELS, {"one": RUN}, ["ap"])}[owner]
    public = {name for name in dir(shown) if not name.startswith("_")}
    assert {name for name in public if not name.startswith("to_")} == names
