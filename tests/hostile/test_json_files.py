"""Runs in JSON as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("JSON files")

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
J = '{"q1": {"d2": 2, "d1": 1}, "q2": {"d3": 5}}'
V = '{"q1": {"d1": %s}}'

CASES = [
    (J, 0.75),
    (b"\xef\xbb\xbf" + J.encode(), 0.75),
    (b"\xff\xfe" + J.encode("utf-16-le"), 0.75),
    (b"\xfe\xff" + J.encode("utf-16-be"), 0.75),
    ("3", "line 1: invalid JSON: expected '{' or '[', found '3'"),
    ("true", "line 1: invalid JSON: expected '{' or '[', found 'true'"),
    ("// run\n" + J, "line 1: invalid JSON: expected '{' or '[', found '// run'"),
    ("/* run */" + J, "line 1: invalid JSON: expected '{' or '[', found '/* run"),
    (
        J.replace('"q2"', '/* x */ "q2"'),
        'line 1: invalid JSON: expected a key in quotes, found \'/* x */ "q2": {"d3":\'',
    ),
    ("# run\n" + J, "line 1: invalid JSON: expected '{' or '[', found '# run'"),
    (J.replace("1}", "1,}"), "line 1: invalid JSON: Expecting property"),
    (J.replace('"', "'"), "line 1: invalid JSON: expected a key in quotes,"),
    (J.replace('"', ""), "line 1: invalid JSON: expected a key in quotes, found"),
    (V % "-Infinity", "DataError: a.json: ranking of query 'q1', document 'd1': the score is -inf"),
    (V % "true", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    (V % '"1.5"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    (V % '"high"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    (V % "[1]", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    (V % '{"score": 1}', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be"),
    (V % ("1" + "0" * 40), 0.5),
    (V % "-0.0", 0.5),
    (J.replace('"q2":', '"q2"'), "line 1: invalid JSON: expected ':', found"),
    ('{"q1": {"d\\ud800": 1}}', 0.0),
    ('{"q1": {"\\ud83d\\ude00": 2, "d1": 1}}', 0.25),
    ('{"q1": {"d\\u0000": 1}}', 0.0),
    ('{"q1": {"d\x01": 1}}', "line 1: invalid JSON: Invalid control character"),
    ('{"q1": {"d\n": 1}}', "line 2: invalid JSON: Invalid control"),
    ('{"q1": {"d\t": 1}}', "line 1: invalid JSON: Invalid control"),
    ('{"q1": {"d\\x": 1}}', "line 1: invalid JSON: Invalid \\escape"),
    ('{"": {"d1": 1}}', "DataError: a.json: run: an id is the empty string"),
    ('{"q1": {"": 1}}', "DataError: a.json: ranking of query 'q1': an id is the empty string"),
    ('{"q1": {" ": 1}}', 0.0),
    ('{"q1": ["d2", "d1"], "q2": ["d3"]}', 0.75),
    ('{"q1": [1, 2]}', 0.0),
    ('{"q1": [["d2", 2], ["d1", 1]], "q2": [["d3", 1]]}', 0.75),
    (
        '{"q1": [{"doc_id": "d2", "score": 2}, {"doc_id": "d1", "score": 1}]}',
        "DataError: a.json: ranking of query 'q1': an id must be a string or an integer, not dict {'doc_id':",
    ),
    ('{"q1": ["d1", ["d2", 1]]}', "DataError: a.json: ranking of query 'q1': expected a document"),
    ('{"q1": 1}', "DataError: a.json: ranking of query 'q1' must be a dict of scores, a list of"),
    ('{"q1": {}, "q2": ["d3"]}', 0.5),
    ('{"q1": [], "q2": ["d3"]}', 0.5),
    ('{"q1": ["d2", "d1"], "q2": {"d3": 1}}', 0.75),
    ('[["d1"]]', "MismatchError: judgments and run have no query in common: the judgments have"),
    ('[{"query_id": "q1", "doc_id": "d1", "score": 1}]', "FormatError: a.json: a list of rows is not read"),
    (
        '{"query_id": ["q1"], "doc_id": ["d1"], "score": [1]}',
        "MismatchError: judgments and run have no query in common: the judgments have 'q1', 'q2', the run has",
    ),
    (
        '{"columns": ["query_id","doc_id","score"], "index": [0], "data": [["q1","d1",1]]}',
        "DataError: a.json: ranking of query 'data', document 'q1': the score must be a number, not str 'd1'",
    ),
    (
        '{"query_id": {"0": "q1"}, "doc_id": {"0": "d1"}, "score": {"0": 1}}',
        "DataError: a.json: ranking of query 'query_id', document '0': the score must be a number, not str 'q1'",
    ),
    ("<html>", "line 1: invalid JSON: expected '{' or '[', found '<html>'"),
    ('{"query_id": "q1", "doc_id": "d2", "score": 2}\n{"query_id": "q1", "doc_id": "d1", "score": 1}\n', 0.25),
    (b"\0" * 20, "line 1: invalid JSON: expected '{' or '[', found"),
    ("\x1e" + J + "\n", "line 1: invalid JSON: expected '{' or '[', found"),
    ("callback(" + J + ")", "line 1: invalid JSON: expected '{' or '[', found"),
    (")]}'\n" + J, "line 1: invalid JSON: expected '{' or '[', found ')]}''"),
    ('{"q1": {"' + "d" * 1000000 + '": 2, "d1": 1}}', 0.25),
    (J.replace(", ", ",\u00a0"), "line 1: invalid JSON: Expecting property"),
    (J.replace(", ", ",\f"), "line 1: invalid JSON: Expecting property"),
    (V % "5e-324", 0.5),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), CASES)
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.json", ["rr"])["rr"], 6), expected, "a.json")
