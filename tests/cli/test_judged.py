"""`assay rag` with a judge: criteria in words, and what judged measures say in the shell."""

import json

import pytest

from assay.extend import remove_measure
from assay.measures import TABLE
from chat_server import completion, serve

CRITERIA = """
[politeness]
aspect = "Is the answer polite (or at least not rude)?"

[completeness]
rubric = "How much does it say?"
levels = { 1 = "nothing", 2 = "a part", 3 = "all" }
"""
RECORD = {"query_id": "q1", "question": "Who?", "answer": "Ada.", "retrieved_texts": ["Ada."]}


@pytest.fixture(autouse=True)
def tidy(folder):
    (folder / "records.jsonl").write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    (folder / "criteria.toml").write_text(CRITERIA, encoding="utf-8")
    before = {*TABLE}
    yield
    for name in {*TABLE} - before:
        remove_measure(name)


def reply(body):
    """A verdict, or a level if that is asked for."""
    names = body["response_format"]["json_schema"]["schema"]["properties"]
    return completion(
        json.dumps({"reason": "It is blunt.", **({"level": 2} if "level" in names else {"verdict": False})})
    )


@pytest.fixture
def server():
    with serve(reply) as chats:
        yield chats


@pytest.fixture
def rag(assay, server):
    """Asks the judge about the records."""
    judge = f"--judge {server.url} --judge-model m --judge-cache replies.sqlite"
    return lambda line: assay(f"rag records.jsonl {judge} {line}")


def test_criteria_of_a_file(rag):
    # Without names, all criteria are computed.
    for chosen in ("-m 'politeness completeness'", ""):
        result = rag(f"--criteria criteria.toml {chosen} --format csv")
        assert result.exit_code == 0, result.stderr
        rows = [line.split(",")[:2] for line in result.stdout.splitlines()[1:]]
        assert rows == [["politeness", "0.0"], ["completeness", "2.0"]]


def test_a_criterion_in_the_name_and_the_verdicts_of_the_worst(rag, server):
    unknown = rag("-m politeness")
    assert (unknown.exit_code, "unknown measure 'politeness'" in unknown.stderr) == (2, True)
    name = 'aspect(criterion="Is it short, and kind?")'
    result = rag(f"-m '{name}'")
    assert f"q1  {name} 0.0000" in result.stdout
    assert "  verdicts   0  the answer (It is blunt.)" in result.stdout
    assert "Is it short, and kind?" in server.bodies[0]["messages"][1]["content"]
    asked = len(server.bodies)
    again = rag(f"-m '{name}' --judge-option offline=yes")
    assert (again.stdout, len(server.bodies)) == (result.stdout, asked)


def test_prompts_are_shown(assay, read_json):
    page = assay("measures faithfulness").stdout
    for said in (
        "Prompt statements, version 1",
        "Split the answer into statements.",
        "1 of 2 statements of the answer",
    ):
        assert said in page
    about = read_json("measures faithfulness")["prompts"]
    assert [(each["name"], each["version"]) for each in about] == [("statements", 1), ("support", 1)]
    assert "**Prompt support, version 1:**" in assay("measures faithfulness --format markdown").stdout
    assert '"probabilities": {"4": 0.2, "5": 0.6}' in " ".join(assay("measures g_eval").stdout.split())


def test_what_is_missing_is_said_with_what_to_do(rag, server, folder):
    bare = {"query_id": "q1", "question": "Who?", "answer": "Ada.", "retrieved": ["d1"]}
    (folder / "records.jsonl").write_text(json.dumps(bare) + "\n", encoding="utf-8")
    result = rag("-m relevancy")
    assert (result.exit_code, server.bodies) == (0, [])
    assert "unjudgeable: no texts of retrieved passages; put them into the records, or pass the corpus" in result.stdout
    # No question has a score, so none is the worst.
    assert "worst" not in result.stdout
