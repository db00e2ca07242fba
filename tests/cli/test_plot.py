"""`assay plot`: files by their ending, and what goes wrong."""

import json

import pytest


def test_writes_a_chart(assay, tmp_path):
    for ending, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")):
        path = tmp_path / f"x.{ending}"
        result = assay("plot", "means", "qrels.txt", "one.run", "-o", str(path))
        assert (result.exit_code, result.stdout) == (0, "")
        assert path.read_bytes().startswith(start)


def test_without_a_file_the_specification_is_printed(assay):
    result = assay("plot", "means", "qrels.txt", "one.run", "-m", "rr", "--theme", "dark")
    spec = json.loads(result.stdout)
    assert spec["title"]["text"] == "Means with 95 % intervals"
    assert spec["config"]["background"] == "#15181D"


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.csv"])
def test_an_unknown_ending_is_bad_usage(assay, name):
    result = assay("plot", "means", "qrels.txt", "one.run", "-o", name)
    assert result.exit_code == 2
    assert "use one of .svg, .png, .pdf, .html, .json" in result.stderr


def test_help_lists_the_kinds(assay):
    shown = assay("plot", "--help").stdout
    assert "critical_difference" in shown
    assert "mean rank over" in shown


def test_an_unknown_kind(assay):
    result = assay("plot", "mean", "qrels.txt", "one.run")
    assert result.exit_code == 2
    assert "'means'" in result.stderr


def test_too_few_runs(assay):
    result = assay("plot", "differences", "qrels.txt", "one.run")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "needs at least two runs, got 1" in result.stderr
    assert "got 0" in assay("plot", "means", "qrels.txt").stderr


def rows_of(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["data"]["values"]


def test_two_of_three_runs(assay, folder):
    (folder / "three.run").write_text((folder / "two.run").read_text())
    runs = ("one.run", "two.run", "three.run")
    result = assay("plot", "queries", "qrels.txt", *runs, "-m", "rr")
    assert result.exit_code == 2
    assert "there are 3 runs; name two of them with --between, such as 'one' and 'two'" in result.stderr
    named = assay("plot", "queries", "qrels.txt", *runs, "-m", "rr", "--between", "one", "three")
    assert json.loads(named.stdout)["title"]["text"] == "rr by query: three − one"


def test_stored_results_where_scores_suffice(assay):
    assert assay("eval", "qrels.txt", "one.run", "two.run", "-m", "rr", "--save", "stored").exit_code == 0
    files = ("stored/one.json", "stored/two.json")
    fresh = rows_of(assay("plot", "means", "qrels.txt", "one.run", "two.run", "-m", "rr"))
    assert rows_of(assay("plot", "means", *files)) == fresh
    assert rows_of(assay("plot", "differences", *files))[0]["a"] == "one"
    refused = assay("plot", "judged", *files)
    assert refused.exit_code == 2
    assert "a stored result has none; use" in refused.stderr


def test_other_data(assay, folder):
    record = {
        "query_id": "q1",
        "gold": ["d1"],
        "retrieved": ["d1"],
        "answer": "so",
        "references": ["so"],
        "latency": 0.2,
    }
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    assert rows_of(assay("plot", "blame", "records.jsonl"))[0]["answer"] == "correct"
    latency = json.loads(assay("plot", "latency", "records.jsonl").stdout)
    assert latency["title"]["subtitle"] == ["1 successful call; mean 200.0 ms."]
    assert sum(row["value"] for row in rows_of(assay("plot", "agreement", "qrels.txt", "qrels.txt"))) == 4
    for arguments, said in (
        (("latency", "records.jsonl", "qrels.txt"), "latency takes one file, got 2"),
        (("agreement", "qrels.txt"), "between two sets of judgments, got one"),
        (("latency", "qrels.txt"), "qrels.txt"),
    ):
        result = assay("plot", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr


def test_significance_as_compare_has_it(assay):
    shown = json.loads(
        assay("plot", "differences", "qrels.txt", "one.run", "two.run", "--test", "t", "--policy", "alpha=0.1").stdout
    )
    assert "90 % interval" in " ".join(shown["title"]["subtitle"])
    assert "paired t test" in " ".join(shown["title"]["subtitle"])


def test_the_same_command_writes_the_same_bytes(assay, folder):
    for name in ("x.svg", "y.svg", "x.png", "y.png"):
        assert assay("plot", "differences", "qrels.txt", "one.run", "two.run", "-o", name).exit_code == 0
    for ending in ("svg", "png"):
        assert (folder / f"x.{ending}").read_bytes() == (folder / f"y.{ending}").read_bytes()
