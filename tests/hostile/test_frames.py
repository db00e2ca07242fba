"""Judgments and runs in frames of polars, pandas and Arrow, each with the number or the error that must come out."""

# ruff: noqa: PLW0108 - a case is made when it runs

import datetime
from decimal import Decimal

import pandas
import polars
import pyarrow
import pytest

import assay
from outcomes import check, names

pytestmark = pytest.mark.attack("Tables")

Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
R = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 5.0}}


def frame(query=("q1", "q1", "q2"), doc=("d2", "d1", "d3"), score=(2.0, 1.0, 5.0)):
    return {"query_id": list(query), "doc_id": list(doc), "score": list(score)}


RUNS = [
    ("polars", lambda: polars.DataFrame(frame()), 0.75),
    ("polars lazy", lambda: polars.DataFrame(frame()).lazy(), 0.75),
    ("polars series", lambda: polars.Series([1]), "FormatError: the frame has no column for query_id (columns: '')"),
    ("pandas", lambda: pandas.DataFrame(frame()), 0.75),
    ("pandas series", lambda: pandas.Series([1]), "FormatError: the frame cannot be read: invalid series dtype:"),
    ("arrow", lambda: pyarrow.table(frame()), 0.75),
    ("polars empty", lambda: polars.DataFrame(), "FormatError: the frame has no column for query_id (columns: none)"),
    ("polars without rows", lambda: polars.DataFrame(frame((), (), ())), "DataError: the data has no rankings"),
    (
        "polars null query",
        lambda: polars.DataFrame(frame(query=("q1", None, "q2"))),
        "FormatError: the frame, row 1: the column 'query_id' is empty",
    ),
    (
        "polars null document",
        lambda: polars.DataFrame(frame(doc=("d2", None, "d3"))),
        "FormatError: the frame, row 1: the column 'doc_id' is empty",
    ),
    (
        "polars null score",
        lambda: polars.DataFrame(frame(score=(2.0, None, 5.0))),
        "FormatError: the frame, row 1: the column 'score' is empty",
    ),
    (
        "polars nan score",
        lambda: polars.DataFrame(frame(score=(2.0, float("nan"), 5.0))),
        "FormatError: the frame, row 1: 'nan' in the column 'score' is not finite",
    ),
    (
        "polars inf score",
        lambda: polars.DataFrame(frame(score=(2.0, float("inf"), 5.0))),
        "FormatError: the frame, row 1: 'inf' in the column 'score' is not finite",
    ),
    ("polars text score", lambda: polars.DataFrame(frame(score=("2", "1", "5"))), 0.75),
    (
        "polars word score",
        lambda: polars.DataFrame(frame(score=("2", "x", "5"))),
        "FormatError: the frame, row 1: 'x' in the column 'score' is not a number",
    ),
    (
        "polars bool score",
        lambda: polars.DataFrame(frame(score=(True, False, True))),
        "FormatError: the frame: the column 'score' must hold numbers, not Boolean",
    ),
    ("polars int ids", lambda: polars.DataFrame(frame(doc=(2, 1, 3))), 0.0),
    (
        "polars float ids",
        lambda: polars.DataFrame(frame(doc=(2.5, 1.0, 3.0))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Float64",
    ),
    (
        "polars bool ids",
        lambda: polars.DataFrame(frame(doc=(True, False, True))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Boolean",
    ),
    (
        "polars date ids",
        lambda: polars.DataFrame(frame(doc=[datetime.date(2024, 1, each) for each in (1, 2, 3)])),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Date",
    ),
    (
        "polars list ids",
        lambda: polars.DataFrame(frame(doc=(["d2"], ["d1"], ["d3"]))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not List(String)",
    ),
    (
        "polars struct ids",
        lambda: polars.DataFrame(frame(doc=({"a": 1}, {"a": 2}, {"a": 3}))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Struct({'a': Int64})",
    ),
    (
        "polars binary ids",
        lambda: polars.DataFrame(frame(doc=(b"d2", b"d1", b"d3"))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Binary",
    ),
    (
        "polars categorical ids",
        lambda: polars.DataFrame(frame()).with_columns(polars.col("doc_id").cast(polars.Categorical)),
        0.75,
    ),
    ("polars decimal score", lambda: polars.DataFrame(frame(score=(Decimal("2.5"), Decimal(1), Decimal(5)))), 0.75),
    (
        "polars float32 score",
        lambda: polars.DataFrame(frame()).with_columns(polars.col("score").cast(polars.Float32)),
        0.75,
    ),
    (
        "polars u64 score",
        lambda: polars.DataFrame(frame(score=(2, 1, 5))).with_columns(polars.col("score").cast(polars.UInt64)),
        0.75,
    ),
    (
        "polars duration score",
        lambda: polars.DataFrame(frame(score=[datetime.timedelta(each) for each in (2, 1, 5)])),
        "FormatError: the frame: the column 'score' must hold numbers, not Duration(time_unit='us')",
    ),
    (
        "polars object ids",
        lambda: polars.DataFrame({**frame(), "doc_id": polars.Series(["d2", 3, "d3"], dtype=polars.Object)}),
        0.5,
    ),
    (
        "polars null type",
        lambda: polars.DataFrame(frame(score=(None, None, None))),
        "FormatError: the frame, row 0: the column 'score' is empty",
    ),
    (
        "pandas int with missing",
        lambda: pandas.DataFrame(frame(doc=(2, None, 3))),
        "FormatError: the frame, row 1: the column 'doc_id' is empty",
    ),
    (
        "pandas ids as floats",
        lambda: pandas.DataFrame(frame(doc=(2.0, 1.0, 3.0))),
        "FormatError: the frame: the column 'doc_id' must hold strings or integers, not Float64",
    ),
    ("pandas categories", lambda: pandas.DataFrame(frame()).astype({"doc_id": "category"}), 0.75),
    ("pandas object mixed", lambda: pandas.DataFrame(frame(doc=("d2", 1, "d3"))), 0.5),
    (
        "pandas duplicate columns",
        lambda: pandas.DataFrame([["q1", "d1", "d2", 1.0]], columns=["query_id", "doc_id", "doc_id", "score"]),
        "FormatError: the frame: duplicate column 'doc_id'",
    ),
    (
        "pandas multi index",
        lambda: pandas.DataFrame(
            [["q1", "d1", 1.0]],
            columns=pandas.MultiIndex.from_tuples([("query_id", ""), ("doc_id", ""), ("score", "")]),
        ),
        "FormatError: the frame has no column for query_id (columns: '('query_id', '')', '('doc_id', '')',",
    ),
    (
        "pandas number columns",
        lambda: pandas.DataFrame([["q1", "d1", 1.0]]),
        "FormatError: the frame has no column for query_id (columns: '0', '1', '2')",
    ),
    (
        "arrow dictionary",
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"]).dictionary_encode()}),
        0.75,
    ),
    (
        "arrow large text",
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.large_string())}),
        0.75,
    ),
    (
        "arrow text view",
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.string_view())}),
        0.75,
    ),
    (
        "arrow timestamp score",
        lambda: pyarrow.table({**frame(), "score": pyarrow.array([2, 1, 5], pyarrow.timestamp("s"))}),
        "FormatError: the frame: the column 'score' must hold numbers, not Datetime(time_unit='ms',",
    ),
    (
        "arrow map score",
        lambda: pyarrow.table(
            {**frame(), "score": pyarrow.array([[("a", 1)], [], []], pyarrow.map_(pyarrow.string(), pyarrow.int64()))}
        ),
        "FormatError: the frame: the column 'score' must hold numbers, not Map(String, Int64)",
    ),
    (
        "arrow no rows",
        lambda: pyarrow.table(
            {
                "query_id": pyarrow.array([], "string"),
                "doc_id": pyarrow.array([], "string"),
                "score": pyarrow.array([], "float64"),
            }
        ),
        "DataError: the data has no rankings",
    ),
]
QRELS = [
    ("polars", lambda: polars.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d3"], "relevance": [1, 1]}), 0.75),
    (
        "polars null grade",
        lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [None]}),
        "FormatError: the frame, row 0: the column 'relevance' is empty",
    ),
    (
        "polars nan grade",
        lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [float("nan")]}),
        "FormatError: the frame, row 0: 'nan' in the column 'relevance' is not finite",
    ),
    (
        "polars without grades",
        lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"]}),
        "FormatError: the frame has no column for relevance (columns: 'query_id', 'doc_id')",
    ),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@pytest.mark.parametrize(("make", "expected"), [case[1:] for case in RUNS], ids=names(RUNS))
def test_run(make, expected):
    check(lambda: round(assay.evaluate(Q, make(), ["rr"])["rr"], 6), expected)


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@pytest.mark.parametrize(("make", "expected"), [case[1:] for case in QRELS], ids=names(QRELS))
def test_judgments(make, expected):
    check(lambda: round(assay.evaluate(make(), R, ["rr"])["rr"], 6), expected)
