"""All forms of the same data give the same bits."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import threading
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import assay

MEASURES = ["ap", "ndcg@10", "ndcg(gain=exp2)", "rr", "recall@5", "precision@5", "bpref", "rbp", "err", "num_ret"]

CHOICE = random.Random(20)
QUERIES = [str(number) for number in range(1, 13)]
# Scores are few, so that many tie, and exact in 32 bits; ids are numbers, so that they can be given as such.
RUN = {
    query: {str(document): CHOICE.randrange(40) / 8 for document in CHOICE.sample(range(60), 25)} for query in QUERIES
}
QRELS = {query: {str(document): CHOICE.randrange(4) for document in CHOICE.sample(range(60), 20)} for query in QUERIES}
RUN_ROWS = [(query, document, score) for query in RUN for document, score in RUN[query].items()]
QRELS_ROWS = [(query, document, grade) for query in QRELS for document, grade in QRELS[query].items()]
EXPECTED = {name: scores.tolist() for name, scores in assay.evaluate(QRELS, RUN, MEASURES).scores.items()}

TREC_RUN = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in RUN_ROWS)
TREC_QRELS = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in QRELS_ROWS)


def scores_of(result):
    return {name: scores.tolist() for name, scores in result.scores.items()}


def ranked(ranking):
    """The documents from best to worst, ties by id from high to low."""
    return sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)


def shuffled(rows):
    """The rows in an order in which no query's stand together."""
    rows = list(rows)
    random.Random(3).shuffle(rows)
    return rows


def frame(rows, value):
    return polars.DataFrame(rows, schema=["query_id", "doc_id", value], orient="row")


RUN_FRAME = frame(RUN_ROWS, "score")
QRELS_FRAME = frame(QRELS_ROWS, "relevance")


def test_the_reference_is_no_trivial_one():
    assert all(np.mean(EXPECTED[name]) > 0 for name in MEASURES)
    assert all(0 < np.mean(EXPECTED[name]) < 1 for name in MEASURES if name != "num_ret")
    assert len(set(EXPECTED["ap"])) == len(QUERIES)


class OnlyStream:
    """What speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Mapping:
    """What has keys and items but is no dict."""

    def __init__(self, entries):
        self.entries = entries

    def keys(self):
        return self.entries.keys()

    def __getitem__(self, key):
        return self.entries[key]


class Text(str):
    __slots__ = ()


class Entries(dict):
    __slots__ = ()


def in_pandas(table, value):
    return pandas.DataFrame({name: table[name].to_list() for name in ("query_id", "doc_id", value)})


def integers(table):
    return table.with_columns(polars.col("query_id", "doc_id").cast(polars.Int64))


def in_chunks(table):
    return polars.concat([table[:100], table[100:170], table[170:]], rechunk=False)


def frames(table, value):
    """The same rows as every kind of frame."""
    plain = in_pandas(table, value)
    ids = plain.columns[:2]
    return {
        "polars": table,
        "polars, lazy": table.lazy(),
        "polars, integer ids": integers(table),
        "polars, small integers": integers(table).cast({"query_id": polars.Int8, "doc_id": polars.UInt16}),
        "polars, categorical ids": table.with_columns(polars.col("query_id", "doc_id").cast(polars.Categorical)),
        "polars, enum ids": table.with_columns(polars.col("query_id").cast(polars.Enum(QUERIES))),
        "polars, in chunks": in_chunks(table),
        "polars, 32 bits": table.with_columns(polars.col(value).cast(polars.Float32)),
        "polars, numbers as text": table.with_columns(polars.col(value).cast(polars.String)),
        "polars, decimals": table.with_columns(polars.col(value).cast(polars.Decimal(20, 3))),
        "polars, other columns": table.with_columns(tag=polars.lit("x"), query=polars.lit("some text")),
        "polars, columns in another order": table.select(value, "doc_id", "query_id"),
        "pandas": plain,
        "pandas, integer ids": plain.astype(dict.fromkeys(ids, int)),
        "pandas, objects": plain.astype(object),
        "pandas, integers as objects": plain.astype(dict.fromkeys(ids, int)).astype(object),
        "pandas, objects of several kinds": plain.assign(
            doc_id=[int(each) if row % 2 else each for row, each in enumerate(plain.doc_id)]
        ),
        "pandas, NumPy's own objects": plain.assign(
            **{value: pandas.Series([*map(np.float32, plain[value])], dtype=object)}
        ),
        "pandas, categoricals": plain.astype(dict.fromkeys(ids, "category")),
        "pandas, integer categoricals": plain.astype(dict.fromkeys(ids, int)).astype(dict.fromkeys(ids, "category")),
        "pandas, 32 bits": plain.astype({value: np.float32}),
        "pandas, Arrow's types": plain.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, an index out of order": plain.set_index(pandas.Index(range(len(plain), 0, -1))),
        "pandas, columns that no library knows": plain.assign(
            name="x", read=1, odd=[object() for _ in range(len(plain))]
        ),
        "pyarrow": table.to_arrow(),
        "pyarrow, in batches": pyarrow.Table.from_batches(table.to_arrow().to_batches(max_chunksize=7)),
        "pyarrow, dictionaries": pyarrow.table(
            {
                "qid": table["query_id"].to_arrow().dictionary_encode(),
                "docno": table["doc_id"].to_arrow(),
                value: table[value].to_arrow(),
            }
        ),
        "only a stream": OnlyStream(table),
        "only a stream of integers": OnlyStream(integers(table).to_arrow()),
    }


RUNS = {
    "dict": RUN,
    "dict, scores that are integers": {
        query: {document: int(8 * score) for document, score in ranking.items()} for query, ranking in RUN.items()
    },
    "dict, NumPy scores": {query: {d: np.float32(s) for d, s in ranking.items()} for query, ranking in RUN.items()},
    "dict, NumPy integers": {query: {d: np.int64(8 * s) for d, s in ranking.items()} for query, ranking in RUN.items()},
    "dict, integer ids": {int(query): {int(d): s for d, s in ranking.items()} for query, ranking in RUN.items()},
    "dict, NumPy ids": {
        np.int64(query): {np.int32(d): s for d, s in ranking.items()} for query, ranking in RUN.items()
    },
    "dict, in another order": {query: RUN[query] for query in reversed(RUN)},
    "dict, subclasses": Entries(
        (Text(q), Entries((Text(d), s) for d, s in ranking.items())) for q, ranking in RUN.items()
    ),
    "another mapping": Mapping({query: Mapping(ranking) for query, ranking in RUN.items()}),
    "pairs": {query: list(ranking.items()) for query, ranking in RUN.items()},
    "pairs that are lists": {query: [[d, s] for d, s in ranking.items()] for query, ranking in RUN.items()},
    "pairs in a tuple": {query: tuple(ranking.items()) for query, ranking in RUN.items()},
    "order": {query: ranked(ranking) for query, ranking in RUN.items()},
    "order, in a tuple": {query: tuple(ranked(ranking)) for query, ranking in RUN.items()},
    "order, in an array": {query: np.array(ranked(ranking)) for query, ranking in RUN.items()},
    "order, integers in an array": {query: np.array(ranked(ranking), dtype=int) for query, ranking in RUN.items()},
    "list": list(RUN.values()),
    "list of pairs": [list(ranking.items()) for ranking in RUN.values()],
    "list of orders": [ranked(ranking) for ranking in RUN.values()],
    "array of orders": np.array([ranked(ranking) for ranking in RUN.values()]),
    "Run": assay.Run(RUN),
    "Run of an order": assay.Run({query: ranked(ranking) for query, ranking in RUN.items()}),
    "Run of a frame": assay.Run(RUN_FRAME),
    "Run of a list": assay.Run(list(RUN.values())),
    **frames(RUN_FRAME, "score"),
}
JUDGMENTS = {
    "dict": QRELS,
    "dict, floats": {query: {d: float(g) for d, g in grades.items()} for query, grades in QRELS.items()},
    "dict, NumPy grades": {query: {d: np.int64(g) for d, g in grades.items()} for query, grades in QRELS.items()},
    "dict, NumPy floats": {query: {d: np.float32(g) for d, g in grades.items()} for query, grades in QRELS.items()},
    "dict, integer ids": {int(query): {int(d): g for d, g in grades.items()} for query, grades in QRELS.items()},
    "another mapping": Mapping({query: Mapping(grades) for query, grades in QRELS.items()}),
    "Qrels": assay.Qrels(QRELS),
    "Qrels of a frame": assay.Qrels(QRELS_FRAME),
    **frames(QRELS_FRAME.with_columns(polars.col("relevance").cast(polars.Float64)), "relevance"),
}


@pytest.mark.parametrize("form", RUNS)
def test_every_form_of_a_run_gives_the_same_bits(form):
    run = RUNS[form]
    qrels = list(QRELS.values()) if form.startswith(("list", "array", "Run of a list")) else QRELS
    result = assay.evaluate(qrels, run, MEASURES)
    assert scores_of(result) == EXPECTED
    assert result.notes == ()


@pytest.mark.parametrize("form", JUDGMENTS)
def test_every_form_of_judgments_gives_the_same_bits(form):
    result = assay.evaluate(JUDGMENTS[form], RUN, MEASURES)
    assert scores_of(result) == EXPECTED
    assert result.queries == QUERIES


def test_a_list_pairs_with_a_list():
    result = assay.evaluate(list(QRELS.values()), list(RUN.values()), MEASURES)
    assert scores_of(result) == EXPECTED
    assert result.queries == [str(number) for number in range(len(QUERIES))]


def test_relevant_documents_in_a_list_have_the_grade_1():
    graded = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    run = {"q1": ["x", "b", "a"], "q2": ["c", "x"]}
    expected = scores_of(assay.evaluate(graded, run, MEASURES))
    for form in (
        {"q1": ["a", "b"], "q2": ["c"]},
        {"q1": ("a", "b"), "q2": ("c",)},
        {"q1": {"a", "b"}, "q2": frozenset("c")},
        {"q1": np.array(["a", "b"]), "q2": np.array(["c"])},
        {"q1": [["a"], ["b"]], "q2": [["c"]]},
        {"q1": [["a", "b"]], "q2": [["c"]]},
    ):
        assert scores_of(assay.evaluate(form, run, MEASURES)) == expected
    assert scores_of(assay.evaluate([["a", "b"], ["c"]], list(run.values()), MEASURES)) == expected


# Names of columns.


@pytest.mark.parametrize(
    "name", ["query_id", "qid", "q_id", "query", "topic", "topic_id", "queryid", "Query-ID", "QID", "query id"]
)
def test_a_column_of_queries_is_known_by_its_usual_names(name):
    assert scores_of(assay.evaluate(QRELS, RUN_FRAME.rename({"query_id": name}), MEASURES)) == EXPECTED
    assert scores_of(assay.evaluate(QRELS_FRAME.rename({"query_id": name}), RUN, MEASURES)) == EXPECTED


@pytest.mark.parametrize(
    "name",
    [
        "doc_id",
        "docno",
        "docid",
        "doc",
        "document",
        "document_id",
        "corpus_id",
        "corpus-id",
        "pid",
        "passage_id",
        "DocNo",
    ],
)
def test_a_column_of_documents_is_known_by_its_usual_names(name):
    assert scores_of(assay.evaluate(QRELS, RUN_FRAME.rename({"doc_id": name}), MEASURES)) == EXPECTED
    assert scores_of(assay.evaluate(QRELS_FRAME.rename({"doc_id": name}), RUN, MEASURES)) == EXPECTED


@pytest.mark.parametrize("name", ["score", "sim", "similarity", "Score"])
def test_a_column_of_scores_is_known_by_its_usual_names(name):
    assert scores_of(assay.evaluate(QRELS, RUN_FRAME.rename({"score": name}), MEASURES)) == EXPECTED


@pytest.mark.parametrize("name", ["relevance", "rel", "grade", "label", "score", "Relevance"])
def test_a_column_of_grades_is_known_by_its_usual_names(name):
    assert scores_of(assay.evaluate(QRELS_FRAME.rename({"relevance": name}), RUN, MEASURES)) == EXPECTED


def test_of_several_usual_names_the_plainest_is_taken():
    """As in PyTerrier's results, where `docid` is the index's own number and `query` the text."""
    table = RUN_FRAME.rename({"query_id": "qid", "doc_id": "docno"})
    table = table.select(polars.int_range(polars.len()).alias("docid"), polars.lit("text").alias("query"), polars.all())
    assert scores_of(assay.evaluate(QRELS, table, MEASURES)) == EXPECTED
    graded = QRELS_FRAME.select(polars.lit(7.5).alias("score"), polars.all())
    assert scores_of(assay.evaluate(graded, RUN, MEASURES)) == EXPECTED


def test_the_user_may_name_the_columns(tmp_path):
    names = {"query_id": "frage", "doc_id": "url", "score": "punkte"}
    mapped = RUN_FRAME.rename(names).with_columns(query_id=polars.lit("not this"), score=polars.lit(0))
    path = tmp_path / "run.csv"
    mapped.write_csv(path)
    for run in (mapped, mapped.lazy(), mapped.to_pandas(), mapped.to_arrow(), OnlyStream(mapped), path):
        assert scores_of(assay.evaluate(QRELS, run, MEASURES, columns=names)) == EXPECTED
        assert scores_of(assay.evaluate(QRELS, assay.Run(run, columns=names), MEASURES)) == EXPECTED
    names = {"query_id": "frage", "doc_id": "url", "relevance": "note"}
    mapped = QRELS_FRAME.rename(names).with_columns(relevance=polars.lit(9))
    mapped.write_csv(path)
    for qrels in (assay.Qrels(mapped, columns=names), assay.read_qrels(path, columns=names)):
        assert scores_of(assay.evaluate(qrels, RUN, MEASURES)) == EXPECTED


def test_one_mapping_serves_judgments_and_run():
    names = {"query_id": "q", "doc_id": "d", "score": "s", "relevance": "r"}
    qrels = QRELS_FRAME.rename({"query_id": "q", "doc_id": "d", "relevance": "r"}).with_columns(s=polars.lit(0))
    run = RUN_FRAME.rename({"query_id": "q", "doc_id": "d", "score": "s"}).with_columns(r=polars.lit(0))
    assert scores_of(assay.evaluate(assay.Qrels(qrels, columns=names), run, MEASURES, columns=names)) == EXPECTED


# Files.


def separated(rows, header, separator):
    return "".join(separator.join(map(str, row)) + "\n" for row in [header, *rows])


def records(rows, names):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


RUN_NAMES, QRELS_NAMES = ("query_id", "doc_id", "score"), ("query_id", "doc_id", "relevance")
RUN_TEXTS = {
    "run.trec": TREC_RUN,
    "run.run": TREC_RUN,
    "run.txt": TREC_RUN,
    "run": TREC_RUN,
    "run.json": json.dumps(RUN),
    "lists.json": json.dumps({query: ranked(ranking) for query, ranking in RUN.items()}),
    "pairs.json": json.dumps({query: list(ranking.items()) for query, ranking in RUN.items()}),
    "indented.json": json.dumps(RUN, indent=2),
    "run.jsonl": records(RUN_ROWS, RUN_NAMES),
    "run.ndjson": records(RUN_ROWS, ("qid", "docno", "score")),
    "run.csv": separated(RUN_ROWS, RUN_NAMES, ","),
    "run.tsv": separated(RUN_ROWS, RUN_NAMES, "\t"),
    "quoted.csv": '"qid","docno","score"\n' + "".join(f'"{q}","{d}","{s}"\n' for q, d, s in RUN_ROWS),
}
QRELS_TEXTS = {
    "qrels.trec": TREC_QRELS,
    "qrels.qrels": TREC_QRELS,
    "qrels.txt": TREC_QRELS,
    "qrels": TREC_QRELS,
    "trec.tsv": TREC_QRELS.replace(" ", "\t"),
    "beir.tsv": separated(QRELS_ROWS, ("query-id", "corpus-id", "score"), "\t"),
    "qrels.tsv": separated(QRELS_ROWS, QRELS_NAMES, "\t"),
    "qrels.csv": separated(QRELS_ROWS, QRELS_NAMES, ","),
    "qrels.json": json.dumps(QRELS),
    "qrels.jsonl": records(QRELS_ROWS, QRELS_NAMES),
}
COMPRESSIONS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pyarrow.compress(content, codec="zstd", asbytes=True),
}


@pytest.fixture
def make(tmp_path):
    """Writes a file and gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("name", RUN_TEXTS)
def test_every_run_file_gives_the_same_bits(name, suffix, make):
    path = make(name + suffix, COMPRESSIONS[suffix](RUN_TEXTS[name].encode()))
    result = assay.evaluate(QRELS, path, MEASURES)
    assert scores_of(result) == EXPECTED
    assert result.notes == ()
    assert scores_of(assay.evaluate(QRELS, assay.read_run(str(path)), MEASURES)) == EXPECTED


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize("name", QRELS_TEXTS)
def test_every_file_of_judgments_gives_the_same_bits(name, suffix, make):
    path = make(name + suffix, COMPRESSIONS[suffix](QRELS_TEXTS[name].encode()))
    for qrels in (path, str(path), assay.read_qrels(path)):
        result = assay.evaluate(qrels, RUN, MEASURES)
        assert scores_of(result) == EXPECTED
        assert result.queries == QUERIES


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_the_content_says_what_the_name_does_not(suffix, make):
    for name, text in RUN_TEXTS.items():
        path = make("data" + suffix, COMPRESSIONS[suffix](text.encode()))
        assert scores_of(assay.evaluate(QRELS, path, MEASURES)) == EXPECTED, name
    for name, text in QRELS_TEXTS.items():
        path = make("data" + suffix, COMPRESSIONS[suffix](text.encode()))
        assert scores_of(assay.evaluate(path, RUN, MEASURES)) == EXPECTED, name


@pytest.mark.parametrize(
    ("format", "text"),
    [("trec", "run.trec"), ("json", "run.json"), ("jsonl", "run.jsonl"), ("csv", "run.csv"), ("tsv", "run.tsv")],
)
def test_the_format_may_be_named_against_the_file_name(format, text, make):
    path = make("run.parquet", RUN_TEXTS[text])
    assert scores_of(assay.evaluate(QRELS, path, MEASURES, format=format)) == EXPECTED
    assert scores_of(assay.evaluate(QRELS, assay.read_run(path, format=format), MEASURES)) == EXPECTED


def test_judgments_of_a_named_format(make):
    path = make("qrels.json", QRELS_TEXTS["beir.tsv"])
    assert scores_of(assay.evaluate(assay.read_qrels(path, format="beir"), RUN, MEASURES)) == EXPECTED


def test_parquet_gives_the_same_bits(tmp_path):
    for kind in ("zstd", "snappy", "uncompressed"):
        RUN_FRAME.write_parquet(tmp_path / "run.parquet", compression=kind, row_group_size=50)
        QRELS_FRAME.write_parquet(tmp_path / "qrels.pq", compression=kind)
        result = assay.evaluate(tmp_path / "qrels.pq", tmp_path / "run.parquet", MEASURES)
        assert scores_of(result) == EXPECTED
        assert result.notes == ()
    (tmp_path / "nameless").write_bytes((tmp_path / "run.parquet").read_bytes())
    assert scores_of(assay.evaluate(QRELS, tmp_path / "nameless", MEASURES)) == EXPECTED


def test_json_lists_pair_up(make):
    qrels = make("qrels.json", json.dumps(list(QRELS.values())))
    for runs in (RUN.values(), map(ranked, RUN.values()), (list(ranking.items()) for ranking in RUN.values())):
        text = json.dumps(list(runs))
        for name in ("run.json", "nameless"):
            assert scores_of(assay.evaluate(qrels, make(name, text), MEASURES)) == EXPECTED


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


@pytest.mark.parametrize("variant", TREC_VARIANTS)
def test_trec_text_may_be_untidy(variant, make):
    run, qrels = make("run.trec", TREC_VARIANTS[variant](TREC_RUN)), make("q.trec", TREC_VARIANTS[variant](TREC_QRELS))
    result = assay.evaluate(qrels, run, MEASURES)
    assert scores_of(result) == EXPECTED
    assert result.notes == ()
    assert scores_of(assay.evaluate(assay.Qrels(qrels), assay.Run(run), MEASURES)) == EXPECTED


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_tables_may_come_from_windows(ending, mark, make):
    for name in ("run.csv", "run.tsv", "run.jsonl", "run.json"):
        path = make(name, mark + RUN_TEXTS[name].replace("\n", ending).encode())
        assert scores_of(assay.evaluate(QRELS, path, MEASURES)) == EXPECTED, name


FILE_OBJECTS = {
    "binary": lambda path: path.open("rb"),
    "text": lambda path: path.open(encoding="utf-8"),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "StringIO": lambda path: io.StringIO(path.read_text()),
    "unbuffered": lambda path: path.open("rb", buffering=0),
}


@pytest.mark.parametrize("kind", FILE_OBJECTS)
def test_file_objects_are_read_like_files(kind, make):
    for name, text in RUN_TEXTS.items():
        with FILE_OBJECTS[kind](make(name, text)) as file:
            assert scores_of(assay.evaluate(QRELS, file, MEASURES)) == EXPECTED, name
        with FILE_OBJECTS[kind](make(name, text)) as file:
            assert scores_of(assay.evaluate(QRELS, assay.read_run(file), MEASURES)) == EXPECTED, name
    for name, text in QRELS_TEXTS.items():
        with FILE_OBJECTS[kind](make(name, text)) as file:
            assert scores_of(assay.evaluate(file, RUN, MEASURES)) == EXPECTED, name


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_a_file_object_may_hold_compressed_text(suffix):
    content = COMPRESSIONS[suffix](TREC_RUN.encode())
    assert scores_of(assay.evaluate(QRELS, io.BytesIO(content), MEASURES)) == EXPECTED


def test_a_file_object_is_read_from_where_it_stands():
    file = io.StringIO("this is not for assay\n" + TREC_RUN)
    file.readline()
    assert scores_of(assay.evaluate(QRELS, file, MEASURES)) == EXPECTED


@pytest.mark.parametrize("name", ["", ".", "..", "/", "<stdin>", "x" * 400, "a\0b", 3, None, "dir/run.txt", "C:\\run"])
def test_a_file_object_may_have_any_name(name):
    file = io.BytesIO(TREC_RUN.encode())
    file.name = name
    assert scores_of(assay.evaluate(QRELS, file, MEASURES)) == EXPECTED


def test_a_pipe_is_read_like_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(TREC_RUN,))
    writer.start()
    try:
        assert scores_of(assay.evaluate(QRELS, pipe, MEASURES)) == EXPECTED
    finally:
        writer.join()


# Rows that do not stand together.


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(
    "name", ["run.trec", "run.trec.gz", "run.csv", "run.tsv", "run.jsonl", "run.parquet", "polars", "pandas", "pyarrow"]
)
def test_scattered_rows_give_the_same_scores_and_a_note(name, threads, make, tmp_path):
    rows = shuffled(RUN_ROWS)
    table = frame(rows, "score")
    trec = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in rows)
    texts = {
        "run.trec": trec.encode(),
        "run.trec.gz": gzip.compress(trec.encode()),
        "run.csv": separated(rows, RUN_NAMES, ",").encode(),
        "run.tsv": separated(rows, RUN_NAMES, "\t").encode(),
        "run.jsonl": records(rows, RUN_NAMES).encode(),
    }
    if name in texts:
        run = make(name, texts[name])
    elif name == "run.parquet":
        run = tmp_path / name
        table.write_parquet(run)
    else:
        run = {"polars": table, "pandas": in_pandas(table, "score"), "pyarrow": table.to_arrow()}[name]
    result = assay.evaluate(QRELS, run, MEASURES, threads=threads)
    assert scores_of(result) == EXPECTED
    assert [note.kind for note in result.notes] == ["scattered"]
    assert result.notes[0].text.startswith(f"the rows of {len(QUERIES)} queries do not stand together")


@pytest.mark.parametrize("batch", [4, 25, 40, 299])
def test_tables_are_read_in_batches(batch, make, monkeypatch):
    """Wherever a batch ends, a query's rows stay together; where they do not, that is noticed across batches."""
    monkeypatch.setattr("assay.io.tables.BATCH", batch)
    monkeypatch.setattr("assay.io.tables.RECORDS", batch)
    for name in ("run.csv", "run.jsonl"):
        result = assay.evaluate(QRELS, make(name, RUN_TEXTS[name]), MEASURES)
        assert scores_of(result) == EXPECTED
        assert result.notes == ()
    apart = [row for row in RUN_ROWS if row[1] > "3"] + [row for row in RUN_ROWS if row[1] <= "3"]
    for name, text in (("run.csv", separated(apart, RUN_NAMES, ",")), ("run.jsonl", records(apart, RUN_NAMES))):
        result = assay.evaluate(QRELS, make(name, text), MEASURES)
        assert scores_of(result) == EXPECTED
        assert [note.kind for note in result.notes] == ["scattered"]


def test_scattered_judgments_are_put_together(make):
    rows = shuffled(QRELS_ROWS)
    text = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    per_query = assay.evaluate(QRELS, RUN, MEASURES).per_query()
    for qrels in (make("q.trec", text), frame(rows, "relevance"), make("q.csv", separated(rows, QRELS_NAMES, ","))):
        assert assay.evaluate(qrels, RUN, MEASURES).per_query() == per_query


# Many rows: several blocks of a file, several threads.


@pytest.fixture(scope="module")
def large():
    """A run of several megabytes with ties, as a dict; and judgments."""
    choice = random.Random(5)
    run = {
        f"query-{number}": {f"doc{document:07d}": choice.randrange(500) / 4 for document in range(2000)}
        for number in range(80)
    }
    qrels = {
        query: {document: choice.randrange(3) for document in choice.sample(list(run[query]), 40)} for query in run
    }
    return qrels, run


@pytest.fixture(scope="module")
def large_lines(large):
    return [
        f"{query} Q0 {document} 0 {score} t\n"
        for query, ranking in large[1].items()
        for document, score in ranking.items()
    ]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_and_blocks_do_not_change_a_bit(threads, large, large_lines, make):
    qrels, run = large
    expected = scores_of(assay.evaluate(qrels, run, MEASURES))
    path = make("run.trec", "".join(large_lines))
    assert path.stat().st_size > 4 << 20
    table = polars.DataFrame([(q, d, s) for q in run for d, s in run[q].items()], schema=RUN_NAMES, orient="row")
    for form in (path, table, table.to_arrow(), assay.Run(path), make("run.gz", gzip.compress(path.read_bytes(), 1))):
        result = assay.evaluate(qrels, form, MEASURES, threads=threads)
        assert scores_of(result) == expected
        assert result.notes == ()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_scattered_lines_of_several_blocks_do_not_change_a_bit(threads, large, large_lines, make):
    qrels, run = large
    expected = scores_of(assay.evaluate(qrels, run, MEASURES))
    lines = large_lines[:60_000] + shuffled(large_lines[60_000:])
    result = assay.evaluate(qrels, make("run.trec", "".join(lines)), MEASURES, threads=threads)
    assert scores_of(result) == expected
    assert [str(note) for note in result.notes] == ["the rows of 50 queries do not stand together and were gathered"]


@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
def test_a_name_may_be_no_text(tmp_path):
    path = tmp_path / os.fsdecode(b"run-\xff")
    try:
        path.write_text(TREC_RUN)
    except OSError:
        pytest.skip("this file system allows no such name")
    assert scores_of(assay.evaluate(QRELS, path, MEASURES)) == EXPECTED
    path.write_text("1\n")
    with pytest.raises(assay.FormatError, match=r"run-\\udcff, line 1"):
        assay.evaluate(QRELS, path, MEASURES)


def test_paths_may_be_text_or_path(make):
    run, qrels = make("run.trec", TREC_RUN), make("qrels.trec", TREC_QRELS)
    for form in (str, Path):
        assert scores_of(assay.evaluate(form(qrels), form(run), MEASURES)) == EXPECTED
