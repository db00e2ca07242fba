"""`assay check`: what it prints, and with which code it ends."""

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
run bad.run
  bad   bad.run, line 1: the score 'inf' is not finite; every score must be finite
        → fix this first; the rest of this file was not checked

1 problem, 0 warnings
"""
JUDGMENTS, _, _ = REPORT.partition("run two")


def test_the_exit_code_says_whether_something_is_bad(assay, folder):
    (folder / "bad.run").write_text("q1 Q0 d1 1 inf a\n")
    expected = {
        "two.run": (0, REPORT),
        "": (0, f"{JUDGMENTS}no problems, 0 warnings\n"),
        "bad.run": (1, JUDGMENTS + BAD),
    }
    for runs, (code, text) in expected.items():
        result = assay(f"check qrels.txt {runs}")
        assert (result.exit_code, result.stdout, result.stderr) == (code, text, "")


def test_a_run_is_looked_at_even_where_the_judgments_cannot_be_read(assay):
    result = assay("check none.txt two.run")
    assert result.exit_code == 1
    assert "judgments none.txt\n  bad   file 'none.txt' not found\n" in result.stdout
    assert "run two.run\n  1 query, 2 documents, 2 per query, tag b\n" in result.stdout


def test_a_format_of_runs_needs_a_run(refused):
    refused("check qrels.txt --from run=csv", "--from run=… is set, but there is no RUN")


def test_standard_input(assay, folder):
    for name, line in {"qrels.txt": "check - two.run", "two.run": "check qrels.txt -"}.items():
        result = assay(line, stdin=(folder / name).read_bytes())
        assert result.stdout == REPORT.replace(f" {name}\n", " standard input\n")


def test_many_grades_are_told_by_their_range_and_ids_have_no_control_characters(assay, folder):
    (folder / "qrels.txt").write_text("".join(f"q1 0 d{number} {number / 8}\n" for number in range(20)))
    assert "  grades  20 different values, 0 to 2.375\n" in assay("check qrels.txt").stdout
    (folder / "escape.run").write_text("q\x1b[31m Q0 d1 1 1 \x1b[0m\n")
    result = assay("check qrels.txt escape.run")
    assert "\x1b" not in result.stdout
    assert r"\x1b[31m" in result.stdout
