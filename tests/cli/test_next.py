"""`assay next`: the table, the sentence, and bad input."""

import json


def test_what_to_judge_and_whether_it_matters(assay):
    result = assay("next", "qrels.txt", "one.run", "two.run", "-m", "dcg@2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].split() == ["query", "document", "rank", "worth"]
    assert "settled: " in result.stdout


def test_nothing_is_judged_yet(assay):
    result = assay("next", "none", "one.run", "two.run", "--top-grade", "3", "-n", "1", "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, len(found["pairs"]), found["left"] > 0) == (0, 1, True)
    assert found["settlement"]["is_settled"] is False


def test_values_alone_leave_the_sentence_to_stderr(assay):
    result = assay("next", "qrels.txt", "one.run", "two.run", "--format", "csv", "--order", "depth")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "query,document,rank,worth")
    assert result.stderr.startswith("note: ")


def test_bad_input(assay):
    for arguments, message in (
        (("none", "one.run"), "pairs have no worth: one run is nothing to compare; give two"),
        (("none", "one.run", "two.run", "-m", "ndcg@5"), "use dcg@5"),
        (("none", "one.run", "two.run", "-a", "zz"), "-a: unknown run 'zz'"),
        (("missing.txt", "one.run", "two.run"), "missing.txt"),
    ):
        result = assay("next", *arguments)
        assert (result.exit_code, result.stdout) == (2, ""), arguments
        assert message in result.stderr
