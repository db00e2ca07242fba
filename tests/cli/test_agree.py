"""`assay agree`: what it prints, writes and refuses."""

import json

import pytest

OTHER = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 0\nq2 0 d9 1\n"


@pytest.fixture(autouse=True)
def other(folder):
    (folder / "judge.txt").write_text(OTHER)


TEXT = """\
fair agreement (Landis and Koch 1977): kappa 0.33 [0.00, 0.57], slight to moderate
4 documents of 2 queries judged by both; 0 by qrels only, 1 by judge only
"""


def test_the_verdict_comes_first(assay):
    result = assay("agree", "qrels.txt", "judge.txt")
    assert result.exit_code == 0
    assert result.output.startswith(TEXT)
    assert "documents by grade: qrels in rows, judge in columns\n\n   0  1  2  3\n" in result.output
    assert "note: 1 document judged by judge only; left out" in result.output
    assert result.output.endswith(
        "query  document  qrels  judge\n─────────────────────────────\nq1     d1            3      2\nq2     d4            1      0\n"
    )


def test_options_reach_the_numbers(assay):
    def found(*options):
        return json.loads(assay("agree", "qrels.txt", "judge.txt", "--format", "json", *options).stdout)

    linear = found(
        "--policy",
        "weights=linear",
        "--policy",
        "metric=nominal",
        "--policy",
        "threshold=1",
        "-n",
        "1",
        "--policy",
        "seed=3",
    )
    assert (linear["weights"], linear["scale"], linear["threshold"], linear["seed"]) == ("linear", "nominal", 1, 3)
    assert len(linear["disagreements"]) == 1
    assert found()["figures"][1]["value"] != linear["figures"][1]["value"]
    narrow = found("--policy", "level=0.5", "--policy", "samples=99")
    assert (narrow["level"], narrow["samples"]) == (0.5, 99)


def test_runs_and_standard_input(assay, folder):
    options = ("--run", "-", "--run", "two.run", "-m", "rr", "--format", "json")
    result = assay("agree", "qrels.txt", "judge.txt", *options, stdin=(folder / "one.run").read_text())
    content = json.loads(result.stdout)
    assert [(each["run"], each["a"], each["b"]) for each in content["systems"]] == [
        ("stdin", 0.75, 0.5),
        ("two", 0.5, 0.5),
    ]
    from_file = assay("agree", "qrels.txt", "judge.txt", *options[:1], "one.run", "--from", "run=trec", *options[2:])
    assert [each["a"] for each in json.loads(from_file.stdout)["systems"]] == [0.75, 0.5]


def test_stored_results(assay):
    assay("eval", "qrels.txt", "one.run", "-m", "rr", "--save", "one.json")
    assay("eval", "judge.txt", "one.run", "-m", "rr", "--save", "two.json")
    result = assay("agree", "one.json", "two.json")
    assert result.output.startswith(
        "rr: rank correlation 1.00 [1.00, 1.00]; two is 0.2500 lower than one on average [-0.5000, 0.0000]\n"
    )


def test_bare_formats_say_notes_beside(assay):
    result = assay("agree", "qrels.txt", "judge.txt", "--format", "csv")
    assert result.stdout.splitlines()[0] == "statistic,value,low,high"
    assert "note: 1 document judged by judge only; left out" in result.stderr


REFUSED = {
    "two inputs": (("-", "-"), "- is standard input and can be used for one file only"),
    "policy without runs": (
        ("qrels.txt", "judge.txt", "--policy", "rel=2"),
        "--policy rel is for scoring runs, and there are none",
    ),
    "measure without runs": (("qrels.txt", "judge.txt", "-m", "rr"), "leave them out, or add --run"),
    "a run": (("qrels.txt", "one.run"), "is this a run rather than judgments?"),
    "no file": (("qrels.txt", "none.txt"), "file 'none.txt' not found"),
    "one run": (("qrels.txt", "judge.txt", "--run", "one.run"), "need at least two runs to compare their order, got 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(assay, name):
    arguments, message = REFUSED[name]
    result = assay("agree", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.stdout == ""
