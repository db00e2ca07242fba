"""A stored result is loaded as it was written, or refused: no change gives other numbers."""

import gzip
import json
import subprocess
import sys

import pytest

import assay
from assay.results.stored import is_too_large
from storing import NAMES, QRELS, RUN, check_refused, without_checksum
from tables import for_each


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "r.json"
    result = assay.evaluate(QRELS, RUN, NAMES)
    assert result.notes
    result.save(path)
    return path.read_bytes()


GONE = object()
CHANGED = [
    ({"rows": 4}, "the file has 3 rows, and it says '4'"),
    ({"rows": True}, "the file: rows must be a whole number, not 'True'"),
    ({"rows": None}, "rows must be a whole number, not 'None'"),
    ({"checksum": "sha256:0"}, "the file was changed after it was written: its checksum does not match; write the file"),
    ({"checksum": None}, "checksum must be a line of text, not 'None'"),
    ({"written_by": "9.9"}, "its checksum does not match"),
    ({"version": 2}, "the file has an unknown field"),
    ({"checksum": GONE}, "the file is missing the field 'checksum'"),
    ({"rows": GONE}, "the file is missing the field 'rows'"),
    ({"queries": lambda rows: rows[1:]}, "the file has 2 rows, and it says '3'"),
    ({"queries": lambda rows: [*rows, ["q7", *rows[0][1:]]]}, "the file has 4 rows, and it says '3'"),
    ({"queries": lambda rows: rows[::-1]}, "its checksum does not match"),
]  # fmt: skip


@for_each(("change", "message"), CHANGED)
def test_the_checksum_and_the_number_of_rows_are_checked(stored, tmp_path, change, message):
    content = json.loads(stored)
    content |= {name: value(content[name]) if callable(value) else value for name, value in change.items()}
    content = {name: value for name, value in content.items() if value is not GONE}
    check_refused(tmp_path / "r.json", content, message)


OUTSIDE = [
    ("rr", 1.5, "rr of query 'q1' is 1.5, which is not in the range of the measure, 0 to 1"),
    ("rr", -0.1, "rr of query 'q1' is -0.1, which"),
    ("rr", "inf", "rr of query 'q1' is inf, which"),
    ("ndcg@10", 1.01, "ndcg@10 of query 'q1' is 1.01, which"),
    ("num_ret", -1, "num_ret of query 'q1' is -1, which is not in the range of the measure, 0 to inf"),
]


@for_each(("name", "value", "message"), OUTSIDE)
def test_a_value_outside_the_range_of_its_measure_is_refused(tmp_path, name, value, message):
    path = tmp_path / "r.json"
    result = assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, [name])
    result.save(path)
    content = without_checksum(path)
    content["queries"][0][1] = value
    check_refused(path, content, message)
    result.scores[name][0] = float(value)
    with pytest.raises(assay.errors.DataError, match="the result cannot be stored: ") as caught:
        result.save(path)
    assert message in str(caught.value)


@for_each(
    ("name", "options", "value"),
    [("recall", {"duplicates": "count"}, 2.0), ("ndcg(gain=1:3;2:-9)", {}, 1.0), ("rr", {}, 1 + 1e-12)],
)
def test_what_a_measure_can_reach_is_kept(tmp_path, name, options, value):
    ranking = ["a", "a"] if options else ["a"]
    result = assay.evaluate({"q1": ["a"]}, {"q1": ranking}, [name], **options)
    assert result[name] == pytest.approx(value)
    result.scores[name][0] = value
    result.save(tmp_path / "r.json")
    assert assay.load_result(tmp_path / "r.json").scores[name][0] == value


BOMBS = [
    b'{"assay":"result","queries":[' + b"[]," * 20_000_000,
    b'{"assay":"result","queries":[' + b"{}," * 20_000_000,
    b'{"assay":"result","policies":{' + b'"aaaa":0,' * 1_000_000,
    b'{"assay":"result","queries":[' + b"1," * 30_000_000,
]
LOAD = r"""
import re, sys
from pathlib import Path
import assay
try:
    assay.load_result(sys.argv[1])
except assay.errors.FormatError as error:
    print(error)
print(int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@for_each("number", range(len(BOMBS)))
def test_a_small_file_does_not_take_the_memory(tmp_path, number):
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(BOMBS[number], compresslevel=6))
    assert path.stat().st_size < 100_000
    command = [sys.executable, "-c", LOAD, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - the interpreter
    message, peak = done.stdout.splitlines()
    assert "bomb.json.gz: the file has more than 4,194,304 values, too many for a stored result" in message
    assert int(peak) < 400


def test_what_is_nearly_too_much_is_counted():
    assert not is_too_large(b"," * (1 << 22))
    assert is_too_large(b"," * (1 << 22) + b"[")
    assert is_too_large(b'"a" :' * ((1 << 18) + 1))
    assert not is_too_large(b"a:" * (1 << 19))
