"""All files of the same data give the same bits."""

import io
import json
import os
import threading

import pytest

import assay
import forms
from forms import QRELS, QRELS_TEXTS, QUERIES, RUN, RUN_TEXTS, TREC_QRELS, TREC_RUN, check, ranked
from refusals import COMPRESSORS
from tables import for_each

COMPRESSIONS = {"": bytes, **{f".{ending}": compress for ending, compress in COMPRESSORS.items()}}


@for_each("suffix", COMPRESSIONS)
@for_each("name", [*RUN_TEXTS, *QRELS_TEXTS])
def test_every_file_gives_the_same_bits(name, suffix, make):
    which, read = ("run", assay.read_run) if name in RUN_TEXTS else ("qrels", assay.read_qrels)
    content = COMPRESSIONS[suffix]({**RUN_TEXTS, **QRELS_TEXTS}[name].encode())
    path = make(name + suffix, content)
    # The content says what the name does not.
    for data in (path, str(path), read(path), make("data" + suffix, content)):
        assert check(**{which: data}).queries == QUERIES


@for_each("format", ["trec", "json", "jsonl", "csv", "tsv"])
def test_the_format_may_be_named_against_the_file_name(format, make):
    check(assay.read_qrels(make("qrels.json", QRELS_TEXTS["beir.tsv"]), format="beir"))
    path = make("run.parquet", RUN_TEXTS[f"run.{format}"])
    check(run=path, format=format)
    check(run=assay.read_run(path, format=format))


def test_parquet_gives_the_same_bits(tmp_path):
    for kind in ("zstd", "snappy", "uncompressed"):
        forms.RUN_FRAME.write_parquet(tmp_path / "run.parquet", compression=kind, row_group_size=50)
        forms.QRELS_FRAME.write_parquet(tmp_path / "qrels.pq", compression=kind)
        check(tmp_path / "qrels.pq", tmp_path / "run.parquet")
    (tmp_path / "nameless").write_bytes((tmp_path / "run.parquet").read_bytes())
    check(run=tmp_path / "nameless")


def test_json_lists_pair_up(make):
    qrels = make("qrels.json", json.dumps(list(QRELS.values())))
    for runs in (RUN.values(), map(ranked, RUN.values()), (list(ranking.items()) for ranking in RUN.values())):
        text = json.dumps(list(runs))
        for name in ("run.json", "nameless"):
            check(qrels, make(name, text))


TREC_VARIANTS = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "BOM and comment": lambda text: b"\xef\xbb\xbf# comment\n" + text.encode(),
    "tabs": lambda text: text.replace(" ", "\t").encode(),
    "many blanks": lambda text: text.replace(" ", " \t  ").encode(),
    "leading blanks": lambda text: "".join("  " + line + "\n" for line in text.splitlines()).encode(),
    "trailing blanks": lambda text: text.replace("\n", " \t \n").encode(),
    "trailing blanks and CRLF": lambda text: text.replace("\n", "  \r\n").encode(),
    "blank lines": lambda text: ("\n \n\t\n" + text.replace("\n", "\n\n") + "\n\n").encode(),
    "comments": lambda text: ("# 1 Q0 1 1 9 x\n" + text.replace("\n", "\n#\n# x\n", 30)).encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
}


@for_each("variant", TREC_VARIANTS)
def test_trec_text_may_be_untidy(variant, make):
    run, qrels = make("run.trec", TREC_VARIANTS[variant](TREC_RUN)), make("q.trec", TREC_VARIANTS[variant](TREC_QRELS))
    check(qrels, run)
    check(assay.Qrels(qrels), assay.Run(run))


@for_each("ending", ["\r\n", "\n"])
@for_each("mark", [b"", b"\xef\xbb\xbf"])
def test_tables_may_come_from_windows(ending, mark, make):
    for name in ("run.csv", "run.tsv", "run.jsonl", "run.json"):
        path = make(name, mark + RUN_TEXTS[name].replace("\n", ending).encode())
        check(run=path)


FILE_OBJECTS = {
    "binary": lambda path: path.open("rb"),
    "text": lambda path: path.open(encoding="utf-8"),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "StringIO": lambda path: io.StringIO(path.read_text()),
    "unbuffered": lambda path: path.open("rb", buffering=0),
}


@for_each("kind", FILE_OBJECTS)
def test_file_objects_are_read_like_files(kind, make):
    for name, text in (RUN_TEXTS | QRELS_TEXTS).items():
        with FILE_OBJECTS[kind](make(name, text)) as file, FILE_OBJECTS[kind](make(name, text)) as other:
            check(**({"run": file} if name in RUN_TEXTS else {"qrels": file}))
            check(**({"run": assay.read_run(other)} if name in RUN_TEXTS else {"qrels": assay.read_qrels(other)}))


def test_a_file_object_may_hold_compressed_text_and_is_read_from_where_it_stands():
    for compress in COMPRESSIONS.values():
        check(run=io.BytesIO(compress(TREC_RUN.encode())))
    file = io.StringIO("this is not for assay\n" + TREC_RUN)
    file.readline()
    check(run=file)


@for_each("name", ["", ".", "..", "/", "<stdin>", "x" * 400, "a\0b", 3, None, "dir/run.txt", "C:\\run"])
def test_a_file_object_may_have_any_name(name):
    file = io.BytesIO(TREC_RUN.encode())
    file.name = name
    check(run=file)


def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TREC_RUN,))
    writer.start()
    try:
        check(run=pipe)
    finally:
        writer.join()


@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
def test_a_name_may_be_no_text(tmp_path):
    path = tmp_path / os.fsdecode(b"run-\xff")
    try:
        path.write_text(TREC_RUN)
    except OSError:
        pytest.skip("this file system allows no such name")
    check(run=path)
    path.write_text("1\n")
    with pytest.raises(assay.errors.FormatError, match=r"run-\\udcff, line 1"):
        assay.evaluate(QRELS, path)
