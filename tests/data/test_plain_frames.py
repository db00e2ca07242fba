"""Frames that the kernel takes as they are: the same scores and errors as frames that are prepared first."""

import math

import pandas as pd
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay._kernel import Index, Options, Ranker, Rows
from assay.data.frames.frame import as_frame
from assay.engine.kernel import rank_plain_frame
from tables import for_each

QRELS = {"q1": {"a": 1, "b": 2, "a document with a long id": 1}, "q2": {"é": 1, "a": 3}}
INDEX = Index(Rows.from_judgments(QRELS), "error")
queries = st.sampled_from(["q1", "q2", "unknown"])
documents = st.sampled_from(["a", "b", "é", "c", "a document with a long id", "another document with a long id"])
values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0])
rows = st.lists(st.tuples(queries, documents, values), min_size=1, max_size=20)
MAKERS = {
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "pyarrow, large": lambda columns: polars.DataFrame(columns).to_arrow(),
    "pandas": lambda columns: pd.DataFrame(columns).astype({"query_id": "string", "doc_id": "string"}),
}


def columns_of(table):
    return {name: [row[place] for row in table] for place, name in enumerate(("query_id", "doc_id", "score", "text"))}


def ranked(rank):
    """What is found, or the error."""
    ranker = Ranker(INDEX, [Options(duplicates="count", spread=True, top=2)])
    try:
        taken = rank(ranker)
    except assay.AssayError as error:
        return type(error), str(error)
    return taken, ranker.columns(0), ranker.tops(0), sorted(ranker.unknown()), ranker.scattered


@pytest.mark.parametrize("kind", MAKERS)
@given(table=rows, threads=st.sampled_from([1, 2]))
def test_as_prepared(kind, table, threads):
    frame = MAKERS[kind](columns_of([(*row, "x") for row in table]))
    plain = ranked(lambda ranker: rank_plain_frame(ranker, frame, None, threads))
    prepared = as_frame(frame, None, judgments=False)
    assert plain == ranked(lambda ranker: ranker.add_frame(prepared, "the run", threads) is None)
    assert plain[0] is True


NO_SCORES = [("q1", "b", score) for score in (math.nan, math.inf, None)]
NO_IDS = [("q1", "", 1.0), ("", "b", 1.0), (None, "b", 1.0), ("q1", None, 1.0)]


@for_each("row", NO_SCORES + NO_IDS)
@for_each("kind", MAKERS)
def test_what_is_missing_is_refused_as_ever(kind, row):
    frame = MAKERS[kind](columns_of([("q1", "a", 1.0, "x"), (*row, "y")]))
    assert ranked(lambda ranker: rank_plain_frame(ranker, frame, None, 1))[0] is False
    with pytest.raises(assay.errors.FormatError, match="row 1"):
        assay.evaluate(QRELS, frame, "ap")


GOOD = polars.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})
OTHERS = [
    *(
        GOOD.cast(kinds)
        for kinds in ({"score": polars.Int64}, {"score": polars.Float32}, {"doc_id": polars.Categorical})
    ),
    *(GOOD.with_columns(query_id=polars.lit(1)), GOOD.with_columns(given_rank=1), GOOD.rename({"score": "value"})),
    polars.DataFrame({"query_id": [], "doc_id": [], "score": []}),
    pd.DataFrame({"query_id": ["q1", 7], "doc_id": ["a", "b"], "score": [1.0, 2.0]}),
    pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"], 3: [1.0]}),
    pyarrow.table({"query_id": pyarrow.chunked_array([["q1"], ["q1"]]), "doc_id": ["a", "b"], "score": [1.0, 2.0]}),
]


@for_each("frame", OTHERS)
def test_other_types_are_prepared(frame):
    assert ranked(lambda ranker: rank_plain_frame(ranker, frame, None, 1))[0] is False
