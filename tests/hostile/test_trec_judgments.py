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
    (J, 0.929859),
    (J.replace("\n", "\r\n"), 0.929859),
    (J.replace(" ", "\t"), 0.929859),
    (J.replace("\n", "\t\n"), 0.929859),
    (J[:-1], 0.929859),
    (b"\xef\xbb\xbf" + J.encode(), 0.929859),
    (J.replace("q2", "\ufeffq2"), "line 3: a byte-order mark (U+FEFF)"),
    (b"\xff\xfe" + J.encode("utf-16-le"), 0.929859),
    (b"\xfe\xff" + J.encode("utf-16-be"), 0.929859),
    (b"\xff\xfe" + J.replace("\n", "\r\n").encode("utf-16-le"), 0.929859),
    ("q1 d1 1\n", "line 1: expected 4 fields (query 0 document grade), found"),
    ("query-id 0 corpus-id score\n" + J, "line 1: the grade 'score' is not a number"),
    ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "line 1: expected 4 fields (query 0 document grade), found 3:"),
    ("q1,0,d1,1\n", "line 1: expected 4 fields (query 0 document grade), found 1:"),
    (J.replace("\n", "\v"), "line 1: expected 4 fields (query 0"),
    (J.replace("\n", "\u2028"), "line 1: expected 4 fields (query 0 document"),
    ("q1 0 a b 1\n", "line 1: expected 4 fields (query 0 document grade),"),
    (J.replace("d2 2", "d2 1.5"), 0.956701),
    (J.replace("d2 2", "d2 -1"), 1.0),
    (J.replace("d2 2", "d2 -2"), 1.0),
    *(
        (G.format(word), f"line 1: the grade '{word}' is not a number")
        for word in ("1,5", "relevant", "Y", "true", '""', "0x1", "−1", "²", "１", "100%")
    ),
    (G.format("inf"), "line 1: the grade 'inf' is not finite"),
    (G.format("1e308"), "FormatError: a.qrels: judgments: query 'q1', document 'd1': grade 1e308 is"),
    (G.format("1e309"), "line 1: the grade '1e309' is not finite"),
    *((G.format(word), 1.0) for word in ("+1", "1e0", "0001", "5e-324")),
    (G.format("9" * 500), "line 1: the grade"),
    (G.format("-0"), 0.0),
    (J.replace(" 1\n", " 0\n").replace(" 2\n", " 0\n"), 0.0),
    (J.replace(" 1\n", " -1\n").replace(" 2\n", " -1\n"), 0.0),
    (J + "q1 1 d1 0\n", 0.929859),
    (J + "q1 0 d9 0\n", 0.929859),
    ("# c\n" + J, 0.929859),
    ("# c\n# d\n" + J, 0.929859),
    (G.format("x" * 1000), "line 1: the grade"),
    (J.replace("d3", "d\x1b[31m"), 0.429859),
    (J[:-1] + J, "line 3: expected 4 fields (query 0 document grade), found 7"),
    (J.replace("d3", "C:\\docs\\d3"), 0.429859),
    (J.replace("q", "x"), "MismatchError: judgments and run have no query in common: the judgments"),
    (
        J.replace("q1", "1").replace("q2", "2"),
        "MismatchError: judgments and run have no query in common: the judgments have '1', '2', the run has",
    ),
    (
        J.replace("q1", "1.0").replace("q2", "2.0"),
        "MismatchError: judgments and run have no query in common: the judgments have '1.0', '2.0', the run has",
    ),
    (
        J.replace("q1", "0q1").replace("q2", "0q2"),
        "MismatchError: judgments and run have no query in common: the judgments have '0q1', '0q2', the run has",
    ),
    ('{"q1": {"d1": 1}}', "line 1: expected 4 fields (query 0 document grade), found"),
    ("<html></html>\n", "line 1: expected 4 fields (query 0 document grade), found 1:"),
    (
        "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n",
        "line 1: expected 4 fields (query 0 document grade), found 2: 'version",
    ),
    ("q1\t0\td1\t1\n", 1.0),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("content", "expected"), QRELS)
def test_judgments(tmp_path, monkeypatch, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_bytes(content.encode() if isinstance(content, str) else content)
    check(lambda: round(assay.evaluate("a.qrels", RANKINGS, ["ndcg"])["ndcg"], 6), expected, "a.qrels")
