"""Questions and documents in each of the forms that they come in."""

import gzip
import io
import json
import re

import pandas
import polars
import pyarrow
import pytest

import assay
from assay.data.formats import BY_NAME
from assay.data.texts import DOCUMENTS
from assay.data.texts import read_texts as read_questions
from assay.files.source import Source
from tables import for_each

EXPECTED = {"q1": 'who "was" it?', "2": "was, or is?"}
RECORDS = [{"_id": query, "text": text, "metadata": {}} for query, text in EXPECTED.items()]
COLUMNS = {"query_id": list(EXPECTED), "question": list(EXPECTED.values())}

FRAMES = [make(COLUMNS) for make in (polars.DataFrame, polars.LazyFrame, pandas.DataFrame, pyarrow.table)]


@for_each("data", [EXPECTED, {"q1": EXPECTED["q1"], 2: EXPECTED["2"]}, RECORDS, *FRAMES])
def test_objects(data):
    assert read_questions(data) == EXPECTED


def test_a_list_of_texts_is_numbered():
    assert read_questions(["a", "b"]) == read_questions(iter(("a", "b"))) == {"0": "a", "1": "b"}


LINES = "".join(json.dumps(record) + "\n" for record in RECORDS)
FILES = {
    "queries.jsonl": LINES,
    "queries": LINES,
    "blank lines.jsonl": LINES.replace("\n", "\n\n"),
    "object.json": json.dumps(EXPECTED),
    "records.json": json.dumps(RECORDS),
    "list": json.dumps(RECORDS),
    "plain.tsv": 'q1\twho "was" it?\n2\twas, or is?\n',
    "named.tsv": 'text\tlanguage\tqid\nwho "was" it?\ten\tq1\nwas, or is?\ten\t2\n',
    "named.txt": 'Query-ID\tQuery\nq1\twho "was" it?\n2\twas, or is?\n',
    "named.csv": 'id,text\nq1,"who ""was"" it?"\n2,"was, or is?"\n',
    "plain.csv": 'q1,"who ""was"" it?"\n2,"was, or is?"\n',
    "blank lines.csv": '\n \nid,text\n\nq1,"who ""was"" it?"\n   \n2,"was, or is?"\n\n',
    "blank lines plain.csv": '\nq1,"who ""was"" it?"\n\n2,"was, or is?"\n',
    "quoted.tsv": '"id"\t"text"\n"q1"\t"who ""was"" it?"\n2\t"was, or is?"\n',
    "quoted plain.tsv": '"q1"\t"who ""was"" it?"\r\n2\twas, or is?\r\n',
    "blank lines.tsv": '\n\nq1\twho "was" it?\n\n2\twas, or is?\n \n',
    "windows.csv": '\ufeffid,text\r\nq1,"who ""was"" it?"\r\n2,"was, or is?"\r\n',
}


@for_each("name", FILES)
def test_files(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name].encode())
    assert read_questions(path) == EXPECTED
    assert read_questions(str(path)) == EXPECTED
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(FILES[name].encode()))
    assert read_questions(packed) == EXPECTED


@for_each("separator", [",", "\t"])
@for_each("cell", ['"hello"', '"a ""b"" c"', 'a "b" c', '""""', '"b, c"', '"b\tc"', "'hello'"])
def test_quotes_mean_the_same_in_questions_and_in_records(tmp_path, cell, separator):
    format_ = {",": "csv", "\t": "tsv"}[separator]
    path = tmp_path / f"texts.{format_}"
    path.write_text(f"query_id{separator}question\nq1{separator}{cell}\n")
    (record,) = BY_NAME[format_].read_content(Source(path, path.name))
    assert read_questions(path) == {"q1": record.fields["question"]}


def test_a_quote_that_does_not_enclose_a_cell_of_tsv_is_text(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text('q1\t"Hamlet" author\nq2\t"who was it\nq3\tit"\nq4\t"\n')
    assert read_questions(path) == {"q1": '"Hamlet" author', "q2": '"who was it', "q3": 'it"', "q4": '"'}


def test_parquet_and_streams(tmp_path):
    polars.DataFrame(COLUMNS).write_parquet(tmp_path / "queries.parquet")
    assert read_questions(tmp_path / "queries.parquet") == EXPECTED
    assert read_questions(io.BytesIO(LINES.encode())) == EXPECTED


BAD_OBJECTS = [
    ({}, "no questions found"),
    ([], "no questions found"),
    (7, "the questions must be a dict, a list, a frame or a file, not 'int'"),
    ({"q1": None}, "the questions: question 'q1' must have a text, not 'None'"),
    ({"q1": " "}, "the questions: question 'q1' must have a text, not ' '"),
    ({1: "a", "1": "b"}, "the questions: duplicate question id '1'"),
    ({1.5: "a"}, "the id of a question must be a string or an integer, not '1.5'"),
    ({"": "a"}, "the id of a question must be a string or an integer, not ''"),
    ([{"id": "q1"}], "the questions, number 0: questions need a text (text, question, query …), found only 'id'"),
    (polars.DataFrame({"text": [""]}), "row 0: questions need an id (query_id, qid, question_id …), found only 'text"),
]


@for_each(("data", "message"), BAD_OBJECTS)
def test_bad_objects_are_named(data, message):
    with pytest.raises(assay.AssayError, match=re.escape(message)):
        read_questions(data)


BAD_FILES = {
    "broken.parquet": (b"PAR1 and no more", "broken.parquet cannot be read as parquet: "),
    "later.csv": (b"\nid,text\n\nq1\n", "later.csv, line 4: expected an id and a text, found '['q1']'"),
    "commas.csv": (b"id,text\n,\n", "commas.csv, line 2: the id of a question must be a string or an integer, not ''"),
    "broken.jsonl": (b'{"id": 1, "text": "a"}\n{"id"\n', "broken.jsonl, line 2: invalid JSON"),
    "twice.jsonl": (b'{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n', "line 2: duplicate question id '1'"),
    "short.tsv": (b"q1\ta\nq2\n", "short.tsv, line 2: expected an id and a text, found"),
    "wide.csv": (b"a,b,c\n1,2,3\n", "wide.csv, line 1: questions need an id"),
    "one.tsv": (b"who was it\n", "one.tsv, line 1: questions need an id"),
    "latin.tsv": (b"q1\tok\nq2\tstra\xdfe\n", "latin.tsv, line 2: bytes that are not UTF-8"),
    "empty.jsonl": (b"", "no questions found"),
}


@for_each("name", BAD_FILES)
def test_bad_files_are_named(tmp_path, name):
    content, message = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(assay.AssayError, match=re.escape(message)):
        read_questions(tmp_path / name)


def test_documents_have_names_of_their_own_and_may_be_blank():
    rows = [{"doc_id": "d1", "contents": "one"}, {"doc_id": "d2", "contents": ""}, {"doc_id": 3, "contents": None}]
    assert read_questions(rows, DOCUMENTS) == {"d1": "one", "d2": "", "3": ""}
    said = r"documents need a text \(text, content, contents …\), found only 'doc_id'"
    with pytest.raises(assay.errors.FormatError, match=said):
        read_questions([{"doc_id": "d1"}], DOCUMENTS)
