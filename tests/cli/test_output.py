"""The format of the output: from the name of the file, from --format, and how tables to publish look."""

import json

from tables import for_each, refusing

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


@for_each(("name", "start"), STARTS.items())
def test_the_name_of_the_file_says_the_format(assay, folder, name, start):
    assert assay(f"eval qrels.txt one.run -m rr -o {name}").exit_code == 0
    assert (folder / name).read_text(encoding="utf-8").startswith(start)


COMMANDS = [
    "eval qrels.txt one.run two.run",
    "compare qrels.txt one.run two.run",
    "diff qrels.txt one.run two.run",
    "gate qrels.txt one.run --min rr=0.1",
    "audit qrels.txt one.run -m rr",
    "agree qrels.txt qrels.txt --run one.run --run two.run",
    "check qrels.txt one.run",
    "rag records.jsonl -m em",
]


@for_each("line", COMMANDS)
def test_every_command_picks_the_format_and_refuses_an_unknown_ending(assay, refused, folder, line):
    (folder / "records.jsonl").write_text('{"answer": "x", "references": "x"}\n')
    assert assay(f"{line} -o out.json").exit_code == 0
    assert json.loads((folder / "out.json").read_text())["schema"].startswith("assay/")
    for name, start in (("out.tex", "\\begin{table}"), ("out.html", "<table>")):
        assert assay(f"{line} -o {name}").exit_code == 0
        assert start in (folder / name).read_text(encoding="utf-8")
    (folder / "out.xlsx").unlink(missing_ok=True)
    known = ".json, .csv, .tsv, .md, .markdown, .tex, .html, .htm, .txt"
    refused(f"{line} -o out.xlsx", f"unknown extension '.xlsx' of out.xlsx; use one of {known}, or set --format")
    assert not (folder / "out.xlsx").exists()
    assert assay(f"{line} -o out.xlsx --format csv").exit_code == 0


def test_tables_to_publish(assay):
    options = "--style digits=2 --style 'caption=50 % of *all*'"
    tex = assay(
        f"compare qrels.txt one.run two.run -m ndcg@10 -o - --format latex {options} --style label=tab:main"
    ).stdout
    assert "\\caption{50 \\% of *all*. Letters: " in tex
    assert "\\label{tab:main}" in tex
    assert "& nDCG@10 \\\\" in tex
    assert "\\textbf{0.80}" in tex
    text = assay(f"eval qrels.txt one.run -m rr --format markdown {options}").stdout
    assert "| MRR | 0.75 | 0.50 | 1.00 | 2 |\n\n50 % of \\*all\\*\n" in text


MISPLACED = {
    "--style digits=2": "--style digits is for markdown and latex",
    "--style label=tab:a --format markdown": "--style label is for latex",
    "--style caption=x -o x.csv": "--style caption is for markdown and latex",
    "--style 'label=a}b' --format latex": "such as tab:main",
}
test_what_a_format_does_not_have_is_an_error = refusing(MISPLACED, "eval qrels.txt one.run -m rr ")


def test_one_bad_run_does_not_discard_the_others(assay, folder):
    (folder / "bad.run").write_text("q1 Q0 d1 1 abc t\n")
    done = assay("eval qrels.txt one.run bad.run missing.run two.run -m rr --format csv")
    assert (done.exit_code, done.stdout) == (2, "run,rr\none,0.75\ntwo,0.5\n")
    assert "assay: bad.run, line 1: " in done.stderr
    assert "missing.run" in done.stderr
    left = assay("eval qrels.txt one.run bad.run -m rr --format csv")
    assert (left.exit_code, left.stdout) == (2, "run,rr\none,0.75\n")
    none = assay("eval qrels.txt bad.run missing.run -m rr")
    assert (none.exit_code, none.stdout, none.stderr.count("assay: ")) == (2, "", 2)
