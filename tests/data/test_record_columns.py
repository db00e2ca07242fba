"""Records by field: the same records, or the same error, as when each row is looked at by itself."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import AssayError
from assay.data.records.fields import RecordFields, file_rows
from assay.data.records.read import STEP, make_records, read_record_file
from assay.files.source import open_source
from tables import for_each

SHORT = RecordFields(short=True)
TEXTS = st.sampled_from(["", "a", "Paris", "é東", "\ud800", "x" * 41, "[a]"]) | st.text(string.printable, max_size=3)
IDS = TEXTS | st.integers(-1, 2) | st.none() | st.booleans()
LISTS = st.none() | st.lists(IDS, max_size=3)
PARTS = {
    "query_id": IDS,
    "question": TEXTS | st.none() | st.integers(),
    "gold": LISTS | st.lists(LISTS, max_size=2) | st.dictionaries(TEXTS, st.integers(0, 2), max_size=2),
    "retrieved": LISTS | st.dictionaries(TEXTS, st.floats(0, 1), max_size=2),
    "retrieved_texts": LISTS,
    "gold_texts": LISTS | st.lists(LISTS, max_size=2),
    "scores": st.none() | st.lists(st.floats(0, 1), max_size=2) | st.dictionaries(TEXTS, st.floats(), max_size=1),
    "answer": TEXTS | st.none() | st.integers(),
    "references": LISTS | TEXTS,
    "language": TEXTS | st.integers() | st.none(),
}
PLAIN = {"query_id": "q{}", "question": "Where?", "gold": ["d1"], "retrieved": ["d1", "d2"]}
PLAIN |= {"answer": "Ville de Besançon", "references": ["Besançon", "Besançon"]}


def check_both(path, wanted=SHORT):
    """What both ways give, and must be the same: records, or the words of an error."""
    found = []
    for read in (read_record_file, lambda source, wanted: make_records(file_rows(source, set()), wanted, source.name)):
        with open_source(path) as source:
            try:
                records = read(source, wanted)
                found.append(records._replace(each=[each._replace(where=each.place) for each in records.each]))
            except AssayError as error:
                found.append(str(error))
    assert found[0] == found[1]
    return found[0]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def plain_rows(count, **more):
    return [{**PLAIN, "query_id": f"q{number}", **more} for number in range(count)]


WANTED = [
    SHORT,
    RecordFields({"answer": "question"}, short=True),
    RecordFields({"answer": "language", "query_id": "question"}, lenient=True, short=True),
    RecordFields({"scores": "language"}, short=True),
    RecordFields(doc_id="id", short=True),
    RecordFields(any_field=True, short=True),
]


@pytest.mark.parametrize("wanted", WANTED)
@given(rows=st.lists(st.fixed_dictionaries({}, optional=PARTS), min_size=1, max_size=4))
def test_any_rows(tmp_path_factory, wanted, rows):
    check_both(write(tmp_path_factory.mktemp("records") / "r.jsonl", rows), wanted)


ODD = [
    *({"query_id": name} for name in (7, "", "q1")),
    *({"answer": 7}, {"answer": None, "references": "Oslo"}, {"references": [["Oslo"], None]}),
    *({"retrieved": {"d1": 0.5, "d2": 0.9}}, {"retrieved": [{"id": "d1", "text": "one"}]}, {"retrieved": ["d1", ""]}),
    *({"retrieved_texts": ["one", "two"]}, {"retrieved_texts": ["one"]}, {"retrieved_texts": None, "retrieved": None}),
    *({"scores": [0.9, 0.1]}, {"scores": {"faithfulness": 1}}, {"gold_texts": [["one"], ["two"]]}, {"language": "fr"}),
    {"question": "Where is it, and how do people get there from here?", "latency": 0.5},
]


@for_each("odd", ODD)
def test_one_odd_row_among_many(tmp_path, odd):
    rows = plain_rows(2 * STEP + 10)
    rows[STEP + 3].update(odd)
    check_both(write(tmp_path / "r.jsonl", rows))


@for_each("doc_id", [None, "id", "metadata.source"])
def test_plain_rows_with_a_path_to_the_ids_of_passages(tmp_path, doc_id):
    check_both(write(tmp_path / "r.jsonl", plain_rows(5)), RecordFields(doc_id=doc_id, short=True))


def test_places_name_the_file_and_the_line(tmp_path):
    write(tmp_path / "1.jsonl", plain_rows(2))
    (tmp_path / "2.jsonl").write_text("\n" + json.dumps({**PLAIN, "query_id": "x"}) + "\n")
    with open_source(tmp_path / "*.jsonl") as source:
        records = read_record_file(source, SHORT).each
    places = ["1.jsonl, line 1 ('q0')", "1.jsonl, line 2 ('q1')", "2.jsonl, line 2 ('x')"]
    assert [each.place.rpartition("/")[2] for each in records] == places


def test_rows_with_very_many_fields_are_no_table(tmp_path):
    rows = [{**row, f"field {number}": number} for number, row in enumerate(plain_rows(150))]
    assert check_both(write(tmp_path / "r.jsonl", rows)).each[120].fields == {
        "question": "Where?",
        "field 120": 120,
        "answer": PLAIN["answer"],
    }


def test_strings_of_many_records_are_held_once(tmp_path):
    with open_source(write(tmp_path / "r.jsonl", plain_rows(3))) as source:
        one, *others = read_record_file(source, SHORT).each
    for other in others:
        assert other.gold[0] is one.gold[0] is one.retrieved.ids[0]
        assert other.question is one.question
