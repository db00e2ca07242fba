"""Files that are no stored result, or a spoilt one: nothing wrong is taken in."""

import gzip
import json
from pathlib import Path

import pytest

import assay
from storing import check_refused, stored_in
from tables import for_each


@pytest.fixture
def stored(tmp_path):
    return stored_in(tmp_path)


BROKEN = [
    (b"", "line 1: the file is cut off"),
    (b"{", "line 1: the file is cut off"),
    (b'{"assay":"result","version":1,\n"convention":"ass', "line 2: the file is cut off"),
    (b'{"assay":"result" "version":1}', "line 1: invalid JSON: Expecting ',' delimiter at column 19"),
    (b'{"assay":"result","version":1,"version":1}', "duplicate key 'version'; keep one"),
    (b'{"assay":"result","version":NaN}', "NaN is not JSON; a missing value is null"),
    (b'{"assay":"result","version":' + b"1" * 5000 + b"}", "a number has too many digits"),
    (b'{"assay":"result","version":' + b"[" * 200_000 + b"}", "the values are nested too deeply"),
    (b'{"assay":"\xff"}', "bytes that are not UTF-8; save the file as UTF-8"),
    (b'{"q1":{"d1":1.0}}', "this is not a stored result; write"),
    (b"[1,2]", "this is not a stored result; write"),
    (b'{"assay":"results"}', "this is not a stored result; write"),
]


@for_each(("content", "message"), BROKEN)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, content, message):
    said = check_refused(tmp_path / "b.json", content, message)
    assert said.endswith("; write the file again with `result.save`")


def test_json_output_is_refused_with_the_flag_to_use(tmp_path):
    content = assay.evaluate({"q": ["a"]}, {"q": ["a"]}, "ap").to_dict()
    said = check_refused(tmp_path / "b.json", content, "this is the output of `--format json` or `to_json`")
    assert "store the result with `--save FILE`" in said


SPOILT = [
    ({"version": 4}, "this file was written by a newer assay: its version is 4, this assay reads up to 3; update"),
    ({"extra": 1}, "the file has an unknown field 'extra'"),
    ({"convention": "nobody"}, "unknown convention 'nobody'; update assay"),
    ({"convention": ["assay"]}, "convention must be a word"),
    ({"policies": {"ties": "maybe"}}, "ties must be 'docid_desc' or"),
    ({"policies": {"colour": "red"}}, "unknown option 'colour'"),
    ({"measures": ["ap"]}, "measure 1 must be an object, not 'ap'"),
    ({"measures": [{}]}, "measure 1 is missing the field 'name'"),
    ({"human": [1]}, "human must be an object, not '[1]'"),
    ({"human": {"none": []}}, "human values of 'none', which is not a measure with a mean over queries"),
    ({"human": {"gm_ap": [1, 1]}}, "human values of 'gm_ap', which is not a measure with a mean over queries"),
    ({"human": {"ap": [1]}}, "the human values of 'ap' must be a list with one value per query"),
    ({"human": {"ap": ["x", 1, 1]}}, "a human value of 'ap' must be a number"),
    ({"matching": "match=0.9"}, "matching must be a list of rules, not 'match=0.9'"),
    ({"matching": ["a\x1b[31m"]}, "matching must be a list of rules"),
    ({"notes": ["x"]}, "a note must be an object, not 'x'"),
    ({"notes": [{"kind": "missing"}]}, "a note is missing the field 'text'"),
    ({"notes": [{"kind": "missing", "text": "x", "more": 1}]}, "a note has an unknown field 'more'"),
    ({"notes": [["a", 1]]}, "a note: text must be a line of text, not '1'"),
    ({"queries": [["q1"]]}, "row 1 of the queries must be an id and 8 values"),
    ({"queries": [[1, 0, 0, 0, 0, 0, 0, 0, 0]]}, "row 1 of the queries must be an id and 8 values"),
    ({"queries": [["q", 0, 0, 0, 0, 0, 0, 0, 0]] * 2}, "duplicate query id 'q'"),
    ({"queries": [["q", "0", 0, 0, 0, 0, 0, 0, 0]]}, "ap of query 'q' must be a number in the range of a float"),
    ({"queries": [["q", 2**53 + 1, 0, 0, 0, 0, 0, 0, 0]]}, "must be a number in the range of a float"),
]  # fmt: skip


@for_each(("change", "message"), SPOILT)
def test_every_field_is_checked(stored, change, message):
    path, content = stored
    check_refused(path, content | change, message)


ABOUT = [
    ({"name": "P@2", "measure": "precision(rel=1,over=k)@2"}, "duplicate measure 'P@2'"),
    ({"name": "ndcg@10"}, "'ndcg@10' means ndcg("),
    ({"name": "map@10"}, "'map@10' means ap(rel=1,norm=relevant,ties=rank,nothing=zero)@10, and ap(rel=1,"),
    ({"name": "rr"}, "and ap(rel=1,norm=relevant,ties=rank,nothing=zero) is stored under that name"),
    ({"mean": "x"}, "the mean of 'ap' must be a number"),
    ({"function": "os.system"}, "measure 1 has an unknown field 'function'"),
]


@for_each(("change", "message"), ABOUT)
def test_every_field_of_a_measure_is_checked(stored, change, message):
    path, content = stored
    first, *others = content["measures"]
    check_refused(path, content | {"measures": [first | change, *others]}, message)


def test_a_number_too_large_for_a_float_is_refused(stored):
    path, content = stored
    spoilt = json.dumps(content).replace('["q1", 0.8333333333333333', '["q1", 1e999').encode()
    check_refused(path, spoilt, "ap of query 'q1' must be a number in the range of a float, or null, not 'inf'")


def test_a_small_file_that_unpacks_into_a_huge_one_is_refused(tmp_path):
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b" " * (2 << 20)))
    message = r"bomb.json.gz: the file is larger than 1 MiB, too large for a stored result"
    with assay.limits(stored=1 << 20), pytest.raises(assay.errors.LimitError, match=message):
        assay.load_result(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(assay.errors.FileError, match="cannot be written"):
        assay.evaluate({"q": ["d"]}, {"q": ["d"]}, "rr").save(tmp_path / "none" / "r.json")


def test_a_file_stays_as_it_is_until_the_new_one_is_whole(stored, monkeypatch):
    path, _ = stored
    before = path.read_bytes()
    monkeypatch.setattr("assay.results.stored.compact_json", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        assay.load_result(path).save(path)
    assert path.read_bytes() == before
    assert [each.name for each in Path(path.parent).iterdir()] == ["baseline.json"]
