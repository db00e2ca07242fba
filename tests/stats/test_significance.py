"""Corrections for many comparisons: by hand, and against statsmodels."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import assay
from assay.stats.significance import CORRECTIONS, correct
from tables import for_each

nan = math.nan
TABLE = [
    ("none", [0.01, 0.04, 0.03], [0.01, 0.04, 0.03]),
    ("bonferroni", [0.5, 0.2], [1, 0.4]),
    # 3 * 0.01, 2 * 0.03, and 1 * 0.04 raised to what came before it.
    ("holm", [0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
    # 3 * 0.01 / 1, 3 * 0.03 / 2 lowered to what comes after it, and 3 * 0.04 / 3.
    ("bh", [0.01, 0.04, 0.03], [0.03, 0.04, 0.04]),
    # The same times 1 + 1/2 + 1/3.
    ("by", [0.01, 0.04, 0.03], [0.055, 0.22 / 3, 0.22 / 3]),
    ("holm", [0.01, nan, 0.03], [0.02, nan, 0.03]),
    ("holm", [nan, nan], [nan, nan]),
]
SAME = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}


@for_each("method, p, expected", TABLE)
def test_values(method, p, expected):
    found = correct(np.array(p, dtype=np.float64), method)
    assert found == pytest.approx(np.array(expected, dtype=np.float64), abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("method", SAME)
@settings(max_examples=settings.default.max_examples // 8)
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0, nan]), min_size=1, max_size=40))
def test_against_statsmodels(method, p):
    p = np.array(p)
    found, known = correct(p, method), ~np.isnan(p)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    if known.any():
        # For Holm it collects garbage, which takes longer than everything else here.
        with patch("gc.collect"):
            expected = multipletests(p[known], method=SAME[method])[1]
        np.testing.assert_allclose(found[known], expected, rtol=1e-12, atol=1e-300)


def test_an_unknown_one_is_an_error():
    message = "unknown correction 'sidak'; choose one of holm, bonferroni, bh, by, none"
    with pytest.raises(assay.errors.PolicyError, match=message):
        correct(np.array([0.1]), "sidak")


def test_all_corrections_are_compared():
    assert {*SAME, "none"} == set(CORRECTIONS)
