"""`assay.check`: one report on judgments and runs, in whatever form they come."""

import io
import json

import pytest

import assay

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


def kinds(report, level):
    return [finding.kind for finding in report.findings if finding.level == level]


def test_findings_are_data():
    report = assay.check(QRELS, RUN, {"q1": {"D1": 2.0}, "Q2": {"D3": 1.0}})
    names = [(file.subject, file.name) for file in report.files]
    assert names == [("judgments", "qrels"), ("run", "run 1"), ("run", "run 2")]
    assert kinds(report, "bad") == ["queries", "documents"]
    missing = next(finding for finding in report.findings if finding.kind == "missing")
    assert (missing.level, missing.place) == ("warn", "run 1")
    assert missing.text == "1 judged query is missing from the run: 'q2'"
    assert missing.advice == 'they score 0; trec_eval leaves these out: missing="skip"'
    assert sum(report.levels.values()) == len(report.findings)


@pytest.mark.parametrize("wrap", [lambda data: data, assay.Qrels], ids=["dict", "Qrels"])
def test_every_form_of_data_gives_the_same_report(wrap, tmp_path):
    expected = assay.check(QRELS, RUN).to_dict()
    assert assay.check(wrap(QRELS), assay.Run(RUN)).to_dict() == expected
    assay.Qrels(QRELS).write(tmp_path / "qrels.json")
    assay.Run(RUN).write(tmp_path / "one.json")
    report = assay.check(tmp_path / "qrels.json", io.BytesIO((tmp_path / "one.json").read_bytes()))
    assert [file.name for file in report.files] == [str(tmp_path / "qrels.json"), "<file>"]
    same = [[file["findings"] for file in each["reports"]] for each in (report.to_dict(), expected)]
    assert same[0] == same[1]


def test_what_cannot_be_read_is_a_finding(tmp_path):
    report = assay.check(tmp_path / "none.txt", RUN, 7)
    assert kinds(report, "bad") == ["reading", "reading"]
    assert report.findings[0].text.endswith("none.txt' not found")
    (tmp_path / "qrels").write_text("q1,d1,1\n")
    assert kinds(assay.check(tmp_path / "qrels", qrels_format="json"), "bad") == ["reading"]
    assert len(report.files[1].findings) == 4


def test_judgments_alone_and_the_lowest_relevant_grade():
    assert assay.check(QRELS).levels == {"ok": 3, "warn": 0, "bad": 0}
    assert kinds(assay.check(QRELS, rel=2), "warn") == ["relevant"]
    # Judgments without a document have no grades to show.
    assert "0 judgments of 0 documents\n  grades" in str(assay.check({"q1": {}}))
    with pytest.raises(assay.errors.PolicyError, match="rel must be a number, not 'high'"):
        assay.check(QRELS, rel="high")


def test_it_prints_and_can_be_exported():
    report = assay.check(QRELS, RUN)
    assert str(report).splitlines()[0] == "judgments qrels"
    assert str(report).endswith("\n\nno problems, 2 warnings")
    assert repr(report) == "<CheckReport: no problems, 2 warnings>"
    assert json.loads(report.to_json())["levels"] == report.levels
    frame = report.to_polars()
    assert frame.columns == ["subject", "place", "level", "kind", "text", "advice"]
    assert len(frame) == len(report.findings)
    assert "| run | run 1 | warn | missing |" in report.to_markdown()
    assert report.to_csv().splitlines()[1].startswith("judgments,qrels,ok,relevant,")
    assert "<table>" in report._repr_html_()


def test_findings_are_wrapped_in_a_narrow_terminal_and_never_cut(monkeypatch):
    report = assay.check({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 1.0}})
    wide = str(report)
    monkeypatch.setattr("assay.tasks.check.result.terminal_width", lambda: 50)
    narrow = str(report)
    assert max(map(len, narrow.splitlines())) <= 50 < max(map(len, wide.splitlines()))
    assert narrow.split() == wide.split()
    assert "        → they score 0; trec_eval leaves these\n        out:" in narrow
