"""How scores become one number."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.measure import AGGREGATES
from tables import for_each

nan = math.nan
TABLE = [
    ("mean", [0.5], 0.5),
    ("mean", [0, 1, 1, 1], 0.75),
    ("mean", [0, nan, 1], 0.5),
    ("mean", [], nan),
    ("mean", [nan, nan], nan),
    ("sum", [1, 2, 4], 7),
    ("sum", [1, nan, 4], 5),
    ("sum", [0], 0),
    ("sum", [], nan),
    ("geometric", [0.25], 0.25),
    ("geometric", [0.5, 0.125], 0.25),
    ("geometric", [1, 0], math.sqrt(0.00001)),
    ("geometric", [0, 0], 0.00001),
    ("geometric", [0.5, nan, 0.125], 0.25),
    ("geometric", [], nan),
]


@for_each(("name", "scores", "expected"), TABLE)
def test_values(name, scores, expected):
    assert AGGREGATES[name](np.array(scores, dtype=np.float64)) == pytest.approx(expected, nan_ok=True)


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_mean_is_added_up_one_after_another(scores):
    total = 0.0
    for score in scores:
        total += score
    assert AGGREGATES["mean"](np.array(scores)) == total / len(scores)
    assert AGGREGATES["sum"](np.array(scores)) == total


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_no_mean_leaves_the_range_of_its_scores(scores):
    for name in ("mean", "geometric"):
        value = AGGREGATES[name](np.maximum(scores, 1e-5))
        assert min(1e-5, *scores) - 1e-12 <= value <= max(1e-5, *scores) + 1e-12


@given(scores=st.lists(st.floats(0, 1) | st.just(nan), max_size=30), name=st.sampled_from(list(AGGREGATES)))
def test_undefined_scores_are_as_if_they_were_not_there(scores, name):
    known = [score for score in scores if not math.isnan(score)]
    found, expected = AGGREGATES[name](np.array(scores)), AGGREGATES[name](np.array(known))
    assert found == expected or (math.isnan(found) and not known)
