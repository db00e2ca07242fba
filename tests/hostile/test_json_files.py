"""Runs in JSON as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check, names

pytestmark = pytest.mark.attack("JSON files")

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
J = '{"q1": {"d2": 2, "d1": 1}, "q2": {"d3": 5}}'
V = '{"q1": {"d1": %s}}'

CASES = [
    ("good", J, 0.75),
    ("bom", b"\xef\xbb\xbf" + J.encode(), 0.75),
    ("utf-16", b"\xff\xfe" + J.encode("utf-16-le"), 0.75),
    ("utf-16 big", b"\xfe\xff" + J.encode("utf-16-be"), 0.75),
    ("utf-16 bare", J.encode("utf-16-le"), "FormatError: a.json: the text is UTF-16 without a byte-order mark,"),
    ("utf-32", J.encode("utf-32"), "FormatError: a.json: the text is UTF-32, which is not read"),
    ("latin-1", J.replace("d1", "dé").encode("latin-1"), "FormatError: a.json, line 1: bytes that are not UTF-8"),
    ("empty", "", "FormatError: a.json: the file is empty"),
    ("blank", "  \n", "FormatError: a.json: the file is empty"),
    ("null", "null", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found 'null'"),
    ("number", "3", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '3'"),
    ("string", '"q1"', "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '\"q1\"'"),
    ("true", "true", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found 'true'"),
    ("empty object", "{}", "DataError: a.json has no rankings"),
    ("empty list", "[]", "DataError: a.json has no rankings"),
    ("comment line", "// run\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '// run'"),
    ("comment block", "/* run */" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '/* run"),
    (
        "comment inside",
        J.replace('"q2"', '/* x */ "q2"'),
        'FormatError: a.json, line 1: invalid JSON: expected a key in quotes, found \'/* x */ "q2": {"d3":\'',
    ),
    ("hash comment", "# run\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found '# run'"),
    ("trailing comma", J[:-1] + ",}", "FormatError: a.json, line 1: invalid JSON: expected a key in quotes, found '}'"),
    ("trailing comma inside", J.replace("1}", "1,}"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("single quotes", J.replace('"', "'"), "FormatError: a.json, line 1: invalid JSON: expected a key in quotes,"),
    ("no quotes", J.replace('"', ""), "FormatError: a.json, line 1: invalid JSON: expected a key in quotes, found"),
    ("python None", V % "None", "FormatError: a.json, line 1: invalid JSON: Expecting value"),
    ("python True", V % "True", "FormatError: a.json, line 1: invalid JSON: Expecting value"),
    ("NaN", V % "NaN", "DataError: a.json: ranking of query 'q1', document 'd1': the score is NaN"),
    ("Infinity", V % "Infinity", "DataError: a.json: ranking of query 'q1', document 'd1': the score is inf"),
    ("-Infinity", V % "-Infinity", "DataError: a.json: ranking of query 'q1', document 'd1': the score is -inf"),
    ("1e400", V % "1e400", "DataError: a.json: ranking of query 'q1', document 'd1': the score is inf"),
    ("null score", V % "null", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    ("true score", V % "true", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    ("string score", V % '"1.5"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    ("word score", V % '"high"', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a"),
    ("list score", V % "[1]", "DataError: a.json: ranking of query 'q1', document 'd1': the score must be a number,"),
    ("object score", V % '{"score": 1}', "DataError: a.json: ranking of query 'q1', document 'd1': the score must be"),
    ("int of 400 digits", V % ("9" * 400), "DataError: a.json: ranking of query 'q1', document 'd1': the score is too"),
    ("int of 5000 digits", V % ("9" * 5000), "FormatError: a.json, line 1: invalid JSON: a number has too many digits"),
    ("int 10**40", V % ("1" + "0" * 40), 0.5),
    ("-0.0", V % "-0.0", 0.5),
    ("leading zero", V % "01", "FormatError: a.json, line 1: invalid JSON: Expecting ',' delimiter"),
    ("leading plus", V % "+1", "FormatError: a.json, line 1: invalid JSON: Expecting value"),
    ("hex", V % "0x10", "FormatError: a.json, line 1: invalid JSON: Expecting ',' delimiter"),
    ("dot five", V % ".5", "FormatError: a.json, line 1: invalid JSON: Expecting value"),
    ("five dot", V % "5.", "FormatError: a.json, line 1: invalid JSON: Expecting ',' delimiter"),
    ("underscore", V % "1_000", "FormatError: a.json, line 1: invalid JSON: Expecting ',' delimiter"),
    ("two documents", J + "\n" + J, "FormatError: a.json, line 2: invalid JSON: unexpected text after the end"),
    ("two documents on a line", J + J, "FormatError: a.json, line 1: invalid JSON: unexpected text after the end"),
    ("cut", J[:-1], "FormatError: a.json, line 1: invalid JSON: expected '}', found the end of the file"),
    ("cut in a string", J[:25], "FormatError: a.json, line 1: invalid JSON: expected '}', found the end of the file"),
    ("cut in a number", J[:20], "FormatError: a.json, line 1: invalid JSON: Unterminated string"),
    ("cut after colon", J[:7], "FormatError: a.json, line 1: invalid JSON: Expecting value"),
    ("text after", J + " x", "FormatError: a.json, line 1: invalid JSON: unexpected text after the end"),
    ("missing comma", J.replace(", ", " "), "FormatError: a.json, line 1: invalid JSON: Expecting ',' delimiter"),
    ("missing colon", J.replace('"q2":', '"q2"'), "FormatError: a.json, line 1: invalid JSON: expected ':', found"),
    ("duplicate query", J[:-1] + ', "q1": {"d9": 1}}', "DuplicateError: a.json, line 1: duplicate query id 'q1'"),
    (
        "duplicate document",
        '{"q1": {"d1": 1, "d1": 2}}',
        "DuplicateError: a.json: query 'q1' lists document 'd1' more than once",
    ),
    (
        "duplicate by escape",
        '{"q1": {"d1": 1, "d\\u0031": 2}}',
        "DuplicateError: a.json: query 'q1' lists document 'd1' more than once",
    ),
    (
        "duplicate query by escape",
        '{"q1": {"d1": 1}, "q\\u0031": {"d1": 2}}',
        "DuplicateError: a.json, line 1: duplicate query id 'q1'",
    ),
    ("lone surrogate", '{"q1": {"d\\ud800": 1}}', 0.0),
    ("lone surrogate query", '{"q\\ud800": {"d1": 1}}', "DataError: a.json: run: an id is not valid Unicode"),
    ("surrogate pair", '{"q1": {"\\ud83d\\ude00": 2, "d1": 1}}', 0.25),
    ("escaped nul", '{"q1": {"d\\u0000": 1}}', 0.0),
    ("raw control", '{"q1": {"d\x01": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid control character"),
    ("raw newline in a string", '{"q1": {"d\n": 1}}', "FormatError: a.json, line 2: invalid JSON: Invalid control"),
    ("raw tab in a string", '{"q1": {"d\t": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid control"),
    ("bad escape", '{"q1": {"d\\x": 1}}', "FormatError: a.json, line 1: invalid JSON: Invalid \\escape"),
    ("empty query id", '{"": {"d1": 1}}', "DataError: a.json: run: an id is the empty string"),
    ("empty document id", '{"q1": {"": 1}}', "DataError: a.json: ranking of query 'q1': an id is the empty string"),
    ("blank document id", '{"q1": {" ": 1}}', 0.0),
    (
        "nested 100000",
        '{"q1": ' + "[" * 100000 + "]" * 100000 + "}",
        "FormatError: a.json, line 1: invalid JSON: the values are nested too deeply",
    ),
    (
        "nested objects 100000",
        '{"a": ' * 100000 + "1" + "}" * 100000,
        "FormatError: a.json, line 1: invalid JSON: the values are nested too deeply",
    ),
    ("ranking list", '{"q1": ["d2", "d1"], "q2": ["d3"]}', 0.75),
    ("ranking list of numbers", '{"q1": [1, 2]}', 0.0),
    ("ranking pairs", '{"q1": [["d2", 2], ["d1", 1]], "q2": [["d3", 1]]}', 0.75),
    ("ranking triples", '{"q1": [["d1", 1, 2]]}', "DataError: a.json: ranking of query 'q1': rank 2 at position 1"),
    (
        "ranking objects",
        '{"q1": [{"doc_id": "d2", "score": 2}, {"doc_id": "d1", "score": 1}]}',
        "DataError: a.json: ranking of query 'q1': an id must be a string or an integer, not dict {'doc_id':",
    ),
    ("ranking mixed", '{"q1": ["d1", ["d2", 1]]}', "DataError: a.json: ranking of query 'q1': expected a document"),
    ("ranking null", '{"q1": null, "q2": ["d3"]}', "DataError: a.json: ranking of query 'q1' must be a dict of"),
    ("ranking string", '{"q1": "d1"}', "DataError: a.json: ranking of query 'q1' must be a dict of scores, a list"),
    ("ranking number", '{"q1": 1}', "DataError: a.json: ranking of query 'q1' must be a dict of scores, a list of"),
    ("ranking empty", '{"q1": {}, "q2": ["d3"]}', 0.5),
    ("ranking empty list", '{"q1": [], "q2": ["d3"]}', 0.5),
    ("rankings of different kinds", '{"q1": ["d2", "d1"], "q2": {"d3": 1}}', 0.75),
    ("duplicate in a list", '{"q1": ["d1", "d1"]}', "DuplicateError: a.json: query 'q1' lists document 'd1' more"),
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
    ("bytes", b"\x80\x81", "FormatError: a.json, line 1: bytes that are not UTF-8"),
    ("ctrl-z", J + "\x1a", "FormatError: a.json, line 1: invalid JSON: unexpected text after the end"),
    ("json text sequence", "\x1e" + J + "\n", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found"),
    ("jsonp", "callback(" + J + ")", "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found"),
    ("anti-hijacking", ")]}'\n" + J, "FormatError: a.json, line 1: invalid JSON: expected '{' or '[', found ')]}''"),
    ("huge key", '{"q1": {"' + "d" * 1000000 + '": 2, "d1": 1}}', 0.25),
    ("bom in the middle", J + "\ufeff", "FormatError: a.json, line 1: invalid JSON: unexpected text after the end"),
    ("nbsp as blank", J.replace(", ", ",\u00a0"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("form feed as blank", J.replace(", ", ",\f"), "FormatError: a.json, line 1: invalid JSON: Expecting property"),
    ("exponent 4 digits", V % "1e1000", "DataError: a.json: ranking of query 'q1', document 'd1': the score is inf"),
    (
        "exponent huge",
        V % ("1e" + "9" * 1000),
        "DataError: a.json: ranking of query 'q1', document 'd1': the score is inf",
    ),
    ("denormal", V % "5e-324", 0.5),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@pytest.mark.parametrize(("content", "expected"), [case[1:] for case in CASES], ids=names(CASES))
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.json", ["rr"])["rr"], 6), expected)
