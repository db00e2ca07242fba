"""Paths and file objects that cannot be read get an error that names them."""

import bz2
import gzip
import io
import lzma
from pathlib import Path

import polars
import pytest

import assay
from assay.errors import DataError, FileError, FormatError
from refusals import GOOD, GOOD_QRELS, QRELS, RUN, refused
from tables import for_each


def test_a_long_path_is_named_whole(tmp_path):
    path = tmp_path / ("x" * 100) / "the-name-that-matters.trec"
    refused(lambda: assay.evaluate(QRELS, path, ["ap"]), FileError, ["not found", "the-name-that-matters.trec"])


@for_each("name", ["none", "none.csv", "none.json", "none.jsonl", "none.parquet", "none.trec.gz", "no/such/folder"])
def test_a_missing_file_is_named(name, tmp_path):
    for act in (
        lambda path: assay.evaluate(QRELS, path, ["ap"]),
        lambda path: assay.evaluate(path, RUN, ["ap"]),
        assay.read_run,
        assay.read_qrels,
    ):
        refused(lambda act=act: act(tmp_path / name), FileError, [f"file '{tmp_path / name}' not found"])
        refused(lambda act=act: act(name), FileError, [f"file '{name}' not found"])


@for_each("format", [None, "trec", "csv", "tsv", "json", "jsonl", "parquet"])
def test_an_empty_directory_is_refused(format, tmp_path):
    said = [f"the directory '{tmp_path}' has no files with data"]
    refused(lambda: assay.evaluate(QRELS, tmp_path, ["ap"], format=format), FileError, said)
    refused(lambda: assay.read_qrels(tmp_path, format=format), FileError, said)


@for_each("path", ["", "x" * 5000, "a\0b", "\ud800", Path("x" * 300)])
def test_a_path_that_cannot_be(path):
    with pytest.raises(FileError):
        assay.evaluate(QRELS, path, ["ap"])
    with pytest.raises(FileError):
        assay.read_qrels(path)


@for_each("name", ["cvs", "", "TREC", 5])
def test_an_unknown_format_is_refused(name, make):
    words = [f"unknown format '{name}'", "trec, json, jsonl, csv, tsv, beir, parquet"]
    for run in (make("run.trec", GOOD), RUN, make("run.trec", GOOD).open("rb"), polars.DataFrame()):
        refused(lambda run=run: assay.evaluate(QRELS, run, ["ap"], format=name), FormatError, words)
        if hasattr(run, "close"):
            run.close()
    refused(lambda: assay.read_qrels(make("q.trec", GOOD_QRELS), format=name), FormatError, words)


class Broken:
    """A file object that does what it should not."""

    def __init__(self, answer):
        self.answer = answer

    def read(self, _size=-1):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@for_each(
    ("file", "error", "words"),
    [
        (lambda _: Broken(5), FileError, ["cannot be read", "open for reading"]),
        (lambda _: Broken(OSError("the line went dead")), FileError, ["the line went dead"]),
        (lambda _: Broken(RuntimeError("odd")), FileError, ["odd"]),
        (lambda _: Broken(None), DataError, ["has no rankings"]),
        (lambda _: io.StringIO("q1 Q0 \ud800 1 1 t\n"), FormatError, ["not UTF-8"]),
        (lambda _: io.StringIO(""), DataError, ["has no rankings"]),
        (lambda _: gzip.open(io.BytesIO(gzip.compress(GOOD.encode())[:-9])), FileError, ["cannot be read"]),
        (lambda _: bz2.open(io.BytesIO(b"no")), FileError, ["cannot be read"]),
        (lambda _: lzma.open(io.BytesIO(b"no")), FileError, ["cannot be read"]),
        (lambda folder: closed(folder / "run"), FileError, ["closed file"]),
    ],
)
def test_a_file_object_that_cannot_be_read(file, error, words, tmp_path):
    refused(lambda: assay.evaluate(QRELS, file(tmp_path), ["ap"]), error, words)


def closed(path):
    path.write_text(GOOD)
    with path.open() as file:
        pass
    return file


def test_a_file_object_for_writing_cannot_be_read(tmp_path):
    with (tmp_path / "run").open("w") as file:
        refused(lambda: assay.evaluate(QRELS, file, ["ap"]), FileError, ["not readable", "open for reading"])
    (tmp_path / "bad").write_bytes(b"q1 Q0 \xff 1 1 t\n")
    with (tmp_path / "bad").open(encoding="utf-8") as file:
        refused(lambda: assay.evaluate(QRELS, file, ["ap"]), FormatError, ["bad", "not UTF-8"])


def test_a_bad_line_of_a_file_object_is_placed():
    file = io.BytesIO(GOOD.encode() + b"q1\n")
    file.name = "upload.txt"
    refused(lambda: assay.evaluate(QRELS, file, ["ap"]), FormatError, ["upload.txt, line 2"])
    refused(lambda: assay.evaluate(QRELS, io.StringIO("q1\n"), ["ap"]), FormatError, ["<file>, line 1"])
