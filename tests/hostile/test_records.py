"""RAG records and the options of their evaluation: wrong types, missing parts, out of range."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("Records")


def ra(**options):
    return assay.evaluate_rag([{"question": "a", "retrieved": ["d1"], "gold": ["d1"]}], ["rr"], **options)["rr"]


CASES = [
    ("rag match nan", lambda: ra(match=float("nan")), "PolicyError: match must be 'exact', 'off', or a similarity"),
    ("rag match 2", lambda: ra(match=2), "PolicyError: match must be 'exact', 'off', or a similarity above 0 and at"),
    ("rag match negative", lambda: ra(match=-1), "PolicyError: match must be 'exact', 'off', or a similarity above"),
    ("rag match word", lambda: ra(match="fuzzy"), "PolicyError: match must be 'exact', 'off', or a similarity above"),
    ("rag match None", lambda: ra(match=None), "PolicyError: match must be 'exact', 'off', or a similarity above 0"),
    (
        "rag overlap nan",
        lambda: ra(overlap=float("nan")),
        "PolicyError: overlap must be 'any' or a number above 0 and at most 1, not 'nan'",
    ),
    ("rag overlap word", lambda: ra(overlap="most"), "PolicyError: overlap must be 'any' or a number above 0 and at"),
    (
        "rag overlap_of word",
        lambda: ra(overlap_of="both"),
        "PolicyError: overlap_of must be 'gold' or 'chunk' or 'iou', not 'both'",
    ),
    ("rag columns text", lambda: ra(columns="x"), "FormatError: columns= must map parts of a record to fields, such"),
    ("rag convention unknown", lambda: ra(convention="x"), "PolicyError: unknown convention 'x'"),
    (
        "rag records None",
        lambda: assay.evaluate_rag(None, ["rr"])["rr"],
        "DataError: the records must be a list, a frame or a file, not 'NoneType'",
    ),
    (
        "rag records number",
        lambda: assay.evaluate_rag(5, ["rr"])["rr"],
        "DataError: the records must be a list, a frame or a file, not 'int'",
    ),
    (
        "rag records empty",
        lambda: assay.evaluate_rag([], ["rr"])["rr"],
        "DataError: the records: no records to evaluate",
    ),
    (
        "rag records of numbers",
        lambda: assay.evaluate_rag([1], ["rr"])["rr"],
        "DataError: the records, record 0 must be a dict or a dataclass, not 'int'",
    ),
    (
        "rag records of None",
        lambda: assay.evaluate_rag([None], ["rr"])["rr"],
        "DataError: the records, record 0 must be a dict or a dataclass, not 'NoneType'",
    ),
    (
        "rag record empty",
        lambda: assay.evaluate_rag([{}], ["rr"])["rr"],
        "DataError: the records: the records have nothing to measure, only no fields",
    ),
    (
        "rag without gold",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1"]}], ["rr"])["rr"],
        "DataError: nothing to compute: rr: left out",
    ),
    (
        "rag without retrieved",
        lambda: assay.evaluate_rag([{"question": "a", "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: nothing to compute: rr: left out",
    ),
    (
        "rag question number",
        lambda: assay.evaluate_rag([{"question": 5, "retrieved": ["d1"], "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: the question must be a string, not '5'",
    ),
    (
        "rag question None",
        lambda: assay.evaluate_rag([{"question": None, "retrieved": ["d1"], "gold": ["d1"]}], ["rr"])["rr"],
        1.0,
    ),
    (
        "rag retrieved text",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": "d1", "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: the retrieved documents must be a list of ids or passages, not 'd1'",
    ),
    (
        "rag retrieved number",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": 5, "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: the retrieved documents must be a list of ids or passages, not '5'",
    ),
    (
        "rag retrieved set",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": {"d1"}, "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: the retrieved documents are a set, which has no order",
    ),
    (
        "rag retrieved with None",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1", None], "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: a retrieved passage has no id under id, doc_id, _id or similar:",
    ),
    (
        "rag retrieved twice",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1", "d1"], "gold": ["d1"]}], ["rr"])["rr"],
        1.0,
    ),
    (
        "rag retrieved empty id",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": [""], "gold": ["d1"]}], ["rr"])["rr"],
        "DataError: the records, record 0: a retrieved document has an empty id",
    ),
    (
        "rag retrieved score nan",
        lambda: assay.evaluate_rag(
            [{"question": "a", "retrieved": [{"id": "d1", "score": float("nan")}], "gold": ["d1"]}], ["rr"]
        )["rr"],
        "DataError: the records, record 0: a score must be a finite number, not 'nan'",
    ),
    (
        "rag retrieved score text",
        lambda: assay.evaluate_rag(
            [{"question": "a", "retrieved": [{"id": "d1", "score": "high"}], "gold": ["d1"]}], ["rr"]
        )["rr"],
        "DataError: the records, record 0: a score must be a finite number, not 'high'",
    ),
    (
        "rag gold number",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1"], "gold": 1}], ["rr"])["rr"],
        "DataError: the records, record 0: judgments of query '0' must be a dict of grades or a list of",
    ),
    (
        "rag gold empty",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1"], "gold": []}], ["rr"])["rr"],
        0.0,
    ),
    (
        "rag gold of dicts",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1"], "gold": {"d1": "high"}}], ["rr"])["rr"],
        "DataError: the records, record 0: judgments of query '0', document 'd1': the grade must be a number,",
    ),
    (
        "rag same question twice",
        lambda: assay.evaluate_rag([{"question": "a", "retrieved": ["d1"], "gold": ["d1"]}] * 2, ["rr"])["rr"],
        1.0,
    ),
    (
        "rag same id twice",
        lambda: assay.evaluate_rag(
            [
                {"id": "1", "question": "a", "retrieved": ["d1"], "gold": ["d1"]},
                {"id": "1", "question": "b", "retrieved": ["d1"], "gold": ["d1"]},
            ],
            ["rr"],
        )["rr"],
        "DuplicateError: the records: duplicate question id '1'",
    ),
    (
        "rag answer number",
        lambda: assay.evaluate_rag([{"question": "a", "answer": 5, "reference": "5"}], ["answer_em"])["answer_em"],
        "DataError: the records, record 0: the answer must be a string, not '5'",
    ),
    (
        "rag answer None",
        lambda: assay.evaluate_rag([{"question": "a", "answer": None, "reference": "5"}], ["answer_em"])["answer_em"],
        "DataError: nothing to compute: answer_em: left out",
    ),
]


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
@for_each(("act", "expected"), [case[1:] for case in CASES])
def test_record(act, expected):
    check(lambda: round(float(act()), 6), expected)
