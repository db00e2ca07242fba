"""`assay plot`: files by their ending, and what goes wrong."""

import json

import pytest

from tables import refusing

RECORD = {"query_id": "q1", "gold": ["d1"], "retrieved": ["d1"], "answer": "so", "references": ["so"], "latency": 0.2}


@pytest.fixture(autouse=True)
def files(folder):
    (folder / "three.run").write_text((folder / "two.run").read_text())
    (folder / "records.jsonl").write_text(json.dumps(RECORD) + "\n")


@pytest.fixture
def spec(assay):
    """The specification that is printed where there is no file."""

    def read(line):
        result = assay(f"plot {line}")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return read


def test_the_same_command_writes_the_same_chart(assay, tmp_path):
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    for ending, start in starts.items():
        for name in ("x", "y"):
            result = assay(f"plot differences qrels.txt one.run two.run -o {name}.{ending}")
            assert (result.exit_code, result.stdout) == (0, "")
        assert (tmp_path / f"x.{ending}").read_bytes().startswith(start)
        if ending != "pdf":
            assert (tmp_path / f"x.{ending}").read_bytes() == (tmp_path / f"y.{ending}").read_bytes()


def test_without_a_file_the_specification_is_printed(spec):
    found = spec("means qrels.txt one.run -m rr --theme dark")
    assert found["title"]["text"] == "Means with 95 % intervals"
    assert found["config"]["background"] == "#15181D"
    found = spec("differences qrels.txt one.run two.run --test t --policy alpha=0.1")
    assert "90 % interval" in " ".join(found["title"]["subtitle"])
    assert "paired t test" in " ".join(found["title"]["subtitle"])


def test_help_lists_the_kinds_and_two_of_three_runs_are_drawn(assay, spec):
    shown = assay("plot --help").stdout
    assert "critical_difference" in shown
    assert "mean rank over" in shown
    found = spec("queries qrels.txt one.run two.run three.run -m rr --between one three")
    assert found["title"]["text"] == "rr by query: three − one"


def test_stored_results_where_scores_suffice(assay, spec, refused):
    assert assay("eval qrels.txt one.run two.run -m rr --save stored").exit_code == 0
    files = "stored/one.json stored/two.json"
    fresh = spec("means qrels.txt one.run two.run -m rr")["data"]["values"]
    assert spec(f"means {files}")["data"]["values"] == fresh
    assert spec(f"differences {files}")["data"]["values"][0]["a"] == "one"
    refused(f"plot judged {files}", "a stored result has none; use")


def test_other_data(spec):
    assert spec("blame records.jsonl")["data"]["values"][0]["answer"] == "correct"
    assert spec("latency records.jsonl")["title"]["subtitle"] == ["1 successful call; mean 200.0 ms."]
    assert sum(row["value"] for row in spec("agreement qrels.txt qrels.txt")["data"]["values"]) == 4


ENDINGS = "use one of .svg, .png, .pdf, .html, .json"
REFUSED = {
    "means qrels.txt one.run -o x.jpg": ENDINGS,
    "means qrels.txt one.run -o x": ENDINGS,
    "means qrels.txt one.run -o x.csv": ENDINGS,
    "mean qrels.txt one.run": "'means'",
    "differences qrels.txt one.run": "needs at least two runs, got 1",
    "means qrels.txt": "got 0",
    "queries qrels.txt one.run two.run three.run -m rr": "there are 3 runs; name two of them with --between, such as 'one' and 'two'",
    "latency records.jsonl qrels.txt": "latency takes one file, got 2",
    "agreement qrels.txt": "between two sets of judgments, got one",
    "latency qrels.txt": "qrels.txt",
    "means qrels.txt one.run --test t": "--test has no effect on the chart means",
    "queries qrels.txt one.run two.run --baseline one": "--baseline has no effect on the chart queries",
    "means qrels.txt one.run two.run --between one two": "--between has no effect on the chart means",
    "means qrels.txt one.run -o x.json --resolution 3": "--resolution is for a PNG",
}
test_refusals = refusing(REFUSED, "plot ")
