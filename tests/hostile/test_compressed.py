"""Compressed files: cut off, with a rest, in several members, under other names, nested, empty, and almost compressed."""

import pytest

import assay
from forms import records, separated
from outcomes import check
from refusals import COMPRESSORS
from tables import for_each

pytestmark = [pytest.mark.attack("Compressed files"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
FIRST, SECOND = b"q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n", b"q2 Q0 d3 1 5 t\n"
# The reciprocal ranks are 1/2 and 1.
RUN = FIRST + SECOND
KINDS = list(COMPRESSORS)


def score(content, name, judgments=JUDGMENTS):
    """The mean reciprocal rank of a run with this content and name."""
    with open(name, "wb") as file:  # noqa: PTH123 - the current folder
        file.write(content)
    return assay.evaluate(judgments, name, ["rr"])["rr"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@for_each("kind", KINDS)
def test_cut_off_anywhere_is_never_another_number(kind, tried):
    whole = COMPRESSORS[kind](RUN)
    name = f"a.run.{kind}"
    assert score(whole, name) == 0.75
    for end in range(1, len(whole)):
        with pytest.raises(assay.errors.DataError) as caught:
            score(whole[:end], name)
        message = str(caught.value)
        assert message.isprintable()
        if end >= 10:
            assert message == f"compressed file '{name}' is truncated; create or download it again", end
    tried(len(whole) - 1)


# What is made of a compressed run, and the mean reciprocal rank, or what is said about a.run.KIND.
GOES_ON = "FileError: '%s' goes on after the end of its compressed data; remove the rest, or create the file again"
TRUNCATED = "FileError: compressed file '%s' is truncated; create or download it again"
SHAPES = [
    (lambda pack: pack(RUN), 0.75),
    (lambda pack: pack(FIRST) + pack(SECOND), 0.75),
    (lambda pack: pack(FIRST + SECOND[:7]) + pack(SECOND[7:]), 0.75),
    (lambda pack: b"".join(pack(RUN[at : at + 1]) for at in range(len(RUN))), 0.75),
    (lambda pack: pack(b"") + pack(RUN), 0.75),
    (lambda pack: pack(RUN) + pack(b""), 0.75),
    (lambda pack: pack(RUN) * 2, "DuplicateError: %s: query 'q1' lists document 'd2' more than"),
    (lambda pack: pack(FIRST) + pack(SECOND)[:-3], TRUNCATED),
    (lambda pack: pack(RUN) + b"q2 Q0 d9 1 9 t\n", GOES_ON),
    (lambda pack: pack(RUN) + b"\xa5" * 40, GOES_ON),
    (lambda _: b"", "DataError: %s has no rankings"),
    (lambda pack: pack(b""), "DataError: %s has no rankings"),
    (lambda pack: pack(b"\n\n\n"), "DataError: %s has no rankings"),
    (lambda _: RUN, 0.75),
    (lambda pack: pack(RUN.decode().encode("utf-16")), 0.75),
    (lambda pack: pack(b"\xef\xbb\xbf" + RUN), 0.75),
]


@for_each("kind", KINDS)
@for_each(("make", "expected"), SHAPES)
def test_shapes(kind, make, expected):
    name = f"a.run.{kind}"
    expected = expected.replace("%s", name) if isinstance(expected, str) else expected
    check(lambda: score(make(COMPRESSORS[kind]), name), expected)


@for_each("kind", KINDS)
@for_each("name", ["a.run", "a.run.gz", "a.run.bz2", "a.run.xz", "a.run.zst", "a", "a.txt", "a.RUN.GZ"])
def test_the_content_says_the_compression(kind, name):
    assert score(COMPRESSORS[kind](RUN), name) == 0.75


@for_each("outer", KINDS)
@for_each("inner", KINDS)
def test_compressed_twice_is_an_error(outer, inner):
    with pytest.raises(assay.errors.DataError) as caught:
        score(COMPRESSORS[outer](COMPRESSORS[inner](RUN)), "a.run")
    assert str(caught.value).isprintable()


ROWS, FIELDS = [("q1", "d2", 2), ("q1", "d1", 1), ("q2", "d3", 5)], ("query_id", "doc_id", "score")
FORMS = {
    "csv": separated(ROWS, FIELDS, ","),
    "jsonl": records(ROWS, FIELDS),
    "json": '{"q1":{"d2":2,"d1":1},"q2":{"d3":5}}',
}


@for_each("kind", KINDS)
@for_each(("form", "content"), FORMS.items())
def test_other_formats(kind, form, content):
    whole = COMPRESSORS[kind](content.encode())
    assert score(whole, f"a.{form}.{kind}") == 0.75
    with pytest.raises(assay.errors.FileError, match="is truncated"):
        score(whole[:-4], f"a.{form}.{kind}")


# Text and noise that begin like compressed files, and the query ids that text has.
BEGINNINGS = [
    *((start, [start.decode()]) for start in (
        b"BZh", b"BZh9", b"BZh1abcdef", b"BZhang", b"BZh91AY&S", b"BZh01AY&SY", b"BZ", b"7zXZ", b"PK", b"(", b"\x1f",
    )),
    *((start, "FileError") for start in (
        b"BZh91AY&SY", b"\x1f\x8b", b"\x1f\x8b\x08", b"(\xb5/\xfd", b"\xfd7zXZ\x00",
    )),
    (b"\xfd7z", "FormatError"),
]  # fmt: skip


@for_each("ending", ["run", "bz2", "txt"])
@for_each(("start", "expected"), BEGINNINGS)
def test_text_that_begins_like_a_compressed_file(start, expected, ending):
    content = start + b" Q0 d1 1 2.5 t\n"
    name = f"a.{ending}"
    if isinstance(expected, list):
        judged = {expected[0]: {"d1": 1}}
        assert score(content, name, judged) == 1
        assert list(assay.read_run(name)) == expected
        assert score(b"query_id,doc_id,score\n" + start + b",d1,1\n", "a.csv", judged) == 1
    else:
        check(lambda: score(content, name), f"{expected}: ")


def test_a_csv_whose_first_column_begins_like_bzip2():
    """Polars reads the file itself, if it is not compressed."""
    content = b"BZh,query_id,doc_id,score\n1,q1,d2,2\n1,q1,d1,1\n1,q2,d3,5\n"
    assert score(content, "a.csv") == 0.75


@for_each("kind", KINDS)
def test_judgments_and_questions(kind, tmp_path):
    (tmp_path / "a.qrels").write_bytes(COMPRESSORS[kind](b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"))
    assert assay.read_qrels("a.qrels").to_dict() == JUDGMENTS
    (tmp_path / "a.qrels").write_bytes(COMPRESSORS[kind](b"q1 0 d1 1\n" * 9)[:-6])
    with pytest.raises(assay.errors.FileError, match="is truncated"):
        assay.read_qrels("a.qrels")
