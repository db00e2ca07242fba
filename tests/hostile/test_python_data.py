"""Judgments and runs in Python's own forms and in frames, each with the number or the error that must come out."""

# ruff: noqa: PLW0108 - a case is made when it runs

import datetime
import pathlib
import uuid
from collections import Counter, OrderedDict, UserDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("Data in Python"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

Q = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
R = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 5.0}}


def frame(query=("q1", "q1", "q2"), doc=("d2", "d1", "d3"), score=(2.0, 1.0, 5.0)):
    return {"query_id": list(query), "doc_id": list(doc), "score": list(score)}


def S(value):  # noqa: N802 - short names keep the table readable
    """A run with this score."""
    return {"q1": {"d1": value}}


def D(*ids):  # noqa: N802 - short names keep the table readable
    """A run with these documents before the relevant one."""
    return {"q1": {**{each: 9.0 - place for place, each in enumerate(ids)}, "d1": 1.0}}


RUNS = [
    *((each, 0.75) for each in (
        lambda: R, lambda: OrderedDict(R), lambda: defaultdict(dict, R), lambda: UserDict(R), lambda: MappingProxyType(R),
        lambda: {"q1": Counter(d1=1, d2=2), "q2": Counter(d3=5)}, lambda: {"q1": ("d2", "d1"), "q2": ("d3",)},
        lambda: {"q1": np.array(["d2", "d1"]), "q2": np.array(["d3"])},
        lambda: {"q1": [("d2", 2), ("d1", 1)], "q2": [("d3", 1)]}, lambda: {10**40: {"d1": 1}, **R},
        lambda: {1: {"d1": 1}, "1": {"d1": 1}, **R},
    )),
    *((lambda each=each: each, f"DataError: the run must be a dict, a list, a frame or a file, not {kind}") for each, kind in (
        (float("nan"), "float nan"), (b"q1 Q0 d1 1 1 t", "bytes"), ({"q1"}, ""), (len, ""), (iter(()), ""),
        ((i for i in range(3)), "generator"),
    )),
    (lambda: "", "FileError: the path is empty"),
    (lambda: "a\0b", "FileError: 'a\\x00b' is not a valid file name: it has a NUL character"),
    (lambda: "\ud800.run", "FileError: '\\ud800.run' is not a valid file name: it is not"),
    (lambda: dict, "DataError: the data is the class 'dict'"),
    (lambda: {"q1": 3}, "DataError: ranking of query 'q1' must be a dict of scores, a list of"),
    *((lambda each=each: {"q1": each, "q2": ["d3"]}, "DataError: ranking of query 'q1' must be a dict of scores, a list of documents or a list of (document,") for each in (
        (d for d in ["d2", "d1"]), {"d2": 1, "d1": 0}.keys(),
    )),
    (lambda: {"q1": [["d1"]]}, "DataError: ranking of query 'q1': expected a pair (document,"),
    (lambda: {"q1": [[[[["d1"]]]]]}, "DataError: ranking of query 'q1': expected a pair (document, score), found list [[[['d1']]]]"),
    *((each, "DataError: ranking of query 'q1': an id must be a string or an integer, not") for each in (
        lambda: {"q1": [{"id": "d1"}]}, lambda: D(1.0), lambda: D(("a", "b")), lambda: D(Decimal(1)),
        lambda: D(pathlib.Path("a")),
    )),
    (lambda: {"q1": [1, "1"]}, "DuplicateError: query 'q1' lists document '1' more than"),
    (lambda: {"q1": [(2.0, "d2")]}, "DataError: ranking of query 'q1', document float 2.0: the score must be a number, not str 'd2'"),
    (lambda: {"q1": [("d2", 2, "x")]}, "DataError: ranking of query 'q1', document tuple ('d2', 2, 'x'):"),
    *((lambda each=each: S(each), f"DataError: ranking of query 'q1', document 'd1': the score must be a number, not {kind}") for each, kind in (
        ("1.5", "str"), ({}, "dict"), (np.datetime64("2024-01-01"), "datetime64"), (datetime.timedelta(1), "timedelta"),
        (np.array([1.5, 2]), "ndarray array([1.5, 2."),
    )),
    *((each, 0.5) for each in (
        lambda: S(10**40), lambda: S(-0.0), lambda: S(5e-324), lambda: S(1.7976931348623157e308),
        lambda: S(Decimal("1.5")), lambda: S(Fraction(1, 3)), lambda: S(np.float16(1.5)), lambda: S(np.longdouble(1.5)),
        lambda: S(np.int8(-1)), lambda: S(np.uint64(2**64 - 1)), lambda: S(np.array(1.5)),
    )),
    (lambda: S(np.array([1.5])), "DataError: ranking of query 'q1', document 'd1': the score"),
    *((each, 0.25) for each in (
        lambda: D(7), lambda: D(2**63), lambda: D(10**40), lambda: D(-1), lambda: D(np.int64(7)),
        lambda: D(np.uint64(2**64 - 1)), lambda: D(np.str_("d9")), lambda: D("\ud800"), lambda: D("\0"),
        lambda: D("a\nb"), lambda: D("x" * 1000000), lambda: D("\u202ed1"), lambda: D("d\u200b1"), lambda: D("d1\u0301"),
        lambda: D("ｄ１"), lambda: D("👩‍👩‍👧"),
    )),
    *((each, "DataError: ranking of query 'q1': an id must be a string or an") for each in (
        lambda: D(frozenset()), lambda: D(uuid.UUID(int=1)), lambda: D(datetime.date(2024, 1, 1)),
        lambda: D(np.float64(7)), lambda: D(np.bytes_(b"d9")), lambda: D(np.bool_(True)),
    )),
    (lambda: D(1, "1"), "DuplicateError: query 'q1' lists document '1' more than once"),
    *((lambda each=each: D(*each), 0.166667) for each in (("é", "e\u0301"), ("D1", "d1 "))),
    *((lambda each=each: each, "MismatchError: judgments and run have no query in common: the judgments") for each in (
        {1: {"d1": 1}}, [["d1"], ["d3"]], [{"d1": 1.0}],
    )),
    (lambda: {("q1",): {"d1": 1}}, "DataError: run: an id must be a string or an integer, not tuple"),
    (lambda: [{"query_id": "q1", "doc_id": "d1", "score": 1}], "DataError: ranking of query '0', document 'query_id': the score must be a number, not str 'q1'"),
    (lambda: np.zeros((2, 2)), "DataError: ranking of query '0': an id must be a string or an"),
    (lambda: np.array([["q1", "d1", 1]], dtype=object), "MismatchError: judgments and run have no query in common: the judgments have 'q1', 'q2', the run has"),
    (lambda: frame(), "DataError: ranking of query 'score': an id must be a string or an"),
]  # fmt: skip
QRELS = [
    *((each, 0.75) for each in (
        lambda: Q, lambda: {"q1": ["d1"], "q2": ["d3"]}, lambda: {"q1": {"d1"}, "q2": {"d3"}},
        lambda: {"q1": {"d1": Decimal(1)}, "q2": {"d3": 1}}, lambda: {"q1": {"d1": np.int64(1)}, "q2": {"d3": 1}},
    )),
    *((each, 0.5) for each in (
        lambda: {"q1": {}, "q2": {"d3": 1}}, lambda: {"q1": {"d1": 10**40}}, lambda: {"q1": {"d1": -1}, "q2": {"d3": 1}},
        lambda: {"q1": {"d1": 0.5}, "q2": {"d3": 1}}, lambda: {"q1": {"d1": -0.0}, "q2": {"d3": 1}},
        lambda: {"q1": {"d1": 5e-324}, "q2": {"d3": 1}}, lambda: {"q1": {10**40: 1}, "q2": {"d3": 1}},
    )),
    (lambda: {"q1": 1}, "DataError: judgments of query 'q1' must be a dict of grades or a list of"),
    (lambda: {"q1": [["d1"], ["d2"]], "q2": [["d3"]]}, 1.0),
    (lambda: {"q1": [[]], "q2": [["d3"]]}, "DataError: judgments of query 'q1': group 0 is empty"),
    (lambda: {"q1": {"d1": True}, "q2": {"d3": False}}, 0.25),
    *((lambda each=each: {"q1": {"d1": each}}, "DataError: judgments of query 'q1', document 'd1': the grade must be") for each in ("1", "relevant")),
    (lambda: {"q1": {"d1": 1e101}}, "FormatError: judgments: query 'q1', document 'd1': grade 1e101 is"),
    (lambda: {"q1": {1: 1, "1": 0}}, "DuplicateError: judgments: query 'q1' lists document '1' more"),
    (lambda: {"x": {"d1": 1}}, "MismatchError: judgments and run have no query in common: the"),
    *((lambda each=each: each, 0.0) for each in ({"q1": {"x1": 1}, "q2": {"x3": 1}}, {"q1": {"d1": 0}, "q2": {"d3": 0}})),
]  # fmt: skip


@for_each(("make", "expected"), RUNS)
def test_run(make, expected):
    check(lambda: round(assay.evaluate(Q, make(), ["rr"])["rr"], 6), expected)


@for_each(("make", "expected"), QRELS)
def test_judgments(make, expected):
    check(lambda: round(assay.evaluate(make(), R, ["rr"])["rr"], 6), expected)


RUN_FRAMES = [
    *((each, 0.75) for each in (
        lambda: polars.DataFrame(frame()), lambda: polars.DataFrame(frame()).lazy(), lambda: pandas.DataFrame(frame()),
        lambda: pyarrow.table(frame()), lambda: polars.DataFrame(frame(score=("2", "1", "5"))),
        lambda: polars.DataFrame(frame()).with_columns(polars.col("doc_id").cast(polars.Categorical)),
        lambda: polars.DataFrame(frame(score=(Decimal("2.5"), Decimal(1), Decimal(5)))),
        lambda: polars.DataFrame(frame()).with_columns(polars.col("score").cast(polars.Float32)),
        lambda: polars.DataFrame(frame(score=(2, 1, 5))).with_columns(polars.col("score").cast(polars.UInt64)),
        lambda: pandas.DataFrame(frame()).astype({"doc_id": "category"}),
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"]).dictionary_encode()}),
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.large_string())}),
        lambda: pyarrow.table({**frame(), "doc_id": pyarrow.array(["d2", "d1", "d3"], pyarrow.string_view())}),
    )),
    (lambda: polars.Series([1]), "FormatError: the frame has no column for query_id (columns: '')"),
    (lambda: polars.DataFrame(frame(doc=(2, 1, 3))), 0.0),
    (lambda: polars.DataFrame({**frame(), "doc_id": polars.Series(["d2", 3, "d3"], dtype=polars.Object)}), 0.5),
    (lambda: pandas.DataFrame(frame(doc=("d2", 1, "d3"))), 0.5),
    (lambda: pandas.DataFrame([["q1", "d1", "d2", 1.0]], columns=["query_id", "doc_id", "doc_id", "score"]), "FormatError: the frame: duplicate column 'doc_id'"),
    (
        lambda: pandas.DataFrame([["q1", "d1", 1.0]], columns=pandas.MultiIndex.from_product([["query_id", "doc_id", "score"], [""]])),
        "FormatError: the frame has no column for query_id (columns: '('query_id', '')', '('doc_id', '')',",
    ),
    (lambda: pandas.DataFrame([["q1", "d1", 1.0]]), "FormatError: the frame has no column for query_id (columns: '0', '1', '2')"),
    (lambda: pyarrow.table({**frame(), "score": pyarrow.array([2, 1, 5], pyarrow.timestamp("s"))}), "FormatError: the frame: the column 'score' must hold numbers, not Datetime(time_unit='ms',"),
    (
        lambda: pyarrow.table(
            {**frame(), "score": pyarrow.array([[("a", 1)], [], []], pyarrow.map_(pyarrow.string(), pyarrow.int64()))}
        ),
        "FormatError: the frame: the column 'score' must hold numbers, not Map(String, Int64)",
    ),
]  # fmt: skip
QRELS_FRAMES = [
    (lambda: polars.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d3"], "relevance": [1, 1]}), 0.75),
    (lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [None]}), "FormatError: the frame, row 0: the column 'relevance' is empty"),
    (lambda: polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [float("nan")]}), "FormatError: the frame, row 0: 'nan' in the column 'relevance' is not finite"),
]  # fmt: skip


@for_each(("make", "expected"), RUN_FRAMES)
def test_run_in_a_frame(make, expected):
    check(lambda: round(assay.evaluate(Q, make(), ["rr"])["rr"], 6), expected)


@for_each(("make", "expected"), QRELS_FRAMES)
def test_judgments_in_a_frame(make, expected):
    check(lambda: round(assay.evaluate(make(), R, ["rr"])["rr"], 6), expected)
