"""`assay compare`: the same as `assay.compare`, from files."""

import pytest

import assay as library
from comparisons import FIELDS, QRELS, RUNS
from tables import refusing

FILES = "qrels.json one.json two.json three.json"


@pytest.fixture(autouse=True)
def files(folder):
    """Judgments and three runs in files."""
    library.Qrels(QRELS).write(folder / "qrels.json")
    for name, run in RUNS.items():
        library.Run(run).write(folder / f"{name}.json")


def in_shell(text):
    """What the library writes, with the shell's way to the details."""
    return text.replace("details: comparison.signature", "details: --format json")


def test_a_table_of_the_runs_and_one_of_the_pairs(assay):
    result = assay(f"compare {FILES} -m 'ndcg@10 rr'")
    assert result.exit_code == 0
    assert result.output == in_shell(str(library.compare(QRELS, RUNS, ["ndcg@10", "rr"]))) + "\n"
    assert "a  one    1.0000 bc  1.0000 bc" in result.output


def test_formats_are_those_of_the_library(assay, folder):
    for format_ in ("markdown", "latex", "csv", "tsv", "json"):
        expected = in_shell(getattr(library.compare(QRELS, RUNS), f"to_{format_}")())
        assert assay(f"compare {FILES} --format {format_}").stdout == expected
        assert assay(f"compare {FILES} --format {format_} -o out").stdout == ""
        assert (folder / "out").read_text(encoding="utf-8") == expected


def test_the_verdict_the_order_and_the_pairs(assay):
    plain = assay(f"compare {FILES} -m rr")
    assert plain.stdout.startswith("rr: one has the best mean (1.0000), beats two (+0.47 ")
    assert "wins/ties/losses" in plain.stdout
    sorted_ = assay(f"compare {FILES} -m rr --sort name --pairs none").stdout
    assert "wins/ties/losses" not in sorted_
    rows = [line.split()[1] for line in sorted_.splitlines() if line[:3] in ("a  ", "b  ", "c  ")]
    assert rows == ["one", "three", "two"]
    assert "significant; --pairs all shows all" in sorted_


def test_options_are_passed_on(read_json):
    policies = "correction=bh family=all alpha=0.1 samples=300 seed=5 depth=3"
    told = " ".join(f"--policy {each}" for each in policies.split())
    data = read_json(f"compare {FILES} -m rr --baseline two --test bootstrap {told}")
    assert [(record["a"], record["b"]) for record in data["comparisons"]] == [("two", "one"), ("two", "three")]
    assert list(data["comparisons"][0]) == FIELDS
    settings = {"test": "bootstrap", "correction": "bh", "family": "all", "alpha": 0.1, "samples": 300, "seed": 5}
    assert {**settings, "baseline": "two"}.items() <= data.items()
    assert "depth=3" in data["signature"]


def test_standard_input_is_a_run(assay, folder):
    result = assay("compare qrels.json one.json - -m rr", stdin=(folder / "two.json").read_text())
    assert "b  stdin  0.5312" in result.output


def test_notes_that_have_no_place_go_to_standard_error(assay):
    said = "note: two: 1 query in the judgments is missing from the run; counted as empty rankings: 'q2'; trec_eval "
    for format_ in ("csv", "tsv"):
        result = assay(f"compare qrels.txt one.run two.run -m rr --format {format_}")
        assert result.stderr.startswith(f"{said}leaves these out: --policy missing=skip\n")
        assert "note" not in result.stdout
    assert assay("compare qrels.txt one.run two.run -m rr").stderr == ""


OTHER_QUERIES = "'one' and 'two' have different queries: 'q2'; --policy missing=zero counts them as empty rankings"
REFUSED = {
    "compare qrels.txt one.run two.run --policy missing=skip": OTHER_QUERIES,
    "compare qrels.json one.json": "need at least two runs to compare, got 1",
    "compare qrels.json one.json two.json --baseline four": "unknown baseline 'four'; the runs are 'one', 'two'",
    "compare qrels.json one.json two.json --policy alpha=7": "alpha must be a number between 0 and 1, such as 0.05, not '7.0'",
    "compare qrels.json one.json two.json --policy samples=0": "samples must be a whole number at least 1, not '0'",
    "compare qrels.json one.json two.json -m nonsense": "unknown measure 'nonsense'",
    "compare qrels.json one.json nowhere.json": "file 'nowhere.json' not found",
    "compare qrels.json one.json two.json --pairs some": "'some' is not one of 'all', 'significant', 'none'",
    "compare qrels.json one.json two.json -m rr --sort ap": "'ap' was not computed; the result has rr",
}
test_refusals = refusing(REFUSED)
