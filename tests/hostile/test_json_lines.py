"""Runs in JSON Lines as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check, names

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
    ("bom in the middle", A + "\ufeff" + B, "FormatError: a.jsonl, line 3: invalid JSON: Expecting value at column 1"),
    ("trailing commas", (A + B).replace("\n", ",\n"), "FormatError: a.jsonl, line 1: invalid JSON: unexpected text"),
    (
        "in brackets",
        "[" + (A + B).replace("\n", ",\n")[:-2] + "]",
        "FormatError: a.jsonl, line 1: invalid JSON: Expecting value at column 1",
    ),
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
    ("cut line", A + B[:20], "FormatError: a.jsonl, line 3: invalid JSON: Unterminated string at column 20"),
    ("comment line", "# run\n" + A, "FormatError: a.jsonl, line 1: invalid JSON: Expecting value at column 1"),
    ("slash comment", "// run\n" + A, "FormatError: a.jsonl, line 1: invalid JSON: Expecting value at column 1"),
    ("array lines", '["q1", "d1", 1]\n', "FormatError: a.jsonl, line 1: expected an object, found '['q1', 'd1', 1]'"),
    ("string lines", '"q1"\n"q2"\n', "FormatError: a.jsonl, line 1: expected an object, found 'q1'"),
    ("null line", "null\n" + A, "FormatError: a.jsonl, line 1: expected an object, found 'None'"),
    ("number lines", "1\n2\n", "FormatError: a.jsonl, line 1: expected an object, found '1'"),
    ("empty object", "{}\n" + A, "FormatError: a.jsonl, line 1: the column 'query_id' is empty"),
    ("empty", "", "DataError: a.jsonl has no rankings"),
    ("blank", " \n\n", "DataError: a.jsonl has no rankings"),
    ("record separator", "\x1e" + A, "FormatError: a.jsonl, line 1: invalid JSON: Expecting value at column 1"),
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
        "missing document in one row",
        A + '{"query_id": "q2", "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'doc_id' is empty",
    ),
    (
        "missing score in one row",
        A + '{"query_id": "q2", "doc_id": "d3"}\n',
        "FormatError: a.jsonl, line 3: the column 'score' is empty",
    ),
    (
        "null document",
        A + '{"query_id": "q2", "doc_id": null, "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'doc_id' is empty",
    ),
    (
        "null query",
        A + '{"query_id": null, "doc_id": "d3", "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'query_id' is empty",
    ),
    (
        "empty document",
        A + '{"query_id": "q2", "doc_id": "", "score": 5}\n',
        "FormatError: a.jsonl, line 3: the column 'doc_id' is empty",
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
    ("duplicate document", A + B + B, "DuplicateError: a.jsonl: query 'q2' lists document 'd3' more than once"),
    ("query apart", A + B + '{"query_id": "q1", "doc_id": "d9", "score": 9}\n', 0.666667),
    (
        "nested too deeply",
        '{"query_id": ' + "[" * 100000 + "\n",
        "FormatError: a.jsonl, line 1: invalid JSON: the values are nested too deeply",
    ),
    ("NaN", V % "NaN", "FormatError: a.jsonl, line 1: 'nan' in the column 'score' is not finite"),
    ("Infinity", V % "Infinity", "FormatError: a.jsonl, line 1: 'inf' in the column 'score' is not finite"),
    ("1e999", V % "1e999", "FormatError: a.jsonl, line 1: 'inf' in the column 'score' is not finite"),
    ("null score", V % "null", "FormatError: a.jsonl, line 1: the column 'score' is empty"),
    ("true score", V % "true", "FormatError: a.jsonl, line 1: 'True' in the column 'score' is not a number"),
    ("text score", V % '"1.5"', 0.5),
    ("comma score", V % '"1,5"', "FormatError: a.jsonl, line 1: '1,5' in the column 'score' is not a number"),
    ("word score", V % '"high"', "FormatError: a.jsonl, line 1: 'high' in the column 'score' is not a number"),
    ("empty score", V % '""', "FormatError: a.jsonl, line 1: '' in the column 'score' is not a number"),
    ("list score", V % "[1]", "FormatError: a.jsonl, line 1: '[1]' in the column 'score' is not a number"),
    ("object score", V % '{"v": 1}', "FormatError: a.jsonl, line 1: '{'v': 1}' in the column 'score' is not a number"),
    ("400 digits", V % ("9" * 400), "FormatError: a.jsonl, line 1:"),
    ("5000 digits", V % ("9" * 5000), "FormatError: a.jsonl, line 1: invalid JSON: a number has too many digits"),
    ("10**40", V % ("1" + "0" * 40), 0.5),
    ("-0.0", V % "-0.0", 0.5),
    ("denormal", V % "5e-324", 0.5),
    ("id number", ID % "17", 0.666667),
    ("id 2**63", ID % "9223372036854775808", 0.666667),
    ("id 10**40", ID % ("1" + "0" * 40), 0.666667),
    ("id float", ID % "1.5", "FormatError: a.jsonl, line 1: '1.5' is not an id"),
    ("id whole float", ID % "1.0", "FormatError: a.jsonl, line 1: '1.0' is not an id"),
    ("id true", ID % "true", "FormatError: a.jsonl, line 1: 'True' is not an id"),
    ("id list", ID % '["d1"]', "FormatError: a.jsonl, line 1: '['d1']' is not an id"),
    ("id object", ID % '{"$oid": "5f"}', "FormatError: a.jsonl, line 1: '{'$oid': '5f'}' is not an id"),
    ("id nan", ID % "NaN", "FormatError: a.jsonl, line 1: 'nan' is not an id"),
    ("id lone surrogate", ID % '"\\ud800"', "FormatError: a.jsonl, line 1: '\\ud800' is not an id"),
    ("id nul", ID % '"d\\u0000"', 0.666667),
    ("id escape", ID % '"\\u001b[2J"', 0.666667),
    ("id blank", ID % '"a b"', 0.666667),
    ("id newline", ID % '"a\\nb"', 0.666667),
    ("id long", ID % ('"' + "d" * 500000 + '"'), 0.666667),
    ("line too long", ID % ('"' + "d" * (2 << 20) + '"'), "LimitError: a.jsonl, line 1: longer than 1 MiB"),
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
    ("latin-1", A.replace("d1", "dé").encode("latin-1"), "FormatError: a.jsonl, line 2: bytes that are not UTF-8"),
    ("nul byte", A.encode() + b"\0", "FormatError: a.jsonl, line 3: invalid JSON: Expecting value at column 1"),
    ("ctrl-z", A + B + "\x1a", "FormatError: a.jsonl, line 4: invalid JSON: Expecting value at column 1"),
    ("html", "<html>\n", "FormatError: a.jsonl, line 1: invalid JSON: Expecting value at column 1"),
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
@pytest.mark.parametrize(("content", "expected"), [case[1:] for case in CASES], ids=names(CASES))
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.jsonl", ["rr"])["rr"], 6), expected)
