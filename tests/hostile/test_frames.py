"""Judgments and runs in frames of polars, pandas and Arrow, each with the number or the error that must come out."""

from decimal import Decimal

import pandas
import polars
import pyarrow
import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("Tables")

Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
R = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 5.0}}


def frame(query=("q1", "q1", "q2"), doc=("d2", "d1", "d3"), score=(2.0, 1.0, 5.0)):
    return {"query_id": list(query), "doc_id": list(doc), "score": list(score)}


RUNS = [
    (lambda: polars.DataFrame(frame()), 0.75),
    (lambda: polars.DataFrame(frame()).lazy(), 0.75),
    (lambda: polars.Series([1]), "FormatError: the frame has no column for query_id (columns: '')"),
    (lambda: pandas.DataFrame(frame()), 0.75),
    (lambda: pyarrow.table(frame()), 0.75),
    (lambda: polars.DataFrame(frame(score=("2", "1", "5"))), 0.75),
    (lambda: polars.DataFrame(frame(doc=(2, 1, 3))), 0.0),
    (lambda: polars.DataFrame(frame()).with_columns(polars.col("doc_id").cast(polars.Categorical)), 0.75),
    (lambda: polars.DataFrame(frame(score=(Decimal("2.5"), Decimal(1), Decimal(5)))), 0.75),
    (lambda: polars.DataFrame(frame()).with_columns(polars.col("score").cast(polars.Float32)), 0.75),
    (lambda: polars.DataFrame(frame(score=(2, 1, 5))).with_columns(polars.col("score").cast(polars.UInt64)), 0.75),
    (lambda: polars.DataFrame({**frame(), "doc_id": polars.Series(["d2", 3, "d3"], dtype=polars.Object)}), 0.5),
    (lambda: pandas.DataFrame(frame()).astype({"doc_id": "category"}), 0.75),
    (lambda: pandas.DataFrame(frame(doc=("d2", 1, "d3"))), 0.5),
    (
        lambda: pandas.DataFrame([["q1", "d1", "d2", 1.0]], columns=["query_id", "doc_id", "doc_id", "score"]),
        "FormatError: the frame: duplicate column 'doc_id'",
    ),
    (
        lambda: pandas.DataFrame(
            [["q1", "d1", 1.0]],
            columns=pandas.MultiIndex.from_tuples([("query_id", ""), ("doc_id", ""), ("score", "")]),
        ),
        "FormatError: the frame has no column for query_id (columns: '('query_id', '')', '('doc_id', '')',",
    ),
    (
        lambda: pandas.DataFrame([["q1", "d1", 1.0]]),
        "FormatError: the frame has no column for query_id (columns: '0', '1', '2')",
    ),
    (lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"]).dictionary_encode()}), 0.75),
    (lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.large_string())}), 0.75),
    (lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.string_view())}), 0.75),
    (
        lambda: pyarrow.table({**frame(), "score": pyarrow.array([2, 1, 5], pyarrow.timestamp("s"))}),
        "FormatError: the frame: the column 'score' must hold numbers, not Datetime(time_unit='ms',",
    ),
    (
        lambda: pyarrow.table(
            {**frame(), "score": pyarrow.array([[("a", 1)], [], []], pyarrow.map_(pyarrow.string(), pyarrow.int64()))}
        ),
        "FormatError: the frame: the column 'score' must hold numbers, not Map(String, Int64)",
    ),
]
QRELS = [
    (lambda: polars.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d3"], "relevance": [1, 1]}), 0.75),
    (
        lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [None]}),
        "FormatError: the frame, row 0: the column 'relevance' is empty",
    ),
    (
        lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [float("nan")]}),
        "FormatError: the frame, row 0: 'nan' in the column 'relevance' is not finite",
    ),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("make", "expected"), RUNS)
def test_run(make, expected):
    check(lambda: round(assay.evaluate(Q, make(), ["rr"])["rr"], 6), expected)


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("make", "expected"), QRELS)
def test_judgments(make, expected):
    check(lambda: round(assay.evaluate(make(), R, ["rr"])["rr"], 6), expected)
