"""Slices: values of a field, means of each, and the warning."""

import pytest

import assay
from assay.data.texts import read_fields
from assay.report.content import MOST, OTHERS, UNKNOWN, length_of, slice_rows, slice_values, warning
from assay.results.results import Results
from tables import for_each

QUERIES = [f"q{number}" for number in range(4)]
RESULT = assay.evaluate({q: ["d"] for q in QUERIES}, {"q0": ["d"], "q1": ["x", "d"], "q2": ["d"], "q3": ["x"]}, ["rr"])


def test_means_of_each_slice():
    values = slice_values({"q0": "en", "q1": "en", "q2": "de"}, QUERIES)
    assert values == ["en", "en", "de", UNKNOWN]
    found = slice_rows(Results({"run": RESULT}), "language", values)
    rows = {row["value"]: (row["queries"], row["means"]["rr"][0]["value"]) for row in found["rows"]}
    assert rows == {UNKNOWN: (1, 0.0), "de": (1, 1.0), "en": (2, 0.75)}
    part = {row["value"]: row["means"]["rr"][0] for row in found["rows"]}["en"]
    assert (part["low"], part["high"]) == (0.5, 1.0)


def test_rare_values_share_one():
    queries = [f"q{number}" for number in range(3 * MOST)]
    values = slice_values({query: f"v{number // 2}" for number, query in enumerate(queries)}, queries)
    assert len(set(values)) == MOST
    assert values.count(OTHERS) == 3 * MOST - 2 * (MOST - 1)


WARNINGS = [
    ([20, 30], ""),
    ([19, 30], "1 of 2 slices has fewer than 20 queries and a wide interval"),
    ([1, 2], "2 of 2 slices have fewer than 20 queries and a wide interval"),
    ([30] * 11, "Of 11 slices, some stand out by chance alone"),
]


@for_each("sizes, expected", WARNINGS)
def test_warnings(sizes, expected):
    assert warning(sizes) == expected


def test_lengths():
    questions = {"": "1 to 2 words", "a b": "1 to 2 words", "a b c": "3 to 5 words", "a " * 21: "more than 20 words"}
    assert {each: length_of(each) for each in questions} == questions


LINES = '{"id": "q1", "text": "who", "lang": "en", "meta": {"type": "a"}}\n{"id": 2, "text": "what", "lang": "de"}\n'
FIELDS = [
    ("q.jsonl", LINES, ["lang"], {"lang": {"q1": "en", "2": "de"}}),
    ("q.jsonl", LINES, ["lang", "meta.type"], {"lang": {"q1": "en", "2": "de"}, "meta.type": {"q1": "a"}}),
    ("q.csv", "qid,text,lang\nq1,who,en\nq2,what,\n", ["lang"], {"lang": {"q1": "en"}}),
    ("q.tsv", "qid\ttext\tlang\nq1\twho\ten\n", ["lang"], {"lang": {"q1": "en"}}),
    ("q.json", '[{"id": "q1", "text": "who", "n": 3}]', ["n"], {"n": {"q1": "3"}}),
]


@for_each("name, content, fields, expected", FIELDS)
def test_fields_of_questions(tmp_path, name, content, fields, expected):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert read_fields(str(tmp_path / name), fields) == expected


MISSING = [
    ([{"id": "q", "text": "t", "language": "en"}], "langage", "no field 'langage'; they have language"),
    ({"q": "text"}, "lang", "no field 'lang'"),
    ([{"id": "q", "lang": ["en"]}], "lang", "must be a text or a number"),
]


@for_each("data, name, message", MISSING)
def test_fields_that_are_not_there(data, name, message):
    with pytest.raises(assay.errors.DataError, match=message):
        read_fields(data, [name])
