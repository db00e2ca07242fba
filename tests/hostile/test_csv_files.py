"""Runs in CSV as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("Tables"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
C = "query_id,doc_id,score\nq1,d2,2\nq1,d1,1\nq2,d3,5\n"
V = "query_id,doc_id,score\nq1,d1,%s\n"

CASES = [
    *((each, 0.75) for each in (
        C, C.replace("\n", "\r\n"), C[:-1], C.replace("\n", "\n\n"), "\n\n" + C, b"\xef\xbb\xbf" + C.encode(),
        b"\xef\xbb\xbf" + C.replace("query_id", '"query_id"').encode(), b"\xff\xfe" + C.encode("utf-16-le"),
        b"\xfe\xff" + C.encode("utf-16-be"), C.replace("\n", ",\n"), C + 'q2,d9"x"y,1\n', C + 'q2,"d\n9",1\n',
        C + 'q2,"d,9",1\n', C + 'q2,"d""9",1\n', C + " ,d9,1\n", C + "q2,null,1\n", C + "q2,NA,1\n", C + "q2,\\N,1\n",
    )),
    (b"\xef\xbb\xbf\xef\xbb\xbf" + C.encode(), "has no column for query_id (columns: '\\ufeffquery_id', 'doc_id', 'score')"),
    (C.replace("q2", "\ufeffq2"), "line 4: a byte-order mark (U+FEFF)"),
    (C.replace("d3", "\ufeffd3"), "line 4: a byte-order mark (U+FEFF) begins the field, perhaps where two files were"),
    *((C.replace(",", each), f"line 1: the columns are separated by {each!r}, not by ','") for each in ("\t", "|", "\x01")),
    (b"\xff\xfe" + C.replace(",", "\t").replace("\n", "\r\n").encode("utf-16-le"), "line 1: the columns are separated by '\\t', not"),
    (C.encode("utf-16-le"), "FormatError: a.csv: the text is UTF-16 without a byte-order mark, which"),
    ("a,b,c\nq1,d1,1\n", "has no column for query_id (columns: 'a', 'b', 'c')"),
    ("query_id,doc_id\nq1,d1\n", "has no column for score (columns:"),
    ("query_id,doc_id,rank\nq1,d2,1.5\n", "has no column for score (columns:"),
    ("doc_id,score\nd1,1\n", "has no column for query_id (columns: 'doc_id',"),
    ("query_id,score\nq1,1\n", "has no column for doc_id (columns:"),
    ("query_id,doc_id,doc_id,score\nq1,d1,d2,1\n", "FormatError: a.csv: duplicate column 'doc_id'"),
    *((each, 0.5) for each in (
        "query_id,doc_id,score,similarity\nq1,d1,1,2\n", "query_id,doc_id,score,\nq1,d1,1,\n",
        ",query_id,doc_id,score\n0,q1,d1,1\n", "Query_ID,Doc_Id,SCORE\nq1,d1,1\n",
        '"query_id","doc_id","score"\n"q1","d1","1"\n', "query-id,doc-id,score\nq1,d1,1\n", C.replace("d1", "“d1”"),
        C.replace("d1", "'d1'"), C.replace("d1", " d1 "), C.replace("d1", "001"), C.replace("d1", "1.0"),
        C.replace("d1", "1.23457E+17"), C.replace("d1", "2-Jan"), C.replace("d1", "d\x1b[2J"),
        C.replace("d1", "d\u20281"), C.replace("d1", "d\v1"), C.replace("d1", "=cmd|' /C calc'!A0"),
        C.replace("d1", "d" * (2 << 20)), "query_id,doc_id,score," + "x" * 100000 + "\nq1,d1,1,\n",
    )),
    (" query_id , doc_id , score \nq1,d1,1\n", "has no column for query_id (columns: ' query_id ', ' doc_id ', ' score ')"),
    ("| query_id | doc_id | score |\n|---|---|---|\n| q1 | d1 | 1 |\n", "line 1: the columns are separated by '|', not by ','"),
    ("sep=,\n" + C, "line 1: 'sep=,' is for Excel alone"),
    ("sep=;\n" + C.replace(",", ";"), "line 1: 'sep=;' is for Excel alone"),
    *((f"{each}\n{C}", "line 2: 3 fields, but the header has 1") for each in ("# made by x", "My results")),
    *((V % f'"{word}"', f"line 2: '{word}' in the column 'score' is not a number") for word in ("1,5", "1,234.5", "[1]")),
    *(
        (V % word, f"line 2: '{word}' in the column 'score' is not a number")
        for word in (
            *("1'000", "50%", "−1", "0x10", "NA", "null", "None", "-", "#DIV/0!", "=1+1", "TRUE", "2024-01-01"),
            *("01:30", "1/2", "$1.5", "１", "1_000"),
        )
    ),
    *((V % word, 0.5) for word in ("+1", " 1.5 ", "\u00a01.5", "1e3", "1.5E+05", "5e-324", "-0", "1.", ".5")),
    *((V % word, f"line 2: '{word}' in the column 'score' is not finite") for word in ("NaN", "inf", "-Infinity", "1e309")),
    (V % '"=""1"""', "line 2: '=\"1\"' in the column 'score' is not a"),
    (V % ("9" * 400), "line 2:"),
    (C + "q1,d9,9\n", 0.666667),
    (C + C, "line 5: 'score' in the column 'score' is not a number"),
    *((each, "has no column for score (columns: 'query_id', 'doc_id', 'rank')") for each in (
        "query_id,doc_id,rank\nq1,d2,1\nq1,d1,2\nq2,d3,1\n", "query_id,doc_id,rank\nq1,d2,0\nq1,d1,1\nq2,d3,0\n",
        "query_id,doc_id,rank\nq1,d2,1\nq1,d1,1\nq2,d3,1\n", "query_id,doc_id,rank\nq1,d2,1\nq1,d1,3\nq2,d3,1\n",
        "query_id,doc_id,rank\nq1,d2,first\n", "query_id,doc_id,rank\nq1,d2,-1\nq1,d1,1\nq2,d3,1\n",
    )),
    ("query_id,doc_id,rank,score\nq1,d2,1,0.1\nq1,d1,2,0.9\nq2,d3,1,1\n", 1.0),
    ("<table><tr><td>q1", "has no column for query_id (columns: '<table><tr><td>q1')"),
    ('{"q1": {"d1": 1}}', 'has no column for query_id (columns: \'{"q1": {"d1": 1}}\')'),
    ("q1 Q0 d1 1 2 t\n", "has no column for query_id (columns: 'q1 Q0 d1 1 2 t')"),
    (b"PAR1\x15\x04", "has no column for query_id (columns:"),
    (",".join(f"c{i}" for i in range(20000)) + "\n", "has no column for query_id (columns: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7',"),
    (C.replace("\n", "\r\r\n"), "has no column for score (columns: 'query_id',"),
]  # fmt: skip


@for_each(("content", "expected"), CASES)
def test_run(make, content, expected):
    make("a.csv", content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.csv", ["rr"])["rr"], 6), expected, "a.csv")
