"""Errors say what is the case: archives, rests after compressed data, line ends, quotes, and what the system refuses."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

import pytest

import assay
from assay.errors import DataError, FileError, FormatError
from refusals import COMPRESSORS, GOOD, QRELS, refused
from tables import for_each

CSV = "query_id,doc_id,score\nq1,d1,1\nq1,d2,0.5\n"
BOTH = (lambda path: assay.evaluate(QRELS, path, ["ap"]), assay.read_run)


def refused_by_both(path, error, *words):
    for act in BOTH:
        refused(lambda act=act: act(path), error, words)


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("run.trec", content)
    return file.getvalue()


def tarred(content, name="run.trec"):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        about = tarfile.TarInfo(name)
        about.size = len(content)
        archive.addfile(about, io.BytesIO(content))
    return file.getvalue()


ARCHIVES = {
    "a zip archive": zipped(GOOD.encode()),
    "a tar archive": tarred(GOOD.encode()),
    "compressed with lz4": b"\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0",
    "compressed with compress": b"\x1f\x9d\x90q\0",
    "a 7-Zip archive": b"7z\xbc\xaf\x27\x1c\0\x04",
    "an SQLite database": b"SQLite format 3\0\x10\0",
}


@for_each("name", ["run", "run.trec", "run.csv", "run.tsv", "run.json", "run.jsonl", "run.parquet"])
@for_each("kind", ARCHIVES)
def test_what_is_not_text_is_named(kind, name, make):
    path = make(name, ARCHIVES[kind])
    refused_by_both(path, FormatError, f"{name} is {kind}; extract the data from it first")
    path = make(f"{name}.gz", gzip.compress(ARCHIVES[kind]))
    refused(lambda: assay.read_qrels(path), FormatError, [f"{name}.gz is {kind}"])


@for_each("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
@for_each("member", ["q", "é"])
def test_an_archive_that_begins_with_a_short_name_is_not_taken_for_text(member, compress, make):
    path = make("run.trec", compress(tarred(GOOD.encode(), member)))
    refused_by_both(path, FormatError, "run.trec is a tar archive; extract the data from it first")


@for_each("rest", [b"x", b"\0", b"a rest that is longer than any mark\n"])
@for_each("suffix", COMPRESSORS)
def test_a_rest_after_compressed_data_is_told(suffix, rest, make):
    whole = COMPRESSORS[suffix](GOOD.encode())
    for content in (whole + rest, whole + whole + rest):
        path = make(f"run.trec.{suffix}", content)
        if (suffix, rest) == ("gz", b"\0"):
            # A tape's block ends in zeros, which gzip ignores.
            assert assay.read_run(path).to_dict() == assay.read_run(make("whole", content.removesuffix(rest))).to_dict()
            continue
        refused_by_both(path, FileError, f"'{path}' goes on after the end of its compressed data", "remove the rest")


@for_each("name", ["run.csv", "run.tsv"])
def test_lines_that_end_with_cr_alone(name, make):
    content = CSV.replace("\n", "\r").replace(",", "\t" if name == "run.tsv" else ",")
    refused_by_both(make(name, content), FormatError, name, "end with CR alone", "LF or CRLF")
    path = make(name, content.replace("\r", "\r\n"))
    assert assay.read_run(path)["q1"] == [("d1", 1.0), ("d2", 0.5)]


UNCLOSED = [
    ('query_id,doc_id,score\nq1,d1,1\nq1,"d2,0.5\nq1,d3,0.2\n', 3),
    ('query_id,doc_id,score\nq1,"d1",1\n"q1,d2,0.5\n', 3),
    ('query_id,doc_id,score\nq1,"d\n1",1\nq1,"d2', 4),
]


@for_each(("content", "line"), UNCLOSED)
def test_a_quote_that_is_not_closed(content, line, make):
    refused_by_both(make("run.csv", content), FormatError, f"run.csv, line {line}: a quote is not closed")


@for_each(("content", "line"), [('id,text\nq1,a\nq2,"b\nq3,c\n', 3), ('q1,"a"\nq2,"b', 2), ('q1,"a\nb"\nq2,"b\n', 3)])
def test_a_quote_that_is_not_closed_in_questions(content, line, make):
    path = make("questions.csv", content)
    with pytest.raises(DataError, match=rf"questions\.csv, line {line}: a quote is not closed"):
        assay.probe(lambda _: ["d1"], path, {"q1": ["d1"]})


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("name", ["run.trec", "run.csv", "run.json", "run.parquet", "run.gz"])
def test_a_link_to_itself(name, tmp_path):
    (tmp_path / name).symlink_to(tmp_path / name)
    for act in BOTH:
        with pytest.raises(FileError, match=r"^(?!.*corrupt).*symbolic links"):
            act(tmp_path / name)


def test_no_temporary_folder(tmp_path, monkeypatch):
    path = tmp_path / "run.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    for given in (path, io.BytesIO(path.read_bytes())):
        with pytest.raises(FileError, match="no copy can be made in the temporary folder: No such file"):
            assay.read_run(given)
