"""The bundled collection: its reference answers, and the records of two RAG systems that answer its questions."""

import json
import re
import runpy
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from tables import for_each

ROOT = Path(__file__).parents[1]
DEMO = files("assay") / "demo"
RETRIEVERS = ("bm25", "hybrid")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
WRONG_BELOW = 0.5


def rows(name):
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


def numbers(*texts):
    return {number for text in texts for number in NUMBER.findall(text)}


QUESTIONS = {row["query_id"]: row["text"] for row in rows("queries.jsonl")}
PASSAGES = {row["doc_id"]: row["text"] for row in rows("passages.jsonl")}
REFERENCES = {row["query_id"]: row["references"] for row in rows("references.jsonl")}
RECORDS = {name: {row["query_id"]: row for row in rows(f"rag_{name}.jsonl")} for name in RETRIEVERS}
QRELS = assay.read_qrels(DEMO / "qrels.txt")


@pytest.fixture(scope="module")
def results():
    """Both sets of answers, measured."""
    answers = {name: {query: row["answer"] for query, row in RECORDS[name].items()} for name in RETRIEVERS}
    measures = ["em", "f1", "rouge_l", "meteor", "bleu"]
    return {name: assay.evaluate_answers(REFERENCES, answers[name], measures) for name in RETRIEVERS}


def blame(name, result):
    """Questions answered wrongly although the best passage was read, and those where no good passage was read."""
    generator, retriever = [], []
    for query, f1 in zip(result.queries, result.scores["f1"], strict=True):
        gold, read = RECORDS[name][query]["gold"], [passage["id"] for passage in RECORDS[name][query]["retrieved"]]
        grade = max(gold.get(document, 0) for document in read)
        if f1 < WRONG_BELOW and grade == max(gold.values()):
            generator.append(query)
        if f1 < WRONG_BELOW and grade == 0:
            retriever.append(query)
    return generator, retriever


def test_every_question_has_references():
    assert list(REFERENCES) == list(QUESTIONS)
    assert len(rows("references.jsonl")) == len(QUESTIONS) == 25
    for query, references in REFERENCES.items():
        assert 1 <= len(references) <= 3, query
        assert len(set(references)) == len(references), query
        assert all(text.strip() == text != "" for text in references), query


@for_each("query", QUESTIONS)
def test_every_figure_of_a_reference_stands_in_a_passage_that_answers(query):
    answering = [PASSAGES[document] for document, grade in QRELS[query].items() if grade >= 2]
    assert numbers(*REFERENCES[query]) <= numbers(*answering)


@for_each("name", RETRIEVERS)
def test_the_records_are_what_the_other_files_say(name):
    """If this fails after a change of runs, judgments or references, run `python examples/demo_records.py`."""
    records_text = runpy.run_path(str(ROOT / "examples" / "demo_records.py"))["records_text"]
    assert (DEMO / f"rag_{name}.jsonl").read_text(encoding="utf-8") == records_text(name)


@for_each("name", RETRIEVERS)
def test_every_question_is_answered_from_the_passages_read(name):
    assert list(RECORDS[name]) == list(QUESTIONS)
    for query, record in RECORDS[name].items():
        read = [PASSAGES[passage["id"]] for passage in record["retrieved"]]
        made_up = numbers(record["answer"]) - numbers(QUESTIONS[query], *read)
        # One generator adds two amounts up, one of which is the price of a company and not of shares.
        assert made_up == ({"155.2"} if (name, query) == ("hybrid", "q11") else set()), query


def test_both_parts_of_both_systems_make_mistakes(results):
    assert blame("bm25", results["bm25"]) == (
        ["q01", "q03", "q04", "q06", "q08", "q11", "q13", "q14", "q18", "q20"],
        ["q09", "q15", "q17", "q22", "q23", "q24"],
    )
    assert blame("hybrid", results["hybrid"]) == (["q12", "q25"], ["q02", "q22", "q23", "q24"])


def test_the_readme_gives_the_means(results):
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    for name in RETRIEVERS:
        *means, bleu = results[name].mean.values()
        cells = [f"`rag_{name}`", *(f"{mean:.2f}" for mean in means), f"{bleu:.1f}"]
        assert f"| {' | '.join(cells)} |" in readme


def test_the_collection_is_in_the_package_and_in_its_readme():
    """The package holds all of src/assay that git holds, so a file may be neither excluded nor ignored."""
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    names = sorted(file.name for file in DEMO.iterdir() if file.name not in {"README.md", "__pycache__"})
    assert len(names) == 10
    assert [name for name in names if f"`{name}`" not in readme] == []
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["maturin"]
    assert settings["python-source"] == "src"
    assert "assay" in settings["python-packages"]
    assert all(pattern.startswith("kernel/") for pattern in settings["exclude"])
