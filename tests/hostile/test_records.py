"""RAG records and the options of their evaluation: wrong types, missing parts, out of range."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = [pytest.mark.attack("Records"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]

MATCH = "PolicyError: match must be 'exact', 'off', or a similarity above 0 and at most 1"
OVERLAP = "PolicyError: overlap must be 'any' or a number above 0 and at most 1, not "
OPTIONS = [
    *(({"match": each}, MATCH) for each in (float("nan"), 2, -1, "fuzzy", None)),
    *(({"overlap": each}, f"{OVERLAP}'{each}'") for each in (float("nan"), "most")),
    ({"overlap_of": "both"}, "PolicyError: overlap_of must be 'gold' or 'chunk' or 'iou', not 'both'"),
    ({"columns": "x"}, "FormatError: columns= must map parts of a record to fields, such"),
    ({"convention": "x"}, "PolicyError: unknown convention 'x'"),
]


@for_each(("options", "expected"), OPTIONS)
def test_option(options, expected):
    records = [{"question": "a", "retrieved": ["d1"], "gold": ["d1"]}]
    check(lambda: assay.evaluate_rag(records, ["rr"], **options)["rr"], expected)


LEFT_OUT = "DataError: nothing to compute: rr: left out"
LIST = "DataError: the records must be a list, a frame or a file, not "
FIRST = "DataError: the records, record 0"
NUMBER = f"{FIRST}: a score must be a finite number, not "
RETRIEVED = f"{FIRST}: the retrieved documents "


def record(**changes):
    """A good record with other values in some fields."""
    return {"question": "a", "retrieved": ["d1"], "gold": ["d1"], **changes}


RECORDS = [
    *((each, f"{LIST}'{type(each).__name__}'") for each in (None, 5)),
    ([], "DataError: the records: no records to evaluate"),
    *(([each], f"{FIRST} must be a dict or a dataclass, not '{type(each).__name__}'") for each in (1, None)),
    ([{}], "DataError: the records: the records have nothing to measure, only no fields"),
    *(([{"question": "a", part: ["d1"]}], LEFT_OUT) for part in ("retrieved", "gold")),
    ([record(question=5)], f"{FIRST}: the question must be a string, not '5'"),
    *((each, 1.0) for each in ([record(question=None)], [record(retrieved=["d1", "d1"])], [record()] * 2)),
    *(([record(retrieved=each)], f"{RETRIEVED}must be a list of ids or passages, not '{each}'") for each in ("d1", 5)),
    ([record(retrieved={"d1"})], f"{RETRIEVED}are a set, which has no order"),
    ([record(retrieved=["d1", None])], f"{FIRST}: a retrieved passage has no id under id, doc_id, _id or similar:"),
    ([record(retrieved=[""])], f"{FIRST}: a retrieved document has an empty id"),
    *(([record(retrieved=[{"id": "d1", "score": each}])], f"{NUMBER}'{each}'") for each in (float("nan"), "high")),
    ([record(gold=1)], f"{FIRST}: judgments of query '0' must be a dict of grades or a list of"),
    ([record(gold=[])], 0.0),
    ([record(gold={"d1": "high"})], f"{FIRST}: judgments of query '0', document 'd1': the grade must be a number,"),
    ([record(id="1"), record(id="1", question="b")], "DuplicateError: the records: duplicate question id '1'"),
]


@for_each(("records", "expected"), RECORDS)
def test_record(records, expected):
    check(lambda: assay.evaluate_rag(records, ["rr"])["rr"], expected)


ANSWERS = {
    5: f"{FIRST}: the answer must be a string, not '5'",
    None: "DataError: nothing to compute: answer_em: left out",
}


@for_each(("answer", "expected"), ANSWERS.items())
def test_answer(answer, expected):
    records = [{"question": "a", "answer": answer, "reference": "5"}]
    check(lambda: assay.evaluate_rag(records, ["answer_em"])["answer_em"], expected)
