"""Blank lines are skipped and duplicate keys are errors, whatever a file holds."""

import json

import pytest

import assay
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from tables import for_each

QRELS = [{"query_id": "q1", "doc_id": "d1", "relevance": 1}, {"query_id": "q2", "doc_id": "d2", "relevance": 1}]
RUN = [{"query_id": "q1", "doc_id": "d1", "score": 1.5}, {"query_id": "q2", "doc_id": "d2", "score": 0.5}]
TEXTS = [{"_id": "1", "text": "one"}, {"_id": "2", "text": "two"}]
RECORDS = [{"query_id": query, "answer": answer, "references": ["a"]} for query, answer in (("q1", "a"), ("q2", "b"))]


def rag(path):
    return assay.evaluate_rag(path, ["em"]).per_query()


CONSUMERS = {
    "judgments": (lambda path: assay.read_qrels(path).to_dict(), QRELS),
    "run": (lambda path: assay.read_run(path).to_dict(), RUN),
    "evaluated run": (lambda path: assay.evaluate({"q1": ["d1"]}, path, ["rr"])["rr"], RUN),
    "questions": (lambda path: read_texts(path, QUESTIONS), TEXTS),
    "documents": (lambda path: read_texts(path, DOCUMENTS), TEXTS),
    "records": (rag, RECORDS),
}


@for_each("consumer", CONSUMERS)
def test_blank_lines_of_json_lines_are_skipped(consumer, tmp_path):
    read, rows = CONSUMERS[consumer]
    lines = [json.dumps(row) for row in rows]
    plain, blank = tmp_path / "plain.jsonl", tmp_path / "blank.jsonl"
    plain.write_text("\n".join(lines))
    blank.write_text("\ufeff\n \t\n" + "\r\n\n".join(lines) + "\n\n")
    assert read(blank) == read(plain)


@for_each("consumer", CONSUMERS)
@for_each("separator", [",", "\t"])
def test_blank_lines_of_text_tables_are_skipped(consumer, separator, tmp_path):
    read, rows = CONSUMERS[consumer]
    cells = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
    lines = [
        separator.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' if "," in cell else cell for cell in row)
        for row in [list(rows[0]), *cells]
    ]
    suffix = {",": "csv", "\t": "tsv"}[separator]
    plain, blank = tmp_path / f"plain.{suffix}", tmp_path / f"blank.{suffix}"
    plain.write_text("\n".join(lines))
    blank.write_text("\n\n" + "\n\n  \n".join(lines) + "\n\n")
    assert read(blank) == read(plain)


@for_each("consumer", CONSUMERS)
def test_a_duplicate_key_in_json_lines_is_an_error_with_its_line(consumer, tmp_path):
    read, rows = CONSUMERS[consumer]
    key, value = next(iter(rows[1].items()))
    twice = json.dumps(rows[1])[:-1] + f", {json.dumps(key)}: {json.dumps(value)}}}"
    path = tmp_path / "twice.jsonl"
    path.write_text(f"{json.dumps(rows[0])}\n\n{twice}\n")
    with pytest.raises(assay.errors.FormatError, match=f"twice.jsonl, line 3: duplicate key '{key}'; keep one"):
        read(path)


@for_each("consumer", ["questions", "documents", "records"])
def test_a_duplicate_key_in_json_is_an_error_with_its_line(consumer, tmp_path):
    read, rows = CONSUMERS[consumer]
    path = tmp_path / "twice.json"
    key = next(iter(rows[0]))
    path.write_text("[\n" + json.dumps(rows[0])[:-1] + f', "{key}": "x"}}]')
    with pytest.raises(assay.errors.DataError, match=f"twice.json, line 2: duplicate key '{key}'; keep one"):
        read(path)
    path.write_text('{"1": {"answer": "a", "references": "b"},\n"1": "b"}')
    with pytest.raises(assay.errors.DuplicateError, match=r"twice.json, line 2: duplicate key '1'; keep one"):
        read(path) if consumer == "records" else read_texts(path.write_text('{"1": "a",\n"1": "b"}') and path)


@for_each("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_must_be_finite_everywhere(number, tmp_path):
    path = tmp_path / "x.jsonl"
    for read, line in (
        (assay.read_qrels, f'{{"query_id": "q1", "doc_id": "d1", "relevance": {number}}}'),
        (assay.read_run, f'{{"query_id": "q1", "doc_id": "d1", "score": {number}}}'),
        (rag, f'{{"gold": ["d1"], "retrieved": ["d1"], "scores": [{number}]}}'),
    ):
        path.write_text(line)
        with pytest.raises(assay.errors.DataError, match=r"x\.jsonl, line 1.*(is not finite|must be a finite number)"):
            read(path)
