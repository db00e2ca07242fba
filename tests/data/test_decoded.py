"""Tables of text decoded by the kernel: the same rows, and the same errors, as the readers in Python."""

import json
import math
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import assay
from assay.core.errors import AssayError
from assay.data.formats import jsonl, separated, tabular
from assay.data.formats.tabular import Need
from assay.files.source import Source
from tables import for_each

BLOCKS = (16, 50, 333, 1 << 23)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

ids = st.sampled_from(["q1", "7", "a", "b", "é", '"', "\\", "\x7f", "\u2028", "😀", "", " ", "one with a long id"])
whole = st.integers(-(10**20), 10**20)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = ids | whole | floats | st.booleans() | st.none() | st.just(math.nan) | st.lists(st.none(), max_size=1)
json_values |= st.text(max_size=3)
rare_objects = st.dictionaries(st.sampled_from(["query_id", "doc_id", "score", "text", "é"]), json_values, max_size=5)
plain_ids = {"query_id": ids.filter(bool) | st.integers(-5, 5), "doc_id": ids.filter(bool) | st.integers(0, 99)}
more = {"text": json_values, "rank": st.integers(0, 9)}
plain_objects = st.fixed_dictionaries({**plain_ids, "score": floats}, optional=more)
odd_cells = [
    *("1.5 ", " 2", "-0", "007", "1e5", "1E400", "nan", "inf", ".5", "5.", "\ufeff", "\0", "\r\n", *"+-.,\n\r\"'"),
]
cells = ids | floats.map(str) | whole.map(str) | st.sampled_from(odd_cells) | st.text(max_size=3)
plain_rows = st.tuples(ids.filter(bool), ids.filter(bool), floats.map(repr), st.text(max_size=9))


@pytest.fixture
def small_blocks(monkeypatch):
    """A function that sets how many bytes are decoded at a time."""
    return lambda size: monkeypatch.setattr(tabular, "BLOCK", size)


def outcome(reader, source, *, judgments):
    """The table that is read, or the error."""
    try:
        return tabular.read_table(reader, source, Need(None, judgments))
    except AssayError as error:
        return error


def check_same(source, slow, fast, *, errors_alike=False):
    """The same table, or an error of the same kind: which one comes first depends on how much is read at a time."""
    for judgments in (False, True):
        expected = outcome(slow, source, judgments=judgments)
        need = Need(None, judgments, threads=2)
        found = outcome(partial(fast, need=need), source, judgments=judgments)
        if isinstance(expected, AssayError) or isinstance(found, AssayError):
            assert type(found) is type(expected), (found, expected)
            assert not errors_alike or str(found) == str(expected)
        else:
            assert_frame_equal(found, expected, check_exact=True)
            assert found["value"].to_numpy().tobytes() == expected["value"].to_numpy().tobytes()


def check_lines(source, **options):
    check_same(source, jsonl.read_batches, jsonl.read_needed, **options)


def check_cells(source, separator=",", **options):
    slow, fast = (partial(read, separator=separator) for read in (separated.read_separated, separated.read_needed))
    check_same(source, slow, fast, **options)


@same_folder
@given(
    st.lists(plain_objects, min_size=1, max_size=12),
    st.lists(rare_objects, max_size=2),
    st.tuples(st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]), st.sampled_from(BLOCKS), st.booleans()),
)
@example([{"query_id": "q", "doc_id": "d", "score": -0.0}], [], (True, "\n", 16, True))
def test_rows_of_json_lines(tmp_path, small_blocks, plain, rare, form):
    ascii_only, end, block, marked = form
    small_blocks(block)
    rows = [json.dumps(row, ensure_ascii=ascii_only) for row in [*plain, *rare, *plain[:2]]]
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" * marked + end.join(rows).encode("utf-8", "replace"))
    check_lines(Source(path, "run.jsonl"))


ODD_SCORES = (
    *("1e400", "NaN", "true", '"1.5"', '" x "', "null", "01", "123456789012345678901234567890", f"1{'0' * 5000}"),
    "1, ",
    *("0.1000000000000000055511151231257827021181583404541015625", '1, "score": 2', '1, "other": [1, {"x": "\\n"}]'),
    *('1, "text": {"x": 1, "x": 2}', '1, "text": ["\\q"]'),
)
ODD_LINES = (
    *(f'{{"query_id": "q1", "doc_id": "b", "score": {score}}}' for score in ODD_SCORES),
    *(f'{{"query_id": "q1", "doc_id": "{name}", "score": 1}}' for name in ("\\ud83d\\ude00\\u0041", "\\ud800", "")),
    *('{"query_id": "q1", "doc_id": "b"}', '{"query_id": -0, "doc_id": 7, "score": -0}'),
    *('{"doc_id": "b", "score": 1, "query\\u005fid": "q1"}', '{"score": 1, "doc_id": "b", "query_id": "q1"}'),
    *('{"query_id": "q1", "doc_id": "b", "score": 1', '["q1", "b", 1]', "", " \t ", "\x0c", "\x00"),
)


@for_each("block", BLOCKS)
@for_each("line", ODD_LINES)
def test_a_line_among_others(tmp_path, small_blocks, line, block):
    small_blocks(block)
    plain = [json.dumps({"query_id": "q1", "doc_id": f"d{row}", "score": row / 3, "text": "x"}) for row in range(5)]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([*plain, line, plain[0].replace("d0", "d9")]), encoding="utf-8")
    check_lines(Source(path, "run.jsonl"), errors_alike=True)


def test_floats_in_place_of_ids_bytes_that_are_not_text_and_long_lines(tmp_path, small_blocks):
    row = b'{"query_id": "q1", "doc_id": "%s", "score": 1}\n'
    path = tmp_path / "run.jsonl"
    path.write_bytes(row % b"a" + row.replace(b'"q1"', b"1.0") + row % b"b")
    check_lines(Source(path, "run.jsonl"), errors_alike=True)
    for block in BLOCKS:
        small_blocks(block)
        path.write_bytes(row % b"a" + row % b"\xff" + row % b"b")
        check_lines(Source(path, "run.jsonl"), errors_alike=True)
        path.write_bytes(row % b"a" + row % (b"x" * 300) + row % b"b")
        check_lines(Source(path, "run.jsonl"))
        with assay.limits(line=200):
            check_lines(Source(path, "run.jsonl"), errors_alike=True)


def csv_text(rows, separator, end, *, quoted):
    def cell(text):
        needs_quotes = quoted or any(each in text for each in (separator, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if needs_quotes else text

    return end.join(separator.join(map(cell, row)) for row in rows)


@same_folder
@given(
    st.lists(plain_rows, min_size=1, max_size=12),
    st.lists(st.lists(cells, min_size=3, max_size=5), max_size=2),
    st.tuples(*map(st.sampled_from, (",\t", ["\n", "\r\n", "\n\n"], ["", "\n", "\r\n\n\n"], [True, False], BLOCKS))),
)
def test_rows_of_cells(tmp_path, small_blocks, plain, rare, form):
    separator, end, last, quoted, block = form
    small_blocks(block)
    rows = [("query_id", "doc_id", "score", "text"), *plain, *rare, *plain[:2]]
    head = csv_text(rows[:1], separator, end, quoted=False)
    path = tmp_path / "run.csv"
    text = head + end + csv_text(rows[1:], separator, end, quoted=quoted) + last
    path.write_bytes(text.encode("utf-8", "replace"))
    check_cells(Source(path, "run.csv"), separator)


ODD_ROWS = (
    *("q1,b,abc,x", "q1,b,,x", "q1,,1,x", "q1,b,1", "q1,b,1,x,y", "q1,b,1e999,x", "q1,b,nan,x", "q1,b, 1.5 ,x"),
    "q1,b,+1,x",
    *("q1,b,1_0,x", "q1,b,007,x", "q1,b,-0,x", 'q1,b,1,"two\nlines, and ""quotes"""', 'q1,"b, c",1,x', 'q1,"b",1,x"y"'),
    *('q1,b,1,"x"y', 'q1,b,1,"not closed', "q1,\ufeffb,1,x", "q1,b\0,1,x", "q1,b\r,1,x", "q1,b,1,x\r", "", "  ", ",,,"),
)


@for_each("block", BLOCKS)
@for_each("line", ODD_ROWS)
def test_a_row_among_others(tmp_path, small_blocks, line, block):
    small_blocks(block)
    plain = [f"q1,d{row},{row / 3},some text" for row in range(5)]
    path = tmp_path / "run.csv"
    path.write_bytes("\n".join(["query_id,doc_id,score,text", *plain, line, "q1,d9,0,x"]).encode())
    check_cells(Source(path, "run.csv"), errors_alike=True)


HEADERS = (
    *("query_id,doc_id,score", "\n\nquery_id,doc_id,score", "\ufeffquery_id,doc_id,score", "Query-ID,docno,sim"),
    *('"query_id",doc_id,score', "query_id,doc_id,doc_id", "query_id,doc_id,score,score", "query_id,doc_id,"),
    *("query_id,doc_id,value", "query_id;doc_id;score", "query_id,doc_id,score\r"),
)


@for_each("header", HEADERS)
def test_headers(tmp_path, header):
    path = tmp_path / "run.csv"
    for rows in ("\nq1,a,1\nq1,b,2\n", "\n", ""):
        path.write_text(header + rows, encoding="utf-8", newline="")
        check_cells(Source(path, "run.csv"), errors_alike=True)


def test_columns_that_are_not_needed_are_not_read(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text('query_id,text,doc_id,score\nq1,"long\ntext",a,2\nq1,other,b,1\n')
    (batch,) = separated.read_needed(Source(path, "run.csv"), Need(None, judgments=False), separator=",")
    assert (batch.frame.columns, list(batch.numbers)) == (["query_id", "doc_id", "score"], [2, 3])
    path = tmp_path / "run.jsonl"
    path.write_text('{"query_id": "q1", "text": "t", "doc_id": 7, "score": 2}\n')
    (batch,) = jsonl.read_needed(Source(path, "run.jsonl"), Need(None, judgments=False))
    assert batch.frame.rows() == [("q1", "7", 2.0)]


def test_what_was_decoded_is_not_read_again(tmp_path, small_blocks):
    small_blocks(200)
    rows = [f"q1,d{row},{row}" for row in range(100)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(["query_id,doc_id,score", *rows[:50], "q1,d50, 50 ", *rows[51:]]) + "\n")
    source = Source(path, "run.csv")
    batches = list(separated.read_needed(source, Need(None, judgments=False), separator=","))
    assert [number for batch in batches for number in batch.numbers] == list(range(2, 102))
    assert len(batches) > 2
    assert all(one.numbers[-1] + 1 == other.numbers[0] for one, other in pairwise(batches))


ROWS = [{"q": "q1", "d": "a", "s": 2.5, "label": "x"}, {"q": "q1", "d": "b", "s": 1.5, "label": "y"}]
FORMS = {
    "run.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "run.csv": "q,d,s,label\nq1,a,2.5,x\nq1,b,1.5,y\n",
}


@for_each("name", FORMS)
def test_a_column_may_be_named_that_runs_do_not_need(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name])
    columns = {"query_id": "q", "doc_id": "d", "score": "s", "relevance": "label"}
    assert assay.Run(tmp_path / name, columns=columns).to_dict() == {"q1": {"a": 2.5, "b": 1.5}}
    with pytest.raises(assay.errors.FormatError, match="has no column 'nothing'"):
        assay.Run(tmp_path / name, columns={**columns, "relevance": "nothing"})
