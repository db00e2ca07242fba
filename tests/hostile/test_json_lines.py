"""Runs in JSON Lines as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("JSON files")

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
A = '{"query_id": "q1", "doc_id": "d2", "score": 2}\n{"query_id": "q1", "doc_id": "d1", "score": 1}\n'
B = '{"query_id": "q2", "doc_id": "d3", "score": 5}\n'
V = '{"query_id": "q1", "doc_id": "d1", "score": %s}\n'
ID = '{"query_id": "q1", "doc_id": %s, "score": 9}\n' + A + B

CASES = [
    ("good", A + B, 0.75),
    ("crlf", (A + B).replace("\n", "\r\n"), 0.75),
    ("cr only", (A + B).replace("\n", "\r"), "FormatError: a.jsonl, line 1: invalid JSON: unexpected text after the"),
    ("blank lines", (A + B).replace("\n", "\n\n"), 0.75),
    ("trailing commas", (A + B).replace("\n", ",\n"), "FormatError: a.jsonl, line 1: invalid JSON: unexpected text"),
    (
        "two objects on a line",
        (A + B).replace("\n", " ", 1),
        "FormatError: a.jsonl, line 1: invalid JSON: unexpected text after the end at column 48",
    ),
    (
        "no blank between objects",
        (A + B).replace("\n", "", 1),
        "FormatError: a.jsonl, line 1: invalid JSON: unexpected text after the end at column 47",
    ),
    (
        "object over lines",
        '{"query_id": "q1",\n"doc_id": "d1", "score": 1}\n',
        "FormatError: a.jsonl, line 1: invalid JSON: Expecting property name enclosed in double quotes at column",
    ),
    ("array lines", '["q1", "d1", 1]\n', "FormatError: a.jsonl, line 1: expected an object, found '['q1', 'd1', 1]'"),
    ("string lines", '"q1"\n"q2"\n', "FormatError: a.jsonl, line 1: expected an object, found 'q1'"),
    ("null line", "null\n" + A, "FormatError: a.jsonl, line 1: expected an object, found 'None'"),
    ("number lines", "1\n2\n", "FormatError: a.jsonl, line 1: expected an object, found '1'"),
    ("empty object", "{}\n" + A, "FormatError: a.jsonl, line 1: the column 'query_id' is empty"),
    ("single quotes", A.replace('"', "'"), "FormatError: a.jsonl, line 1: invalid JSON: Expecting property name"),
    (
        "missing document",
        '{"query_id": "q1", "score": 1}\n',
        "FormatError: a.jsonl has no column for doc_id (columns: 'query_id', 'score')",
    ),
    ("missing query", '{"doc_id": "d1", "score": 1}\n', "FormatError: a.jsonl has no column for query_id (columns:"),
    (
        "missing score",
        '{"query_id": "q1", "doc_id": "d1"}\n',
        "FormatError: a.jsonl has no column for score (columns: 'query_id', 'doc_id')",
    ),
    (
        "null query",
        A + '{"query_id": null, "doc_id": "d3", "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'query_id' is empty",
    ),
    (
        "empty query",
        A + '{"query_id": "", "doc_id": "d3", "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'query_id' is empty",
    ),
    (
        "duplicate key",
        A + '{"query_id": "q2", "doc_id": "d3", "doc_id": "d4", "score": 5}\n',
        "FormatError: a.jsonl, line 3: duplicate key 'doc_id'",
    ),
    ("query apart", A + B + '{"query_id": "q1", "doc_id": "d9", "score": 9}\n', 0.666667),
    ("Infinity", V % "Infinity", "FormatError: a.jsonl, line 1: 'inf' in the column 'score' is not finite"),
    ("1e999", V % "1e999", "FormatError: a.jsonl, line 1: 'inf' in the column 'score' is not finite"),
    ("text score", V % '"1.5"', 0.5),
    ("comma score", V % '"1,5"', "FormatError: a.jsonl, line 1: '1,5' in the column 'score' is not a number"),
    ("word score", V % '"high"', "FormatError: a.jsonl, line 1: 'high' in the column 'score' is not a number"),
    ("empty score", V % '""', "FormatError: a.jsonl, line 1: '' in the column 'score' is not a number"),
    ("list score", V % "[1]", "FormatError: a.jsonl, line 1: '[1]' in the column 'score' is not a number"),
    ("object score", V % '{"v": 1}', "FormatError: a.jsonl, line 1: '{'v': 1}' in the column 'score' is not a number"),
    ("400 digits", V % ("9" * 400), "FormatError: a.jsonl, line 1:"),
    ("10**40", V % ("1" + "0" * 40), 0.5),
    ("-0.0", V % "-0.0", 0.5),
    ("denormal", V % "5e-324", 0.5),
    ("id number", ID % "17", 0.666667),
    ("id 2**63", ID % "9223372036854775808", 0.666667),
    ("id 10**40", ID % ("1" + "0" * 40), 0.666667),
    ("id whole float", ID % "1.0", "FormatError: a.jsonl, line 1: '1.0' is not an id"),
    ("id list", ID % '["d1"]', "FormatError: a.jsonl, line 1: '['d1']' is not an id"),
    ("id object", ID % '{"$oid": "5f"}', "FormatError: a.jsonl, line 1: '{'$oid': '5f'}' is not an id"),
    ("id nan", ID % "NaN", "FormatError: a.jsonl, line 1: 'nan' is not an id"),
    ("id nul", ID % '"d\\u0000"', 0.666667),
    ("id escape", ID % '"\\u001b[2J"', 0.666667),
    ("id blank", ID % '"a b"', 0.666667),
    ("id newline", ID % '"a\\nb"', 0.666667),
    ("id long", ID % ('"' + "d" * 500000 + '"'), 0.666667),
    ("other names", '{"qid": "q1", "docno": "d1", "score": 1}\n', 0.5),
    (
        "unknown names",
        '{"a": "q1", "b": "d1", "c": 1}\n',
        "FormatError: a.jsonl has no column for query_id (columns: 'a', 'b', 'c')",
    ),
    ("names in upper case", '{"QUERY_ID": "q1", "DOC_ID": "d1", "SCORE": 1}\n', 0.5),
    (
        "10,000 keys",
        '{"query_id": "q1", "doc_id": "d1", "score": 1, ' + ", ".join(f'"k{i}": {i}' for i in range(10000)) + "}\n",
        0.5,
    ),
    ("json of a run", '{"q1": {"d1": 1}}\n', "FormatError: a.jsonl has no column for query_id (columns: 'q1')"),
    (
        "mongo export",
        '{"_id": {"$oid": "5f"}, "query_id": "q1", "doc_id": "d1", "score": {"$numberDouble": "1"}}\n',
        "FormatError: a.jsonl, line 1: '{'$numberDouble': '1'}' in the column 'score' is not a number",
    ),
    ("beir qrels keys", '{"query-id": "q1", "corpus-id": "d1", "score": 1}\n', 0.5),
    (
        "pyserini hits",
        '{"query_id": "q1", "hits": [{"docid": "d1", "score": 1}]}\n',
        "FormatError: a.jsonl has no column for doc_id (columns: 'query_id', 'hits')",
    ),
    (
        "elastic hits",
        '{"_index": "i", "_id": "d1", "_score": 1.5}\n',
        "FormatError: a.jsonl has no column for query_id (columns: '_index', '_id', '_score')",
    ),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), [case[1:] for case in CASES])
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.jsonl", ["rr"])["rr"], 6), expected)
