"""Runs in JSON and JSON Lines as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("JSON files"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
J = '{"q1": {"d2": 2, "d1": 1}, "q2": {"d3": 5}}'
V = '{"q1": {"d1": %s}}'

FILES = [
    *((each, 0.75) for each in (
        J, b"\xef\xbb\xbf" + J.encode(), b"\xff\xfe" + J.encode("utf-16-le"), b"\xfe\xff" + J.encode("utf-16-be"),
        '{"q1": ["d2", "d1"], "q2": ["d3"]}', '{"q1": [["d2", 2], ["d1", 1]], "q2": [["d3", 1]]}',
        '{"q1": ["d2", "d1"], "q2": {"d3": 1}}',
    )),
    ("3", "line 1: invalid JSON: expected '{' or '[', found '3'"),
    ("<html>", "line 1: invalid JSON: expected '{' or '[', found '<html>'"),
    *((each, "line 1: invalid JSON: expected '{' or '[', found '") for each in (
        "true", "// run\n" + J, "/* run */" + J, "# run\n" + J, b"\0" * 20, "\x1e" + J + "\n", f"callback({J})", ")]}'\n" + J,
    )),
    (J.replace('"q2"', '/* x */ "q2"'), 'line 1: invalid JSON: expected a key in quotes, found \'/* x */ "q2": {"d3":\''),
    *((each, "line 1: invalid JSON: Expecting property") for each in (
        J.replace("1}", "1,}"), J.replace(", ", ",\u00a0"), J.replace(", ", ",\f"),
    )),
    (J.replace('"', "'"), "line 1: invalid JSON: expected a key in quotes,"),
    (J.replace('"', ""), "line 1: invalid JSON: expected a key in quotes, found"),
    (V % "-Infinity", "DataError: a.json: ranking of query 'q1', document 'd1': the score is -inf"),
    *((V % each, "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number, not ") for each in (
        "true", "[1]", '"1.5"', '"high"', '{"score": 1}',
    )),
    *((each, 0.5) for each in (
        V % ("1" + "0" * 40), V % "-0.0", '{"q1": {}, "q2": ["d3"]}', '{"q1": [], "q2": ["d3"]}', V % "5e-324",
    )),
    (J.replace('"q2":', '"q2"'), "line 1: invalid JSON: expected ':', found"),
    *((each, 0.0) for each in (
        '{"q1": {"d\\ud800": 1}}', '{"q1": {"d\\u0000": 1}}', '{"q1": {" ": 1}}', '{"q1": [1, 2]}',
    )),
    *((each, 0.25) for each in (
        '{"q1": {"\\ud83d\\ude00": 2, "d1": 1}}', '{"q1": {"' + "d" * 1000000 + '": 2, "d1": 1}}',
        '{"query_id": "q1", "doc_id": "d2", "score": 2}\n{"query_id": "q1", "doc_id": "d1", "score": 1}\n',
    )),
    ('{"q1": {"d\x01": 1}}', "line 1: invalid JSON: Invalid control character"),
    ('{"q1": {"d\n": 1}}', "line 2: invalid JSON: Invalid control"),
    ('{"q1": {"d\t": 1}}', "line 1: invalid JSON: Invalid control"),
    ('{"q1": {"d\\x": 1}}', "line 1: invalid JSON: Invalid \\escape"),
    ('{"": {"d1": 1}}', "DataError: a.json: run: an id is the empty string"),
    ('{"q1": {"": 1}}', "DataError: a.json: ranking of query 'q1': an id is the empty string"),
    ('{"q1": [{"doc_id": "d2", "score": 2}, {"doc_id": "d1", "score": 1}]}', "DataError: a.json: ranking of query 'q1': an id must be a string or an integer, not dict {'doc_id':"),
    ('{"q1": ["d1", ["d2", 1]]}', "DataError: a.json: ranking of query 'q1': expected a document"),
    ('{"q1": 1}', "DataError: a.json: ranking of query 'q1' must be a dict of scores, a list of"),
    ('[["d1"]]', "MismatchError: judgments and run have no query in common: the judgments have"),
    ('[{"query_id": "q1", "doc_id": "d1", "score": 1}]', "FormatError: a.json: a list of rows is not read"),
    ('{"query_id": ["q1"], "doc_id": ["d1"], "score": [1]}', "MismatchError: judgments and run have no query in common: the judgments have 'q1', 'q2', the run has"),
    ('{"columns": ["query_id","doc_id","score"], "index": [0], "data": [["q1","d1",1]]}', "DataError: a.json: ranking of query 'data', document 'q1': the score must be a number, not str 'd1'"),
    ('{"query_id": {"0": "q1"}, "doc_id": {"0": "d1"}, "score": {"0": 1}}', "DataError: a.json: ranking of query 'query_id', document '0': the score must be a number, not str 'q1'"),
]  # fmt: skip


@for_each(("content", "expected"), FILES)
def test_run_in_json(make, content, expected):
    make("a.json", content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.json", ["rr"])["rr"], 6), expected, "a.json")


A = '{"query_id": "q1", "doc_id": "d2", "score": 2}\n{"query_id": "q1", "doc_id": "d1", "score": 1}\n'
B = '{"query_id": "q2", "doc_id": "d3", "score": 5}\n'
V = '{"query_id": "q1", "doc_id": "d1", "score": %s}\n'
ID = '{"query_id": "q1", "doc_id": %s, "score": 9}\n' + A + B

LINES = [
    *((each, 0.75) for each in (A + B, (A + B).replace("\n", "\r\n"), (A + B).replace("\n", "\n\n"))),
    *(((A + B).replace("\n", end), "line 1: invalid JSON: unexpected text after the") for end in ("\r", ",\n")),
    ((A + B).replace("\n", " ", 1), "line 1: invalid JSON: unexpected text after the end at column 48"),
    ((A + B).replace("\n", "", 1), "line 1: invalid JSON: unexpected text after the end at column 47"),
    ('{"query_id": "q1",\n"doc_id": "d1", "score": 1}\n', "line 1: invalid JSON: Expecting property name enclosed in double quotes at column"),
    *((each, f"line 1: expected an object, found '{shown}'") for each, shown in (
        ('["q1", "d1", 1]\n', "['q1', 'd1', 1]"), ('"q1"\n"q2"\n', "q1"), ("null\n" + A, "None"), ("1\n2\n", "1"),
    )),
    ("{}\n" + A, "line 1: the column 'query_id' is empty"),
    (A.replace('"', "'"), "line 1: invalid JSON: Expecting property name"),
    ('{"query_id": "q1", "score": 1}\n', "has no column for doc_id (columns: 'query_id', 'score')"),
    ('{"doc_id": "d1", "score": 1}\n', "has no column for query_id (columns:"),
    ('{"query_id": "q1", "doc_id": "d1"}\n', "has no column for score (columns: 'query_id', 'doc_id')"),
    *((f'{A}{{"query_id": {each}, "doc_id": "d3", "score": 5}}\n', "line 3: the column 'query_id' is empty") for each in ("null", '""')),
    (A + '{"query_id": "q2", "doc_id": "d3", "doc_id": "d4", "score": 5}\n', "line 3: duplicate key 'doc_id'"),
    *((ID % word, 0.666667) for word in (
        '"d9"', "1" + "0" * 40, '"' + "d" * 500000 + '"', "17", "9223372036854775808", '"d\\u0000"', '"\\u001b[2J"',
        '"a b"', '"a\\nb"',
    )),
    *((V % each, "line 1: 'inf' in the column 'score' is not finite") for each in ("Infinity", "1e999")),
    *((each, 0.5) for each in (
        V % '"1.5"', V % ("1" + "0" * 40), V % "-0.0", V % "5e-324", '{"qid": "q1", "docno": "d1", "score": 1}\n',
        '{"QUERY_ID": "q1", "DOC_ID": "d1", "SCORE": 1}\n',
        '{"query_id": "q1", "doc_id": "d1", "score": 1, ' + ", ".join(f'"k{i}": {i}' for i in range(10000)) + "}\n",
        '{"query-id": "q1", "corpus-id": "d1", "score": 1}\n',
    )),
    *((V % each, f"line 1: '{shown}' in the column 'score' is not a number") for each, shown in (
        ('"1,5"', "1,5"), ('"high"', "high"), ('""', ""), ("[1]", "[1]"), ('{"v": 1}', "{'v': 1}"),
    )),
    (V % ("9" * 400), "line 1:"),
    *((ID % each, f"line 1: '{shown}' is not an id") for each, shown in (
        ("1.0", "1.0"), ('["d1"]', "['d1']"), ('{"$oid": "5f"}', "{'$oid': '5f'}"), ("NaN", "nan"),
    )),
    ('{"a": "q1", "b": "d1", "c": 1}\n', "has no column for query_id (columns: 'a', 'b', 'c')"),
    ('{"q1": {"d1": 1}}\n', "has no column for query_id (columns: 'q1')"),
    ('{"_id": {"$oid": "5f"}, "query_id": "q1", "doc_id": "d1", "score": {"$numberDouble": "1"}}\n', "line 1: '{'$numberDouble': '1'}' in the column 'score' is not a number"),
    ('{"query_id": "q1", "hits": [{"docid": "d1", "score": 1}]}\n', "has no column for doc_id (columns: 'query_id', 'hits')"),
    ('{"_index": "i", "_id": "d1", "_score": 1.5}\n', "has no column for query_id (columns: '_index', '_id', '_score')"),
]  # fmt: skip


@for_each(("content", "expected"), LINES)
def test_run_in_json_lines(make, content, expected):
    make("a.jsonl", content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.jsonl", ["rr"])["rr"], 6), expected, "a.jsonl")
