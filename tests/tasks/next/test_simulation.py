"""Judging until it is settled: how many judgments that saves, and that it never ends with the wrong sign."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "settling.py"


@pytest.fixture(scope="module")
def settling():
    spec = importlib.util.spec_from_file_location("settling", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_by_worth_at_most_half_of_the_pool_is_judged(settling):
    shares = []
    for _, truth, runs in settling.collections(4):
        trial = settling.judge_until_settled(truth, runs, "worth")
        assert trial.sign == trial.truth
        shares.append(trial.judged / trial.pool)
    assert np.mean(shares) <= 0.5
