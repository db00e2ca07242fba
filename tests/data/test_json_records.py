"""JSON Lines decoded by the kernel: what Python's json reads, or nothing, which leaves the line to Python."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay._kernel import SharedStrings, decode_json_lines
from assay.core.json_text import decode_json
from assay.data.formats import jsonl
from assay.files.source import Source

# What the kernel reads itself.
texts = st.text(st.characters(exclude_categories=("Cs",)))
numbers = st.integers(-(10**18) + 1, 10**18 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda each: st.lists(each, max_size=4) | st.dictionaries(texts, each, max_size=4))
PIECES = (
    *('{"', '"a"', ":", ",", "{", "}", "[", "]", "1", "-0", "-", "0", "01", "1.5", "1.", ".5", "1e5", "1E+400"),
    *("true", "tru", "null", "NaN", "Infinity", "-Infinity", " ", "\t", "\n", "\x00", "\\", '"\\u0041"', '"\\u12"'),
    *('"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00\\ud800"', '"\\x"', '"\x1f"', '"é"', '"', '"b": 1', '"\\/\\b"'),
    *("-1e-400", "1" * 21),
)
DEEP = "[" * 60 + "]" * 60, "[" * 5000 + "]" * 5000


def python_reads(line):
    """What Python's json reads, as its own spelling tells 1 from 1.0 and True; None if it is not JSON."""
    try:
        return repr(decode_json(line.decode()))
    except (ValueError, RecursionError):
        return None


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_values_come_back(value, ascii_only, indent):
    line = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    (found,) = decode_json_lines([line])
    assert repr(found) == python_reads(line) == repr(value)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(), max_size=4))
@example([*DEEP, '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', '{"a": 1} x', "[1,]", '{"a": 1,}', "{1: 2}"])
def test_what_is_wrong_or_rare_is_left_to_python(lines):
    encoded = [line.encode("utf-8", "surrogatepass") for line in lines]
    for line, found in zip(encoded, decode_json_lines(encoded), strict=True):
        assert found is None or repr(found) == python_reads(line), line


@given(st.binary())
def test_any_bytes_are_taken(line):
    (found,) = decode_json_lines([line])
    assert found is None or repr(found) == python_reads(line)


def test_keys_are_shared_and_told_apart():
    lines = [f'{{"key": {number}, "k{number % 100}": "x", "k\\u0065y2": 1}}'.encode() for number in range(500)]
    found = decode_json_lines(lines)
    assert found == [json.loads(line) for line in lines]
    assert next(iter(found[0])) is next(iter(found[499]))


@given(st.lists(st.text(max_size=2) | st.text(min_size=32, max_size=34), max_size=20))
def test_strings_are_shared_and_told_apart(texts):
    shared = SharedStrings()
    lines = [json.dumps([text, text], ensure_ascii=False).encode("utf-8", "replace") for text in texts]
    found = [each for line in lines for each in decode_json_lines([line], shared)]
    assert found == [json.loads(line) for line in lines]
    assert all(one is other for one, other in found)


def test_more_strings_than_are_kept_come_back():
    texts = [f"{number}{end}" for number in range(40_000) for end in ("", "é" * 40)]
    found = decode_json_lines([json.dumps(texts * 2).encode()], SharedStrings())
    assert found == [texts * 2]


@pytest.mark.parametrize("size", [1, 100, 1 << 18])
def test_records_are_those_of_single_lines(tmp_path, monkeypatch, size):
    monkeypatch.setattr(jsonl, "BATCH_SIZE", size)
    lines = [f'{{"query_id": {number}, "answer": "é \\ud800 {number}"}}\n' for number in range(30)]
    (tmp_path / "records.jsonl").write_text("\ufeff\n" + "\n".join(lines), encoding="utf-8")
    found = list(jsonl.placed_records(Source(tmp_path / "records.jsonl", "records.jsonl")))
    assert [dict(each.fields) for each in found] == [json.loads(line) for line in lines]
    assert [each.place for each in found][:2] == ["records.jsonl, line 2", "records.jsonl, line 4"]
