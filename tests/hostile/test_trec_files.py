"""TREC files as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("TREC files")

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
# Its reciprocal ranks are 1/2 and 1.
A = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 5 t\n"
L = "q1 Q0 d1 1 {} t\n"

RUNS = [
    ("good", A, 0.75),
    ("crlf", A.replace("\n", "\r\n"), 0.75),
    ("lf cr", A.replace("\n", "\n\r"), 0.75),
    ("mixed ends", A.replace("\n", "\r\n", 1), 0.75),
    ("no last newline", A[:-1], 0.75),
    ("tabs", A.replace(" ", "\t"), 0.75),
    ("trailing tab", A.replace(" t\n", " t\t\n"), 0.75),
    ("trailing blanks", A.replace(" t\n", " t   \n"), 0.75),
    ("leading blanks", "  " + A, 0.75),
    ("many blanks", A.replace(" ", "    "), 0.75),
    ("blank lines", A.replace("\n", "\n\n"), 0.75),
    ("blank lines of blanks", A.replace("\n", "\n \t \n"), 0.75),
    ("comment", "# bm25\n" + A, 0.75),
    ("comment in the middle", A.replace("\nq2", "\n# x\nq2"), 0.75),
    ("ctrl-z", A + "\x1a", "FormatError: a.run, line 4: expected 6 fields (query Q0 document rank score tag), found"),
    ("ctrl-z line", A + "\x1a\n", "FormatError: a.run, line 4: expected 6 fields (query Q0 document rank score tag),"),
    ("bom", b"\xef\xbb\xbf" + A.encode(), 0.75),
    (
        "two boms",
        b"\xef\xbb\xbf\xef\xbb\xbf" + A.encode(),
        "FormatError: a.run, line 1: a byte-order mark (U+FEFF) begins the line, perhaps where two files were",
    ),
    ("bom middle", A.replace("q2", "\ufeffq2"), "FormatError: a.run, line 3: a byte-order mark (U+FEFF) begins the"),
    ("utf16le", b"\xff\xfe" + A.encode("utf-16-le"), 0.75),
    ("utf16be", b"\xfe\xff" + A.encode("utf-16-be"), 0.75),
    ("utf16be bare", A.encode("utf-16-be"), "FormatError: a.run: the text is UTF-16 without a byte-order mark,"),
    ("utf32 bare", A.encode("utf-32-le"), "FormatError: a.run: the text is UTF-32 without a byte-order mark, which"),
    (
        "utf16 odd",
        b"\xff\xfe" + A.encode("utf-16-le") + b"a",
        "FormatError: a.run: the end in the middle of a character at byte 92 is not valid UTF-16",
    ),
    (
        "utf16 surrogate",
        b"\xff\xfe" + A.encode("utf-16-le") + b"\x00\xd8",
        "FormatError: a.run: half of a surrogate pair at byte 92 is not valid UTF-16",
    ),
    ("utf7", A.replace("d1", "d+AOk-1"), 0.5),
    ("two words", "q1 d1\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag),"),
    ("three fields", "q1 d1 0.5\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score"),
    ("five fields", "q1 Q0 d1 1 0.5\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("seven fields", A.replace(" t\n", " t x\n"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document"),
    ("header", "qid iter docid rank score tag\n" + A, "FormatError: a.run, line 1: the score 'score' is not a number"),
    (
        "header tsv",
        "query_id\tdoc_id\tscore\n" + "q1\td1\t1\n",
        "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag), found 3:",
    ),
    ("csv in a run", "q1,Q0,d1,1,2,t\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("semicolons", "q1;Q0;d1;1;2;t\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score"),
    ("pipes", "q1|Q0|d1|1|2|t\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score"),
    ("msmarco 3 columns", "q1\td1\t1\n", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("json in a run", '{"q1": {"d1": 1}}', "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("html", "<!DOCTYPE html><html>404</html>", "FormatError: a.run, line 1: expected 6 fields (query Q0 document"),
    ("xml error", "<?xml version='1.0'?><Error/>", "FormatError: a.run, line 1: expected 6 fields (query Q0"),
    (
        "lfs pointer",
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
        "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag), found 2: 'version",
    ),
    (
        "merge conflict",
        "<<<<<<< HEAD\n" + A + "=======\n" + A + ">>>>>>> x\n",
        "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag), found 2: '<<<<<<<",
    ),
    ("git diff", "+q1 Q0 d1 1 1 t\n-q1 Q0 d2 1 1 t\n", "MismatchError: judgments and run have no query in common:"),
    ("rank from 0", A.replace(" 1 2 t", " 0 2 t").replace(" 2 1 t", " 1 1 t"), 0.75),
    ("rank is not a number", A.replace("d2 1", "d2 first"), 0.75),
    ("rank negative", A.replace("d2 1", "d2 -1"), 0.75),
    ("rank contradicts", A.replace("d2 1 2", "d2 2 2"), 0.75),
    ("score thousands", L.format("1,234.5"), "FormatError: a.run, line 1: the score '1,234.5' is not a number"),
    ("score underscore", L.format("1_000"), "FormatError: a.run, line 1: the score '1_000' is not a number"),
    ("score percent", L.format("50%"), "FormatError: a.run, line 1: the score '50%' is not a number"),
    ("score unicode minus", L.format("−1.5"), "FormatError: a.run, line 1: the score '−1.5' is not a number"),
    ("score en dash", L.format("–1.5"), "FormatError: a.run, line 1: the score '–1.5' is not a number"),
    ("score double minus", L.format("--1"), "FormatError: a.run, line 1: the score '--1' is not a number"),
    ("score plus", L.format("+1"), 0.5),
    ("score exp", L.format("1e-3"), 0.5),
    ("score EXP", L.format("1E5"), 0.5),
    ("score D", L.format("1.5D3"), "FormatError: a.run, line 1: the score '1.5D3' is not a number"),
    ("score hex", L.format("0x1p3"), "FormatError: a.run, line 1: the score '0x1p3' is not a number"),
    ("score NaN", L.format("NaN"), "FormatError: a.run, line 1: the score 'NaN' is not finite"),
    ("score -nan", L.format("-nan"), "FormatError: a.run, line 1: the score '-nan' is not finite"),
    ("score ind", L.format("1.#IND"), "FormatError: a.run, line 1: the score '1.#IND' is not a number"),
    ("score inf", L.format("inf"), "FormatError: a.run, line 1: the score 'inf' is not finite"),
    ("score -Infinity", L.format("-Infinity"), "FormatError: a.run, line 1: the score '-Infinity' is not finite"),
    ("score 1e309", L.format("1e309"), "FormatError: a.run, line 1: the score '1e309' is not finite"),
    ("score 1e-400", L.format("1e-400"), 0.5),
    ("score denormal", L.format("5e-324"), 0.5),
    ("score -0", L.format("-0.0"), 0.5),
    ("score .5", L.format(".5"), 0.5),
    ("score 5.", L.format("5."), 0.5),
    ("score two dots", L.format("1.2.3"), "FormatError: a.run, line 1: the score '1.2.3' is not a number"),
    ("score None", L.format("None"), "FormatError: a.run, line 1: the score 'None' is not a number"),
    ("score null", L.format("null"), "FormatError: a.run, line 1: the score 'null' is not a number"),
    ("score quoted", L.format('"1.5"'), "FormatError: a.run, line 1: the score '\"1.5\"' is not a number"),
    ("score arabic", L.format("١"), "FormatError: a.run, line 1: the score '١' is not a number"),
    ("score fraction", L.format("1/2"), "FormatError: a.run, line 1: the score '1/2' is not a number"),
    ("score brackets", L.format("[0.5]"), "FormatError: a.run, line 1: the score '[0.5]' is not a number"),
    ("score tensor", L.format("tensor(0.5)"), "FormatError: a.run, line 1: the score 'tensor(0.5)' is not a number"),
    ("score 400 digits", L.format("1" * 400), "FormatError: a.run, line 1: the score"),
    ("score 300 digits", L.format("1" * 300), 0.5),
    ("score 10000 decimals", L.format("0." + "1" * 10000), 0.5),
    ("score 1f", L.format("1.5f"), "FormatError: a.run, line 1: the score '1.5f' is not a number"),
    ("score e", L.format("1e"), "FormatError: a.run, line 1: the score '1e' is not a number"),
    ("score euro", L.format("1.5€"), "FormatError: a.run, line 1: the score '1.5€' is not a number"),
    ("score true", L.format("true"), "FormatError: a.run, line 1: the score 'true' is not a number"),
    ("id nbsp", A.replace("d1", "d\u00a01"), 0.5),
    ("id zwsp", A.replace("d1", "d\u200b1"), 0.5),
    ("id ideographic space", A.replace("d1", "d\u30001"), 0.5),
    ("id bidi", A.replace("d1", "d\u202e1"), 0.5),
    ("id escape", A.replace("d1", "d\x1b[2J"), 0.5),
    ("id quoted", A.replace("d1", '"d1"'), 0.5),
    ("id blank", A.replace("d1", '"d 1"'), "FormatError: a.run, line 2: expected 6 fields (query Q0 document rank"),
    ("id backslash n", A.replace("d1", "d\\n1"), 0.5),
    ("id vertical tab", A.replace("q2", "\vq2"), 0.75),
    ("nel", A.replace("\n", "\x85"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score"),
    ("u2028", A.replace("\n", "\u2028"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("ff", A.replace("\n", "\f"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag),"),
    ("vt", A.replace("\n", "\v"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag),"),
    ("rs", A.replace("\n", "\x1e"), "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score"),
    (
        "joined files",
        A[:-1] + A.replace("q1", "q8").replace("q2", "q9"),
        "FormatError: a.run, line 3: expected 6 fields (query Q0 document rank score tag), found 11",
    ),
    ("duplicate query apart", A + "q1 Q0 d9 2 4 t\n", 0.666667),
    ("query case", A.replace("q1", "Q1"), 0.5),
    ("query float", A.replace("q1", "1.0"), 0.5),
    ("long id", A.replace("d1", "d" * 100000), 0.5),
    ("line 2 MiB", A + "q1 Q0 " + "d" * (2 << 20) + " 1 1 t\n", "LimitError: a.run, line 4: line longer than 1 MiB"),
    ("line without newline", b"q" * (3 << 20), "LimitError: a.run, line 1: line longer than 1 MiB"),
    ("1 MiB blanks", A + " " * (2 << 20) + "\n", "LimitError: a.run, line 4: line longer than 1 MiB"),
    ("tag 1 MiB-", A[:-2] + "t" * (1 << 19) + "\n", 0.75),
    ("other tag", A.replace("5 t", "5 u"), 0.75),
    ("iteration odd", A.replace("Q0", "0"), 0.75),
    ("assay-order wrong", A.replace("Q0", "assay-order"), 0.75),
    (
        "order on some lines",
        A.replace("Q0", "assay-order", 1),
        "FormatError: a.run, line 2: a ranking in a given order has assay-order on every line, and scores that",
    ),
    ("parquet in run", b"PAR1\x15\x04", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank"),
    ("orc", b"ORC\x08\x03", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag),"),
    ("avro", b"Obj\x01\x04", "FormatError: a.run, line 1: expected 6 fields (query Q0 document rank score tag),"),
    ("gz header only", b"\x1f\x8b", "FileError: compressed file 'a.run' is truncated"),
    ("bz2 header only", b"BZh9", "FileError: compressed file 'a.run' is truncated"),
    ("xz header only", b"\xfd7zXZ\0", "FileError: compressed file 'a.run' is truncated"),
    ("zst header only", b"\x28\xb5\x2f\xfd", "FileError: compressed file 'a.run' is truncated"),
    ("BZh text", b"BZh Q0 d1 1 2 t\n", "MismatchError: judgments and run have no query in common: the judgments have"),
    ("shell script", "#!/bin/sh\necho q1\n", "FormatError: a.run, line 2: expected 6 fields (query Q0 document rank"),
    ("log line", "2024-01-01 12:00:00 INFO start\n" + A, "FormatError: a.run, line 1: expected 6 fields (query Q0"),
    (
        "ansi colors",
        "\x1b[32m" + A + "\x1b[0m",
        "FormatError: a.run, line 4: expected 6 fields (query Q0 document rank",
    ),
    ("bom16 in utf8", "\ufffe" + A, 1.0),
]


def write(folder, name, content):
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), [case[1:] for case in RUNS])
def test_run(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a.run", content)
    check(lambda: round(assay.evaluate(JUDGMENTS, "a.run", ["rr"])["rr"], 6), expected)
