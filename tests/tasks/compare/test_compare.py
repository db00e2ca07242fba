"""`assay.compare`: what goes in, and what is said of each pair."""

import json
import math
import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

import assay
from assay.stats.intervals import difference_intervals
from assay.stats.pairs import Measured
from assay.stats.significance import TESTS, ComparisonSettings, check_settings, compare_pairs
from comparisons import FIELDS, QRELS, RUNS, one_pair, results_of
from tables import for_each

nan, inf = math.nan, math.inf


def test_a_pair_by_hand():
    a, b = [0.5, 0.25, 1.0, 0.0], [0.75, 0.25, 0.5, 1.0]
    comparison, pair = one_pair(a, b)
    assert pair._fields == tuple(FIELDS)
    assert (pair.measure, pair.a, pair.b) == ("ap", "a", "b")
    assert (pair.mean_a, pair.mean_b, pair.difference) == (0.4375, 0.625, 0.1875)
    # Differences 0.25, 0, -0.5 and 1: of 16 sign patterns those with a sum of 0.75 or more.
    assert pair.p == pair.p_corrected == 12 / 16
    assert pair.cohen_d == pytest.approx(0.1875 / np.std([0.25, 0, -0.5, 1], ddof=1))
    # Of 16 pairs b is above in 9 and below in 4.
    assert pair.cliff_delta == 5 / 16
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 1)
    assert [(pair.low, pair.high)] == difference_intervals([np.array(a)], [np.array(b)], ["mean"])
    assert pair.detectable == pytest.approx(2.12795 * np.std([0.25, 0, -0.5, 1], ddof=1), rel=1e-5)
    assert comparison.notes == ()
    assert comparison.pair("map", "a", "b") is pair


@for_each("test", TESTS)
def test_every_test_gives_a_p_value_of_each_pair(test):
    comparison = assay.compare(QRELS, RUNS, ["ndcg@10", "rr"], test=test, samples=500)
    expected = [(measure, *pair) for measure in ("ndcg@10", "rr") for pair in combinations(RUNS, 2)]
    assert [pair[:3] for pair in comparison.pairs] == expected
    assert all(0 <= pair.p <= pair.p_corrected <= 1 for pair in comparison.pairs)
    assert f"test={test} " in str(comparison.signature)
    if test.startswith("tukey"):
        assert all(pair.p == pair.p_corrected for pair in comparison.pairs)
        assert "correction=none" in str(comparison.signature)


def test_with_a_baseline_every_run_is_compared_to_it():
    comparison = assay.compare(QRELS, RUNS, "rr", baseline="two", correction="bonferroni")
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("two", "one"), ("two", "three")]
    every = assay.compare(QRELS, RUNS, "rr", correction="bonferroni")
    assert comparison.pairs[0].p == every.pairs[0].p
    assert comparison.pairs[0].difference == -every.pairs[0].difference
    # Two comparisons are corrected where three were.
    assert comparison.pairs[1].p_corrected == every.pairs[2].p_corrected * 2 / 3
    tukey, some = (assay.compare(QRELS, RUNS, "rr", test="tukey", baseline=each) for each in (None, "one"))
    assert [pair.p for pair in some.pairs] == [pair.p for pair in tukey.pairs[:2]]
    assert "baseline='two'" in str(comparison.signature)
    assert "Letters: significantly better than these runs by the randomization test" in comparison.caption
    assert comparison.caption.endswith(". Each run is compared with the baseline 'two' only")


def test_a_baseline_may_be_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        assay.Run(run).write(tmp_path / f"{name}.json")
    paths = ["./one.json", "./two.json", "./three.json"]
    expected = assay.compare(QRELS, paths, "rr", baseline="two").pairs
    for baseline in ("./two.json", "two.json", tmp_path.relative_to(tmp_path) / "two.json"):
        assert assay.compare(QRELS, paths, "rr", baseline=baseline).pairs == expected
    with pytest.raises(assay.errors.DataError, match=r"unknown baseline 'four\.json'; the runs are"):
        assay.compare(QRELS, paths, "rr", baseline="four.json")


def test_tukey_leaves_out_the_queries_of_each_measure_on_its_own():
    scores = {"one": np.linspace(0, 1, 8), "two": np.linspace(0, 1, 8) ** 2, "three": np.sqrt(np.linspace(0, 1, 8))}
    gaps = {run: np.where(np.arange(8) == 3, np.nan, each) for run, each in scores.items()}
    settings = check_settings(ComparisonSettings(test="tukey_randomized", samples=50))
    pairs = list(combinations(scores, 2))
    both, cautions = compare_pairs({"rr": Measured(scores), "ap": Measured(gaps)}, pairs, settings)
    alone = [compare_pairs({name: Measured(each)}, pairs, settings)[0] for name, each in (("rr", scores), ("ap", gaps))]
    assert both == [*alone[0], *alone[1]]
    assert [each.note.count for each in cautions] == [1]


@for_each("correction", ["holm", "bonferroni", "bh", "by", "none"])
def test_the_family_is_the_measure_or_everything(correction):
    from assay.stats.significance import correct

    measures = ["ndcg@10", "rr"]
    by_measure = assay.compare(QRELS, RUNS, measures, correction=correction)
    over_all = assay.compare(QRELS, RUNS, measures, correction=correction, family="all")
    p = np.array([pair.p for pair in by_measure.pairs])
    assert [pair.p for pair in over_all.pairs] == p.tolist()
    expected = [*correct(p[:3], correction), *correct(p[3:], correction)]
    assert [pair.p_corrected for pair in by_measure.pairs] == expected
    assert [pair.p_corrected for pair in over_all.pairs] == correct(p, correction).tolist()


def test_runs_paths_and_results_say_the_same(tmp_path):
    assay.Qrels(QRELS).write(tmp_path / "qrels.json")
    for name, run in RUNS.items():
        assay.Run(run).write(tmp_path / f"{name}.json")
    paths = [tmp_path / f"{name}.json" for name in RUNS]
    expected = assay.compare(QRELS, RUNS, ["rr", "ap"]).to_json()
    assert assay.compare(tmp_path / "qrels.json", paths, ["rr", "ap"]).to_json() == expected
    assert assay.compare(tmp_path / "qrels.json", tuple(map(str, paths)), ["rr", "ap"]).to_json() == expected
    finished = assay.evaluate_many(QRELS, RUNS, ["rr", "ap"])
    for results in (finished, dict(finished.items())):
        assert assay.compare(None, results).to_json() == expected
    unnamed = assay.compare(None, [result for _, result in finished.items()])
    assert [pair.b for pair in unnamed.pairs[:2]] == ["run 2", "run 3"]
    assert [pair[3:] for pair in unnamed.pairs] == [pair[3:] for pair in assay.compare(None, finished).pairs]
    # Results may have more measures, under other names.
    assert [pair.measure for pair in assay.compare(None, finished, ["mrr"]).pairs] == ["mrr"] * 3


def test_names_and_numbers_of_other_kinds():
    runs, numbers = {1: RUNS["one"], 2: RUNS["two"]}, {"seed": np.int64(3), "alpha": np.float32(0.25)}
    comparison = assay.compare(QRELS, runs, "rr", baseline=2, **numbers)
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("2", "1")]
    assert comparison.settings[3:] == (0.25, None, 3, "2")
    assert json.loads(comparison.to_json())["seed"] == 3


def evaluated(**policies):
    return assay.evaluate(QRELS, RUNS["one"], "ap", **policies)


REFUSED = [
    (lambda: assay.compare(QRELS, {"a": RUNS["one"]}, "rr"), assay.errors.DataError, "need at least two runs to compare, got 1"),
    (lambda: assay.compare(QRELS, {}, "rr"), assay.errors.DataError, "need at least two runs to compare, got 0"),
    (lambda: assay.compare(QRELS, "a.run", "rr"), assay.errors.DataError, "runs must be a dict of runs by name, or a list"),
    (lambda: assay.compare(QRELS, [RUNS["one"], RUNS["two"]], "rr"), assay.errors.DataError, "runs must be a dict"),
    (lambda: assay.compare(QRELS, {1: RUNS["one"], "1": RUNS["two"]}, "rr"), assay.errors.DataError, "two runs have the same name"),
    (lambda: assay.compare(QRELS, RUNS, "rr", baseline="four"), assay.errors.DataError, "unknown baseline 'four'; the runs are 'one', 'two', 'three'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", test="f"), assay.errors.PolicyError, "test must be 'randomization' or 't' or .*, not 'f'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", correction="x"), assay.errors.PolicyError, "correction must be 'holm' or"),
    (lambda: assay.compare(QRELS, RUNS, "rr", family="x"), assay.errors.PolicyError, "family must be 'measure' or 'all', not 'x'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", alpha=5), assay.errors.PolicyError, "alpha must be a number between 0 and 1"),
    (lambda: assay.compare(QRELS, RUNS, "rr", seed=-1), assay.errors.PolicyError, "seed must be a whole number at least 0, not '-1'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", seed=None), assay.errors.PolicyError, "seed must be a whole number at least 0, not 'None'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", samples=0), assay.errors.PolicyError, "samples must be a whole number at least 1, not '0'"),
    (lambda: assay.compare(None, {"a": evaluated(), "b": evaluated(depth=3)}), assay.errors.MismatchError, "ap was not computed alike: .*depth=all.* in one result, .*depth=3"),
    (lambda: assay.compare(None, {"a": evaluated(), "b": evaluated()}, "rr"), assay.errors.MeasureError, "'rr' was not computed"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), convention="assay"), assay.errors.PolicyError, "finished results are not scored again; leave out convention"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), threads=2, depth=3), assay.errors.PolicyError, "leave out threads and depth"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), bogus=5), assay.errors.PolicyError, "leave out bogus"),
    (lambda: assay.compare(None, results_of(a=[1, 0], b=[1])), assay.errors.MismatchError, "'a' and 'b' have different queries: '1'"),
    (lambda: assay.compare(QRELS, {"a": RUNS["one"], "b": {"q0": ["x"]}}, "rr", missing="skip"), assay.errors.MismatchError, 'missing="zero" counts'),
    (lambda: assay.compare([["d"], ["d"]], {"a": [["d"], ["d"]], "b": [["d"]]}, "rr"), assay.errors.MismatchError, "lists must have the same length"),
    (lambda: assay.compare(QRELS, RUNS, "rr").pair("rr", "two", "one"), assay.errors.DataError, "'two' was not compared with 'one' by 'rr'; the order of the runs matters"),
    (lambda: assay.compare(QRELS, RUNS, "rr").queries("rr", "one", "two", top=0), assay.errors.PolicyError, "top must be a whole number at least 1"),
]  # fmt: skip


@for_each("call, error, message", REFUSED)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_notes_of_the_runs_are_passed_on():
    runs = {"a": RUNS["one"], "b": {"q0": ["good"]}}
    notes = {note.kind: note.text for note in assay.compare({**QRELS, "q9": {"d": 0}}, runs, "rr").notes}
    assert notes["no_relevant"].startswith("1 query has no relevant document")
    texts = [note.text for note in assay.compare({**QRELS, "q9": {"d": 0}}, runs, "rr").notes if note.kind == "missing"]
    assert [text.split(" ")[0] for text in texts] == ["a:", "b:"]


def test_the_same_seed_gives_the_same_numbers():
    generator = np.random.default_rng(4)
    scores = {name: generator.random(30) for name in "abc"}
    for test in ("randomization", "bootstrap", "tukey_randomized"):
        results = results_of(**scores)
        one, again, other = (assay.compare(None, results, test=test, seed=seed, samples=3000) for seed in (1, 1, 2))
        assert one.to_json() == again.to_json()
        assert [pair.p for pair in one.pairs] != [pair.p for pair in other.pairs]
        assert [pair.low for pair in one.pairs] != [pair.low for pair in other.pairs]


THREADS = """
import sys, numpy, assay
generator = numpy.random.default_rng(0)
qrels = {f"q{number}": {f"d{number}": 1 for number in range(9)} for number in range(700)}
runs = {str(run): {each: [f"d{number}" for number in generator.permutation(20)] for each in qrels} for run in range(4)}
for test in ("randomization", "bootstrap", "tukey_randomized"):
    found = assay.compare(qrels, runs, ["ap", "ndcg@10"], test=test, samples=700, threads=int(sys.argv[1]))
    print(test, found.to_json(), {name: result.interval("ap") for name, result in found.results.items()})
"""


def test_the_number_of_threads_changes_nothing():
    outputs = []
    for threads in ("1", "2"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads)}
        command = [sys.executable, "-c", THREADS, threads]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)  # noqa: S603 - our own
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 5000
