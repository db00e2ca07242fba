"""`assay compare`: the same as `assay.compare`, from files."""

import json

import pytest

import assay as library
from comparisons import FIELDS, QRELS, RUNS


@pytest.fixture
def files(folder):
    """Judgments and three runs in files."""
    library.Qrels(QRELS).write(folder / "qrels.json")
    for name, run in RUNS.items():
        library.Run(run).write(folder / f"{name}.json")
    return ("qrels.json", "one.json", "two.json", "three.json")


def in_shell(text):
    """What the library writes, with the shell's way to the details."""
    return text.replace("details: comparison.signature", "details: --format json")


def test_a_table_of_the_runs_and_one_of_the_pairs(assay, files):
    result = assay("compare", *files, "-m", "ndcg@10 rr")
    assert result.exit_code == 0
    assert result.output == in_shell(str(library.compare(QRELS, RUNS, ["ndcg@10", "rr"]))) + "\n"
    assert "a  one    1.0000 bc  1.0000 bc" in result.output


FORMATS = ["markdown", "latex", "csv", "tsv", "json"]


@pytest.mark.parametrize("format_", FORMATS)
def test_formats_are_those_of_the_library(assay, folder, files, format_):
    expected = in_shell(getattr(library.compare(QRELS, RUNS), f"to_{format_}")())
    assert assay("compare", *files, "--format", format_).stdout == expected
    assert assay("compare", *files, "--format", format_, "-o", "out").stdout == ""
    assert (folder / "out").read_text(encoding="utf-8") == expected


def test_the_verdict_the_order_and_the_pairs(assay, files):
    plain = assay("compare", *files, "-m", "rr")
    assert plain.stdout.startswith("rr: one has the best mean (1.0000), beats two (+0.47 ")
    sorted_ = assay("compare", *files, "-m", "rr", "--sort", "name", "--pairs", "none").stdout
    assert "wins/ties/losses" in plain.stdout
    assert "wins/ties/losses" not in sorted_
    assert [line.split()[1] for line in sorted_.splitlines() if line[:3] in ("a  ", "b  ", "c  ")] == [
        "one",
        "three",
        "two",
    ]
    assert "significant; --pairs all shows all" in sorted_
    unknown = assay("compare", *files, "--pairs", "some")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "'some' is not one of 'all', 'significant', 'none'" in unknown.stderr
    unknown = assay("compare", *files, "-m", "rr", "--sort", "ap")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert unknown.stderr == "assay: 'ap' was not computed; the result has rr\n"


def test_options_are_passed_on(assay, files):
    options = "--baseline two --test bootstrap --policy correction=bh --policy family=all --policy alpha=0.1 --policy samples=300 --policy seed=5 --policy depth=3"
    result = assay("compare", *files, "-m", "rr", *options.split(), "--format", "json")
    data = json.loads(result.output)
    assert [(record["a"], record["b"]) for record in data["comparisons"]] == [("two", "one"), ("two", "three")]
    assert list(data["comparisons"][0]) == FIELDS
    settings = {name: data[name] for name in ("test", "correction", "family", "alpha", "samples", "seed", "baseline")}
    assert settings == {
        "test": "bootstrap",
        "correction": "bh",
        "family": "all",
        "alpha": 0.1,
        "samples": 300,
        "seed": 5,
        "baseline": "two",
    }
    assert "depth=3" in data["signature"]


def test_a_convention_names_measures(assay, files):
    result = assay("compare", *files, "--convention", "trec_eval", "-m", "recip_rank", "--format", "json")
    assert {record["measure"] for record in json.loads(result.output)["comparisons"]} == {"recip_rank"}


@pytest.mark.parametrize("folder_", ["", "./"])
@pytest.mark.parametrize("baseline", ["two.json", "./two.json"])
def test_a_baseline_may_be_named_by_its_file(assay, files, folder_, baseline):
    arguments = ("compare", files[0], *(folder_ + each for each in files[1:]), "-m", "rr", "--baseline")
    by_file = assay(*arguments, baseline)
    assert by_file.exit_code == 0
    assert by_file.output == assay(*arguments, "two").output


def test_standard_input_is_a_run(assay, files, folder):
    text = (folder / "two.json").read_text()
    result = assay("compare", files[0], files[1], "-", "-m", "rr", stdin=text)
    assert "b  stdin  0.5312" in result.output


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_notes_that_have_no_place_go_to_standard_error(assay, format_):
    result = assay("compare", "qrels.txt", "one.run", "two.run", "-m", "rr", "--format", format_)
    assert (
        result.stderr.splitlines()[0]
        == "note: two: 1 query in the judgments is missing from the run; counted as empty rankings: 'q2'; trec_eval leaves these out: --policy missing=skip"
    )
    assert "note" not in result.stdout
    assert assay("compare", "qrels.txt", "one.run", "two.run", "-m", "rr").stderr == ""


MISTAKES = [
    (("one.json",), "need at least two runs to compare, got 1"),
    (
        ("one.json", "two.json", "--baseline", "four"),
        "unknown baseline 'four'; the runs are 'one', 'two'",
    ),
    (
        ("one.json", "two.json", "--policy", "alpha=7"),
        "alpha must be a number between 0 and 1, such as 0.05, not '7.0'",
    ),
    (("one.json", "two.json", "--policy", "samples=0"), "samples must be a whole number at least 1, not '0'"),
    (("one.json", "two.json", "-m", "nonsense"), "unknown measure 'nonsense'"),
    (("one.json", "nowhere.json"), "file 'nowhere.json' not found"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes_are_one_line(assay, files, arguments, message):
    result = assay("compare", files[0], *arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_runs_of_other_queries_are_refused_with_a_hint(assay):
    result = assay("compare", "qrels.txt", "one.run", "two.run", "--policy", "missing=skip")
    assert result.exit_code == 2
    assert (
        "'one' and 'two' have different queries: 'q2'; --policy missing=zero counts them as empty rankings"
        in result.stderr
    )


def test_a_measure_of_ones_own(assay, files, folder):
    code = '@assay.extend.measure("twice", title="Twice")\ndef twice(judged):\n    return 2.0 * judged.retrieved\n'
    (folder / "mine.py").write_text("import assay\n" + code)
    try:
        result = assay("compare", *files, "--load", "mine.py", "-m", "twice", "--format", "json")
    finally:
        library.extend.remove_measure("twice")
    assert {record["measure"] for record in json.loads(result.output)["comparisons"]} == {"twice"}
