"""Runs in CSV as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("Tables")

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
C = "query_id,doc_id,score\nq1,d2,2\nq1,d1,1\nq2,d3,5\n"
V = "query_id,doc_id,score\nq1,d1,%s\n"

CASES = [
    ("good", C, 0.75),
    ("crlf", C.replace("\n", "\r\n"), 0.75),
    ("no last newline", C[:-1], 0.75),
    ("blank lines", C.replace("\n", "\n\n"), 0.75),
    ("leading blank lines", "\n\n" + C, 0.75),
    ("bom", b"\xef\xbb\xbf" + C.encode(), 0.75),
    (
        "two boms",
        b"\xef\xbb\xbf\xef\xbb\xbf" + C.encode(),
        "FormatError: a.csv has no column for query_id (columns: '\\ufeffquery_id', 'doc_id', 'score')",
    ),
    ("bom in the middle", C.replace("q2", "\ufeffq2"), "FormatError: a.csv, line 4: a byte-order mark (U+FEFF)"),
    (
        "bom before a document",
        C.replace("d3", "\ufeffd3"),
        "FormatError: a.csv, line 4: a byte-order mark (U+FEFF) begins the field, perhaps where two files were",
    ),
    ("bom and quotes", b"\xef\xbb\xbf" + C.replace("query_id", '"query_id"').encode(), 0.75),
    ("utf-16", b"\xff\xfe" + C.encode("utf-16-le"), 0.75),
    ("utf-16 big", b"\xfe\xff" + C.encode("utf-16-be"), 0.75),
    (
        "utf-16 excel",
        b"\xff\xfe" + C.replace(",", "\t").replace("\n", "\r\n").encode("utf-16-le"),
        "FormatError: a.csv, line 1: the columns are separated by '\\t', not by ','",
    ),
    ("utf-16 bare", C.encode("utf-16-le"), "FormatError: a.csv: the text is UTF-16 without a byte-order mark, which"),
    ("unknown columns", "a,b,c\nq1,d1,1\n", "FormatError: a.csv has no column for query_id (columns: 'a', 'b', 'c')"),
    ("no score column", "query_id,doc_id\nq1,d1\n", "FormatError: a.csv has no column for score (columns:"),
    ("no query column", "doc_id,score\nd1,1\n", "FormatError: a.csv has no column for query_id (columns: 'doc_id',"),
    ("no document column", "query_id,score\nq1,1\n", "FormatError: a.csv has no column for doc_id (columns:"),
    ("duplicate header", "query_id,doc_id,doc_id,score\nq1,d1,d2,1\n", "FormatError: a.csv: duplicate column 'doc_id'"),
    ("two score columns", "query_id,doc_id,score,similarity\nq1,d1,1,2\n", 0.5),
    ("empty header cell", "query_id,doc_id,score,\nq1,d1,1,\n", 0.5),
    ("pandas index", ",query_id,doc_id,score\n0,q1,d1,1\n", 0.5),
    ("header case", "Query_ID,Doc_Id,SCORE\nq1,d1,1\n", 0.5),
    (
        "header blanks",
        " query_id , doc_id , score \nq1,d1,1\n",
        "FormatError: a.csv has no column for query_id (columns: ' query_id ', ' doc_id ', ' score ')",
    ),
    ("header quoted", '"query_id","doc_id","score"\n"q1","d1","1"\n', 0.5),
    ("header hyphens", "query-id,doc-id,score\nq1,d1,1\n", 0.5),
    ("tabs", C.replace(",", "\t"), "FormatError: a.csv, line 1: the columns are separated by '\\t', not by ','"),
    ("pipes", C.replace(",", "|"), "FormatError: a.csv, line 1: the columns are separated by '|', not by ','"),
    ("sep line", "sep=,\n" + C, "FormatError: a.csv, line 1: 'sep=,' is for Excel alone"),
    ("sep semicolon", "sep=;\n" + C.replace(",", ";"), "FormatError: a.csv, line 1: 'sep=;' is for Excel alone"),
    ("comment", "# made by x\n" + C, "FormatError: a.csv, line 2: 3 fields, but the header has 1"),
    ("title line", "My results\n" + C, "FormatError: a.csv, line 2: 3 fields, but the header has 1"),
    ("trailing comma everywhere", C.replace("\n", ",\n"), 0.75),
    ("quote in the middle of a cell", C + 'q2,d9"x"y,1\n', 0.75),
    ("newline in quotes", C + 'q2,"d\n9",1\n', 0.75),
    ("comma in quotes", C + 'q2,"d,9",1\n', 0.75),
    ("doubled quotes", C + 'q2,"d""9",1\n', 0.75),
    ("smart quotes", C.replace("d1", "“d1”"), 0.5),
    ("single quotes", C.replace("d1", "'d1'"), 0.5),
    ("score comma", V % '"1,5"', "FormatError: a.csv, line 2: '1,5' in the column 'score' is not a number"),
    ("score thousands", V % '"1,234.5"', "FormatError: a.csv, line 2: '1,234.5' in the column 'score' is not a number"),
    ("score apostrophe", V % "1'000", "FormatError: a.csv, line 2: '1'000' in the column 'score' is not a number"),
    ("score percent", V % "50%", "FormatError: a.csv, line 2: '50%' in the column 'score' is not a number"),
    ("score minus", V % "−1", "FormatError: a.csv, line 2: '−1' in the column 'score' is not a number"),
    ("score plus", V % "+1", 0.5),
    ("score blanks", V % " 1.5 ", 0.5),
    ("score nbsp", V % "\u00a01.5", 0.5),
    ("score exp", V % "1e3", 0.5),
    ("score EXP", V % "1.5E+05", 0.5),
    ("score hex", V % "0x10", "FormatError: a.csv, line 2: '0x10' in the column 'score' is not a number"),
    ("score NaN", V % "NaN", "FormatError: a.csv, line 2: 'NaN' in the column 'score' is not finite"),
    ("score inf", V % "inf", "FormatError: a.csv, line 2: 'inf' in the column 'score' is not finite"),
    ("score Infinity", V % "-Infinity", "FormatError: a.csv, line 2: '-Infinity' in the column 'score' is not finite"),
    ("score 1e309", V % "1e309", "FormatError: a.csv, line 2: '1e309' in the column 'score' is not finite"),
    ("score NA", V % "NA", "FormatError: a.csv, line 2: 'NA' in the column 'score' is not a number"),
    ("score null", V % "null", "FormatError: a.csv, line 2: 'null' in the column 'score' is not a number"),
    ("score None", V % "None", "FormatError: a.csv, line 2: 'None' in the column 'score' is not a number"),
    ("score dash", V % "-", "FormatError: a.csv, line 2: '-' in the column 'score' is not a number"),
    ("score #DIV/0!", V % "#DIV/0!", "FormatError: a.csv, line 2: '#DIV/0!' in the column 'score' is not a number"),
    ("score formula", V % "=1+1", "FormatError: a.csv, line 2: '=1+1' in the column 'score' is not a number"),
    ("score quoted formula", V % '"=""1"""', "FormatError: a.csv, line 2: '=\"1\"' in the column 'score' is not a"),
    ("score true", V % "TRUE", "FormatError: a.csv, line 2: 'TRUE' in the column 'score' is not a number"),
    ("score date", V % "2024-01-01", "FormatError: a.csv, line 2: '2024-01-01' in the column 'score' is not a number"),
    ("score time", V % "01:30", "FormatError: a.csv, line 2: '01:30' in the column 'score' is not a number"),
    ("score fraction", V % "1/2", "FormatError: a.csv, line 2: '1/2' in the column 'score' is not a number"),
    ("score currency", V % "$1.5", "FormatError: a.csv, line 2: '$1.5' in the column 'score' is not a number"),
    ("score fullwidth", V % "１", "FormatError: a.csv, line 2: '１' in the column 'score' is not a number"),
    ("score underscore", V % "1_000", "FormatError: a.csv, line 2: '1_000' in the column 'score' is not a number"),
    ("score 400 digits", V % ("9" * 400), "FormatError: a.csv, line 2:"),
    ("score denormal", V % "5e-324", 0.5),
    ("score -0", V % "-0", 0.5),
    ("score json", V % '"[1]"', "FormatError: a.csv, line 2: '[1]' in the column 'score' is not a number"),
    ("score trailing dot", V % "1.", 0.5),
    ("score leading dot", V % ".5", 0.5),
    ("query blank", C + " ,d9,1\n", 0.75),
    ("document null", C + "q2,null,1\n", 0.75),
    ("document NA", C + "q2,NA,1\n", 0.75),
    ("ids with blanks around", C.replace("d1", " d1 "), 0.5),
    ("ids leading zeros", C.replace("d1", "001"), 0.5),
    ("ids as floats", C.replace("d1", "1.0"), 0.5),
    ("ids in scientific notation", C.replace("d1", "1.23457E+17"), 0.5),
    ("ids as dates", C.replace("d1", "2-Jan"), 0.5),
    ("escape in id", C.replace("d1", "d\x1b[2J"), 0.5),
    ("u2028 in id", C.replace("d1", "d\u20281"), 0.5),
    ("vertical tab in id", C.replace("d1", "d\v1"), 0.5),
    ("formula id", C.replace("d1", "=cmd|' /C calc'!A0"), 0.5),
    ("query apart", C + "q1,d9,9\n", 0.666667),
    ("header again", C + C, "FormatError: a.csv, line 5: 'score' in the column 'score' is not a number"),
    (
        "rank column",
        "query_id,doc_id,rank\nq1,d2,1\nq1,d1,2\nq2,d3,1\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    (
        "rank from 0",
        "query_id,doc_id,rank\nq1,d2,0\nq1,d1,1\nq2,d3,0\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    ("rank and score", "query_id,doc_id,rank,score\nq1,d2,1,0.1\nq1,d1,2,0.9\nq2,d3,1,1\n", 1.0),
    (
        "rank duplicate",
        "query_id,doc_id,rank\nq1,d2,1\nq1,d1,1\nq2,d3,1\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    (
        "rank gap",
        "query_id,doc_id,rank\nq1,d2,1\nq1,d1,3\nq2,d3,1\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    (
        "rank word",
        "query_id,doc_id,rank\nq1,d2,first\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    ("rank float", "query_id,doc_id,rank\nq1,d2,1.5\n", "FormatError: a.csv has no column for score (columns:"),
    (
        "rank negative",
        "query_id,doc_id,rank\nq1,d2,-1\nq1,d1,1\nq2,d3,1\n",
        "FormatError: a.csv has no column for score (columns: 'query_id', 'doc_id', 'rank')",
    ),
    (
        "markdown table",
        "| query_id | doc_id | score |\n|---|---|---|\n| q1 | d1 | 1 |\n",
        "FormatError: a.csv, line 1: the columns are separated by '|', not by ','",
    ),
    ("html", "<table><tr><td>q1", "FormatError: a.csv has no column for query_id (columns: '<table><tr><td>q1')"),
    ("json", '{"q1": {"d1": 1}}', 'FormatError: a.csv has no column for query_id (columns: \'{"q1": {"d1": 1}}\')'),
    ("trec", "q1 Q0 d1 1 2 t\n", "FormatError: a.csv has no column for query_id (columns: 'q1 Q0 d1 1 2 t')"),
    ("parquet named csv", b"PAR1\x15\x04", "FormatError: a.csv has no column for query_id (columns:"),
    (
        "20,000 columns",
        ",".join(f"c{i}" for i in range(20000)) + "\n",
        "FormatError: a.csv has no column for query_id (columns: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7',",
    ),
    ("a cell of 2 MiB", C.replace("d1", "d" * (2 << 20)), 0.5),
    ("long header", "query_id,doc_id,score," + "x" * 100000 + "\nq1,d1,1,\n", 0.5),
    ("spark null", C + "q2,\\N,1\n", 0.75),
    ("hive separator", C.replace(",", "\x01"), "FormatError: a.csv, line 1: the columns are separated by '\\x01',"),
    ("crcrlf", C.replace("\n", "\r\r\n"), "FormatError: a.csv has no column for score (columns: 'query_id',"),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), [case[1:] for case in CASES])
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.csv", ["rr"])["rr"], 6), expected)
