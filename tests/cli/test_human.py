"""`--human` of `eval`, `compare` and `rag`."""

import json

import pytest

import assay as library

QUERIES = [f"q{number:02}" for number in range(30)]
JUDGED = "".join(f"{query} 0 d{place % 3} 1\n" for place, query in enumerate(QUERIES))
PEOPLE = "".join(f"{query} 0 d{(place * place) % 3} 1\n" for place, query in enumerate(QUERIES[:12]))
UP = "".join(f"{query} Q0 d{each} {each} {9 - each} t\n" for query in QUERIES for each in range(3))
DOWN = "".join(f"{query} Q0 d{each} {each} {each} t\n" for query in QUERIES for each in range(3))


@pytest.fixture(autouse=True)
def files(folder):
    names = {"judge.txt": JUDGED, "people.txt": PEOPLE, "up.run": UP, "down.run": DOWN}
    for name, text in names.items():
        (folder / name).write_text(text)


def means(output):
    return {run["name"]: run["measures"]["rr"] for run in json.loads(output)["runs"]}


def test_eval(assay, folder):
    result = assay("eval", "judge.txt", "up.run", "down.run", "-m", "rr", "--human", "people.txt", "--format", "json")
    same = library.evaluate(folder / "judge.txt", folder / "up.run", "rr", human=folder / "people.txt")
    assert means(result.stdout)["up"]["mean"] == same["rr"]
    assert means(result.stdout)["up"]["human"] == 12
    piped = assay("eval", "judge.txt", "-", "-m", "rr", "--human", "people.txt", "--format", "json", stdin=UP)
    assert means(piped.stdout)["stdin"]["mean"] == same["rr"]
    text = assay("eval", "judge.txt", "up.run", "-m", "rr", "--human", "people.txt").output
    assert "measure    mean     low    high  queries  human  lambda    gain\n" in text
    assert "note: mean and interval are prediction-powered: 12 of 30 queries have human labels\n" in text


def test_a_saved_result_keeps_its_labels(assay):
    for name in ("up", "down"):
        assay("eval", "judge.txt", f"{name}.run", "-m", "rr", "--human", "people.txt", "--save", f"{name}.json")
    stored = assay("compare", "up.json", "down.json", "--format", "json")
    scored = assay(
        "compare", "judge.txt", "up.run", "down.run", "-m", "rr", "--human", "people.txt", "--format", "json"
    )
    assert json.loads(stored.stdout)["comparisons"] == json.loads(scored.stdout)["comparisons"]
    assert json.loads(stored.stdout)["test"] == "ppi"


def test_rag(assay, folder):
    rows = [{"query_id": query, "scores": {"f": place % 4 / 3}} for place, query in enumerate(QUERIES)]
    labels = [{"query_id": query, "scores": {"f": place % 2}} for place, query in enumerate(QUERIES[:10])]
    for name, content in {"records.jsonl": rows, "labels.jsonl": labels}.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content))
    result = assay("rag", "records.jsonl", "-m", "score:f", "--human", "labels.jsonl", "--format", "json")
    (run,) = json.loads(result.stdout)["runs"]
    assert run["measures"]["score:f"]["mean"] == library.evaluate_rag(rows, "score:f", human=labels)["score:f"]


REFUSED = {
    "other queries": (("eval", "judge.txt", "up.run", "--human", "qrels.txt"), "no scored query has a human label"),
    "no file": (("eval", "judge.txt", "up.run", "--human", "none.txt"), "file 'none.txt' not found"),
    "twice standard input": (("eval", "judge.txt", "-", "--human", "-"), "- is standard input and can be used for one"),
    "subqueries": (
        ("eval", "judge.txt", "up.run", "--merge-subqueries", "--human", "people.txt"),
        "cannot be combined",
    ),
    "a test": (
        ("compare", "judge.txt", "up.run", "down.run", "--human", "people.txt", "--test", "t"),
        "leave out --test t",
    ),
    "no records": (("rag", "judge.txt", "--human", "people.txt"), "not a file of records"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(assay, name):
    arguments, message = REFUSED[name]
    result = assay(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.stdout == ""


def test_scores_of_one_run_are_not_those_of_several(assay):
    assay("eval", "people.txt", "up.run", "-m", "rr", "--save", "people.json")
    assert assay("eval", "judge.txt", "up.run", "-m", "rr", "--human", "people.json").exit_code == 0
    result = assay("eval", "judge.txt", "up.run", "down.run", "-m", "rr", "--human", "people.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "several runs need judgments, as scores are those of one run" in result.output
