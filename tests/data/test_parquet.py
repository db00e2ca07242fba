"""Runs in Parquet: the kernel's own reader finds the same bits as polars' does, or leaves the file to it."""

import itertools
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay._kernel import Options, Progress, Ranker, parquet_names
from assay.core.errors import AssayError
from assay.data.formats import BY_NAME, parquet
from assay.data.qrels import Qrels
from assay.files.source import open_source
from tables import for_each

# Of both kinds that a column of texts has: up to twelve bytes, and longer.
QUERIES = ["1", "q2", "q-10", "a query with a long name", "a query with a long namé", "unjudged"]
DOCUMENTS = ["7", "d2", "D2", "é", *(f"a document with a long nam{end}" for end in "eé"), *map(str, range(20, 40))]
JUDGED = {query: {document: row % 3 for row, document in enumerate(DOCUMENTS[::2])} for query in QUERIES[:-1]}
QRELS = Qrels(JUDGED)
ROWS = list(itertools.product(QUERIES, DOCUMENTS))
COUNTABLE = ({}, {"single": True}, {"duplicates": "count"}, {"duplicates": "first"}, {"duplicates": "last"})
OTHERS = ({"spread": True}, {"top": 3}, {"given": True}, {"foreign": True}, {"exclude_query": True})
POLARS = replace(BY_NAME["parquet"], rank_table=None)


def outcome(ranker, count):
    """All that a ranker tells."""
    columns = [{**ranker.columns(number), **ranker.tops(number)} for number in range(count)]
    dropped = [(ranker.repeats_dropped(number), ranker.excluded(number)) for number in range(count)]
    return columns, dropped, sorted(ranker.unknown())


def both(path, options, threads=2, columns=None):
    """What the kernel finds, or None if it leaves the run to polars; and what polars finds. Errors are their classes."""
    made = [Options(**each) for each in options]

    def make_ranker():
        return Ranker(QRELS.index, made)

    def tried(rank):
        try:
            ranker = rank()
        except AssayError as error:
            return type(error)
        return None if ranker is None else outcome(ranker, len(made))

    with open_source(path) as source:
        return (
            tried(lambda: parquet.rank(source, make_ranker, columns, threads, None)),
            tried(lambda: POLARS.rank_run(source, make_ranker, columns, threads=threads)),
        )


@st.composite
def runs(draw, scores):
    """Rows in order or not, with repeats or not, many of them tied."""
    rows = draw(st.lists(st.sampled_from(ROWS), min_size=1, max_size=80, unique=draw(st.booleans())))
    if draw(st.booleans()):
        rows.sort(key=lambda row: QUERIES.index(row[0]))
    return [(query, document, draw(scores)) for query, document in rows]


TEXT = pyarrow.string()
IDS = (TEXT, pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), TEXT))
SCORES = (pyarrow.float64(), pyarrow.float32(), pyarrow.int8(), pyarrow.uint16(), pyarrow.int64())
ENCODINGS = ({}, {"use_dictionary": False}, {"use_dictionary": ["query_id"]})
# Options of both writers, and of pyarrow's alone.
WAYS = {
    "row_group_size": st.sampled_from([1, 3, 10, 1000]),
    "compression": st.sampled_from(["none", "snappy", "gzip", "zstd", "lz4"]),
    "data_page_size": st.sampled_from([1, 100, 1 << 20]),
}
ARROW_WAYS = {"data_page_version": st.sampled_from(["1.0", "2.0"]), "store_schema": st.booleans()}


@st.composite
def pyarrow_files(draw):
    """A function that writes rows to a file, in one of pyarrow's ways."""
    kinds = [draw(st.sampled_from(IDS)), draw(st.sampled_from(IDS)), draw(st.sampled_from(SCORES))]
    options = {**draw(st.fixed_dictionaries(WAYS | ARROW_WAYS)), **draw(st.sampled_from(ENCODINGS))}

    def write(rows, path):
        values = zip(zip(*rows, strict=True), kinds, strict=True)
        columns = [pyarrow.array(column).cast(kind) for column, kind in values]
        names = ["query_id", "doc_id", "score", "text"]
        table = pyarrow.table([*columns, pyarrow.array([["x"]] * len(rows))], names=names)
        pyarrow.parquet.write_table(table, path, **options)

    return write


@st.composite
def polars_files(draw):
    """A function that writes rows to a file, in one of polars' ways."""
    options = draw(st.fixed_dictionaries(WAYS))
    options["compression"] = options["compression"].replace("none", "uncompressed")
    kind = draw(st.sampled_from([polars.String, polars.Categorical]))

    def write(rows, path):
        schema = {"score": polars.Float64, "docno": polars.String, "qid": polars.String}
        frame = polars.DataFrame([row[::-1] for row in rows], schema=schema, orient="row")
        frame.with_columns(polars.col("qid").cast(kind)).write_parquet(path, **options)

    return write


@settings(max_examples=settings.default.max_examples * 3 // 2)
@given(
    rows=runs(st.integers(0, 5).map(float)),
    write=pyarrow_files() | polars_files(),
    options=st.lists(st.sampled_from(COUNTABLE), min_size=1, max_size=3),
    threads=st.sampled_from([1, 2, 4]),
    kept_rows=st.sampled_from([0, 1, 7, parquet.KEPT_ROWS]),
)
def test_random_files_give_the_same_bits(*, rows, write, options, threads, kept_rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    write(rows, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "KEPT_ROWS", kept_rows)
        found, expected = both(path, options, threads)
    # The kernel leaves it to polars to drop some of the documents that are listed twice.
    assert found == expected or (found is None and len({row[:2] for row in rows}) < len(rows))


@pytest.mark.parametrize("kept_rows", [10, parquet.KEPT_ROWS])
@pytest.mark.parametrize("order", [1, 7])
def test_progress_ends_with_the_bytes_of_all_row_groups(order, kept_rows, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "KEPT_ROWS", kept_rows)
    rows = [(*row, 1.0) for start in range(order) for row in ROWS[start::order]]
    schema = ["query_id", "doc_id", "score"]
    polars.DataFrame(rows, schema=schema, orient="row").write_parquet(tmp_path / "run.parquet", row_group_size=10)
    metadata = pyarrow.parquet.ParquetFile(tmp_path / "run.parquet").metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    total = sum(group.column(number).total_compressed_size for group in groups for number in range(3))
    progress = Progress()
    with open_source(tmp_path / "run.parquet") as source:
        assert parquet.rank(source, lambda: Ranker(QRELS.index, [Options()]), None, 2, progress) is not None
    readings = 1 if order == 1 else 1 + max(1, len(ROWS) // kept_rows)
    # Each reading adds a share of each group, rounded down.
    assert total - len(groups) * readings <= progress.bytes_read <= total


@settings(max_examples=settings.default.max_examples // 3)
@given(
    rows=runs(st.integers(-3, 8).map(lambda number: number / 4)),
    write=polars_files(),
    options=st.lists(st.sampled_from(OTHERS), min_size=1, max_size=2),
)
def test_what_cannot_be_counted_gives_the_same_bits(rows, write, options, tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    write(rows, path)
    found, expected = both(path, options)
    stretches = [query for query, _ in itertools.groupby(row[0] for row in rows) if query in JUDGED]
    assert found == expected or (found is None and len(set(stretches)) < len(stretches))


@settings(max_examples=settings.default.max_examples // 3)
@given(rows=runs(st.integers(0, 5).map(float)), cuts=st.lists(st.integers(0, 80), max_size=3), write=polars_files())
def test_many_files_are_one_run(rows, cuts, write, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    ends = [*sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for number, (start, end) in enumerate(itertools.pairwise([0, *ends])):
        write(rows[start:end], folder / f"{number}.parquet")
    found, expected = both(folder, [{"duplicates": "count"}])
    assert found == expected or (found is None and len({row[:2] for row in rows}) < len(rows))


@for_each("kind", [pyarrow.int8(), pyarrow.uint32(), pyarrow.int64(), pyarrow.uint64()])
@for_each("step", [1, -1])
def test_ids_that_are_integers(kind, step, tmp_path):
    numbers = pyarrow.array([1, 1, 1, 3][::step]).cast(kind), pyarrow.array([22, 7, 26, 28]).cast(kind)
    table = pyarrow.table({"query": numbers[0], "document": numbers[1], "score": numbers[1]})
    pyarrow.parquet.write_table(table, tmp_path / "run.parquet")
    found, expected = both(tmp_path / "run.parquet", [{}])
    assert found == expected
    assert found[0][0]["document"]


def test_columns_that_are_named(tmp_path):
    table = polars.DataFrame({"a": ["1", "q2"], "b": ["7", "D2"], "score": [0.5, 0.25], "c": [1, 2]})
    table.write_parquet(tmp_path / "run.parquet")
    columns = {"query_id": "a", "doc_id": "b", "score": "c"}
    found, expected = both(tmp_path / "run.parquet", [{}], columns=columns)
    assert found == expected
    assert np.frombuffer(found[0][0]["score"]).tolist() == [1.0, 2.0]


def table(**columns):
    good = {"query_id": ["1", "1", "q2"], "doc_id": ["7", "d2", "7"], "score": [2.0, 1.0, 5.0]}
    return pyarrow.table({**good, **columns})


# What the kernel leaves to polars, which reads it or says what is wrong.
LEFT = [
    *(table(score=[Decimal("2.5"), Decimal("1.5"), Decimal("5.0")]), table(score=np.array([2, 1, 5], "float16"))),
    *(table(score=scores) for scores in (["2", "1", "5"], [2.0, None, 5.0], [2.0, float("nan"), 5.0])),
    *(table(doc_id=ids) for ids in (["7", None, "7"], ["7", "", "7"], [b"7", b"d2", b"7"], [["7"], ["d2"], ["7"]])),
    *(table(query_id=["1", "1", ""]), table(given_rank=[1, 2, 1]), table().drop(["score"]), table().slice(0, 0)),
]


@for_each("columns", LEFT)
def test_what_is_left_to_polars(columns, tmp_path):
    pyarrow.parquet.write_table(columns, tmp_path / "run.parquet")
    assert both(tmp_path / "run.parquet", [{}])[0] is None


PACKED = [{"column_encoding": {"doc_id": f"DELTA_{kind}BYTE_ARRAY"}} for kind in ("", "LENGTH_")]


@for_each("options", [{"compression": "brotli"}, *({"use_dictionary": False, **each} for each in PACKED)])
def test_compressions_and_encodings_that_the_kernel_lacks_are_left_to_polars(options, tmp_path):
    pyarrow.parquet.write_table(table(), tmp_path / "run.parquet", **options)
    found, expected = both(tmp_path / "run.parquet", [{}])
    assert found is None
    assert expected[0][0]["document"]


# A footer whose only group says that it has so many children, as a varint, and has one.
CHILDREN = {"one": b"\x02", "two": b"\x04", "two billion": b"\xfe\xff\xff\xff\x0f"}


@for_each("number", CHILDREN)
def test_a_schema_that_claims_children_that_it_does_not_have(number, tmp_path):
    schema = b"\x15\x02\x19,H\x01a\x15" + CHILDREN[number] + b"\x00\x15\x02%\x00\x18\x01a\x00\x16\x00\x19\x0c\x00"
    path = tmp_path / "run.parquet"
    path.write_bytes(b"PAR1" + schema + len(schema).to_bytes(4, "little") + b"PAR1")
    assert parquet_names(path) == (["a"] if number == "one" else None)


def test_a_file_that_is_encrypted_is_left_to_polars(tmp_path):
    pyarrow.parquet.write_table(table(), tmp_path / "run.parquet")
    content = (tmp_path / "run.parquet").read_bytes()
    (tmp_path / "run.parquet").write_bytes(content[:-4] + b"PARE")
    assert both(tmp_path / "run.parquet", [{}]) == (None, assay.errors.FormatError)


@for_each("order", [[0, 1, 2, 3], [0, 3, 1, 2]])
def test_a_document_listed_twice_is_named(order, tmp_path):
    rows = [("1", "7", 1.0), ("1", "x", 2.0), ("1", "x", 3.0), ("q2", "7", 1.0)]
    frame = polars.DataFrame([rows[number] for number in order], schema=["query_id", "doc_id", "score"], orient="row")
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=1)
    with pytest.raises(assay.errors.DuplicateError, match=r"run\.parquet: query '1' lists document 'x' more than once"):
        assay.evaluate(JUDGED, tmp_path / "run.parquet")


def test_polars_is_not_imported(tmp_path):
    pyarrow.parquet.write_table(table(), tmp_path / "run.parquet")
    (tmp_path / "qrels").write_text("1 0 7 1\nq2 0 7 1\n")
    code = "import assay, sys; print(assay.evaluate('qrels', 'run.parquet', ['ap'])['ap'], 'polars' in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    assert done.stdout.split() == ["1.0", "False"]


def test_a_group_of_rows_that_cannot_be_read_is_not_left_out(tmp_path):
    rows = [(f"q{number // 10}", f"d{number}", 1.0) for number in range(3000)]
    path = tmp_path / "run.parquet"
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    pyarrow.parquet.write_table(frame.to_arrow(), path, row_group_size=300)
    content = path.read_bytes()
    # The last of the numbers 300, doubled and in bits of seven, is how many rows the last group has: 325.
    place = content.rindex(b"\xd8\x04")
    path.write_bytes(content[:place] + b"\x8a\x05" + content[place + 2 :])
    with pytest.raises(assay.errors.FormatError, match=r"run\.parquet: only .* of 3,000 rows can be read"):
        assay.evaluate({"q0": {"d1": 1}}, path)
