"""Judging until it is settled: how many judgments that saves, and that it never ends with the wrong sign."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import assay

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


@pytest.mark.parametrize("order", ["against", "depth", "random"])
def test_no_order_stops_with_the_wrong_sign(settling, order):
    for seed, (_, truth, runs) in enumerate(settling.collections(1)):
        trial = settling.judge_until_settled(truth, runs, order, seed)
        assert trial.sign == trial.truth


@pytest.mark.parametrize("measure", ["precision@5", "dcg(gain=exp2)@5", "rbp(p=0.8)"])
def test_what_is_settled_stays_so_whatever_is_judged_later(settling, measure):
    truth, runs = settling.generate(11)
    truth = {query: truth[query] for query in list(truth)[:12]}
    runs = {name: {query: run[query] for query in truth} for name, run in runs.items()}
    found = assay.next_judgments(None, runs, measure, top_grade=3)
    pool = found.pool
    settled = None
    for pair in found.pairs:
        sign = settling.sign_of(pool.settlement.difference)
        if settled is None and pool.settlement.is_settled:
            settled = sign
        grade = truth[pair.query][pair.document]
        if settled is not None:
            assert sign == settled
            # From there on, whatever speaks against it is relevant, and nothing else.
            grade = 3 * (pool.pairs.coefficient[pool.find(pair.query, pair.document)] * settled < 0)
        pool.judge(pair.query, pair.document, grade)
    assert settled is not None
