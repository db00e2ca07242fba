"""The format of the output: from the name of the file, from --format, and how tables to publish look."""

import json

import pytest

STARTS = {
    "scores.json": '{\n  "schema": "assay/results",\n  "version": 1,',
    "scores.csv": "measure,mean,",
    "scores.tsv": "measure\tmean\t",
    "scores.md": "| measure | mean |",
    "scores.MARKDOWN": "| measure | mean |",
    "scores.tex": "\\begin{table}",
    "scores.html": '<!doctype html>\n<meta charset="utf-8">\n<table>',
    "scores.htm": '<!doctype html>\n<meta charset="utf-8">\n<table>',
    "scores.txt": "measure    mean",
    "scores": "measure    mean",
}


@pytest.mark.parametrize("name", STARTS)
def test_the_name_of_the_file_says_the_format(assay, folder, name):
    assert assay("eval", "qrels.txt", "one.run", "-m", "rr", "-o", name).exit_code == 0
    assert (folder / name).read_text(encoding="utf-8").startswith(STARTS[name])


COMMANDS = {
    "eval": ["eval", "qrels.txt", "one.run", "two.run"],
    "compare": ["compare", "qrels.txt", "one.run", "two.run"],
    "diff": ["diff", "qrels.txt", "one.run", "two.run"],
    "gate": ["gate", "qrels.txt", "one.run", "--min", "rr=0.1"],
    "audit": ["audit", "qrels.txt", "one.run", "-m", "rr"],
    "agree": ["agree", "qrels.txt", "qrels.txt", "--run", "one.run", "--run", "two.run"],
    "check": ["check", "qrels.txt", "one.run"],
    "rag": ["rag", "records.jsonl", "-m", "em"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_picks_the_format_and_refuses_an_unknown_ending(assay, folder, command):
    (folder / "records.jsonl").write_text('{"answer": "x", "references": "x"}\n')
    assert assay(*COMMANDS[command], "-o", "out.json").exit_code == 0
    content = json.loads((folder / "out.json").read_text())
    assert content["schema"].startswith("assay/")
    for name, start in (("out.tex", "\\begin{table}"), ("out.html", "<table>")):
        assert assay(*COMMANDS[command], "-o", name).exit_code == 0
        assert start in (folder / name).read_text(encoding="utf-8")
    wrong = assay(*COMMANDS[command], "-o", "out.xlsx")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    known = ".json, .csv, .tsv, .md, .markdown, .tex, .html, .htm, .txt"
    assert f"unknown extension '.xlsx' of out.xlsx; use one of {known}, or set --format" in wrong.stderr
    assert not (folder / "out.xlsx").exists()
    assert assay(*COMMANDS[command], "-o", "out.xlsx", "--format", "csv").exit_code == 0


def test_tables_to_publish(assay):
    options = ("--style", "digits=2", "--style", "caption=50 % of *all*", "--style", "label=tab:main")
    tex = assay("compare", "qrels.txt", "one.run", "two.run", "-m", "ndcg@10", "--format", "latex", *options).stdout
    assert "\\caption{50 \\% of *all*. Letters: " in tex
    assert "\\label{tab:main}" in tex
    assert "& nDCG@10 \\\\" in tex
    assert "\\textbf{0.80}" in tex
    text = assay("eval", "qrels.txt", "one.run", "-m", "rr", "--format", "markdown", *options[:4]).stdout
    assert "| MRR | 0.75 | 0.50 | 1.00 | 2 |\n\n50 % of \\*all\\*\n" in text


MISPLACED = [
    (("--style", "digits=2"), "--style digits is for markdown and latex"),
    (("--style", "label=tab:a", "--format", "markdown"), "--style label is for latex"),
    (("--style", "caption=x", "-o", "x.csv"), "--style caption is for markdown and latex"),
    (("--style", "label=a}b", "--format", "latex"), "such as tab:main"),
]


@pytest.mark.parametrize(("options", "message"), MISPLACED)
def test_what_a_format_does_not_have_is_an_error(assay, options, message):
    done = assay("eval", "qrels.txt", "one.run", "-m", "rr", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_one_bad_run_does_not_discard_the_others(assay, folder):
    (folder / "bad.run").write_text("q1 Q0 d1 1 abc t\n")
    done = assay("eval", "qrels.txt", "one.run", "bad.run", "missing.run", "two.run", "-m", "rr", "--format", "csv")
    assert (done.exit_code, done.stdout) == (2, "run,rr\none,0.75\ntwo,0.5\n")
    assert "assay: bad.run, line 1: " in done.stderr
    assert "missing.run" in done.stderr
    left = assay("eval", "qrels.txt", "one.run", "bad.run", "-m", "rr", "--format", "csv")
    assert (left.exit_code, left.stdout) == (2, "run,rr\none,0.75\n")
    none = assay("eval", "qrels.txt", "bad.run", "missing.run", "-m", "rr")
    assert (none.exit_code, none.stdout, none.stderr.count("assay: ")) == (2, "", 2)
