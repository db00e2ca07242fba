"""TREC files as they go wrong in practice, each with the number or the error that must come out."""

import re

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("TREC files"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
# Its reciprocal ranks are 1/2 and 1.
A = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 5 t\n"
L = "q1 Q0 d1 1 {} t\n"

RUNS = [
    *((each, 0.75) for each in (
        A, A.replace("\n", "\r\n"), A.replace("\n", "\n\r"), A.replace("\n", "\r\n", 1), A[:-1], A.replace(" ", "\t"),
        A.replace(" t\n", " t\t\n"), A.replace(" t\n", " t   \n"), "  " + A, A.replace(" ", "    "),
        A.replace("\n", "\n\n"), A.replace("\n", "\n \t \n"), "# bm25\n" + A, A.replace("\nq2", "\n# x\nq2"),
        b"\xef\xbb\xbf" + A.encode(), b"\xff\xfe" + A.encode("utf-16-le"), b"\xfe\xff" + A.encode("utf-16-be"),
        A.replace(" 1 2 t", " 0 2 t").replace(" 2 1 t", " 1 1 t"), A.replace("d2 1", "d2 first"),
        A.replace("d2 1", "d2 -1"), A.replace("d2 1 2", "d2 2 2"), A.replace("q2", "\vq2"),
        A[:-2] + "t" * (1 << 19) + "\n", A.replace("5 t", "5 u"), A.replace("Q0", "0"), A.replace("Q0", "assay-order"),
    )),
    *((each, "line 4: expected 6 fields (query Q0 document rank score tag), found") for each in (
        A + "\x1a", A + "\x1a\n", "\x1b[32m" + A + "\x1b[0m",
    )),
    (b"\xef\xbb\xbf\xef\xbb\xbf" + A.encode(), "line 1: a byte-order mark (U+FEFF) begins the line, perhaps where two files were"),
    (A.replace("q2", "\ufeffq2"), "line 3: a byte-order mark (U+FEFF) begins the"),
    (A.encode("utf-16-be"), "FormatError: a.run: the text is UTF-16 without a byte-order mark,"),
    (A.encode("utf-32-le"), "FormatError: a.run: the text is UTF-32 without a byte-order mark, which"),
    (b"\xff\xfe" + A.encode("utf-16-le") + b"a", "FormatError: a.run: the end in the middle of a character at byte 92 is not valid UTF-16"),
    (b"\xff\xfe" + A.encode("utf-16-le") + b"\x00\xd8", "FormatError: a.run: half of a surrogate pair at byte 92 is not valid UTF-16"),
    *((each, 0.5) for each in (
        A.replace("d1", "d+AOk-1"), L.format("1" * 300), L.format("0." + "1" * 10000), A.replace("d1", "d\u00a01"),
        A.replace("d1", "d\u200b1"), A.replace("d1", "d\u30001"), A.replace("d1", "d\u202e1"),
        A.replace("d1", "d\x1b[2J"), A.replace("d1", '"d1"'), A.replace("d1", "d\\n1"), A.replace("q1", "Q1"),
        A.replace("q1", "1.0"), A.replace("d1", "d" * 100000),
    )),
    *((each, "line 1: expected 6 fields (query Q0 document rank score tag), found") for each in (
        "q1 d1\n", "q1 d1 0.5\n", "q1 Q0 d1 1 0.5\n", A.replace(" t\n", " t x\n"), "q1,Q0,d1,1,2,t\n", "q1;Q0;d1;1;2;t\n",
        "q1|Q0|d1|1|2|t\n", "q1\td1\t1\n", '{"q1": {"d1": 1}}', "<!DOCTYPE html><html>404</html>",
        "<?xml version='1.0'?><Error/>", A.replace("\n", "\x85"), A.replace("\n", "\u2028"), A.replace("\n", "\f"),
        A.replace("\n", "\v"), A.replace("\n", "\x1e"), b"PAR1\x15\x04", b"ORC\x08\x03", b"Obj\x01\x04",
        "2024-01-01 12:00:00 INFO start\n" + A,
    )),
    ("qid iter docid rank score tag\n" + A, "line 1: the score 'score' is not a number"),
    ("query_id\tdoc_id\tscore\n" + "q1\td1\t1\n", "line 1: expected 6 fields (query Q0 document rank score tag), found 3:"),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "line 1: expected 6 fields (query Q0 document rank score tag), found 2: 'version"),
    ("<<<<<<< HEAD\n" + A + "=======\n" + A + ">>>>>>> x\n", "line 1: expected 6 fields (query Q0 document rank score tag), found 2: '<<<<<<<"),
    ("+q1 Q0 d1 1 1 t\n-q1 Q0 d2 1 1 t\n", "MismatchError: judgments and run have no query in common:"),
    *(
        (L.format(word), f"line 1: the score '{word}' is not a number")
        for word in (
            *("1,234.5", "1_000", "50%", "−1.5", "–1.5", "--1", "1.5D3", "0x1p3", "1.#IND", "1.2.3", "None"),
            *("null", '"1.5"', "١", "1/2", "[0.5]", "tensor(0.5)", "1.5f", "1e", "1.5€", "true"),
        )
    ),
    *((L.format(word), 0.5) for word in ("+1", "1e-3", "1E5", "1e-400", "5e-324", "-0.0", ".5", "5.")),
    *((L.format(word), f"line 1: the score '{word}' is not finite") for word in ("NaN", "-nan", "inf", "-Infinity", "1e309")),
    (L.format("1" * 400), "line 1: the score"),
    (A.replace("d1", '"d 1"'), "line 2: expected 6 fields (query Q0 document rank score tag), found"),
    ("#!/bin/sh\necho q1\n", "line 2: expected 6 fields (query Q0 document rank score tag), found"),
    (A[:-1] + A.replace("q1", "q8").replace("q2", "q9"), "line 3: expected 6 fields (query Q0 document rank score tag), found 11"),
    (A + "q1 Q0 d9 2 4 t\n", 0.666667),
    *((A + each, "LimitError: a.run, line 4: line longer than 1 MiB") for each in ("q1 Q0 " + "d" * (2 << 20), " " * (2 << 20))),
    (b"q" * (3 << 20), "LimitError: a.run, line 1: line longer than 1 MiB"),
    (A.replace("Q0", "assay-order", 1), "line 2: a ranking in a given order has assay-order on every line, and scores that"),
    *((each, "FileError: compressed file 'a.run' is truncated") for each in (
        b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd",
    )),
    (b"BZh Q0 d1 1 2 t\n", "MismatchError: judgments and run have no query in common: the judgments have"),
    ("\ufffe" + A, 1.0),
]  # fmt: skip


@for_each(("content", "expected"), RUNS)
def test_run(make, content, expected):
    make("a.run", content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.run", ["rr"])["rr"], 6), expected, "a.run")


RANKINGS = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
J = "q1 0 d1 1\nq1 0 d2 2\nq2 0 d3 1\n"
G = "q1 0 d1 {}\n"

QRELS = [
    *((each, 0.929859) for each in (
        J, J.replace("\n", "\r\n"), J.replace(" ", "\t"), J.replace("\n", "\t\n"), J[:-1], b"\xef\xbb\xbf" + J.encode(),
        b"\xff\xfe" + J.encode("utf-16-le"), b"\xfe\xff" + J.encode("utf-16-be"),
        b"\xff\xfe" + J.replace("\n", "\r\n").encode("utf-16-le"), J + "q1 1 d1 0\n", J + "q1 0 d9 0\n", "# c\n" + J,
        "# c\n# d\n" + J,
    )),
    (J.replace("q2", "\ufeffq2"), "line 3: a byte-order mark (U+FEFF)"),
    *((each, "line 1: expected 4 fields (query 0 document grade), found") for each in (
        "q1 d1 1\n", J.replace("\n", "\v"), J.replace("\n", "\u2028"), "q1 0 a b 1\n", '{"q1": {"d1": 1}}',
    )),
    ("query-id 0 corpus-id score\n" + J, "line 1: the grade 'score' is not a number"),
    ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "line 1: expected 4 fields (query 0 document grade), found 3:"),
    *((each, "line 1: expected 4 fields (query 0 document grade), found 1:") for each in ("q1,0,d1,1\n", "<html></html>\n")),
    (J.replace("d2 2", "d2 1.5"), 0.956701),
    *((each, 1.0) for each in (J.replace("d2 2", "d2 -1"), J.replace("d2 2", "d2 -2"), "q1\t0\td1\t1\n")),
    *((G.format(word), f"line 1: the grade '{word}' is not a number") for word in ("1,5", "relevant", "Y", "true", '""', "0x1", "−1", "²", "１", "100%")),
    (G.format("inf"), "line 1: the grade 'inf' is not finite"),
    (G.format("1e308"), "FormatError: a.qrels: judgments: query 'q1', document 'd1': grade 1e308 is"),
    (G.format("1e309"), "line 1: the grade '1e309' is not finite"),
    *((G.format(word), 1.0) for word in ("+1", "1e0", "0001", "5e-324")),
    *((G.format(word), "line 1: the grade") for word in ("9" * 500, "x" * 1000)),
    *((each, 0.0) for each in (G.format("-0"), *(re.sub(r" [12]\n", end, J) for end in (" 0\n", " -1\n")))),
    *((J.replace("d3", each), 0.429859) for each in ("d\x1b[31m", "C:\\docs\\d3")),
    (J[:-1] + J, "line 3: expected 4 fields (query 0 document grade), found 7"),
    (J.replace("q", "x"), "MismatchError: judgments and run have no query in common: the judgments"),
    *((J.replace("q1", one).replace("q2", two), f"MismatchError: judgments and run have no query in common: the judgments have '{one}', '{two}', the run has") for one, two in (
        ("1", "2"), ("1.0", "2.0"), ("0q1", "0q2"),
    )),
    ("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "line 1: expected 4 fields (query 0 document grade), found 2: 'version"),
]  # fmt: skip


@for_each(("content", "expected"), QRELS)
def test_judgments(make, content, expected):
    make("a.qrels", content)
    check(lambda: round(assay.evaluate("a.qrels", RANKINGS, ["ndcg"])["ndcg"], 6), expected, "a.qrels")
