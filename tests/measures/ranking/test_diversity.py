"""Diversity, by hand: measures of a ranking whose documents are relevant to some of a query's subtopics."""

import math

import polars
import pytest

import assay
from tables import for_each

SECOND = 1 / math.log2(3)

# Subtopic 1 has a and b, 2 has b and c, and 3 has nothing. The ranking covers 1, then both, then nothing, then 2.
ROWS = [("1", "a", 1), ("1", "b", 1), ("2", "b", 2), ("2", "c", 1), ("3", "d", 0), ("3", "a", -1)]
RANKING = ["a", "b", "x", "c"]


def grouped(rows):
    groups, documents, grades = zip(*rows, strict=True)
    queries = ["q"] * len(rows)
    frame = {"query_id": queries, "doc_id": documents, "relevance": grades, "group": groups}
    return assay.Qrels(polars.DataFrame(frame))


COVERED = [
    ("alpha_dcg(norm=none)@2", 1 + 1.5 * SECOND),
    ("alpha_dcg@2", (1 + 1.5 * SECOND) / 2 / (1 + SECOND / 2)),
    ("alpha_dcg(norm=ndeval)@1", 1),
    ("alpha_dcg(alpha=1,norm=none)@2", 1 + SECOND),
    ("alpha_dcg(rel=2)@2", SECOND / (1 + SECOND / 2)),
    # The best ranking is b, and then c or a, which are as good.
    ("alpha_ndcg", (1 + 1.5 * SECOND + 0.5 / math.log2(5)) / (2 + 0.5 * SECOND + 0.5 / 2)),
    ("err_ia@2", (1 + 1.5 / 2) / 2 / (1 + 0.5 / 2)),
    ("nerr_ia@2", (1 + 1.5 / 2) / (2 + 0.5 / 2)),
    ("nrbp", 0.75 * (1 + 1.5 / 2 + 0.5 / 8) / 2),
    ("nrbp(alpha=1,p=0.1)", (1 + 1 / 10) / 2),
    ("nnrbp", (1 + 1.5 / 2 + 0.5 / 8) / (2 + 0.5 / 2 + 0.5 / 4)),
    ("ap_ia", ((1 + 2 / 2) / 2 + (1 / 2 + 2 / 4) / 2) / 2),
    ("precision_ia(over=retrieved)@8", (2 / 4 + 2 / 4) / 2),
    ("precision_ia", (2 / 4 + 2 / 4) / 2),
    ("subtopic_recall@2", 1),
    ("strec(rel=2)@1", 0),
]


@for_each("rows", [ROWS, ROWS[::-1]])
@for_each(("name", "expected"), COVERED)
def test_values(name, expected, rows):
    assert assay.evaluate(grouped(rows), {"q": RANKING}, name)[name] == pytest.approx(expected, rel=1e-14)


@for_each("name", [name for name, _ in COVERED])
def test_nothing_relevant_or_nothing_retrieved_is_0(name):
    assert assay.evaluate(grouped([("1", "a", 0), ("2", "b", -1)]), {"q": RANKING}, name)[name] == 0
    assert assay.evaluate(grouped(ROWS), {"q": []}, name)[name] == 0
    assert assay.evaluate(grouped(ROWS), {"q": ["x", "y"]}, name)[name] == 0


# One document for subtopics 1 and 2, one for 2 and 3, one for 3 and 4: each adds as much at first.
CHAIN = [
    # The highest id is at an end: then the other end adds two subtopics more.
    (("a", "b", "c"), 2 + 2 * SECOND),
    # It is the one in the middle: then both others add one subtopic, and half of another.
    (("a", "z", "c"), 2 + 1.5 * SECOND),
]


@for_each(("ids", "ideal"), CHAIN)
def test_of_documents_that_add_as_much_the_highest_id_comes_first(ids, ideal):
    rows = [(str(topic + place), document, 1) for place, document in enumerate(ids, start=1) for topic in (0, 1)]
    result = assay.evaluate(grouped(rows), {"q": [ids[0]]}, "alpha_ndcg@2")
    assert result["alpha_ndcg@2"] == pytest.approx(2 / ideal)


def test_judgments_without_groups_are_one_subtopic(score):
    assert score("alpha_ndcg@2", [0, 1], [1]) == pytest.approx(SECOND / (1 + SECOND / 2))
    assert score("ap_ia", [1, 0, 1], [1]) == pytest.approx((1 + 2 / 3) / 3)
    assert score("strec@1", [0, 1]) == 0


def test_subtopics_are_read_from_trec_files(make):
    path = make("qrels", "".join(f"q {group} {document} {grade}\n" for group, document, grade in ROWS))
    result = assay.evaluate(path, {"q": RANKING}, ["strec@1", "ap_ia"])
    assert result.mean == {"strec@1": 1 / 2, "ap_ia": 3 / 4}


def test_a_judgment_given_twice_counts_once():
    frame = polars.DataFrame({"qid": ["q"] * 3, "doc": ["a", "a", "b"], "rel": [1, 1, 1], "group": ["1", "1", "1"]})
    qrels = assay.Qrels(frame, duplicates="last")
    assert assay.evaluate(qrels, {"q": ["a", "b"]}, "ap_ia")["ap_ia"] == 1


def test_queries_left_out_do_not_change_the_others():
    rows = [("p", "x", "1"), ("q", "a", "1"), ("q", "b", "2"), ("r", "b", "1")]
    queries, documents, groups = zip(*rows, strict=True)
    frame = polars.DataFrame({"qid": queries, "doc": documents, "rel": [1] * 4, "group": groups})
    names = ["alpha_ndcg@2", "ap_ia", "compat"]
    some = assay.evaluate(assay.Qrels(frame), {"q": ["b", "x"]}, names, missing="skip")
    assert some.queries == ["q"]
    assert some.per_query()["q"] == assay.evaluate(assay.Qrels(frame), {"q": ["b", "x"]}, names).per_query()["q"]
