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
    ("good", J, 0.75),
    ("bom", b"\xef\xbb\xbf" + J.encode(), 0.75),
    ("utf-16", b"\xff\xfe" + J.encode("utf-16-le"), 0.75),
    ("utf-16 big", b"\xfe\xff" + J.encode("utf-16-be"), 0.75),
    ("number", "3", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '3'"),
    ("true", "true", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found 'true'"),
    ("comment line", "// run\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '// run'"),
    ("comment block", "/* run */" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '/* run"),
    (
        "comment inside",
        J.replace('"q2"', '/* x */ "q2"'),
        'FormatError: a.json, line 1: invalid JSON: expected a key in quotes, found \'/* x */ "q2": {"d3":\'',
    ),
    ("hash comment", "# run\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '# run'"),
    ("trailing comma inside", J.replace("1}", "1,}"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("single quotes", J.replace('"', "'"), "FormatError: a.json, line 1: invalid JSON: expected a key in quotes,"),
    ("no quotes", J.replace('"', ""), "FormatError: a.json, line 1: invalid JSON: expected a key in quotes, found"),
    ("-Infinity", V % "-Infinity", "DataError: a.json: ranking of query 'q1', document 'd1': the score is -inf"),
    ("true score", V % "true", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    ("string score", V % '"1.5"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    ("word score", V % '"high"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    ("list score", V % "[1]", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    ("object score", V % '{"score": 1}', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be"),
    ("int 10**40", V % ("1" + "0" * 40), 0.5),
    ("-0.0", V % "-0.0", 0.5),
    ("missing colon", J.replace('"q2":', '"q2"'), "FormatError: a.json, line 1: invalid JSON: expected ':', found"),
    ("lone surrogate", '{"q1": {"d\\ud800": 1}}', 0.0),
    ("surrogate pair", '{"q1": {"\\ud83d\\ude00": 2, "d1": 1}}', 0.25),
    ("escaped nul", '{"q1": {"d\\u0000": 1}}', 0.0),
    ("raw control", '{"q1": {"d\x01": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid control character"),
    ("raw newline in a string", '{"q1": {"d\n": 1}}', "FormatError: a.json, line 2: invalid JSON: Invalid control"),
    ("raw tab in a string", '{"q1": {"d\t": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid control"),
    ("bad escape", '{"q1": {"d\\x": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid \\escape"),
    ("empty query id", '{"": {"d1": 1}}', "DataError: a.json: run: an id is the empty string"),
    ("empty document id", '{"q1": {"": 1}}', "DataError: a.json: ranking of query 'q1': an id is the empty string"),
    ("blank document id", '{"q1": {" ": 1}}', 0.0),
    ("ranking list", '{"q1": ["d2", "d1"], "q2": ["d3"]}', 0.75),
    ("ranking list of numbers", '{"q1": [1, 2]}', 0.0),
    ("ranking pairs", '{"q1": [["d2", 2], ["d1", 1]], "q2": [["d3", 1]]}', 0.75),
    (
        "ranking objects",
        '{"q1": [{"doc_id": "d2", "score": 2}, {"doc_id": "d1", "score": 1}]}',
        "DataError: a.json: ranking of query 'q1': an id must be a string or an integer, not dict {'doc_id':",
    ),
    ("ranking mixed", '{"q1": ["d1", ["d2", 1]]}', "DataError: a.json: ranking of query 'q1': expected a document"),
    ("ranking number", '{"q1": 1}', "DataError: a.json: ranking of query 'q1' must be a dict of scores, a list of"),
    ("ranking empty", '{"q1": {}, "q2": ["d3"]}', 0.5),
    ("ranking empty list", '{"q1": [], "q2": ["d3"]}', 0.5),
    ("rankings of different kinds", '{"q1": ["d2", "d1"], "q2": {"d3": 1}}', 0.75),
    ("list of rankings", '[["d1"]]', "MismatchError: judgments and run have no query in common: the judgments have"),
    (
        "list of rows",
        '[{"query_id": "q1", "doc_id": "d1", "score": 1}]',
        "FormatError: a.json: a list of rows is not read",
    ),
    (
        "columns",
        '{"query_id": ["q1"], "doc_id": ["d1"], "score": [1]}',
        "MismatchError: judgments and run have no query in common: the judgments have 'q1', 'q2', the run has",
    ),
    (
        "pandas split",
        '{"columns": ["query_id","doc_id","score"], "index": [0], "data": [["q1","d1",1]]}',
        "DataError: a.json: ranking of query 'data', document 'q1': the score must be a number, not str 'd1'",
    ),
    (
        "pandas columns",
        '{"query_id": {"0": "q1"}, "doc_id": {"0": "d1"}, "score": {"0": 1}}',
        "DataError: a.json: ranking of query 'query_id', document '0': the score must be a number, not str 'q1'",
    ),
    ("html", "<html>", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '<html>'"),
    (
        "jsonl in json",
        '{"query_id": "q1", "doc_id": "d2", "score": 2}\n{"query_id": "q1", "doc_id": "d1", "score": 1}\n',
        0.25,
    ),
    ("nul bytes", b"\0" * 20, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found"),
    ("json text sequence", "\x1e" + J + "\n", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found"),
    ("jsonp", "callback(" + J + ")", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found"),
    ("anti-hijacking", ")]}'\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found ')]}''"),
    ("huge key", '{"q1": {"' + "d" * 1000000 + '": 2, "d1": 1}}', 0.25),
    ("nbsp as blank", J.replace(", ", ",\u00a0"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("form feed as blank", J.replace(", ", ",\f"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("denormal", V % "5e-324", 0.5),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), [case[1:] for case in CASES])
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.json", ["rr"])["rr"], 6), expected)
