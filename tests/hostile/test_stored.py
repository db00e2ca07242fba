"""Stored results with each field and many bytes changed: an error, or the same values."""

import copy
import json
import random
import re

import pytest

import assay
from mutations import mutated
from storing import NAMES, QRELS, RUN, stored_in
from tables import for_each, with_hostile

pytestmark = [pytest.mark.attack("Stored results"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]
SEED = 20_261
GONE = object()
WRONG = {
    "removed": GONE, "null": None, "true": True, "negative": -1, "fraction": 0.5, "huge": 10**400, "empty": "",
    "word": "x", "long": "x" * 100_001, "list": [], "object": {}, "nested": json.loads("[" * 50 + "]" * 50),
    "surrogate": "\ud800", "escape": "\x1b[2J",
}  # fmt: skip
A_NOTE = ("a note must be an object, not", "a note is missing the field", "a note: ")
IDS = "a note: measures must be a list of strings, not"
ROW = "row 1 of the queries"
# A field of a file without a checksum, the values of WRONG that it can have, and what is said about the others.
FIELDS = [
    (("assay",), "", "this is not a stored result"),
    (("version",), "", ("the file: version must be a whole number", "this file was written by a newer assay")),
    (("written_by",), "word", "the file: written_by must be a word, not"),
    (("convention",), "", ("the file: convention must be a word, not", "unknown convention 'x'; update assay")),
    (("policies",), "object", "the file: policies must be an object, not"),
    (("policies", "ties"), "removed", "ties must be 'docid_desc' or"),
    (("policies", "precision"), "removed", "precision must be 'float64' or 'float32', not"),
    *((("policies", name), "removed", f"{name} must be") for name in ("order", "duplicates", "missing", "no_relevant", "no_results", "grades", "negative", "exclude")),
    (("policies", "depth"), "removed null", "depth must be a whole number"),
    (("policies", "judged_only"), "removed true", "judged_only must be True or False, not"),
    (("policies", "rel"), "removed negative fraction", "rel must be a number, not"),
    (("measures",), "", ("the file: measures must be a list, not", "measure 1", "row 1 of the queries must be an id and 0 values")),
    (("measures", 0), "", ("measure 1", "row 1 of the queries must be an id and 7 values")),
    (("measures", 0, "name"), "word", "measure 1"),
    (("measures", 0, "measure"), "word", "measure 1"),
    (("measures", 0, "aggregate"), "", ("measure 1: aggregate must be mean or geometric or sum", "measure 1 is missing")),
    (("measures", 0, "higher_is_better"), "true", ("measure 1: higher_is_better must be true or", "measure 1 is missing")),
    (("notes",), "list", ("the file: notes must be a list, not", *A_NOTE)),
    (("notes", 0), "removed", A_NOTE),
    (("notes", 0, "kind"), "word", A_NOTE),
    (("notes", 0, "text"), "empty word", A_NOTE),
    (("notes", 0, "measures"), "removed list", IDS),
    (("notes", 0, "measures", 0), "removed empty word escape", IDS),
    (("notes", 1, "count"), "removed", "a note: count must be a whole number, not"),
    (("notes", 1, "queries"), "removed list", "a note: queries must be a list of strings, not"),
    (("queries",), "list", ("the file: queries must be a list, not", ROW, "the file is missing the field 'queries'")),
    (("queries", 0), "removed", f"{ROW} must be an id and 8 values, not"),
    (("queries", 0, 0), "empty word escape", ROW),
    (("queries", 0, 1), "null fraction", ("ap of query 'q1'", f"{ROW} must be an id and 8 values, not")),
]  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A stored result's path, its bytes, its content without a checksum, and all that it says."""
    path, content = stored_in(tmp_path_factory.mktemp("stored"))
    return path, path.read_bytes(), content, everything(assay.load_result(path))


def everything(result):
    """All that a result says, with every bit of its numbers."""
    scores = {name: values.tobytes() for name, values in result.scores.items()}
    how = (str(result.signature), result.measures, result.policies, result.own_policies, result.version)
    return scores, result.queries, [note.to_dict() for note in result.notes], how, [result[name] for name in NAMES]


def load(stored, content):
    """What a file with this content says, or the error in one line."""
    path = stored[0]
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    try:
        return everything(assay.load_result(path))
    except assay.errors.FormatError as error:
        assert str(error).isprintable()
        assert str(error).startswith(f"{path}: ")
        return str(error).removeprefix(f"{path}: ")


def spoilt(content, place, wrong):
    """The content with another value in one place; nothing if that is what it has."""
    made = copy.deepcopy(content)
    *outer, last = place
    at = made
    for each in outer:
        at = at[each]
    if wrong is GONE:
        del at[last]
    else:
        at[last] = wrong
    return made


CASES = [
    (place, wrong, wrong in fine.split(), (told,) if isinstance(told, str) else told)
    for place, fine, told in FIELDS
    for wrong in WRONG
]


@for_each(("place", "wrong", "is_fine", "told"), CASES)
def test_a_wrong_field(stored, place, wrong, is_fine, told):
    found = load(stored, spoilt(stored[2], place, WRONG[wrong]))
    if is_fine:
        assert not isinstance(found, str)
    else:
        assert isinstance(found, str)
        assert found.startswith((f"the file is missing the field {place[0]!r}", *told)), found


@for_each(("place", "wrong", "is_fine"), [row[:3] for row in CASES])
def test_a_changed_field_of_a_file_with_a_checksum(stored, place, wrong, is_fine):
    whole = json.loads(stored[1])
    changed = spoilt(whole, place, WRONG[wrong])
    found = load(stored, changed)
    if json.dumps(changed) == json.dumps(whole):
        assert found == stored[3]
    else:
        assert isinstance(found, str)
        assert not is_fine or re.match(
            "the file was changed after it was written|the file has [02] rows, and", found
        ), found


KEYS = ["assay", "version", "written_by", "convention", "policies", "measures", "notes", "queries", "rows", "checksum"]


@for_each("key", KEYS)
def test_a_field_that_is_there_twice(stored, key):
    whole = json.loads(stored[1])
    twice = stored[1].rstrip()[:-1] + f",{json.dumps(key)}:{json.dumps(whole[key])}}}".encode()
    assert load(stored, twice).startswith(f"duplicate key '{key}'; keep one")


RAW = [
    *((each, f"{each.decode()} is not JSON") for each in (b"NaN", b"Infinity")),
    (b"1e999", "ap of query 'q1'"),
    *((each, "line ") for each in (b"0x1", b"01", b"1.", b".5", b"+1", b"1,", b"'1'", b"0.5//")),
    (b"\xff", "bytes that are not UTF-8"),
    (b"9" * 5000, "invalid JSON: a number has too many digits"),
    (b"[" * 100_000, "invalid JSON: the values are nested too deeply"),
]  # fmt: skip


@for_each(("raw", "told"), RAW)
def test_what_is_not_json_in_place_of_a_value(stored, raw, told):
    value = json.dumps(json.loads(stored[1])["queries"][0][1]).encode()
    assert stored[1].count(b'["q1",' + value) == 1
    assert load(stored, stored[1].replace(b'["q1",' + value, b'["q1",' + raw)).startswith(told)


def test_other_ways_to_write_the_same_values_load(stored, tried):
    """What formatters and editors do."""
    whole = json.loads(stored[1])
    turned = dict(reversed(whole.items()))
    same = [
        json.dumps(whole, indent=4).encode(),
        json.dumps(whole, sort_keys=True).encode(),
        json.dumps(turned, ensure_ascii=True).encode(),
        b"\xef\xbb\xbf" + stored[1],
        stored[1].replace(b"\n", b"\r\n"),
        b" \n\t" + stored[1] + b"\n\n",
        stored[1].decode().encode("utf-16"),
        stored[1].replace(b"0.5,", b"5e-1,"),
    ]
    for content in same:
        assert load(stored, content) == stored[3]
    tried(len(same))


@pytest.mark.parametrize("times", with_hostile([300], [12_000]))
def test_mutations_load_the_same_values_or_are_refused(stored, times, tried):
    choice, loaded = random.Random(SEED), 0
    for number in range(times):
        content = mutated(stored[1], choice)
        found = load(stored, content)
        if not isinstance(found, str):
            assert found == stored[3], f"seed {SEED}, mutation {number}"
            loaded += 1
    assert loaded < times / 5
    tried(times)


@pytest.mark.hostile
@for_each("ending", [".gz", ".zst", ".bz2", ".xz"])
def test_mutations_of_compressed_files(tmp_path, ending, tried):
    path = tmp_path / f"r.json{ending}"
    assay.evaluate(QRELS, RUN, NAMES).save(path)
    expected, content, choice = everything(assay.load_result(path)), path.read_bytes(), random.Random(SEED)
    for number in range(1_000):
        path.write_bytes(mutated(content, choice))
        try:
            found = everything(assay.load_result(path))
        except assay.errors.DataError as error:
            assert str(error).isprintable()
            continue
        assert found == expected, f"seed {SEED}, mutation {number}"
    tried(1_000)


NOT_FILES = [
    *((each, f"a stored result is a path or a file object, not '{each}'") for each in (None, 5, {}, [], b"r.json")),
    ("", "the path is empty; name a file"),
    ("a\0b", "'a\\x00b' is not a valid file name: it has a NUL character"),
    ("no\nsuch.json", "file 'no\\nsuch.json' not found"),
    (".", "'.' is a directory; name the file of one stored result"),
]


@for_each(("path", "told"), NOT_FILES)
def test_what_is_not_a_file(path, told):
    with pytest.raises(assay.errors.DataError) as caught:
        assay.load_result(path)
    assert str(caught.value).startswith(told)
