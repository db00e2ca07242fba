"""Compressed files and archives that cannot be read: what is said, and what their marks tell."""

import bz2
import gzip
import io
import json
import lzma
import random
from functools import partial
from pathlib import Path

import polars
import pytest

import assay
from assay._kernel import compress_zst
from assay.errors import DataError, FileError, FormatError, LimitError
from refusals import COMPRESSORS, GOOD, GOOD_QRELS, QRELS, RUN, refused
from tables import for_each

NO_FILES = ["none", "none.csv", "none.json", "none.jsonl", "none.parquet", "none.trec.gz", f"no/{'x' * 100}/folder"]


@for_each("name", NO_FILES)
def test_a_missing_file_is_named(name, tmp_path):
    for act in (partial(assay.evaluate, QRELS), partial(assay.evaluate, run=RUN), assay.read_run, assay.read_qrels):
        refused(lambda act=act: act(tmp_path / name), FileError, [f"file '{tmp_path / name}' not found"])
        refused(lambda act=act: act(name), FileError, [f"file '{name}' not found"])


@for_each("path", ["", "x" * 5000, "a\0b", "\ud800", Path("x" * 300)])
def test_a_path_that_cannot_be(path):
    for act in (partial(assay.evaluate, QRELS), assay.read_qrels):
        with pytest.raises(FileError):
            act(path)


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


def named(content, name):
    file = io.BytesIO(content)
    file.name = name
    return file


def text_file(folder):
    (folder / "bad").write_bytes(b"q1 Q0 \xff 1 1 t\n")
    return (folder / "bad").open(encoding="utf-8")


def closed(path):
    file = path.open("w")
    file.close()
    return file


BAD_OBJECTS = [
    (lambda _: Broken(5), FileError, ["cannot be read", "open for reading"]),
    (lambda _: Broken(OSError("the line went dead")), FileError, ["the line went dead"]),
    (lambda _: Broken(RuntimeError("odd")), FileError, ["odd"]),
    (lambda _: Broken(None), DataError, ["has no rankings"]),
    (lambda _: io.StringIO("q1 Q0 \ud800 1 1 t\n"), FormatError, ["not UTF-8"]),
    (lambda _: io.StringIO(""), DataError, ["has no rankings"]),
    (lambda _: io.StringIO("q1\n"), FormatError, ["<file>, line 1"]),
    (lambda _: named(GOOD.encode() + b"q1\n", "upload.txt"), FormatError, ["upload.txt, line 2"]),
    (lambda _: gzip.open(io.BytesIO(gzip.compress(GOOD.encode())[:-9])), FileError, ["cannot be read"]),
    (lambda _: bz2.open(io.BytesIO(b"no")), FileError, ["cannot be read"]),
    (lambda _: lzma.open(io.BytesIO(b"no")), FileError, ["cannot be read"]),
    (lambda folder: closed(folder / "run"), FileError, ["closed file"]),
    (lambda folder: (folder / "run").open("w"), FileError, ["not readable", "open for reading"]),
    (text_file, FormatError, ["bad", "not UTF-8"]),
]


@for_each(("file", "error", "words"), BAD_OBJECTS)
def test_a_file_object_that_cannot_be_read(file, error, words, tmp_path):
    opened = file(tmp_path)
    refused(lambda: assay.evaluate(QRELS, opened, ["ap"]), error, words)
    getattr(opened, "close", int)()


def noise(format):
    """Rows that do not compress well."""
    rows = [(f"q{number // 50}", f"d{number * 7919 % 100_003}", number * 31 % 9_973) for number in range(6_000)]
    if format == "csv":
        return "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    if format == "json":
        return json.dumps({q: {d: s for query, d, s in rows if query == q} for q in {f"q{n}" for n in range(20)}})
    if format == "jsonl":
        return "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s}}}\n' for q, d, s in rows)
    return "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows)


@for_each("format", ["trec", "csv", "json", "jsonl"])
@for_each("suffix", COMPRESSORS)
def test_a_corrupt_compressed_file_is_told(suffix, format, make):
    if suffix == "zst":
        # Only a file with a checksum can tell that it is corrupt, such as those that assay writes.
        compress_zst(make("plain", noise(format)), "compressed")
        whole = bytearray(Path("compressed").read_bytes())
    else:
        whole = bytearray(COMPRESSORS[suffix](noise(format).encode()))
    middle = len(whole) // 2
    whole[middle : middle + 64] = b"\xa5" * 64
    path = make(f"run.{format}.{suffix}", bytes(whole))
    refused(lambda: assay.evaluate(QRELS, path, ["ap"]), FileError, [f"run.{format}.{suffix}", "may be corrupt"])


@for_each("format", ["trec", "csv", "jsonl"])
def test_frames_of_zstandard_to_be_skipped(format, make):
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00pzst"
    whole = skipped + COMPRESSORS["zst"](noise(format).encode()) + skipped
    path = make(f"run.{format}.zst", whole)
    assert assay.evaluate(QRELS, path, ["num_ret"])["num_ret"] == 50
    # What assay writes has a checksum, too.
    compress_zst(make("plain", noise(format)), "checked")
    for content in (whole, Path("checked").read_bytes()):
        path = make(f"run.{format}.zst", content + b"rest")
        refused(lambda path=path: assay.evaluate(QRELS, path, ["ap"]), FileError, ["goes on after the end"])


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A file of 100 MB without a line end."""
    path = tmp_path_factory.mktemp("endless") / "data.trec"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    return path


def bytes_read():
    """How much this process has read so far, where the system tells."""
    counts = Path("/proc/self/io")
    return int(counts.read_text().split()[1]) if counts.exists() else 0


@for_each("start", ["", "{good}", "# ", "\ufeff", "{good}q1 Q0 "])
def test_a_line_of_100_megabytes_is_refused_without_reading_it(start, endless):
    for good, read in ((GOOD, lambda path: assay.evaluate(QRELS, path, ["ap"])), (GOOD_QRELS, assay.read_qrels)):
        beginning = start.format(good=good).encode()
        with endless.open("r+b") as file:
            file.write(beginning)
        before = bytes_read()
        refused(partial(read, endless), LimitError, [f"data.trec, line {1 + start.count('{')}", "longer than 1 MiB"])
        assert bytes_read() - before < 10_000_000
        with endless.open("r+b") as file:
            file.write(b"x" * len(beginning))


@for_each("suffix", COMPRESSORS)
def test_a_long_line_behind_a_compression_is_not_unpacked(suffix, make):
    """Whoever read it to its end would find that the end is missing."""
    line = random.Random(0).randbytes(2_000_000).hex().encode()
    whole = COMPRESSORS[suffix](GOOD.encode() + line)
    path = make(f"run.trec.{suffix}", whole[:-50])
    refused(lambda: assay.evaluate(QRELS, path, ["ap"]), LimitError, ["line 2", "longer than 1 MiB"])
