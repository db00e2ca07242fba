"""TREC judgments as they go wrong in practice, each with the number or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("TREC files")

RANKINGS = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
J = "q1 0 d1 1\nq1 0 d2 2\nq2 0 d3 1\n"
G = "q1 0 d1 {}\n"

QRELS = [
    ("good", J, 0.929859),
    ("crlf", J.replace("\n", "\r\n"), 0.929859),
    ("tabs", J.replace(" ", "\t"), 0.929859),
    ("trailing tab", J.replace("\n", "\t\n"), 0.929859),
    ("no last newline", J[:-1], 0.929859),
    ("bom", b"\xef\xbb\xbf" + J.encode(), 0.929859),
    ("bom in the middle", J.replace("q2", "\ufeffq2"), "FormatError: a.qrels, line 3: a byte-order mark (U+FEFF)"),
    ("utf-16", b"\xff\xfe" + J.encode("utf-16-le"), 0.929859),
    ("utf-16 big", b"\xfe\xff" + J.encode("utf-16-be"), 0.929859),
    ("utf-16 crlf", b"\xff\xfe" + J.replace("\n", "\r\n").encode("utf-16-le"), 0.929859),
    ("three fields", "q1 d1 1\n", "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found"),
    ("header", "query-id 0 corpus-id score\n" + J, "FormatError: a.qrels, line 1: the grade 'score' is not a number"),
    (
        "beir header",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found 3:",
    ),
    ("csv", "q1,0,d1,1\n", "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found 1:"),
    ("vertical tab for newline", J.replace("\n", "\v"), "FormatError: a.qrels, line 1: expected 4 fields (query 0"),
    ("line separator", J.replace("\n", "\u2028"), "FormatError: a.qrels, line 1: expected 4 fields (query 0 document"),
    ("id with a blank", "q1 0 a b 1\n", "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade),"),
    ("grade float", J.replace("d2 2", "d2 1.5"), 0.956701),
    ("grade negative", J.replace("d2 2", "d2 -1"), 1.0),
    ("grade -2", J.replace("d2 2", "d2 -2"), 1.0),
    ("grade comma", G.format("1,5"), "FormatError: a.qrels, line 1: the grade '1,5' is not a number"),
    ("grade inf", G.format("inf"), "FormatError: a.qrels, line 1: the grade 'inf' is not finite"),
    ("grade 1e308", G.format("1e308"), "FormatError: a.qrels: judgments: query 'q1', document 'd1': grade 1e308 is"),
    ("grade 1e309", G.format("1e309"), "FormatError: a.qrels, line 1: the grade '1e309' is not finite"),
    ("grade word", G.format("relevant"), "FormatError: a.qrels, line 1: the grade 'relevant' is not a number"),
    ("grade yes", G.format("Y"), "FormatError: a.qrels, line 1: the grade 'Y' is not a number"),
    ("grade true", G.format("true"), "FormatError: a.qrels, line 1: the grade 'true' is not a number"),
    ("grade empty quotes", G.format('""'), "FormatError: a.qrels, line 1: the grade '\"\"' is not a number"),
    ("grade hex", G.format("0x1"), "FormatError: a.qrels, line 1: the grade '0x1' is not a number"),
    ("grade plus", G.format("+1"), 1.0),
    ("grade exp", G.format("1e0"), 1.0),
    ("grade unicode minus", G.format("−1"), "FormatError: a.qrels, line 1: the grade '−1' is not a number"),
    ("grade superscript", G.format("²"), "FormatError: a.qrels, line 1: the grade '²' is not a number"),
    ("grade fullwidth", G.format("１"), "FormatError: a.qrels, line 1: the grade '１' is not a number"),
    ("grade percent", G.format("100%"), "FormatError: a.qrels, line 1: the grade '100%' is not a number"),
    ("grade 500 digits", G.format("9" * 500), "FormatError: a.qrels, line 1: the grade"),
    ("grade leading zeros", G.format("0001"), 1.0),
    ("grade denormal", G.format("5e-324"), 1.0),
    ("grade -0", G.format("-0"), 0.0),
    ("all grades 0", J.replace(" 1\n", " 0\n").replace(" 2\n", " 0\n"), 0.0),
    ("all grades negative", J.replace(" 1\n", " -1\n").replace(" 2\n", " -1\n"), 0.0),
    ("duplicate of another iteration", J + "q1 1 d1 0\n", 0.929859),
    ("query apart", J + "q1 0 d9 0\n", 0.929859),
    ("comment", "# c\n" + J, 0.929859),
    ("two comments", "# c\n# d\n" + J, 0.929859),
    ("long grade text", G.format("x" * 1000), "FormatError: a.qrels, line 1: the grade"),
    ("id escape", J.replace("d3", "d\x1b[31m"), 0.429859),
    ("joined", J[:-1] + J, "FormatError: a.qrels, line 3: expected 4 fields (query 0 document grade), found 7"),
    ("windows path ids", J.replace("d3", "C:\\docs\\d3"), 0.429859),
    ("other queries", J.replace("q", "x"), "MismatchError: judgments and run have no query in common: the judgments"),
    (
        "numbers as queries",
        J.replace("q1", "1").replace("q2", "2"),
        "MismatchError: judgments and run have no query in common: the judgments have '1', '2', the run has",
    ),
    (
        "excel numbers",
        J.replace("q1", "1.0").replace("q2", "2.0"),
        "MismatchError: judgments and run have no query in common: the judgments have '1.0', '2.0', the run has",
    ),
    (
        "leading zeros queries",
        J.replace("q1", "0q1").replace("q2", "0q2"),
        "MismatchError: judgments and run have no query in common: the judgments have '0q1', '0q2', the run has",
    ),
    ("json", '{"q1": {"d1": 1}}', "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found"),
    ("html", "<html></html>\n", "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found 1:"),
    (
        "lfs pointer",
        "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n",
        "FormatError: a.qrels, line 1: expected 4 fields (query 0 document grade), found 2: 'version",
    ),
    ("ms marco tsv", "q1\t0\td1\t1\n", 1.0),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), [case[1:] for case in QRELS])
def test_judgments(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate("a.qrels", RANKINGS, ["ndcg"])["ndcg"], 6), expected)
