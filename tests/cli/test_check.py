"""`assay check`: what it prints, and with which code it ends."""

import json

import pytest

REPORT = """\
judgments qrels.txt
  2 queries, 4 judgments of 4 documents
  grades  0: 1   1: 2   3: 1
  ok    every query has a relevant document
  ok    no grade is below 0
  ok    no duplicate judgments

run two.run
  1 query, 2 documents, 2 per query, tag b
  warn  1 judged query is missing from the run: 'q2'
        → they score 0; trec_eval leaves these out: --policy missing=skip
  warn  queries with few documents: 1 fewer than 10, 1 fewer than 100, 1 fewer than 1,000 (of 1)
        → retrieve more; measures at 10 and deeper suffer from short rankings
  ok    every query in the run has judgments
  ok    50 % of the judged documents are in the run
  ok    100 % of the top 10 documents are judged, 100 % of the top 100
  ok    no duplicate documents
  ok    no scores tie
  ok    scores do not rise down the list

no problems, 2 warnings
"""
BAD = """\
judgments qrels.txt
  2 queries, 4 judgments of 4 documents
  grades  0: 1   1: 2   3: 1
  ok    every query has a relevant document
  ok    no grade is below 0
  ok    no duplicate judgments

run bad.run
  bad   bad.run, line 1: the score 'inf' is not finite; every score must be finite
        → fix this first; the rest of this file was not checked

1 problem, 0 warnings
"""


def test_warnings_end_well(assay):
    result = assay("check", "qrels.txt", "two.run")
    assert (result.exit_code, result.stdout, result.stderr) == (0, REPORT, "")


def test_what_is_bad_ends_with_1(assay, folder):
    (folder / "bad.run").write_text("q1 Q0 d1 1 inf a\n")
    result = assay("check", "qrels.txt", "bad.run")
    assert (result.exit_code, result.stdout, result.stderr) == (1, BAD, "")


def test_judgments_alone(assay):
    result = assay("check", "qrels.txt")
    assert (result.exit_code, result.stdout) == (0, REPORT.partition("run two")[0] + "no problems, 0 warnings\n")


def test_a_run_is_looked_at_even_where_the_judgments_cannot_be_read(assay):
    result = assay("check", "none.txt", "two.run")
    assert result.exit_code == 1
    assert "judgments none.txt\n  bad   file 'none.txt' not found\n" in result.stdout
    assert "run two.run\n  1 query, 2 documents, 2 per query, tag b\n" in result.stdout


@pytest.mark.parametrize("name", ["qrels.txt", "two.run"])
def test_standard_input(assay, folder, name):
    arguments = ["-" if each == name else each for each in ("qrels.txt", "two.run")]
    result = assay("check", *arguments, stdin=(folder / name).read_bytes())
    assert result.stdout == REPORT.replace(f" {name}\n", " standard input\n")


def test_json(assay):
    result = assay("check", "qrels.txt", "two.run", "--format", "json")
    data = json.loads(result.stdout)
    assert data["levels"] == {"ok": 9, "warn": 2, "bad": 0}
    assert [(each["subject"], each["name"]) for each in data["reports"]] == [
        ("judgments", "qrels.txt"),
        ("run", "two.run"),
    ]
    assert data["reports"][0]["facts"]["grades"] == {"0": 1, "1": 2, "3": 1}
    assert data["reports"][1]["findings"][0] == {
        "level": "warn",
        "kind": "missing",
        "text": "1 judged query is missing from the run: 'q2'",
        "advice": "they score 0; trec_eval leaves these out: --policy missing=skip",
    }


def test_many_grades_are_told_by_their_range(assay, folder):
    (folder / "qrels.txt").write_text("".join(f"q1 0 d{number} {number / 8}\n" for number in range(20)))
    assert "  grades  20 different values, 0 to 2.375\n" in assay("check", "qrels.txt").stdout


def test_ids_are_printed_without_their_control_characters(assay, folder):
    (folder / "escape.run").write_text("q\x1b[31m Q0 d1 1 1 \x1b[0m\n")
    result = assay("check", "qrels.txt", "escape.run")
    assert "\x1b" not in result.stdout
    assert r"\x1b[31m" in result.stdout
