"""What the gate says, as text and in tables."""

import json
import math
import pickle

import numpy as np

import assay
from gates import OLD, QRELS, WORSE, one


def test_worst_queries_that_are_not_finite_are_null_in_json():
    measures, scores = {"gm_ap": assay.parse_measure("gm_ap")}, {"gm_ap": np.array([0.0, math.inf])}
    result = assay.Result(measures, ["q0", "q1"], scores, "assay", assay.Policies(), _means={"gm_ap": 0.5})
    (check,) = json.loads(assay.gate(None, result, {"gm_ap": 0.9}).to_json())["checks"]
    assert [each["after"] for each in check["worst"]] == [0.0, None]


PRINTED = """\
gate failed: 2 of 3 checks

FAIL  rr   0.5000 (minimum 0.6000), 0.1000 too low
pass  P@1  0.0000 (minimum 0.0000)
FAIL  rr   1.0000 → 0.5000, dropped 0.5000 (limit 0.1000); significant, p < 0.0001

worst queries by rr
  q00  0.5000
      d (grade 1): rank 2 (-0.5000)
"""


def test_print_is_short_and_shows_the_worst_queries():
    text = str(assay.gate(QRELS, WORSE, {"rr": 0.6, "P@1": 0.0}, baseline=OLD, max_drop={"rr": 0.1}))
    assert text.startswith(PRINTED)
    drop = "  q00  1.0000 → 0.5000  (-0.5000)\n      d (grade 1): rank 1 → 2 (-0.5000)\n"
    assert f"largest drops in rr, baseline → run\n{drop}" in text
    passed = assay.gate(QRELS, OLD, {"rr": 0.6})
    assert str(passed) == "gate passed: 1 check\n\npass  rr  1.0000 (minimum 0.6000)"
    assert repr(passed) == "<GateReport: passed: 1 check>"


def test_many_documents_are_cut_short():
    qrels = {"q": {f"d{n}": 1 for n in range(6)}}
    report = assay.gate(qrels, {"q": ["d3"]}, {"recall": 1.0})
    shown = [f"      d{n} (grade 1): not retrieved (-0.1667)" for n in range(3)]
    assert str(report).splitlines()[-4:] == [*shown, "      and 3 more"]
    assert len(one(report).worst[0].documents) == 6


def test_json_has_every_field_and_no_nan():
    report = assay.gate({"q": ["d"]}, {"q": ["x", "d"]}, baseline={"q": ["d"]}, max_drop={"rr": 0.1})
    content = json.loads(report.to_json())
    assert content["passed"] is True
    assert " ".join(content) == "schema version passed checks signature alpha strict test samples seed notes"
    (check,) = content["checks"]
    assert check["detectable"] is None
    assert check["too_few"] is True
    documents = [{"document": "d", "grade": 1.0, "before": 1, "after": 2, "contribution": -0.5, "text": None}]
    numbers = {"before": 1.0, "after": 0.5, "difference": -0.5}
    assert check["worst"] == [{"query": "q", "question": None, **numbers, "documents": documents}]
    assert content["samples"] == 100_000
    assert "NaN" not in report.to_json()


def test_tables_have_a_row_for_each_check():
    report = assay.gate(QRELS, WORSE, {"rr": 0.6}, baseline=OLD, max_drop={"rr": 0.1})
    head, first, *_ = report.to_csv().splitlines()
    assert head == "result,measure,check,value,limit,baseline,drop,p,p_corrected,detectable,queries,reason"
    assert first.startswith("FAIL,rr,minimum,0.5,0.6,,,,,,40,")
    assert report.to_polars()["drop"].to_list() == [None, 0.5]
    assert report.to_pandas().shape == (2, 13)
    again = pickle.loads(pickle.dumps(report))  # noqa: S301 - our own
    assert (again.signature, again.to_json(), str(again)) == (report.signature, report.to_json(), str(report))


def test_markdown_is_what_a_build_shows():
    query = "a|b <i>"
    text = assay.gate({query: ["d"]}, {query: ["x", "d"]}, {"rr": 0.6}).to_markdown()
    assert text.startswith(
        "## assay gate failed: 1 of 1 check\n\n| result | measure | reason |\n| --- | --- | --- |\n"
        "| FAIL | rr | 0.5000 (minimum 0.6000), 0.1000 too low |\n\n"
        "| worst queries by rr | run | documents |\n| --- | ---: | --- |\n"
        "| a\\|b &lt;i&gt; | 0.5000 | d (grade 1): rank 2 (-0.5000) |\n\nassay "
    )
