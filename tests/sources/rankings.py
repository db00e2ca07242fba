"""What the tests of the documents share: small random rankings, and the score that assay gives one."""

from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import assay

# A literal formula and assay may differ in the last bits only.
close = partial(pytest.approx, rel=1e-12, abs=1e-12)
few_examples = settings(max_examples=settings.default.max_examples // 3)

cutoffs = st.integers(1, 12)
binary_rankings = st.lists(st.sampled_from([0, 1]), min_size=1, max_size=10)
graded_rankings = st.lists(st.integers(0, 4), min_size=1, max_size=10)
unseen_relevant = st.integers(0, 4)


def score(measure, ranking, unseen=(), **policies):
    """The score of one ranking of grades; `unseen` are the grades of judged documents that were not retrieved."""
    judged = [grade for grade in ranking if grade is not None]
    result = assay.evaluate_labels([ranking], measure, ideal=[[*judged, *unseen]], **policies)
    return result[measure]


def mean_score(measure, rankings):
    """The mean over several rankings of grades."""
    return assay.evaluate_labels(rankings, measure)[measure]
