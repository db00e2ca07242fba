"""A stored result is loaded as it was written, or refused: no change gives other numbers."""

import gzip
import json
import random
import subprocess
import sys

import numpy as np
import pytest

import assay
from assay.results.stored import is_too_large
from storing import NAMES, QRELS, RUN, stored_in, without_checksum
from tables import for_each

CHANGES = 1_000


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "r.json"
    result = assay.evaluate(QRELS, RUN, NAMES)
    assert result.notes
    result.save(path)
    return path, path.read_bytes()


def everything(result):
    """All that a result says, with every bit of its numbers."""
    scores = {name: values.tobytes() for name, values in result.scores.items()}
    how = (str(result.signature), result.measures, result.policies, result.own_policies, result.version)
    return (scores, result.queries, [note.to_dict() for note in result.notes], how)


def outcomes(path, contents):
    """What loading each content gives; None if it is refused."""
    for content in contents:
        path.write_bytes(content)
        try:
            yield everything(assay.load_result(path))
        except assay.errors.FormatError:
            yield None


def changed(content, choice):
    """The content with a byte replaced, taken out, doubled, swapped with the next, or a bit flipped."""
    place = choice.randrange(len(content) - 1)
    before, byte, after = content[:place], content[place : place + 1], content[place + 1 :]
    return before + choice.choice(
        [
            bytes([choice.randrange(256)]) + after,
            bytes([byte[0] ^ 1 << choice.randrange(8)]) + after,
            choice.choice([b"0", b"1", b"9", b".", b"e", b"-", b"a"]) + after,
            after,
            2 * byte + after,
            after[:1] + byte + after[1:],
        ]
    )


def test_changed_bytes_are_refused_or_change_nothing(stored, tmp_path):
    path, content = stored
    expected, choice = everything(assay.load_result(path)), random.Random(12)
    spoilt = [changed(content, choice) for _ in range(CHANGES)]
    found = list(outcomes(tmp_path / "r.json", spoilt))
    assert [each for each in found if each is not None and each != expected] == []
    assert found.count(None) > 0.9 * CHANGES


@for_each("ending", [".gz", ".zst", ".bz2", ".xz"])
def test_changed_bytes_of_compressed_files_too(tmp_path, ending):
    path = tmp_path / f"r.json{ending}"
    assay.evaluate(QRELS, RUN, NAMES).save(path)
    expected, content, choice = everything(assay.load_result(path)), path.read_bytes(), random.Random(13)
    for _ in range(200):
        path.write_bytes(changed(content, choice))
        try:
            assert everything(assay.load_result(path)) == expected
        except assay.errors.DataError:
            continue


def test_lines_that_are_lost_doubled_or_swapped_are_refused(stored, tmp_path):
    content = json.loads(stored[1])
    rows = content["queries"]
    for wrong in (rows[:-1], rows[1:], [*rows, ["q7", *rows[0][1:]]], rows[::-1]):
        spoilt = tmp_path / "r.json"
        spoilt.write_text(json.dumps({**content, "queries": wrong}))
        with pytest.raises(
            assay.errors.FormatError, match=r"the file has \d rows?, and it says '3'|its checksum does not match"
        ):
            assay.load_result(spoilt)


CHANGED = [
    ({"rows": 4}, "the file has 3 rows, and it says '4'"),
    ({"rows": True}, "the file: rows must be a whole number, not 'True'"),
    ({"rows": None}, "rows must be a whole number, not 'None'"),
    ({"checksum": "sha256:0"}, "the file was changed after it was written: its checksum does not match; write the file"),
    ({"checksum": None}, "checksum must be a line of text, not 'None'"),
    ({"written_by": "9.9"}, "its checksum does not match"),
    ({"version": 2}, "the file has an unknown field"),
]  # fmt: skip


@for_each(("change", "message"), CHANGED)
def test_the_checksum_and_the_number_of_rows_are_checked(stored, tmp_path, change, message):
    spoilt = tmp_path / "r.json"
    spoilt.write_text(json.dumps({**json.loads(stored[1]), **change}))
    with pytest.raises(assay.errors.FormatError, match=r"r\.json: ") as caught:
        assay.load_result(spoilt)
    assert message in str(caught.value)


@for_each("field", ["checksum", "rows"])
def test_neither_may_be_missing(stored, tmp_path, field):
    content = json.loads(stored[1])
    del content[field]
    (tmp_path / "r.json").write_text(json.dumps(content))
    with pytest.raises(assay.errors.FormatError, match=f"the file is missing the field '{field}'"):
        assay.load_result(tmp_path / "r.json")


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
    path.write_text(json.dumps(content))
    with pytest.raises(assay.errors.FormatError) as caught:
        assay.load_result(path)
    assert message in str(caught.value)
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


def test_measures_of_others_have_no_range_to_check(tmp_path):
    @assay.extend.measure("far", formula="x")
    def far(judged):
        return np.full(judged.size, 7.5)

    try:
        assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "far").save(tmp_path / "r.json")
        assert assay.load_result(tmp_path / "r.json")["far"] == 7.5
    finally:
        assay.extend.remove_measure("far")


@for_each("version", [1, 2])
def test_files_without_a_checksum_load(tmp_path, version):
    path, content = stored_in(tmp_path)
    path.write_text(json.dumps({**content, "version": version}))
    result = assay.evaluate(QRELS, RUN, NAMES)
    assert assay.load_result(path).mean == result.mean


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


def test_more_values_than_can_be_loaded_are_not_saved(tmp_path):
    message = "the result has more than 3 values; store fewer measures"
    with assay.limits(values=3), pytest.raises(assay.errors.LimitError, match=message):
        assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["b"]}, "rr").save(tmp_path / "r.json")
