"""`assay agree`: what it prints, writes and refuses."""

import pytest

from tables import refusing

TEXT = """\
fair agreement (Landis and Koch 1977): kappa 0.33 [0.00, 0.57], slight to moderate
4 documents of 2 queries judged by both; 0 by qrels only, 1 by judge only
"""


@pytest.fixture(autouse=True)
def other(folder):
    (folder / "judge.txt").write_text("q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 0\nq2 0 d9 1\n")


def test_the_verdict_comes_first_and_disagreements_last(assay):
    result = assay("agree qrels.txt judge.txt")
    assert result.exit_code == 0
    assert result.output.startswith(TEXT)
    assert "documents by grade: qrels in rows, judge in columns\n\n   0  1  2  3\n" in result.output
    assert "note: 1 document judged by judge only; left out" in result.output
    rows = "q1     d1            3      2\nq2     d4            1      0\n"
    assert result.output.endswith(f"query  document  qrels  judge\n─────────────────────────────\n{rows}")
    bare = assay("agree qrels.txt judge.txt --format csv")
    assert bare.stdout.splitlines()[0] == "statistic,value,low,high"
    assert "note: 1 document judged by judge only; left out" in bare.stderr


def test_options_reach_the_numbers(read_json):
    chosen = "--policy weights=linear --policy metric=nominal --policy threshold=1 -n 1 --policy seed=3"
    linear = read_json(f"agree qrels.txt judge.txt {chosen}")
    assert (linear["weights"], linear["scale"], linear["threshold"], linear["seed"]) == ("linear", "nominal", 1, 3)
    assert len(linear["disagreements"]) == 1
    assert read_json("agree qrels.txt judge.txt")["figures"][1]["value"] != linear["figures"][1]["value"]
    narrow = read_json("agree qrels.txt judge.txt --policy level=0.5 --policy samples=99")
    assert (narrow["level"], narrow["samples"]) == (0.5, 99)


def test_runs_and_standard_input(read_json, folder):
    piped = read_json("agree qrels.txt judge.txt --run - --run two.run -m rr", stdin=(folder / "one.run").read_text())
    systems = [(each["run"], each["a"], each["b"]) for each in piped["systems"]]
    assert systems == [("stdin", 0.75, 0.5), ("two", 0.5, 0.5)]
    read = read_json("agree qrels.txt judge.txt --run one.run --from run=trec --run two.run -m rr")
    assert [each["a"] for each in read["systems"]] == [0.75, 0.5]


REFUSED = {
    "agree - -": "- is standard input and can be used for one file only",
    "agree qrels.txt judge.txt --policy rel=2": "--policy rel is for scoring runs, and there are none",
    "agree qrels.txt judge.txt -m rr": "leave them out, or add --run",
    "agree qrels.txt one.run": "is this a run rather than judgments?",
    "agree qrels.txt none.txt": "file 'none.txt' not found",
    "agree qrels.txt judge.txt --run one.run": "need at least two runs to compare their order, got 1",
}
test_refusals = refusing(REFUSED)
