"""`--human` of `eval`, `compare` and `rag`."""

import json

import pytest

import assay as library

QUERIES = [f"q{number:02}" for number in range(30)]
FILES = {
    "judge.txt": "".join(f"{query} 0 d{place % 3} 1\n" for place, query in enumerate(QUERIES)),
    "people.txt": "".join(f"{query} 0 d{(place * place) % 3} 1\n" for place, query in enumerate(QUERIES[:12])),
    "up.run": "".join(f"{query} Q0 d{each} {each} {9 - each} t\n" for query in QUERIES for each in range(3)),
    "down.run": "".join(f"{query} Q0 d{each} {each} {each} t\n" for query in QUERIES for each in range(3)),
}


@pytest.fixture(autouse=True)
def files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)


def test_eval_and_rag(assay, read_json, folder):
    same = library.evaluate(folder / "judge.txt", folder / "up.run", "rr", human=folder / "people.txt")
    for runs, stdin in (("up.run down.run", None), ("-", FILES["up.run"])):
        found = read_json(f"eval judge.txt {runs} -m rr --human people.txt", stdin=stdin)["runs"][0]["measures"]["rr"]
        assert (found["mean"], found["human"]) == (same["rr"], 12)
    text = assay("eval judge.txt up.run -m rr --human people.txt").output
    assert "measure    mean     low    high  queries  human  lambda    gain\n" in text
    assert "note: mean and interval are prediction-powered: 12 of 30 queries have human labels\n" in text
    rows = [{"query_id": query, "scores": {"f": place % 4 / 3}} for place, query in enumerate(QUERIES)]
    labels = [{"query_id": query, "scores": {"f": place % 2}} for place, query in enumerate(QUERIES[:10])]
    for name, content in {"records.jsonl": rows, "labels.jsonl": labels}.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content))
    (run,) = read_json("rag records.jsonl -m score:f --human labels.jsonl")["runs"]
    assert run["measures"]["score:f"]["mean"] == library.evaluate_rag(rows, "score:f", human=labels)["score:f"]


REFUSED = {
    "eval judge.txt up.run --human qrels.txt": "no scored query has a human label",
    "eval judge.txt up.run --human none.txt": "file 'none.txt' not found",
    "eval judge.txt - --human -": "- is standard input and can be used for one",
    "eval judge.txt up.run --merge-subqueries --human people.txt": "cannot be combined",
    "compare judge.txt up.run down.run --human people.txt --test t": "leave out --test t",
    "rag judge.txt --human people.txt": "not a file of records",
    "eval judge.txt up.run down.run -m rr --human people.json": "several runs need judgments, as scores are those of one run",
}


def test_refusals(assay, refused):
    assay("eval people.txt up.run -m rr --save people.json")
    assert assay("eval judge.txt up.run -m rr --human people.json").exit_code == 0
    for line, message in REFUSED.items():
        refused(line, message)
