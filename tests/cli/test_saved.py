"""Results that one command stores and another takes in place of a run."""

import json

import pytest

import assay as library

MEASURES = ("-m", "rr", "-m", "ap")


@pytest.fixture
def saved(assay, folder):
    """The results of both runs, as old.json and new.json."""
    for run, name in (("one.run", "old.json"), ("two.run", "new.json")):
        assert assay("eval", "qrels.txt", run, *MEASURES, "--save", name).exit_code == 0
    return folder


def test_eval_stores_what_python_would(saved):
    assert library.load_result(saved / "old.json").mean == library.evaluate("qrels.txt", "one.run", ["rr", "ap"]).mean


@pytest.mark.parametrize("command", ["eval", "compare"])
@pytest.mark.parametrize("target", ["results", "results/"])
def test_several_results_are_stored_in_a_folder(assay, folder, command, target):
    done = assay(command, "qrels.txt", "one.run", "two.run", "-m", "rr", "--save", target)
    assert done.exit_code == 0
    assert sorted(each.name for each in (folder / "results").iterdir()) == ["one.json", "two.json"]
    assert library.load_result(folder / "results" / "two.json")["rr"] == 0.5
    again = assay("compare", "results/one.json", "results/two.json")
    assert "one" in again.stdout


def test_several_results_do_not_fit_into_a_file(assay, folder):
    done = assay("eval", "qrels.txt", "one.run", "two.run", "-m", "rr", "--save", "both.json")
    assert (done.exit_code, done.stderr) == (
        2,
        "assay: 'both.json' is a file, and there are several results; name a folder, such as results/\n",
    )
    assert not (folder / "both.json").exists()


def test_one_result_can_be_stored_in_a_folder(assay, folder):
    assert assay("eval", "qrels.txt", "one.run", "-m", "rr", "--save", "results/").exit_code == 0
    assert (folder / "results" / "one.json").is_file()


def test_names_with_a_folder_become_file_names(assay, folder):
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "bm25.run").write_text((folder / "one.run").read_text())
    assert assay("eval", "qrels.txt", "x/bm25.run", "y/bm25.run", "-m", "rr", "--save", "results").exit_code == 0
    assert sorted(each.name for each in (folder / "results").iterdir()) == ["x-bm25.json", "y-bm25.json"]


def test_compare_needs_no_judgments_for_stored_results(assay, saved):  # noqa: ARG001 - the files are there
    scored = json.loads(assay("compare", "qrels.txt", "one.run", "two.run", *MEASURES, "--format", "json").stdout)
    stored = json.loads(assay("compare", "old.json", "new.json", "--format", "json").stdout)
    for pair in stored["comparisons"]:
        assert (pair["a"], pair["b"]) == ("old", "new")
    assert [pair["difference"] for pair in stored["comparisons"]] == [
        pair["difference"] for pair in scored["comparisons"]
    ]
    baseline = assay("compare", "old.json", "new.json", "--baseline", "new.json", "-m", "rr", "--format", "csv").stdout
    assert baseline.splitlines()[1].startswith("rr,new,old,")


def test_a_stored_result_beside_a_run(assay, saved):  # noqa: ARG001 - the files are there
    done = assay("compare", "qrels.txt", "old.json", "two.run", "--format", "json")
    pairs = json.loads(done.stdout)["comparisons"]
    assert [(pair["measure"], pair["a"], pair["b"]) for pair in pairs] == [("rr", "old", "two"), ("ap", "old", "two")]
    assert pairs[0]["difference"] == -0.25


REFUSED = {
    "another convention": (["compare", "qrels.txt", "old.json", "two.run", "--policy", "missing=skip"], "rr was not computed alike"),
    "an option for scoring": (["compare", "old.json", "new.json", "--policy", "ties=input"], "leave out --policy ties"),
    "a convention": (["compare", "old.json", "new.json", "--convention", "ranx"], "leave out --convention"),
    "a run without judgments": (["compare", "old.json", "one.run"], "a run needs judgments: they come first"),
    "another measure": (["compare", "old.json", "new.json", "-m", "P@5"], "'P@5' was not computed; the result has"),
    "other queries": (["compare", "old.json", "other.json"], "have different queries: 'q2'"),
    "other queries of a gate": (["gate", "other.json", "--baseline", "old.json", "--max-drop", "rr=0.1"], "missing from the run"),
    "json output": (["compare", "old.json", "shown.json"], "store the result with `--save FILE`"),
    "json output of a gate": (["gate", "qrels.txt", "one.run", "--baseline", "shown.json", "--max-drop", "rr=0"], "`--save FILE`"),
    "json output in diff": (["diff", "shown.json", "old.json", "-m", "rr"], "store the result with `--save FILE`"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compared_is_refused(assay, saved, arguments, message):
    library.evaluate({"q1": ["d1"]}, {"q1": ["d1"]}, ["rr", "ap"]).save(saved / "other.json")
    (saved / "shown.json").write_text(assay("eval", "qrels.txt", "one.run", *MEASURES, "--format", "json").stdout)
    done = assay(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_diff_shows_queries_and_says_that_there_are_no_documents(assay, saved):  # noqa: ARG001 - the files are there
    done = assay("diff", "old.json", "new.json", "-m", "rr", "-o", "-")
    assert done.exit_code == 0
    assert "q2  0.5000 → 0.0000  (-0.5000)" in done.stdout
    assert "note: no documents are shown: a stored result has none" in done.stderr
    mixed = assay("diff", "qrels.txt", "old.json", "two.run", "-m", "rr")
    assert "q2  0.5000 → 0.0000  (-0.5000)" in mixed.stdout


def test_gate_takes_stored_results(assay, saved):  # noqa: ARG001 - the files are there
    done = assay("gate", "new.json", "--baseline", "old.json", "--max-drop", "rr=0.1", "--strict")
    assert done.exit_code == 1
    assert "0.7500 → 0.5000, dropped 0.2500 (limit 0.1000)" in done.stdout
    assert assay("gate", "new.json", "--min", "rr=0.5").exit_code == 0


def test_results_of_rag_are_compared(assay, folder):
    for name, answer in (("a", "yes"), ("b", "no")):
        rows = [
            {"query_id": f"q{n}", "gold": ["d"], "retrieved": ["d"], "answer": answer, "references": "yes"}
            for n in range(5)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert assay("rag", f"{name}.jsonl", "-m", "recall em", "--save", f"{name}.json").exit_code == 0
    pairs = json.loads(assay("compare", "a.json", "b.json", "--format", "json").stdout)["comparisons"]
    assert {pair["measure"]: pair["difference"] for pair in pairs} == {"recall": 0, "em": -1}


def test_python_takes_the_same_files(saved):
    pairs = library.compare(None, [saved / "old.json", str(saved / "new.json")]).pairs
    assert [(pair.measure, pair.a, pair.b) for pair in pairs] == [("rr", "old", "new"), ("ap", "old", "new")]
    mixed = library.compare(saved / "qrels.txt", {"old": saved / "old.json", "two": saved / "two.run"})
    assert mixed.pairs[0].difference == pairs[0].difference
    assert mixed.queries("rr", "old", "two").hurt[0].documents == ()
    results = library.evaluate_many(saved / "qrels.txt", [saved / "one.run"], "rr")
    results.save(saved / "deep" / "folder")
    assert library.load_result(saved / "deep" / "folder" / "one.json")["rr"] == 0.75
    with pytest.raises(library.errors.FileError, match="cannot be made a folder"):
        results.save(saved / "old.json")


def test_judgments_that_are_not_needed_are_named(assay, saved):  # noqa: ARG001 - the files are there
    done = assay("compare", "qrels.txt", "old.json", "new.json", "--format", "json")
    assert (done.exit_code, done.stderr) == (0, "note: qrels.txt is not used; every run is a stored result\n")


def test_a_stored_result_is_not_scored(assay, saved):  # noqa: ARG001 - the files are there
    done = assay("eval", "qrels.txt", "old.json")
    message = "assay: 'old.json' is a result that was stored with --save; compare, diff and gate take it\n"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", message)
