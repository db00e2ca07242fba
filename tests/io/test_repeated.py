"""A document or judgment that stands twice in a file: which one counts is the user's to say."""

import pytest

import assay
from assay import DataError, DuplicateError

REPEATED = {
    "run.trec": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 d1 3 1 t\n",
    "run.csv": "qid,docno,score\nq1,d1,3\nq1,d2,2\nq1,d1,1\n",
    "run.json": '{"q1": {"d1": 3, "d2": 2, "d1": 1}}',
    "run.jsonl": "".join(
        f'{{"qid": "q1", "docno": "{d}", "score": {s}}}\n' for d, s in (("d1", 3), ("d2", 2), ("d1", 1))
    ),
    "pairs.json": '{"q1": [["d1", 3], ["d2", 2], ["d1", 1]]}',
    "order.json": '{"q1": ["d1", "d2", "d1"]}',
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_repeated_document_may_be_chosen(name, make):
    path = make(name, REPEATED[name])
    for run in (path, assay.read_run(path)):
        with pytest.raises(DuplicateError, match="query 'q1' lists document 'd1' more than once"):
            assay.evaluate({"q1": ["d1"]}, run, ["rr"])
        values = {}
        for duplicates in ("first", "last", "count"):
            result = assay.evaluate({"q1": ["d1"]}, run, ["rr", "num_ret"], duplicates=duplicates)
            values[duplicates] = (result["rr"], result["num_ret"], [note.kind for note in result.notes])
        assert values == {
            "first": (1.0, 2.0, ["duplicates"]),
            "last": (0.5, 2.0, ["duplicates"]),
            "count": (1.0, 3.0, []),
        }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.trec", "q1 0 d1 1\nq1 0 d1 3\nq1 0 d1 2\n"),
        ("q.csv", "qid,docno,rel\nq1,d1,1\nq1,d1,3\nq1,d1,2\n"),
        ("q.json", '{"q1": {"d1": 1, "d1": 3, "d1": 2}}'),
        ("q.json", '[{"d1": 1, "d1": 3, "d1": 2}]'),
    ],
)
def test_a_repeated_judgment_may_be_chosen(name, content, make):
    path = make(name, content)
    with pytest.raises(DuplicateError, match="document 'd1' more than once"):
        assay.read_qrels(path)
    grades = {choice: assay.read_qrels(path, duplicates=choice) for choice in ("first", "last", "count")}
    assert {choice: next(iter(qrels.to_dict().values())) for choice, qrels in grades.items()} == {
        "first": {"d1": 1.0},
        "last": {"d1": 2.0},
        "count": {"d1": 3.0},
    }


def test_a_repeated_grade_that_is_no_number_is_seen(make):
    for content in ('{"q1": {"d1": 1, "d1": null}}', '{"q1": {"d1": null, "d1": 1}}'):
        with pytest.raises(DataError, match="the grade must be a number"):
            assay.read_qrels(make("q.json", content), duplicates="count")
