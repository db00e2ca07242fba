"""Whatever is given, there is a result or one of assay's errors, and nothing else."""

import bz2
import gzip
import io
import lzma

import numpy as np
import polars
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay import AssayError, Result

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 3.0, "d4": 2.0, "d3": 1.0}, "q2": ["d2", "d1"]}
MEASURES = ["ap", "ndcg@10", "rr", "auc", "num_ret"]
FORMATS = ["trec", "json", "jsonl", "csv", "tsv", "parquet"]

folders = [HealthCheck.function_scoped_fixture]
many = settings(max_examples=settings.default.max_examples * 3 // 4, suppress_health_check=folders)
few = settings(many, max_examples=settings.default.max_examples // 3)


def attempt(qrels, run, **options):
    """The result, if there is one; every value of it must be one that the measure can have."""
    try:
        result = assay.evaluate(qrels, run, MEASURES, **options)
    except AssayError as error:
        assert str(error)
        return None
    assert isinstance(result, Result)
    for name in MEASURES[:4]:
        scores = result.scores[name]
        assert ((scores >= 0) & (scores <= 1 + 1e-12) | np.isnan(scores)).all()
    return result


def attempt_to_read(read, *arguments, **options):
    try:
        table = read(*arguments, **options)
    except AssayError as error:
        assert str(error)
    else:
        assert len(table.to_dict()) == len(table)


# Words that bring random text near to what is right.
words = st.sampled_from(["q1", "q2", "d1", "d2", *"01#é", "Q0", "2.5", "-1", "nan", "1e999", "tag", "", "\ufeff"])
blanks = st.sampled_from([" ", "\t", "  ", ",", "\n", "\r\n", "\r", "\0", '"', ":", "{", "}", "[", "]", '": "', "\\"])
near_text = st.lists(st.one_of(words, blanks), max_size=60).map("".join)
lines = st.lists(st.lists(words, min_size=3, max_size=7).map(" ".join), min_size=1, max_size=8).map("\n".join)
contents = st.one_of(st.binary(max_size=200), near_text.map(str.encode), lines.map(str.encode))


@many
@given(content=contents, format=st.sampled_from([None, *FORMATS]))
def test_any_bytes_as_a_run(content, format):
    attempt(QRELS, io.BytesIO(content), format=format)
    attempt_to_read(assay.read_run, io.BytesIO(content), format=format)


@many
@given(content=contents, format=st.sampled_from([None, "beir", *FORMATS]))
def test_any_bytes_as_judgments(content, format):
    attempt_to_read(assay.read_qrels, io.BytesIO(content), format=format)
    attempt(io.BytesIO(content), RUN)


ROWS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": [1.0, 2.0, 3.0]}
polars.DataFrame(ROWS).write_parquet(parquet := io.BytesIO())
TREC = b"".join(b"q%d Q0 d%d 1 %d t\n" % (number // 9 + 1, number % 9, number) for number in range(18))
GOOD_FILES = {
    "run.parquet": parquet.getvalue(),
    "run.csv": b"query_id,doc_id,score\nq1,d1,1.5\nq1,d2,2\nq2,d1,3\n",
    "run.json": b'{"q1": {"d1": 1.5, "d2": 2}, "q2": ["d1", "d2"]}',
    "run.jsonl": b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q2", "doc_id": "d1", "score": 2}\n',
    "run.trec": TREC,
    "run.gz": gzip.compress(TREC),
    "run.bz2": bz2.compress(TREC),
    "run.xz": lzma.compress(TREC),
    "run.zst": pyarrow.compress(TREC, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("name", GOOD_FILES)
@few
@given(data=st.data())
def test_files_with_a_few_bytes_changed(name, data, tmp_path):
    content = bytearray(GOOD_FILES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        if not content:
            break
    path = tmp_path / name
    path.write_bytes(bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content))
    attempt(QRELS, path, duplicates=data.draw(st.sampled_from(["error", "first", "last", "count"])))
    attempt_to_read(assay.read_run, path)
    attempt_to_read(assay.read_qrels, path)


# A few such grades may still be added up.
floats = st.one_of(st.floats(-1e300, 1e300), st.sampled_from([float("nan"), float("inf"), -float("inf")]))
odd_numbers = [np.float32(1.5), np.int64(2), np.float64("nan"), np.bool_(True), 10**400, None]
numbers = st.integers(-3, 3) | st.integers() | floats | st.booleans() | st.complex_numbers(max_magnitude=2)
numbers |= st.decimals(-1000, 1000) | st.fractions() | st.sampled_from(odd_numbers)
odd_ids = ["q1", "q2", "d1", "d2", "d3", "", " ", "\ud800", "0", 0, 1, b"d1", True, None, np.int64(1)]
ids = st.sampled_from(odd_ids) | st.text(max_size=3) | st.integers()
leaves = st.one_of(numbers, ids, st.binary(max_size=3), st.dates(), st.just(...))
arrays = st.lists(numbers, max_size=3).map(lambda values: np.array(values, dtype=object))
arrays |= st.lists(floats, max_size=3).map(np.array)


def in_others(inner):
    lists = st.lists(inner, max_size=4)
    return lists | lists.map(tuple) | st.dictionaries(ids, inner, max_size=4) | st.frozensets(ids, max_size=3) | arrays


objects = st.recursive(leaves, in_others, max_leaves=12)
rankings = st.dictionaries(ids, numbers, max_size=5) | st.lists(ids, max_size=5) | objects
rankings |= st.lists(st.tuples(ids, numbers), max_size=5)
wholes = st.one_of(st.dictionaries(ids, rankings, max_size=4), st.lists(rankings, max_size=3), objects)


@many
@given(run=wholes, duplicates=st.sampled_from(["error", "first", "last", "count"]))
def test_any_object_as_a_run(run, duplicates):
    attempt(QRELS, run, duplicates=duplicates)
    attempt([["d1"], ["d2"]], run)
    attempt_to_read(assay.Run, run)


@many
@given(qrels=wholes)
def test_any_object_as_judgments(qrels):
    attempt(qrels, RUN)
    attempt_to_read(assay.Qrels, qrels)


@many
@given(ranking=rankings)
def test_any_object_as_one_ranking(ranking):
    evaluator = assay.Evaluator(QRELS, MEASURES)
    try:
        evaluator.add("q1", ranking)
    except AssayError:
        evaluator.add("q1", ["d1"])
    assert evaluator.result().queries == ["q1", "q2"]


kinds = (st.sampled_from(["q1", "q2", "d1", "d2"]), st.integers(-2, 2), floats, st.booleans() | st.none())
columns = st.one_of(st.lists(each, min_size=3, max_size=3) for each in kinds)
columns |= st.lists(leaves, min_size=3, max_size=3).map(lambda values: polars.Series(values, dtype=polars.Object))


@few
@given(query=columns, document=columns, score=columns)
def test_any_column_of_a_frame(query, document, score):
    run = polars.DataFrame({"query_id": query, "doc_id": document, "score": score}, strict=False)
    qrels = run.rename({"score": "relevance"})
    attempt(QRELS, run, duplicates="first")
    attempt_to_read(assay.Run, run)
    attempt(qrels, RUN, duplicates="last")
    attempt_to_read(assay.Qrels, qrels)


@few
@given(columns=objects, format=objects, threads=objects)
def test_any_object_as_an_option(columns, format, threads):
    frame = polars.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0]})
    attempt(QRELS, frame, columns=columns)
    attempt(QRELS, io.BytesIO(TREC), format=format)
    attempt(QRELS, RUN, threads=threads)
