"""What the tests of the documents share: their formulas as plain Python, and a comparison of assay with formulas.

A formula takes the grades of a ranking, those of judged documents that were not retrieved, and a cutoff.
"""

from functools import partial
from math import log2

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import assay

# A literal formula and assay may differ in the last bits only.
close = partial(pytest.approx, rel=1e-12, abs=1e-12)
few_examples = settings(max_examples=settings.default.max_examples // 3)

cutoffs = st.integers(1, 12)


def queries(grades, *, with_hit=False):
    """Some rankings, each with the grades of what was not retrieved."""
    rankings = st.lists(grades, min_size=1, max_size=10)
    unseen = st.lists(grades.filter(bool), max_size=4)
    return st.lists(st.tuples(rankings.filter(any) if with_hit else rankings, unseen), min_size=1, max_size=5)


binary_queries = queries(st.sampled_from([0, 1]))
hit_queries = queries(st.sampled_from([0, 1]), with_hit=True)
graded_queries = queries(st.integers(0, 4), with_hit=True)


def judged_scores(measures, drawn):
    """The result for rankings of grades; None is an unjudged document."""
    ideal = [[*(grade for grade in ranking if grade is not None), *unseen] for ranking, unseen in drawn]
    return assay.evaluate_labels([ranking for ranking, _ in drawn], measures, ideal=ideal)


def score(measure, ranking, unseen=()):
    return judged_scores(measure, [(ranking, unseen)])[measure]


def agree(formulas, drawn, k):
    """Measures have the values of their formulas, for each query and as a mean; a name may contain the cutoff."""
    names = {name.format(k=k): formula for name, formula in formulas.items()}
    result = judged_scores(list(names), drawn)
    for name, formula in names.items():
        expected = [formula(ranking, unseen, k) for ranking, unseen in drawn]
        assert result.scores[name].tolist() == close(expected), name
        assert result[name] == close(sum(expected) / len(expected)), name


def whole(formula):
    """The formula without a cutoff."""
    return lambda ranking, unseen, _: formula(ranking, unseen, len(ranking))


def uncut(formula):
    """The formula with a cutoff past everything that was judged."""
    return lambda ranking, unseen, _: formula(ranking, unseen, len(ranking) + len(unseen))


def relevant(ranking, unseen):
    return sum(bool(grade) for grade in [*ranking, *unseen])


def hit_rate(ranking, _, k):
    return float(any(ranking[:k]))


def precision(ranking, _, k):
    return sum(ranking[:k]) / k


def recall(ranking, unseen, k):
    return sum(ranking[:k]) / relevant(ranking, unseen)


def capped_recall(ranking, unseen, k):
    return sum(ranking[:k]) / min(k, relevant(ranking, unseen))


def f1(ranking, unseen, k):
    one, other = precision(ranking, unseen, k), recall(ranking, unseen, k)
    return 2 * one * other / (one + other) if one + other else 0


def sum_of_precisions(ranking, unseen, k):
    """AP@N without a division."""
    return sum(precision(ranking, unseen, i) * ranking[i - 1] for i in range(1, min(k, len(ranking)) + 1))


def average_precision(ranking, unseen, k):
    return sum_of_precisions(ranking, unseen, k) / relevant(ranking, unseen)


def sum_of_reciprocal_ranks(ranking, _, k):
    return sum(relevance / i for i, relevance in enumerate(ranking[:k], start=1))


def reciprocal_rank(ranking, _, k):
    return next((1 / i for i, relevance in enumerate(ranking[:k], start=1) if relevance), 0)


def dcg(ranking, _, k):
    return sum(relevance / log2(i + 1) for i, relevance in enumerate(ranking[:k], start=1))


def ndcg(ranking, unseen, k):
    return dcg(ranking, unseen, k) / dcg(sorted([*ranking, *unseen], reverse=True), (), k)


def burges(formula):
    """A formula with exponential gains."""
    return lambda ranking, unseen, k: formula([2**each - 1 for each in ranking], [2**each - 1 for each in unseen], k)
