"""Runs in Parquet of every type of column, damaged, and in parts that differ."""

import datetime
import gzip
import io
import random
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import assay
from assay._kernel import Options, Ranker
from assay.data.formats import BY_NAME, parquet
from assay.files.source import open_source
from mutations import mutated
from outcomes import check
from tables import for_each, with_hostile

pytestmark = [pytest.mark.attack("Tables"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]
JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
QUERIES, DOCUMENTS, SCORES = ["q1", "q1", "q2"], ["d2", "d1", "d3"], [2.0, 1.0, 5.0]
DAY = datetime.datetime(2024, 1, 1)  # noqa: DTZ001 - a column without a zone


def table(**columns):
    """A run whose reciprocal ranks are 1/2 and 1, with some of its columns replaced."""
    good = {"query_id": pyarrow.array(QUERIES), "doc_id": pyarrow.array(DOCUMENTS), "score": pyarrow.array(SCORES)}
    return pyarrow.table({**good, **columns})


def scores(values, kind=None):
    return table(score=pyarrow.array(values, kind))


def content_of(rows, **options):
    file = io.BytesIO()
    pyarrow.parquet.write_table(rows, file, **options)
    return file.getvalue()


NUMBERS = "FormatError: a.parquet: the column 'score' must hold numbers, not "
IDS = "FormatError: a.parquet: the column 'doc_id' must hold strings or integers, not "
EMPTY = "FormatError: a.parquet, row %d: the column '%s' is empty"
COLUMNS = [
    *((each, 0.75) for each in (
        table(), table(query_id=pyarrow.array(QUERIES, pyarrow.large_string())),
        table(query_id=pyarrow.array(QUERIES, pyarrow.string_view())),
        table(doc_id=pyarrow.array(DOCUMENTS).dictionary_encode()),
        scores([Decimal("2.0"), Decimal("1.0"), Decimal("5.0")]), scores([2, 1, 5], pyarrow.int8()),
        scores([2, 1, 2**63], pyarrow.uint64()), table(score=pyarrow.array(np.array(SCORES, "float16"))),
        scores(SCORES, pyarrow.float32()), scores(["2", "1", "5"]), table(extra=pyarrow.array([[{"a": [1]}]] * 3)),
    )),
    *((scores([each] * 3), NUMBERS + kind) for each, kind in (
        (True, "Boolean"), (datetime.time(2), "Time"), (DAY.date(), "Date"), (DAY, "Datetime"), ([2.0], "List(Float64)"),
        (datetime.timedelta(1), "Duration"), ({"a": 1}, "Struct"),
    )),
    (table(score=pyarrow.nulls(3)), EMPTY % (0, "score")),
    (scores([2.0, None, 5.0]), EMPTY % (1, "score")),
    *((scores([2.0, float(each), 5.0]), f"FormatError: a.parquet, row 1: '{each}' in the column 'score' is not finite") for each in ("nan", "inf")),
    *((table(doc_id=pyarrow.array([each] * 3)), IDS + kind) for each, kind in (
        (["d2"], "List(String)"), ({"a": "d"}, "Struct"), (b"d2", "Binary"), (2.0, "Float64"), (True, "Boolean"), (DAY.date(), "Date"),
    )),
    (table(doc_id=pyarrow.array([2, 1, 3])), 0.0),
    *((table(doc_id=pyarrow.array(["d2", each, "d3"])), EMPTY % (1, "doc_id")) for each in (None, "")),
    *((table(doc_id=pyarrow.nulls(3, kind)), EMPTY % (0, "doc_id")) for kind in (pyarrow.null(), pyarrow.string())),
    *((each, "DataError: a.parquet has no rankings") for each in (table().slice(0, 0), pyarrow.table({}))),
    (table().drop(["score"]), "has no column for score (columns: 'query_id', 'doc_id')"),
    (pyarrow.concat_tables([table()] * 2), "DuplicateError: a.parquet: query 'q1' lists document 'd2' more"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def score(path):
    return assay.evaluate(JUDGMENTS, path, ["rr"])["rr"]


@for_each(("rows", "expected"), COLUMNS)
def test_columns(rows, expected, tmp_path):
    (tmp_path / "a.parquet").write_bytes(content_of(rows))
    check(lambda: score("a.parquet"), expected, "a.parquet")


WHOLE = content_of(table(), row_group_size=1)
DAMAGED = "FormatError: a.parquet cannot be read as parquet: "
BYTES = [
    *((each, 0.75) for each in (WHOLE, gzip.compress(WHOLE))),
    *((each, DAMAGED) for each in (
        b"", b"PAR1", b"PAR1PAR1", WHOLE[:-1], WHOLE[: len(WHOLE) // 2], WHOLE[:-4] + b"XXXX", WHOLE + b"x",
        WHOLE[:-8] + b"\xff\xff\xff\x7f" + WHOLE[-4:], WHOLE[:-8] + b"\0\0\0\0" + WHOLE[-4:], WHOLE[:-4] + b"PARE",
        b"query_id,doc_id,score\nq1,d1,1\n",
    )),
]  # fmt: skip


@for_each(("content", "expected"), BYTES)
def test_bytes(content, expected, tmp_path):
    (tmp_path / "a.parquet").write_bytes(content)
    check(lambda: score("a.parquet"), expected, "a.parquet")


MUTATED = {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionaries": {"compression": "none", "data_page_version": "2.0"},
    "zstd": {"compression": "zstd"},
    "snappy": {"compression": "snappy", "use_dictionary": False},
    "gzip": {"compression": "gzip"},
    "lz4": {"compression": "lz4"},
}


@pytest.mark.parametrize("times", with_hostile([100], [5_000]))
@for_each("name", MUTATED)
def test_mutations(name, times, tmp_path, tried):
    """Each file is refused in a sentence or read, by the kernel and by polars alike if both read it."""
    path = tmp_path / "a.parquet"
    index, choice = assay.Qrels(JUDGMENTS).index, random.Random(7)
    content = content_of(pyarrow.concat_tables([table()] * 20), row_group_size=25, **MUTATED[name])
    polars_alone = replace(BY_NAME["parquet"], rank_table=None)

    def ranked(rank):
        try:
            ranker = rank()
        except assay.errors.DataError as error:
            assert str(error).isprintable()
            return None
        return ranker and ranker.columns(0)

    def make_ranker():
        return Ranker(index, [Options(duplicates="count")])

    for number in range(times):
        path.write_bytes(mutated(content, choice))
        with open_source(path) as source:
            found = ranked(lambda: parquet.rank(source, make_ranker, None, 2, None))
            expected = ranked(lambda: polars_alone.rank_run(source, make_ranker, None, threads=2)) if found else None
        assert found is None or expected is None or found == expected, f"mutation {number}"
    tried(times)


LAST = table().slice(2)
PARTS = [
    (content_of(LAST), 0.75),
    (content_of(scores([2, 1, 5]).slice(2)), 0.75),
    (content_of(LAST.rename_columns(["qid", "docno", "score"])), 0.75),
    # Of the second query nothing is left.
    (content_of(LAST.slice(0, 0)), 0.25),
    (content_of(LAST.drop(["score"])), "FormatError: p/2.parquet has no column for score (columns:"),
    (content_of(scores(["2", "1", "x"]).slice(2)), "FormatError: p/2.parquet, row 0: 'x' in the column 'score'"),
    (content_of(LAST)[:50], "FormatError: p/2.parquet cannot be read as parquet: "),
]


@for_each(("content", "expected"), PARTS)
def test_parts_that_differ(content, expected, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "1.parquet").write_bytes(content_of(table().slice(0, 2)))
    (tmp_path / "p" / "2.parquet").write_bytes(content)
    check(lambda: score("p"), expected)


JUDGED = "query_id,doc_id,relevance\n"
ROWS = "q1,d1,1\nq1,d2,0\nq2,d3,2\n"
# Judgments as CSV, and what they are.
CSV = [
    *((each, JUDGMENTS) for each in (
        JUDGED + ROWS, (JUDGED + ROWS).replace("\n", "\r\n"), "\ufeff" + JUDGED + ROWS,
        JUDGED.replace("relevance", "rel") + ROWS, JUDGED.replace("relevance", "score") + ROWS,
        " " * 70_000 + "\n" + JUDGED + ROWS, "\n" * 70_000 + JUDGED + ROWS,
    )),
    *((f"{JUDGED}q1,d1,{grade}\n", {"q1": {"d1": grade}}) for grade in (0.5, -2.0)),
    *((f"{JUDGED}q1,d1,{word}\n", f"FormatError: a.csv, line 2: '{word}' in the column 'relevance' is not ") for word in ("high", "nan", "inf", "TRUE")),
    *((JUDGED + row, f"FormatError: a.csv, line 2: the column '{name}' is empty") for row, name in (("q1,d1,\n", "relevance"), ("q1,,1\n", "doc_id"))),
    (JUDGED, "DataError: a.csv has no judgments"),
    ("query_id,doc_id\nq1,d1\n", "FormatError: a.csv has no column for relevance"),
    (JUDGED + "q1,d1,1,1\n", "FormatError: a.csv, line 2: 4 fields, but the header has 3"),
    ((JUDGED + ROWS).replace(",", ";"), "FormatError: a.csv, line 1: the columns are separated by ';'"),
    (JUDGED + 'q1,"d1,1\n', "FormatError: a.csv, line 2: a quote is not closed"),
    (JUDGED + "q1,d1,1\nq1,d1,2\n", "DuplicateError: "),
]  # fmt: skip


@for_each(("content", "expected"), CSV)
def test_judgments_in_csv(content, expected, tmp_path):
    (tmp_path / "a.csv").write_bytes(content.encode())
    check(lambda: assay.read_qrels("a.csv").to_dict(), expected)
