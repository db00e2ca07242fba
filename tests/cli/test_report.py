"""`assay report`, and `--report` of other commands: what they write and refuse."""

import json

import assay as library
from assay.results.load import unpack
from tables import for_each

QUESTIONS = '{"id": "q1", "text": "who is it", "lang": "en"}\n{"id": "q2", "text": "what", "lang": "de"}\n'


def core(path):
    return json.loads(unpack(path.read_bytes(), "report"))


def test_two_runs_and_one_to_the_usual_file(assay, folder):
    (folder / "q.jsonl").write_text(QUESTIONS, encoding="utf-8")
    options = ["--queries", "q.jsonl", "--slice", "lang", "--slice", "length", "--top", "2", "--title", "Mine"]
    result = assay("report", "qrels.txt", "one.run", "two.run", "-m", "rr", *options, "-o", "out.html")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "report written to out.html\n")
    found = core(folder / "out.html")
    assert (found["title"], found["top"], list(found["fields"])) == ("Mine", 2, ["lang", "length"])
    assert found["questions"] == ["who is it", "what"]
    rankings = json.loads(unpack((folder / "out.html").read_bytes(), "rankings-0"))["queries"]
    # 0 is the next document that no earlier ranking has; d3 is on rank 3 of the first run.
    assert rankings["documents"][0] == ["d1", "d2", "d3"]
    assert rankings["ranked"][0] == [[0, 0], [0, 1]]
    assert rankings["below"][0] == [[[2, 3]], []]
    assert library.load_report(folder / "out.html")["one"]["rr"] == library.evaluate("qrels.txt", "one.run", "rr")["rr"]
    result = assay("report", "qrels.txt", "one.run", "-m", "rr")
    assert (result.exit_code, result.stderr) == (0, "report written to report.html\n")
    assert [line["text"] for line in core(folder / "report.html")["verdict"]] == [
        "one: rr 0.7500, 95 % interval 0.5000 to 1.0000"
    ]


def test_stored_results_and_reports_in_place_of_runs(assay, folder):
    assert assay("eval", "qrels.txt", "one.run", "-m", "rr", "--save", "one.json").exit_code == 0
    assert assay("report", "qrels.txt", "one.run", "two.run", "-m", "rr", "-o", "first.html").exit_code == 0
    result = assay("report", "one.json", "first.html#two", "-o", "second.html")
    assert result.exit_code == 0
    assert list(library.load_report(folder / "second.html")) == ["one", "two"]
    compared = assay("compare", "first.html", "--format", "json")
    assert [run["name"] for run in json.loads(compared.stdout)["runs"]] == ["one", "two"]
    assert assay("diff", "first.html#one", "first.html#two").exit_code == 0
    gate = assay("gate", "qrels.txt", "two.run", "--baseline", "first.html#one", "--max-drop", "rr=0.01")
    assert gate.exit_code in (0, 1)
    assert "rr" in gate.stdout


def test_reports_of_other_commands(assay, folder):
    record = {"query_id": "q1", "question": "why?", "gold": ["d1"], "retrieved": ["d1"], "answer": "so", "kind": "a"}
    (folder / "records.jsonl").write_text(json.dumps({**record, "references": ["so"]}) + "\n", encoding="utf-8")
    assert assay("gate", "qrels.txt", "one.run", "--min", "rr=0.9", "--report", "gate.html").exit_code == 1
    assert core(folder / "gate.html")["gate"]["checks"][0]["passed"] is False
    assert assay("rag", "records.jsonl", "--report", "rag.html", "--slice", "kind").exit_code == 0
    assert core(folder / "rag.html")["fields"] == {"kind": ["a"]}
    result = assay("demo", "--report")
    assert "report written to assay-demo.html; open it in a browser" in result.stderr
    assert len(core(folder / "assay-demo.html")["runs"]) == 3


REFUSED = {
    "report qrels.txt": "missing RUN; name at least one run after QRELS",
    "report qrels.txt one.run -o out.pdf": "a report is an HTML page; the name of 'out.pdf' must end in .html",
    "report qrels.txt one.run -o none/out.html": "'none/out.html' cannot be written",
    "report qrels.txt one.run --slice lang": "the questions have no field 'lang'; pass a file of questions",
    "report qrels.txt one.run --top 0": "0 is not in the range 1<=x<=1000",
    "report none.html#one two.run": "none.html#one",
    "report qrels.txt one.run --baseline one": "--baseline is for two or more runs; leave it out",
    "report qrels.txt one.run --test t": "--test is for two or more runs",
    "gate qrels.txt one.run --min rr=0 --report gate.txt": "a report is an HTML page",
}


@for_each(("line", "message"), REFUSED.items())
def test_refusals(refused, folder, line, message):
    refused(line, message)
    assert sorted(each.name for each in folder.iterdir()) == ["one.run", "qrels.txt", "two.run"]
