"""Every bad frame gets an error that says what is wrong, where, and what to do."""

import datetime
from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow

import assay
from assay.errors import DataError, DuplicateError, FormatError, MismatchError
from refusals import refused
from tables import for_each

QRELS = {"q1": {"d1": 1}}
RUN = {"q1": {"d1": 1.0}}
GOOD = {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [1.0, 2.0]}


class Stream:
    """A frame whose stream is what it is told to be."""

    def __init__(self, answer):
        self.answer = answer

    def __arrow_c_stream__(self, requested_schema=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def table(**columns):
    return polars.DataFrame({**GOOD, **columns}, strict=False)


def objects(values):
    return pandas.Series(values, dtype=object)


def rows_of(table):
    """Rows of a frame, the class of the error, and words of the message."""
    return [(frame, error, words) for error, rows in table.items() for frame, *words in rows]


def odd(**column):
    """The good table with one column of objects."""
    return table(**{name: polars.Series(values, dtype=polars.Object) for name, values in column.items()})


NAN, INF = float("nan"), float("inf")
DAY = datetime.date(2020, 1, 1)
NO_NUMBERS = {"Boolean": True, "List": [1.0], "Date": DAY, "Duration": datetime.timedelta(1), "Binary": b"1"}
NO_IDS = {"Float64": 1.0, "Boolean": True, "Binary": b"1", "List": ["a"], "Struct": {"a": 1}, "Date": DAY}
NO_SECOND = ([1, np.nan], objects(["d1", None]), objects([1, None]))
IN_SCORE = "in the column 'score'"
TWICE = ["qid", "docno", "score", "score"]
BAD_RUNS = rows_of(
    {
        FormatError: [
            (polars.DataFrame(), "no column for query_id", "columns: none"),
            (polars.DataFrame({"a": [1]}), "no column for query_id", "columns: 'a'", 'columns={"query_id"'),
            (table().drop("doc_id"), "no column for doc_id", "'query_id', 'score'"),
            (table().drop("score"), "no column for score", "'query_id', 'doc_id'"),
            (table().lazy().drop("score"), "no column for score", "'query_id', 'doc_id'"),
            (table().to_pandas().drop(columns="score"), "no column for score"),
            (table().to_pandas().set_index("query_id"), "no column for query_id"),
            (table().to_arrow().drop_columns("score"), "no column for score"),
            (table(query_id=["q1", None]), "the frame, row 1", "the column 'query_id' is empty"),
            *((table(doc_id=["d1", each]), "row 1", "the column 'doc_id' is empty") for each in (None, "")),
            *((table(score=values), "the column 'score' is empty") for values in ([1.0, None], [None, None])),
            *((table(score=[each, 1.0]), "row 0", f"'{each}' {IN_SCORE} is not finite") for each in (NAN, INF)),
            *((table(score=["1", each]), "row 1", f"'{each}' {IN_SCORE} is not a number") for each in ("x", "")),
            *((table(score=[each] * 2), f"'score' must hold numbers, not {kind}") for kind, each in NO_NUMBERS.items()),
            *((table(doc_id=[each] * 2), f"hold strings or integers, not {kind}") for kind, each in NO_IDS.items()),
            (odd(score=[1, object()]), "row 1", "in the column 'score' is not a number"),
            *((odd(score=[1.0, each]), "row 1", f"'{each}' {IN_SCORE} is not a number") for each in (True, "1_0")),
            *((odd(score=[1.0, each]), "row 1", "is not finite") for each in (10**400, 10**5000, Decimal("nan"))),
            *((odd(doc_id=["d1", each]), "row 1", "is not an id") for each in (1.5, True, "\ud800", 10**5000)),
            (odd(doc_id=["d1", ""]), "row 1", "the column 'doc_id' is empty"),
            *((pandas.DataFrame({**GOOD, "doc_id": ids}), "row 1", "'doc_id' is empty") for ids in NO_SECOND),
            (pandas.DataFrame({**GOOD, "score": [1, np.nan]}), "row 1", "the column 'score' is empty"),
            (pandas.DataFrame({**GOOD, "doc_id": objects(["d1", ("a",)])}), "row 1", "is not an id"),
            (pandas.DataFrame({**GOOD, "score": objects([1, "x"])}), "row 1", f"'x' {IN_SCORE} is not a number"),
            (pandas.DataFrame({**GOOD, "score": pandas.to_datetime(["2020-01-01"] * 2)}), "'score' must hold numbers"),
            (pandas.DataFrame([["q1", "d1", 1, 2]], columns=TWICE), "duplicate column 'score'"),
            (pyarrow.table([["q1"], ["d1"], [1.0], [2.0]], names=TWICE), "cannot be read", "score"),
            (table().lazy().with_columns(polars.col("none").alias("x")), "cannot be read", "none"),
            (table(score=["1", "x"]).lazy().with_columns(polars.col("score").cast(polars.Float64)), "cannot be read"),
            (polars.Series("a", [1, 2]), "no column for query_id"),
            (pandas.Series([1, 2]), "cannot be read"),
            (pyarrow.chunked_array([[1, 2]]), "cannot be read"),
            (Stream(RuntimeError("out of order")), "cannot be read", "out of order"),
            *((Stream(answer), "cannot be read") for answer in (5, None)),
        ],
        DataError: [
            (empty, "the data has no rankings")
            for empty in (table()[:0], table()[:0].to_pandas(), table()[:0].to_arrow(), table()[:0].lazy())
        ],
        DuplicateError: [
            (table(doc_id=["d1", "d1"]), "query 'q1'", "document 'd1'"),
            (table(doc_id=["d1", "d1"]).to_pandas(), "query 'q1'", "document 'd1'"),
        ],
        MismatchError: [(table(query_id=["x", "y"]), "no query in common", "'q1'", "'x', 'y'")],
    }
)


@for_each(("frame", "error", "words"), BAD_RUNS)
def test_a_bad_run_is_refused(frame, error, words):
    refused(lambda: assay.evaluate(QRELS, frame, ["ap"]), error, words)
    if error not in (DuplicateError, MismatchError):
        refused(lambda: assay.Run(frame), error, words)


BAD_QRELS = [
    case
    for case in BAD_RUNS
    if case[1] is not MismatchError and not case[2][-1].startswith(("'True' in", "'score' must hold numbers, not Bool"))
]


@for_each(("frame", "error", "words"), BAD_QRELS)
def test_bad_judgments_are_refused(frame, error, words):
    said = [word.replace("for score", "for relevance").replace("rankings", "judgments") for word in words]
    refused(lambda: assay.Qrels(frame), error, said)
    refused(lambda: assay.evaluate(frame, RUN, ["ap"]), error, said)


@for_each(
    ("columns", "words"),
    [
        ({"query": "query_id"}, ["the roles are query_id, doc_id, score, relevance, group"]),
        ({"query_id": "topic"}, ["no column 'topic'", "'query_id', 'doc_id', 'score'"]),
        ({"score": None}, ["no column 'None'"]),
        ({"score": "doc_id"}, ["'d1' in the column 'doc_id' is not a number"]),
        (["query_id"], ["columns= must map roles to columns"]),
        ("query_id", ["columns= must map roles to columns"]),
        (5, ["columns= must map roles to columns"]),
    ],
)
def test_a_bad_mapping_is_refused(columns, words, tmp_path):
    frame = table()
    frame.write_csv(tmp_path / "run.csv")
    for run in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), tmp_path / "run.csv"):
        refused(lambda run=run: assay.evaluate(QRELS, run, ["ap"], columns=columns), FormatError, words)
