"""A document or judgment that is in a file twice: which one counts is the user's to say."""

from collections import namedtuple
from itertools import permutations

import pytest

import assay
from assay.errors import DataError, DuplicateError
from refusals import refused
from tables import for_each

REPEATED = {
    "run.trec": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq1 Q0 d1 3 1 t\n",
    "run.csv": "qid,docno,score\nq1,d1,3\nq1,d2,2\nq1,d1,1\n",
    "run.json": '{"q1": {"d1": 3, "d2": 2, "d1": 1}}',
    "run.jsonl": "".join(f'{{"qid": "q1", "docno": "d{d}", "score": {s}}}\n' for d, s in ((1, 3), (2, 2), (1, 1))),
    "pairs.json": '{"q1": [["d1", 3], ["d2", 2], ["d1", 1]]}',
    "order.json": '{"q1": ["d1", "d2", "d1"]}',
}


@for_each("name", REPEATED)
def test_a_repeated_document_may_be_chosen(name, make):
    path = make(name, REPEATED[name])
    for run in (path, assay.read_run(path)):
        with pytest.raises(DuplicateError, match="query 'q1' lists document 'd1' more than once"):
            assay.evaluate({"q1": ["d1"]}, run, ["rr"])
        noted = ["duplicates"]
        for duplicates, *expected in (("first", 1, 2, noted), ("last", 0.5, 2, noted), ("count", 1, 3, [])):
            result = assay.evaluate({"q1": ["d1"]}, run, ["rr", "num_ret"], duplicates=duplicates)
            assert [result["rr"], result["num_ret"], [note.kind for note in result.notes]] == expected


JUDGED = [
    ("q.trec", "q1 0 d1 1\nq1 0 d1 3\nq1 0 d1 2\n"),
    ("q.csv", "qid,docno,rel\nq1,d1,1\nq1,d1,3\nq1,d1,2\n"),
    ("q.json", '{"q1": {"d1": 1, "d1": 3, "d1": 2}}'),
    ("q.json", '[{"d1": 1, "d1": 3, "d1": 2}]'),
]


@for_each(("name", "content"), JUDGED)
def test_a_repeated_judgment_may_be_chosen(name, content, make):
    path = make(name, content)
    with pytest.raises(DuplicateError, match="document 'd1' more than once"):
        assay.read_qrels(path)
    for choice, grade in (("first", 1), ("last", 2), ("count", 3)):
        assert list(assay.read_qrels(path, duplicates=choice).to_dict().values()) == [{"d1": grade}]


@for_each("content", ['{"q1": {"d1": 1, "d1": null}}', '{"q1": {"d1": null, "d1": 1}}'])
def test_a_repeated_grade_that_is_no_number_is_seen(content, make):
    refused(lambda: assay.read_qrels(make("q.json", content), duplicates="count"), DataError, ["must be a number"])


J = namedtuple("J", "query_id doc_id relevance")  # noqa: PYI024 - as short as it gets
TWICE = [J("q", "a", 0), J("q", "a", 2), J("q", "b", 1)]
FORMS = {
    "dq.trec": "q 0 a 0\nq 0 a 2\nq 0 b 1\n",
    "dq.csv": "qid,docno,rel\nq,a,0\nq,a,2\nq,b,1\n",
    "dq.json": '{"q": {"a": 0, "a": 2, "b": 1}}',
}
RANKED = {"q": {"a": 2.0, "b": 1.0}}
# Each measure's value by its own policy for repeats: the first judgment, the last, the highest grade.
OWN = {"llama_index:precision": 0.5, "ranx:ndcg": 1.0, "gdeval:ndcg@5": 1.0, "ir_measures:nDCG": 1.0}


@for_each("names", list(permutations(OWN, 2)))
def test_each_measure_follows_its_own_policy_in_any_order(names, make):
    for qrels in (TWICE, iter(TWICE), *(make(name, text) for name, text in FORMS.items())):
        assert assay.evaluate(qrels, RANKED, names).mean == {name: OWN[name] for name in names}


def test_lower_grades_that_come_later(make):
    path = make("q.json", '{"q": {"a": 2, "a": 0, "b": 1}}')
    names = ["ranx:ndcg", "gdeval:ndcg@5", "llama_index:precision"]
    found = assay.evaluate(path, RANKED, names)
    assert found.mean == pytest.approx({"ranx:ndcg": 0.6309297535, "gdeval:ndcg@5": 1, "llama_index:precision": 1})
    assert assay.evaluate(path, RANKED, names[::-1]).mean == found.mean


@for_each("names", [["ap", "ranx:ndcg"], ["ranx:ndcg", "ap"]])
def test_a_measure_to_which_repeats_are_an_error_has_one_in_company(names, make):
    for name, text in FORMS.items():
        with pytest.raises(DuplicateError, match=f"{name}: .*query 'q' lists document 'a' more than once"):
            assay.evaluate(make(name, text), RANKED, names)
    assert assay.evaluate(TWICE, RANKED, names, duplicates="first")["ap"] == 0.5


def test_judgments_that_were_read_with_a_policy_keep_it():
    qrels = assay.Qrels(TWICE, duplicates="first")
    found = assay.evaluate(qrels, RANKED, ["ranx:ndcg", "ap", "gdeval:ndcg@5"])
    assert found.mean == pytest.approx({"ranx:ndcg": 0.6309297535, "ap": 0.5, "gdeval:ndcg@5": 0.6309297535})
    assert assay.Qrels(TWICE, duplicates=None)["q"] == {"a": 2, "b": 1}


def test_repeated_judgments_are_said(make):
    for qrels in (TWICE, *(make(name, text) for name, text in FORMS.items())):
        result = assay.evaluate(qrels, RANKED, ["ndcg"], convention="ranx")
        assert list(map(str, result.notes)) == ["1 duplicate judgment; the last per document counts"]
    both = assay.evaluate(TWICE, RANKED, ["ranx:ndcg", "gdeval:ndcg@5"])
    assert [str(note) for note in both.notes if note.kind == "duplicates"] == [
        "ranx:ndcg: 1 duplicate judgment; the last per document counts",
        "gdeval:ndcg@5: 1 duplicate judgment; the highest grade per document counts",
    ]


def test_only_the_same_group_repeats(make):
    text = "q x a 1\nq y a 1\nq x b 1\nq x a 0\n"
    qrels = assay.read_qrels(make("groups.trec", text), duplicates=None)
    assert qrels.repeats == 1
    assert assay.read_qrels(make("plain.trec", text[:-8]), duplicates=None).repeats == 0


def test_moves_show_the_grades_that_a_measure_counts():
    names = ["ranx:ndcg", "llama_index:precision"]
    compared = assay.compare(TWICE, {"one": RANKED, "two": {"q": ["x", "b", "a", "y"]}}, names)
    for name, grade in zip(names, (2, 0), strict=True):
        (move,) = compared.queries(name, "one", "two").hurt
        assert {each.document: each.grade for each in move.documents} == {"a": grade, "b": 1}


@for_each("name", ["llama_index:ndcg", "autorag:retrieval_ndcg", "ndcg(ideal=listed)", "recall(total=listed)"])
@for_each(("which", "kept"), [("first", {"a": 1, "b": 0}), ("last", {"a": 2, "b": 1})])
def test_measures_of_judgments_as_listed_see_only_those_that_count(name, which, kept, tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 a 2\nq 0 b 0\nq 0 b 1\n")
    run = {"q": ["a", "z", "b"]}
    expected = assay.evaluate({"q": kept}, run, [name], duplicates=which)[name]
    assert assay.evaluate(tmp_path / "qrels.txt", run, [name], duplicates=which)[name] == expected
    read = assay.Qrels(tmp_path / "qrels.txt", duplicates=which)
    assert assay.evaluate(read, run, [name])[name] == expected
