"""The texts behind a change: questions, first lines of passages, and the document that took the top."""

import json

import pytest

import assay

QRELS = {"q1": {"good": 2, "bad": 0}, "q2": {"good": 1}}
OLD = {"q1": {"good": 0.9, "bad": 0.5, "new": 0.1}, "q2": {"good": 0.5}}
NEW = {"q1": {"new": 0.9, "bad": 0.5, "good": 0.4}, "q2": {"good": 0.5}}
QUERIES = {"q1": "Who pays?", "q2": "When?"}
NEW_TEXT = "An \x1b[31munrelated <b>text</b>"
CORPUS = {"good": "\n  The payer pays.\nAt once.", "new": NEW_TEXT, "bad": "Bad.", "other": "-"}


def hurt(old=OLD, new=NEW, **options):
    texts = {name: options.pop(name) for name in ("queries", "corpus") if name in options}
    return assay.compare(QRELS, {"old": old, "new": new}, "rr", **options).queries("rr", "old", "new", **texts)


def test_the_question_and_the_first_line_of_each_passage():
    moves = hurt(queries=QUERIES, corpus=CORPUS)
    assert str(moves).splitlines()[4:12] == [
        "most hurt:",
        "  q1  1.0000 → 0.3333  (-0.6667)",
        "      Who pays?",
        "      good (grade 2): rank 1 → 3 (-0.6667)",
        "          The payer pays.",
        "      new (not judged): rank 3 → 1",
        "          An \\x1b[31munrelated <b>text</b>",
        "",
    ]
    assert "q1: Who pays?" in moves.to_markdown()
    assert "&lt;b&gt;text" in moves.to_html()
    (query,) = json.loads(moves.to_json())["hurt"]
    assert query["question"] == "Who pays?"
    top = {"document": "new", "grade": None, "before": 3, "after": 1, "contribution": None, "text": NEW_TEXT}
    assert query["documents"][-1] == top


def test_a_wrong_judged_document_on_top_needs_no_texts():
    moves = hurt(new={**NEW, "q1": ["bad", "good"]})
    assert "      bad (grade 0): rank 2 → 1" in str(moves).splitlines()


def test_the_top_is_found_in_a_run_of_any_form(tmp_path):
    for number, run in enumerate((OLD, NEW)):
        assay.Run(run).write(tmp_path / f"{number}.run", lossy=True)
    files = [tmp_path / "0.run", tmp_path / "1.run"]
    frames = [assay.Run(run).to_polars() for run in (OLD, NEW)]
    for old, new in ((OLD, NEW), (assay.Run(OLD), assay.Run(NEW)), files, frames):
        assert hurt(old, new, corpus=CORPUS).hurt[0].documents[-1][:4] == ("new", None, 3, 1)


def test_the_top_is_that_of_the_policies():
    tied = {**NEW, "q1": {"new": 0.9, "zzz": 0.9, "good": 0.4}}
    corpus = {**CORPUS, "zzz": "Last."}
    assert hurt(new=tied, corpus=corpus).hurt[0].documents[-1].document == "zzz"
    assert hurt(new=tied, corpus=corpus, ties="docid_asc").hurt[0].documents[-1].document == "new"
    none = hurt(new={**NEW, "q1": {"new": 0.9, "bad": 0.5, "good": 0.4}}, corpus=CORPUS, judged_only=True)
    assert [each.document for each in none.hurt[0].documents] == ["good", "bad"]


def test_a_chunk_on_top_is_shown_as_its_document():
    chunks = {"q1": {"new#1": 0.9, "new#2": 0.8, "bad#1": 0.5, "good#4": 0.4}, "q2": {"good#1": 0.5}}
    old = {"q1": {"good#1": 0.9}, "q2": {"good#1": 0.5}}
    documents = hurt(old, chunks, corpus=CORPUS, doc_id="before:#").hurt[0].documents
    assert documents[-1][:4] == ("new", None, None, 1)


def test_of_a_corpus_only_what_is_shown_is_read(tmp_path):
    path = tmp_path / "corpus.jsonl"
    lines = [json.dumps({"_id": name, "text": text}) for name, text in CORPUS.items()]
    path.write_text("\n".join([*lines, "not JSON"]))
    assert hurt(corpus=path).hurt[0].documents[0].text == "The payer pays."


def test_texts_of_something_else_are_an_error():
    for texts, said in (({"queries": {"1": "Who?"}}, "questions to show has a text: they are 'q1'"), ({"corpus": {"d1": "Text"}}, "documents to show has a text: they are 'good', 'new'")):  # fmt: skip
        with pytest.raises(assay.errors.MismatchError, match=f"none of the {said}"):
            hurt(**texts)


def test_finished_results_have_questions_only():
    results = {name: assay.evaluate(QRELS, run, "rr") for name, run in (("old", OLD), ("new", NEW))}
    moves = assay.compare(None, results).queries("rr", "old", "new", queries=QUERIES, corpus=CORPUS)
    assert (moves.hurt[0].question, moves.hurt[0].documents) == ("Who pays?", ())


def test_a_failed_gate_shows_the_texts_and_a_passed_one_does_not_read_them(tmp_path):
    how = {"baseline": OLD, "max_drop": {"rr": 0.1}, "strict": True, "queries": QUERIES, "corpus": CORPUS}
    report = assay.gate(QRELS, NEW, {"rr": 0.9}, **how)
    for check in report.checks:
        assert (check.worst[0].question, check.worst[0].documents[-1].document) == ("Who pays?", "new")
    assert report.checks[0].worst[0].documents[-1][2:4] == (None, 1)
    assert report.checks[1].worst[0].documents[-1][2:4] == (3, 1)
    assert "The payer pays." in str(report)
    row = "| q1: Who pays? | 1.0000 | 0.3333 | good (grade 2): rank 1 → 3 (-0.6667): The payer pays.;"
    assert row in report.to_markdown()
    bad = tmp_path / "corpus.jsonl"
    bad.write_text("not JSON")
    assert assay.gate(QRELS, NEW, {"rr": 0.1}, corpus=bad).passed
    with pytest.raises(assay.errors.FileError, match="not found"):
        assay.gate(QRELS, NEW, {"rr": 0.1}, corpus=tmp_path / "missing.jsonl")
