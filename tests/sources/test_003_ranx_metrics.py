"""Document 003, the metrics page of ranx: its table of aliases and each of its formulas."""

from math import log2

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import assay
from sources.rankings import (
    binary_rankings,
    close,
    cutoffs,
    few_examples,
    graded_rankings,
    mean_score,
    score,
    unseen_relevant,
)
from tables import for_each

# Alias, the measure it stands for, and whether the table gives it a cutoff.
ALIASES = [
    ("hits", "hits", True),
    ("hit_rate", "hit_rate", True),
    ("precision", "precision", True),
    ("recall", "recall", True),
    ("f1", "f(beta=1)", True),
    ("r_precision", "r_precision", False),
    ("bpref", "bpref", False),
    ("rbp", "rbp", False),
    ("mrr", "rr", True),
    ("map", "ap", True),
    ("dcg", "dcg(gain=linear)", True),
    ("dcg_burges", "dcg(gain=exp2)", True),
    ("ndcg", "ndcg(gain=linear)", True),
    ("ndcg_burges", "ndcg(gain=exp2)", True),
]

hit_rankings = binary_rankings.filter(any)
judged_or_not = st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=12)


def linear(grade):
    return grade


def burges(grade):
    return 2**grade - 1


def dcg(ranking, gain):
    return sum(gain(grade) / log2(i + 1) for i, grade in enumerate(ranking, start=1))


def harmonic_mean(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def bpref(ranking, relevant):
    nonrelevant, total = 0, 0.0
    for grade in ranking:
        if grade == 0:
            nonrelevant += 1
        if grade == 1:
            total += 1 - min(nonrelevant, relevant) / relevant
    return total / relevant


def rank_biased_precision(gains, p):
    return (1 - p) * sum(gain * p ** (i - 1) for i, gain in enumerate(gains, start=1))


@for_each(("alias", "measure"), [row[:2] for row in ALIASES])
def test_alias_without_cutoff(alias, measure):
    assert assay.parse_measure(alias) == assay.parse_measure(measure)


@for_each(("alias", "measure"), [row[:2] for row in ALIASES if row[2]])
def test_alias_with_cutoff(alias, measure):
    assert assay.parse_measure(f"{alias}@5") == assay.parse_measure(f"{measure}@5")
    assert assay.parse_measure(f"{alias}@5") != assay.parse_measure(alias)


@for_each("alias", ["r_precision", "bpref"])
def test_alias_that_has_no_cutoff_refuses_one(alias):
    with pytest.raises(assay.errors.MeasureError, match="has no cutoff"):
        assay.parse_measure(f"{alias}@5")


def test_alias_rbp_takes_a_persistence():
    assert assay.parse_measure("rbp(p=0.95)") != assay.parse_measure("rbp")
    assert score("rbp(p=0.95)", [1, 0, 1]) == close(0.05 * (1 + 0.95**2))


def test_alias_hit_rate_is_success_of_trec_eval():
    assert assay.parse_measure("success@5") == assay.parse_measure("hit_rate@5")


@few_examples
@given(binary_rankings, cutoffs)
def test_hits_formula(ranking, k):
    assert score("hits", ranking) == sum(ranking)
    assert score(f"hits@{k}", ranking) == sum(ranking[:k])


@few_examples
@given(st.lists(binary_rankings, min_size=1, max_size=6), cutoffs)
def test_hit_rate_formula(rankings, k):
    assert mean_score("hit_rate", rankings) == close(sum(map(any, rankings)) / len(rankings))
    assert mean_score(f"hit_rate@{k}", rankings) == close(sum(any(each[:k]) for each in rankings) / len(rankings))


@few_examples
@given(binary_rankings)
def test_precision_formula(ranking):
    assert score("precision", ranking) == close(sum(ranking) / len(ranking))


def test_precision_at_k_divides_by_k_even_when_fewer_were_retrieved():
    assert score("precision@5", [1, 1]) == 0.4
    assert score("precision(over=retrieved)@5", [1, 1]) == 1.0


@few_examples
@given(hit_rankings, unseen_relevant, cutoffs)
def test_recall_formula(ranking, unseen, k):
    relevant = sum(ranking) + unseen
    assert score("recall", ranking, [1] * unseen) == close(sum(ranking) / relevant)
    assert score(f"recall@{k}", ranking, [1] * unseen) == close(sum(ranking[:k]) / relevant)


@few_examples
@given(hit_rankings, unseen_relevant, cutoffs)
def test_f1_formula(ranking, unseen, k):
    found, found_at_k, relevant = sum(ranking), sum(ranking[:k]), sum(ranking) + unseen
    assert score("f1", ranking, [1] * unseen) == close(harmonic_mean(found / len(ranking), found / relevant))
    assert score(f"f1@{k}", ranking, [1] * unseen) == close(harmonic_mean(found_at_k / k, found_at_k / relevant))


@few_examples
@given(hit_rankings, unseen_relevant)
def test_r_precision_formula(ranking, unseen):
    relevant = sum(ranking) + unseen
    assert score("r_precision", ranking, [1] * unseen) == close(sum(ranking[:relevant]) / relevant)


@few_examples
@given(judged_or_not.filter(lambda ranking: 1 in ranking), unseen_relevant)
def test_bpref_formula(ranking, unseen):
    relevant = ranking.count(1) + unseen
    expected = bpref(ranking, relevant)
    assert score("bpref(denominator=relevant)", ranking, [1] * unseen) == close(expected)


@for_each(
    ("ranking", "as_written", "as_coded"),
    [
        ([1, 0, 1], 0.75, 0.5),  # R = 2, N = 1: (1 + (1 - 1/2)) / 2 and (1 + (1 - 1/1)) / 2
        ([0, None, 1, 1, 1], 2 / 3, 0.0),  # R = 3, N = 1: each 1 - 1/3 and 1 - 1/1
        ([0, 1, 0, 1], 0.25, 0.25),  # R = N = 2: ((1 - 1/2) + (1 - 2/2)) / 2 both ways
        ([1, None, 1], 1.0, 1.0),  # nothing is judged not relevant
    ],
)
def test_bpref_as_the_document_writes_it_and_as_trec_eval_codes_it(ranking, as_written, as_coded):
    qrels = {"q": {f"d{rank}": grade for rank, grade in enumerate(ranking) if grade is not None}}
    run = {"q": {f"d{rank}": -float(rank) for rank in range(len(ranking))}}
    assert score("bpref(denominator=relevant)", ranking) == close(as_written)
    assert score("bpref", ranking) == close(as_coded)
    assert pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(run)["q"]["bpref"] == close(as_coded)


@few_examples
@given(graded_rankings, st.floats(0.05, 0.95))
def test_rank_biased_precision_formula(ranking, p):
    gains = [int(grade >= 1) for grade in ranking]
    assert score(f"rbp(p={p})", ranking) == close(rank_biased_precision(gains, p))


@few_examples
@given(graded_rankings, st.floats(0.05, 0.95))
def test_rank_biased_precision_of_raw_grades_as_the_code_of_ranx_has_it(ranking, p):
    assert score(f"rbp(p={p},gain=grade)", ranking) == close(rank_biased_precision(ranking, p))


def test_rank_biased_precision_as_the_document_writes_it_and_as_ranx_and_trec_eval_code_it():
    # 0.2 · (1 + 0.64), 0.2 · (3 + 0.64) and 0.2 · (3/3 + 0.64/3)
    assert score("rbp(p=0.8)", [3, 0, 1]) == close(0.328)
    assert score("rbp(p=0.8,gain=grade)", [3, 0, 1]) == close(0.728)
    assert score("rbp(p=0.8,gain=max)", [3, 0, 1]) == close(0.728 / 3)


@few_examples
@given(hit_rankings, cutoffs)
def test_reciprocal_rank_formula(ranking, k):
    rank = ranking.index(1) + 1
    assert score("mrr", ranking) == close(1 / rank)
    assert score(f"mrr@{k}", ranking) == close(1 / rank if rank <= k else 0)


@for_each(("ranking", "expected"), [([1], 1), ([0, 1], 1 / 2), ([0, 0, 1, 1], 1 / 3)])
def test_reciprocal_rank_of_the_first_three_places(ranking, expected):
    assert score("mrr", ranking) == close(expected)


@few_examples
@given(st.lists(hit_rankings, min_size=1, max_size=5))
def test_mean_reciprocal_rank_is_the_mean_over_queries(rankings):
    expected = sum(1 / (ranking.index(1) + 1) for ranking in rankings) / len(rankings)
    assert mean_score("mrr", rankings) == close(expected)


@few_examples
@given(hit_rankings, unseen_relevant, cutoffs)
def test_average_precision_formula(ranking, unseen, k):
    relevant = sum(ranking) + unseen
    at_hits = [sum(ranking[:rank]) / rank if hit else 0 for rank, hit in enumerate(ranking, start=1)]
    assert score("map", ranking, [1] * unseen) == close(sum(at_hits) / relevant)
    assert score(f"map@{k}", ranking, [1] * unseen) == close(sum(at_hits[:k]) / relevant)


def test_average_precision_divides_by_all_relevant_and_not_by_those_retrieved():
    assert score("map", [1, 0, 1], [1, 1]) == close((1 / 1 + 2 / 3) / 4)
    assert score("map(norm=found)", [1, 0, 1], [1, 1]) == close((1 / 1 + 2 / 3) / 2)


@pytest.mark.parametrize(("alias", "gain"), [("dcg", linear), ("dcg_burges", burges)])
@few_examples
@given(ranking=graded_rankings, k=cutoffs)
def test_dcg_formula(alias, gain, ranking, k):
    assert score(alias, ranking) == close(dcg(ranking, gain))
    assert score(f"{alias}@{k}", ranking) == close(dcg(ranking[:k], gain))


@pytest.mark.parametrize(("alias", "gain"), [("ndcg", linear), ("ndcg_burges", burges)])
@few_examples
@given(ranking=graded_rankings.filter(any), unseen=st.lists(st.integers(1, 4), max_size=3), k=cutoffs)
def test_ndcg_formula(alias, gain, ranking, unseen, k):
    ideal = sorted(ranking + unseen, reverse=True)
    assert score(alias, ranking, unseen) == close(dcg(ranking, gain) / dcg(ideal, gain))
    assert score(f"{alias}@{k}", ranking, unseen) == close(dcg(ranking[:k], gain) / dcg(ideal[:k], gain))
