"""Results that one command stores and another takes in place of a run."""

import json

import pytest

import assay as library

MEASURES = "-m rr -m ap"


@pytest.fixture
def saved(assay, folder):
    """The results of both runs, as old.json and new.json."""
    for run, name in (("one.run", "old.json"), ("two.run", "new.json")):
        assert assay(f"eval qrels.txt {run} {MEASURES} --save {name}").exit_code == 0
    return folder


def test_several_results_are_stored_in_a_folder(assay, refused, folder):
    for command in ("eval", "compare"):
        for target in (f"{command}-1", f"{command}-2/"):
            assert assay(f"{command} qrels.txt one.run two.run -m rr --save {target}").exit_code == 0
            assert sorted(each.name for each in (folder / target).iterdir()) == ["one.json", "two.json"]
            assert library.load_result(folder / target / "two.json")["rr"] == 0.5
    said = "assay: 'both.json' is a file, and there are several results; name a folder, such as results/\n"
    refused("eval qrels.txt one.run two.run -m rr --save both.json", said)
    assert not (folder / "both.json").exists()
    assert assay("eval qrels.txt one.run -m rr --save results/").exit_code == 0
    assert (folder / "results" / "one.json").is_file()
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "bm25.run").write_text((folder / "one.run").read_text())
    assert assay("eval qrels.txt x/bm25.run y/bm25.run -m rr --save same").exit_code == 0
    assert sorted(each.name for each in (folder / "same").iterdir()) == ["x-bm25.json", "y-bm25.json"]


def test_compare_diff_and_gate_need_no_judgments_for_stored_results(assay, read_json, saved):
    expected = library.evaluate("qrels.txt", "one.run", ["rr", "ap"]).mean
    assert library.load_result(saved / "old.json").mean == expected
    scored = read_json(f"compare qrels.txt one.run two.run {MEASURES}")["comparisons"]
    stored = read_json("compare old.json new.json")["comparisons"]
    assert {(pair["a"], pair["b"]) for pair in stored} == {("old", "new")}
    assert [pair["difference"] for pair in stored] == [pair["difference"] for pair in scored]
    baseline = assay("compare old.json new.json --baseline new.json -m rr --format csv").stdout
    assert baseline.splitlines()[1].startswith("rr,new,old,")
    pairs = read_json("compare qrels.txt old.json two.run")["comparisons"]
    assert [(pair["measure"], pair["a"], pair["b"]) for pair in pairs] == [("rr", "old", "two"), ("ap", "old", "two")]
    assert pairs[0]["difference"] == -0.25
    unused = assay("compare qrels.txt old.json new.json --format json")
    assert (unused.exit_code, unused.stderr) == (0, "note: qrels.txt is not used; every run is a stored result\n")
    done = assay("diff old.json new.json -m rr -o -")
    assert done.exit_code == 0
    assert "q2  0.5000 → 0.0000  (-0.5000)" in done.stdout
    assert "note: no documents are shown: a stored result has none" in done.stderr
    assert "q2  0.5000 → 0.0000  (-0.5000)" in assay("diff qrels.txt old.json two.run -m rr").stdout
    done = assay("gate new.json --baseline old.json --max-drop rr=0.1 --strict")
    assert done.exit_code == 1
    assert "0.7500 → 0.5000, dropped 0.2500 (limit 0.1000)" in done.stdout


REFUSED = {
    "compare qrels.txt old.json two.run --policy missing=skip": "rr was not computed alike",
    "compare old.json new.json --policy ties=input": "leave out --policy ties",
    "compare old.json new.json --convention ranx": "leave out --convention",
    "compare old.json one.run": "a run needs judgments: they come first",
    "compare old.json new.json -m P@5": "'P@5' was not computed; the result has",
    "compare old.json other.json": "have different queries: 'q2'",
    "gate other.json --baseline old.json --max-drop rr=0.1": "missing from the run",
    "compare old.json shown.json": "store the result with `--save FILE`",
    "gate qrels.txt one.run --baseline shown.json --max-drop rr=0": "`--save FILE`",
    "diff shown.json old.json -m rr": "store the result with `--save FILE`",
    "eval qrels.txt old.json": "'old.json' is a result that was stored with --save; compare, diff and gate take it",
}


def test_what_cannot_be_compared_is_refused(assay, refused, saved):
    library.evaluate({"q1": ["d1"]}, {"q1": ["d1"]}, ["rr", "ap"]).save(saved / "other.json")
    (saved / "shown.json").write_text(assay(f"eval qrels.txt one.run {MEASURES} --format json").stdout)
    for line, message in REFUSED.items():
        refused(line, message)


def test_results_of_rag_are_compared(assay, read_json, folder):
    row = {"gold": ["d"], "retrieved": ["d"], "references": "yes"}
    for name, answer in (("a", "yes"), ("b", "no")):
        rows = [{"query_id": f"q{n}", **row, "answer": answer} for n in range(5)]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert assay(f"rag {name}.jsonl -m 'recall em' --save {name}.json").exit_code == 0
    pairs = read_json("compare a.json b.json")["comparisons"]
    assert {pair["measure"]: pair["difference"] for pair in pairs} == {"recall": 0, "em": -1}
