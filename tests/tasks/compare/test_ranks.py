"""What each document contributed to the change of a measure."""

import pytest

import assay

QRELS = {"q": {"a": 3, "b": 1, "c": 1, "x": 0}}


def moved(measure, before, after, qrels=QRELS, **options):
    """The contribution of each document of the only query, by document, in the order in which they are shown."""
    runs = {"old": {"q": before}, "new": {"q": after}}
    moves = assay.compare(qrels, runs, measure, **options).queries(measure, "old", "new")
    ((move,),) = (each for each in (moves.helped, moves.hurt) if each)
    return {each.document: each.contribution for each in move.documents}, move.difference


# A row: the measure, the ranking before and after, and what is not zero.
CASES = [
    ("P@1", ["a", "x", "y"], ["x", "a", "y"], {"a": -1}),
    ("ndcg@1", ["a", "b"], ["b", "a"], {"a": -1, "b": 1 / 3}),
    ("recall", ["a", "b"], ["a"], {"b": -1 / 3}),
    ("success@1", ["x", "a"], ["a", "x"], {"a": 1}),
]


@pytest.mark.parametrize(("measure", "before", "after", "expected"), CASES)
def test_a_document_contributes_what_its_own_change_of_rank_does(measure, before, after, expected):
    found, _ = moved(measure, before, after)
    assert {name: value for name, value in found.items() if value} == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["ndcg@10", "ndcg(gain=exp2)", "dcg", "P@2", "recall@3", "rbp(p=0.8)", "hits@2"])
def test_the_contributions_add_up_where_documents_add_up(measure):
    found, difference = moved(measure, ["a", "b", "y", "c", "x"], ["z", "c", "x", "a", "w", "b"])
    assert sum(found.values()) == pytest.approx(difference, abs=1e-12)


def test_two_documents_share_the_change_of_a_measure_that_does_not_add_up():
    found, difference = moved("rr", ["a", "b"], ["y", "z", "w", "v", "a", "b"])
    # Alone in the old ranking: 1 → 1/2 for a, nothing for b. Last of all: 1 → 1/5 for a, 1/2 → 1/5 for b.
    assert found == {"a": pytest.approx(-(0.5 + 0.8) / 2), "b": pytest.approx(-0.3 / 2), "c": 0, "x": 0}
    assert sum(found.values()) == pytest.approx(difference)


def test_the_largest_contribution_comes_first_not_the_highest_grade():
    found, _ = moved("ndcg@10", ["a", "b", "y", "c"], ["a", "y", "z", "w", "v", "u", "t", "s", "r", "q", "b", "c"])
    assert list(found) == ["b", "c", "a", "x"]


def test_a_nonrelevant_document_counts_where_the_measure_counts_it():
    found, _ = moved("bpref", ["a", "b", "c"], ["x", "a", "b", "c"])
    assert found["x"] == pytest.approx(-1)


def test_a_measure_of_several_queries_has_no_contributions():
    qrels = {"1_0": ["a"], "1_1": ["b"]}
    runs = {"old": {"1_0": ["a"], "1_1": ["b"]}, "new": {"1_0": ["x", "a"], "1_1": ["x", "y", "b"]}}
    measure = "worst(of=rr)"
    moves = assay.compare(qrels, runs, measure).queries(measure, "old", "new")
    assert {each.contribution for move in moves.hurt for each in move.documents} == {None}


@pytest.mark.parametrize("measure", ["ndcg@10", "ap", "err@10", "bpref", "infap", "auc", "rprec", "f@5", "compat"])
def test_every_kind_of_measure_has_finite_contributions(measure):
    found, _ = moved(measure, ["a", "x", "b", "y", "c"], ["y", "x", "c", "b"])
    assert any(found.values())
    assert None not in found.values()


def test_without_a_baseline_contributions_are_against_the_ideal_ranking():
    report = assay.gate(QRELS, {"q": ["b", "x", "a"]}, {"ndcg": 1.0})
    documents = report.checks[0].worst[0].documents
    assert [each.document for each in documents] == ["a", "c", "b", "x"]
    value = assay.evaluate(QRELS, {"q": ["b", "x", "a"]}, "ndcg")["ndcg"]
    assert sum(each.contribution for each in documents) == pytest.approx(value - 1)
