"""All objects of the same data give the same bits."""

import numpy as np
import pandas
import polars
import pyarrow

import assay
from forms import EXPECTED, MEASURES, QRELS, QRELS_FRAME, QUERIES, RUN, RUN_FRAME, check, in_pandas, ranked, scores_of
from tables import for_each


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
        self.keys, self.entries = entries.keys, entries

    def __getitem__(self, key):
        return self.entries[key]


class Text(str):
    __slots__ = ()


class Entries(dict):
    __slots__ = ()


def mapped(data, query=str, document=str, value=lambda each: each):
    """The same data with ids and values of other types."""
    return {query(q): {document(d): value(each) for d, each in values.items()} for q, values in data.items()}


def integers(table):
    return table.with_columns(polars.col("query_id", "doc_id").cast(polars.Int64))


def frames(table, value):
    """The same rows as every kind of frame."""
    plain = in_pandas(table, value)
    ids, arrow = plain.columns[:2], table.to_arrow()
    several_kinds = [int(each) if row % 2 else each for row, each in enumerate(plain.doc_id)]
    return {
        "polars": table,
        "polars, lazy": table.lazy(),
        "polars, integer ids": integers(table),
        "polars, small integers": integers(table).cast({"query_id": polars.Int8, "doc_id": polars.UInt16}),
        "polars, categorical ids": table.with_columns(polars.col("query_id", "doc_id").cast(polars.Categorical)),
        "polars, enum ids": table.with_columns(polars.col("query_id").cast(polars.Enum(QUERIES))),
        "polars, in chunks": polars.concat([table[:100], table[100:170], table[170:]], rechunk=False),
        "polars, 32 bits": table.with_columns(polars.col(value).cast(polars.Float32)),
        "polars, numbers as text": table.with_columns(polars.col(value).cast(polars.String)),
        "polars, decimals": table.with_columns(polars.col(value).cast(polars.Decimal(20, 3))),
        "polars, other columns": table.with_columns(tag=polars.lit("x"), query=polars.lit("some text")),
        "polars, columns in another order": table.select(value, "doc_id", "query_id"),
        "pandas": plain,
        "pandas, integer ids": plain.astype(dict.fromkeys(ids, int)),
        "pandas, objects": plain.astype(object),
        "pandas, integers as objects": plain.astype(dict.fromkeys(ids, int)).astype(object),
        "pandas, objects of several kinds": plain.assign(doc_id=several_kinds),
        "pandas, NumPy's objects": plain.assign(**{value: pandas.Series(map(np.float32, plain[value]), dtype=object)}),
        "pandas, categoricals": plain.astype(dict.fromkeys(ids, "category")),
        "pandas, integer categoricals": plain.astype(dict.fromkeys(ids, int)).astype(dict.fromkeys(ids, "category")),
        "pandas, 32 bits": plain.astype({value: np.float32}),
        "pandas, Arrow's types": plain.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, an index out of order": plain.set_index(pandas.Index(range(len(plain), 0, -1))),
        "pandas, columns that no library knows": plain.assign(name="x", read=1, odd=[object() for _ in plain.doc_id]),
        "pyarrow": arrow,
        "pyarrow, in batches": pyarrow.Table.from_batches(arrow.to_batches(max_chunksize=7)),
        "pyarrow, dictionaries": arrow.set_column(0, "qid", arrow.column(0).combine_chunks().dictionary_encode()),
        "only a stream": OnlyStream(table),
        "only a stream of integers": OnlyStream(integers(table).to_arrow()),
    }


RUNS = {
    "dict": RUN,
    "dict, scores that are integers": mapped(RUN, value=lambda score: int(8 * score)),
    "dict, NumPy scores": mapped(RUN, value=np.float32),
    "dict, NumPy integers": mapped(RUN, value=lambda score: np.int64(8 * score)),
    "dict, integer ids": mapped(RUN, int, int),
    "dict, NumPy ids": mapped(RUN, np.int64, np.int32),
    "dict, in another order": {query: RUN[query] for query in reversed(RUN)},
    "dict, subclasses": Entries((query, Entries(ranking)) for query, ranking in mapped(RUN, Text, Text).items()),
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
    **{f"dict, {kind.__name__}": mapped(QRELS, value=kind) for kind in (float, np.int64, np.float32)},
    "dict, integer ids": mapped(QRELS, int, int),
    "another mapping": Mapping({query: Mapping(grades) for query, grades in QRELS.items()}),
    "Qrels": assay.Qrels(QRELS),
    "Qrels of a frame": assay.Qrels(QRELS_FRAME),
    **frames(QRELS_FRAME.with_columns(polars.col("relevance").cast(polars.Float64)), "relevance"),
}


@for_each("form", RUNS)
def test_every_form_of_a_run_gives_the_same_bits(form):
    run = RUNS[form]
    qrels = list(QRELS.values()) if form.startswith(("list", "array", "Run of a list")) else QRELS
    check(qrels, run)


@for_each("form", JUDGMENTS)
def test_every_form_of_judgments_gives_the_same_bits(form):
    assert check(JUDGMENTS[form]).queries == QUERIES


def test_relevant_documents_in_a_list_have_the_grade_1():
    graded = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    run = {"q1": ["x", "b", "a"], "q2": ["c", "x"]}
    expected = scores_of(assay.evaluate(graded, run, MEASURES))
    groups = {"q1": [["a"], ["b"]], "q2": [["c"]]}, {"q1": [["a", "b"]], "q2": [["c"]]}
    groups = *groups, {"q1": np.array(["a", "b"]), "q2": np.array(["c"])}
    for form in (*({"q1": kind("ab"), "q2": kind("c")} for kind in (list, tuple, set, frozenset)), *groups):
        assert scores_of(assay.evaluate(form, run, MEASURES)) == expected
    assert scores_of(assay.evaluate([["a", "b"], ["c"]], list(run.values()), MEASURES)) == expected


USUAL = {
    "query_id": "query_id,qid,q_id,query,topic,topic_id,queryid,Query-ID,QID,query id",
    "doc_id": "doc_id,docno,docid,doc,document,document_id,corpus_id,corpus-id,pid,passage_id,DocNo",
    "score": "score,sim,similarity,Score",
    "relevance": "relevance,rel,grade,label,score,Relevance",
}


@for_each(("column", "name"), [(column, name) for column, names in USUAL.items() for name in names.split(",")])
def test_columns_are_known_by_their_usual_names(column, name):
    if column != "relevance":
        check(run=RUN_FRAME.rename({column: name}))
    if column != "score":
        check(QRELS_FRAME.rename({column: name}))


def test_of_several_usual_names_the_plainest_is_taken():
    """As in PyTerrier's results, where `docid` is the index's own number and `query` the text."""
    table = RUN_FRAME.rename({"query_id": "qid", "doc_id": "docno"})
    table = table.select(polars.int_range(polars.len()).alias("docid"), polars.lit("text").alias("query"), polars.all())
    check(run=table)
    check(QRELS_FRAME.select(polars.lit(7.5).alias("score"), polars.all()))


def test_the_user_may_name_the_columns(tmp_path):
    names = {"query_id": "frage", "doc_id": "url", "score": "punkte"}
    mapped = RUN_FRAME.rename(names).with_columns(query_id=polars.lit("not this"), score=polars.lit(0))
    path = tmp_path / "run.csv"
    mapped.write_csv(path)
    for run in (mapped, mapped.lazy(), mapped.to_pandas(), mapped.to_arrow(), OnlyStream(mapped), path):
        check(run=run, columns=names)
        check(run=assay.Run(run, columns=names))
    names = {"query_id": "frage", "doc_id": "url", "relevance": "note"}
    mapped = QRELS_FRAME.rename(names).with_columns(relevance=polars.lit(9))
    mapped.write_csv(path)
    check(assay.Qrels(mapped, columns=names))
    check(assay.read_qrels(path, columns=names))


def test_one_mapping_serves_judgments_and_run():
    names = {"query_id": "q", "doc_id": "d", "score": "s", "relevance": "r"}
    qrels = QRELS_FRAME.rename({"query_id": "q", "doc_id": "d", "relevance": "r"}).with_columns(s=polars.lit(0))
    run = RUN_FRAME.rename({"query_id": "q", "doc_id": "d", "score": "s"}).with_columns(r=polars.lit(0))
    check(assay.Qrels(qrels, columns=names), run, columns=names)
