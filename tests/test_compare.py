"""`assay.compare`: what goes in, what is said of each pair, and what is said where there is little to compare."""

import dataclasses
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats

import assay
from assay.stats.difference import difference_interval
from assay.stats.settings import TESTS
from comparisons import FIELDS, QRELS, RUNS, one_pair, results_of

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
    assert (pair.low, pair.high) == difference_interval(np.array(a), np.array(b))
    assert pair.detectable == pytest.approx(2.12795 * np.std([0.25, 0, -0.5, 1], ddof=1), rel=1e-5)
    assert comparison.notes == ()
    assert comparison.pair("map", "a", "b") is pair


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_a_p_value_of_each_pair(test):
    comparison = assay.compare(QRELS, RUNS, ["ndcg@10", "rr"], test=test, samples=500)
    assert [(pair.measure, pair.a, pair.b) for pair in comparison.pairs] == [
        (measure, *pair)
        for measure in ("ndcg@10", "rr")
        for pair in (("one", "two"), ("one", "three"), ("two", "three"))
    ]
    assert all(0 <= pair.p <= pair.p_corrected <= 1 for pair in comparison.pairs)
    assert f"test={test} " in comparison.signature
    if test.startswith("tukey"):
        assert all(pair.p == pair.p_corrected for pair in comparison.pairs)
        assert "correction=none" in comparison.signature


def test_p_values_are_scipys():
    a, b = np.random.default_rng(1).beta([[2], [3]], 3, size=(2, 40))
    for test, expected in (("t", scipy.stats.ttest_rel(a, b)), ("wilcoxon", scipy.stats.wilcoxon(b - a))):
        assert one_pair(a, b, test=test)[1].p == pytest.approx(expected.pvalue, rel=1e-9)


def test_with_a_baseline_every_run_is_compared_to_it():
    comparison = assay.compare(QRELS, RUNS, "rr", baseline="two", correction="bonferroni")
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("two", "one"), ("two", "three")]
    every = assay.compare(QRELS, RUNS, "rr", correction="bonferroni")
    assert comparison.pairs[0].p == every.pairs[0].p
    assert comparison.pairs[0].difference == -every.pairs[0].difference
    # Two comparisons are corrected where three were.
    assert comparison.pairs[1].p_corrected == every.pairs[2].p_corrected * 2 / 3
    assert "baseline='two'" in comparison.signature
    assert "Letters: better than these runs by the randomization test" in comparison.caption
    assert comparison.caption.endswith(". Each run is compared with the baseline 'two' only")


def test_tukey_with_a_baseline_still_counts_all_pairs():
    every = assay.compare(QRELS, RUNS, "rr", test="tukey")
    some = assay.compare(QRELS, RUNS, "rr", test="tukey", baseline="one")
    assert [pair.p for pair in some.pairs] == [pair.p for pair in every.pairs[:2]]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "by", "none"])
def test_the_family_is_the_measure_or_everything(correction):
    from assay.stats.correction import correct

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


def test_paths_with_one_name_are_told_apart(tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        assay.Run(RUNS["one"]).write(tmp_path / folder / "bm25.json")
    names = list(assay.compare(QRELS, [tmp_path / "old/bm25.json", tmp_path / "new/bm25.json"], "rr").results)
    assert [name.replace(os.sep, "/").split("/")[-2:] for name in names] == [["old", "bm25"], ["new", "bm25"]]


def test_results_with_their_queries_in_another_order():
    one, two = results_of(a=[0.1, 0.5, 0.4, 0.9], b=[0.3, 0.6, 0.9, 0.8]).values()
    turned = dataclasses.replace(two, queries=two.queries[::-1], scores={"ap": two.scores["ap"][::-1]})
    comparison = assay.compare(None, {"a": one, "b": turned})
    assert comparison.pairs == assay.compare(None, {"a": one, "b": two}).pairs
    assert comparison.queries("ap", "a", "b", top=1).helped[0][:3] == ("2", 0.4, 0.9)


def test_names_and_numbers_of_other_kinds():
    comparison = assay.compare(
        QRELS, {1: RUNS["one"], 2: RUNS["two"]}, "rr", baseline=2, seed=np.int64(3), alpha=np.float32(0.25)
    )
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("2", "1")]
    assert comparison.settings[3:] == (0.25, 100_000, 3, "2")
    assert json.loads(comparison.to_json())["seed"] == 3


def test_results_may_have_more_measures_under_other_names():
    finished = assay.evaluate_many(QRELS, RUNS, ["ap", "rr", "ndcg@10"])
    comparison = assay.compare(None, finished, ["nDCG@10", "mrr"])
    assert [pair.measure for pair in comparison.pairs] == ["nDCG@10"] * 3 + ["mrr"] * 3


def evaluated(**policies):
    return assay.evaluate(QRELS, RUNS["one"], "ap", **policies)


REFUSED = [
    (lambda: assay.compare(QRELS, {"a": RUNS["one"]}, "rr"), assay.DataError, "it takes two runs to compare; there is one"),
    (lambda: assay.compare(QRELS, {}, "rr"), assay.DataError, "it takes two runs to compare; there is none"),
    (lambda: assay.compare(QRELS, "a.run", "rr"), assay.DataError, "the runs must be a dict of name and run, or a list"),
    (lambda: assay.compare(QRELS, [RUNS["one"], RUNS["two"]], "rr"), assay.DataError, "the runs must be a dict"),
    (lambda: assay.compare(QRELS, {1: RUNS["one"], "1": RUNS["two"]}, "rr"), assay.DataError, "two runs have the same name"),
    (lambda: assay.compare(QRELS, RUNS, "rr", baseline="four"), assay.DataError, "there is no run 'four' to be the baseline; there are 'one', 'two', 'three'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", test="f"), assay.PolicyError, "test must be 'randomization' or 't' or .*, not 'f'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", correction="x"), assay.PolicyError, "correction must be 'holm' or"),
    (lambda: assay.compare(QRELS, RUNS, "rr", family="x"), assay.PolicyError, "family must be 'measure' or 'all', not 'x'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", alpha=5), assay.PolicyError, "alpha must be a number between 0 and 1"),
    (lambda: assay.compare(QRELS, RUNS, "rr", seed=-1), assay.PolicyError, "seed must be a whole number from 0, not '-1'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", seed=None), assay.PolicyError, "seed must be a whole number from 0, not 'None'"),
    (lambda: assay.compare(QRELS, RUNS, "rr", samples=0), assay.PolicyError, "samples must be a whole number from 1, not '0'"),
    (lambda: assay.compare(QRELS, {"a": evaluated(), "b": RUNS["one"]}), assay.DataError, "give runs or finished results, not both"),
    (lambda: assay.compare(None, {"a": evaluated(), "b": evaluated(depth=3)}), assay.MismatchError, "the results do not mean the same by ap: .*depth=all.* and .*depth=3"),
    (lambda: assay.compare(None, {"a": evaluated(), "b": evaluated()}, "rr"), assay.MeasureError, "'rr' was not computed"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), convention="assay"), assay.PolicyError, "finished results are not scored again, so convention would"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), threads=2, depth=3), assay.PolicyError, "so threads and depth would change nothing"),
    (lambda: assay.compare(None, results_of(a=[1], b=[0]), bogus=5), assay.PolicyError, "so bogus would"),
    (lambda: assay.compare(None, results_of(a=[1, 0], b=[1])), assay.MismatchError, "'a' and 'b' are not of the same queries: '1'"),
    (lambda: assay.compare(QRELS, {"a": RUNS["one"], "b": {"q0": ["x"]}}, "rr", missing="skip"), assay.MismatchError, "--missing zero"),
    (lambda: assay.compare([["d"], ["d"]], {"a": [["d"], ["d"]], "b": [["d"]]}, "rr"), assay.MismatchError, "lists must pair up"),
    (lambda: assay.compare(QRELS, RUNS, "rr").pair("rr", "two", "one"), assay.DataError, "were not compared by 'rr' in that order"),
    (lambda: assay.compare(QRELS, RUNS, "rr").queries("rr", "one", "two", top=0), assay.PolicyError, "top must be a whole number from 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


# Scores of a and b, kinds of notes, and of the pair: difference, low, high, cohen_d, wins/ties/losses, detectable.
LITTLE = {
    "the same runs": ([0.2, 0.7], [0.2, 0.7], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "constant scores": ([0.5, 0.5], [0.5, 0.5], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "equal but for rounding": ([0.3, 0.6], [0.1 + 0.2, 0.6], ["equal"], (0, 0, 0, 0, (0, 2, 0), nan)),
    "a constant difference": ([0.1, 0.5, 0.3], [0.2, 0.6, 0.4], ["constant"], (0.1, 0.1, 0.1, inf, (3, 0, 0), nan)),
    "one query": ([0.25], [0.75], ["few"], (0.5, 0.5, 0.5, nan, (1, 0, 0), nan)),
    "one query with a value": ([0.25, nan], [0.75, 0.5], ["undefined", "few"], (0.5, 0.5, 0.5, nan, (1, 0, 0), nan)),
    "no query with a value": ([nan, 0.5], [0.5, nan], ["undefined", "few"], (nan, nan, nan, nan, (0, 0, 0), nan)),
    "no query": ([], [], ["few"], (nan, nan, nan, nan, (0, 0, 0), nan)),
}  # fmt: skip


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("a", "b", "kinds", "expected"), LITTLE.values(), ids=LITTLE)
def test_little_to_compare_has_an_answer_and_a_note(a, b, kinds, expected, test):
    comparison, pair = one_pair(a, b, test=test, samples=200)
    difference, low, high, cohen_d, counts, detectable = expected
    found = (pair.difference, pair.low, pair.high, pair.cohen_d, pair.detectable)
    assert found == pytest.approx((difference, low, high, cohen_d, detectable), abs=1e-12, nan_ok=True)
    assert (pair.wins, pair.ties, pair.losses) == counts
    assert math.isnan(pair.p) == math.isnan(difference)
    assert math.isnan(pair.p_corrected) == math.isnan(difference)
    assert [kind for kind in kinds if kind not in {note.kind for note in comparison.notes}] == []
    if test != "tukey_randomized":
        assert pair.p == pytest.approx(
            0.25 if kinds == ["constant"] else nan if math.isnan(difference) else 1, nan_ok=True
        )
    assert not comparison.is_significant(pair)
    for text in (str(comparison), comparison.to_latex(), comparison.to_markdown(), comparison.to_html()):
        assert "NaN" not in text
    records = json.loads(comparison.to_json())["comparisons"]
    assert all(value is None or not isinstance(value, float) or math.isfinite(value) for value in records[0].values())


def test_queries_without_a_value_are_left_out_of_everything():
    a, b = [0.5, nan, 0.25, 1.0, 0.0, 0.9], [0.75, 1.0, nan, 0.5, 1.0, 0.9]
    comparison, pair = one_pair(a, b)
    _, whole = one_pair([0.5, 1.0, 0.0, 0.9], [0.75, 0.5, 1.0, 0.9])
    assert pair[:8] == whole[:8]
    assert pair[10:] == whole[10:]
    assert comparison.notes == (
        assay.Note("undefined", "ap, a and b: 2 queries left out, without a finite value in both runs"),
    )


def test_the_same_note_of_every_pair_is_said_once():
    scores = {f"run{number}": [0.5, nan, number / 10] for number in range(5)}
    comparison = assay.compare(None, results_of(**scores))
    assert [str(note) for note in comparison.notes] == [
        "ap, every pair: 1 query left out, without a finite value in both runs"
    ]


def test_tukey_leaves_out_a_query_that_any_run_has_no_value_for():
    scores = {"a": [0.1, 0.5, nan, 0.3], "b": [0.2, 0.9, 0.4, 0.3], "c": [0.5, 0.6, 0.8, 0.7]}
    comparison = assay.compare(None, results_of(**scores), test="tukey")
    assert [str(note) for note in comparison.notes] == ["ap: 1 query left out, without a finite value in every run"]
    whole = assay.compare(
        None, results_of(**{name: [*each[:2], each[3]] for name, each in scores.items()}), test="tukey"
    )
    assert comparison.pairs == whole.pairs


@pytest.mark.parametrize("test", ["tukey", "tukey_randomized"])
def test_tukey_calls_that_run_better_which_is_better_where_it_looks(test):
    generator = np.random.default_rng(0)
    half = np.arange(50) < 25
    a = generator.normal(0.5, 0.01, size=50)
    b = np.where(half, a - 0.1, a + 0.4) + generator.normal(0, 0.01, size=50)
    comparison = assay.compare(None, results_of(a=a, b=b, c=np.where(half, a, nan)), test=test, samples=500)
    pair = comparison.pairs[0]
    assert pair.difference == pytest.approx(-0.1, abs=0.01)
    assert pair.wins + pair.ties + pair.losses == 25
    assert comparison.winner(pair) == "a"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("x", "y"), [(inf, 0.5), (-inf, 0.5), (inf, inf), (inf, -inf), (0.5, inf), (inf, nan)])
def test_infinite_scores_do_not_count(test, x, y):
    a, b = [0.1, 0.5, 0.4, 0.9], [0.3, 0.6, 0.9, 0.8]
    comparison, pair = one_pair([x, *a], [y, *b], test=test, samples=200)
    assert pair == one_pair(a, b, test=test, samples=200)[1]
    assert [note.kind for note in comparison.notes] == ["undefined"]
    assert "1 query left out, without a finite value" in comparison.notes[0].text
    for form in (str(comparison), comparison.to_latex(), comparison.to_html(), comparison.to_json()):
        assert form
    assert comparison.queries("ap", "a", "b").counts == (3, 0, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("exponent", [-1040, -600, 300, 600, 1022])
def test_very_large_and_small_scores_are_compared_as_others(test, exponent):
    a, b = np.random.default_rng(5).integers(-8, 9, size=(2, 20)).astype(float)
    _, pair = one_pair(a, b, test=test, samples=200)
    _, large = one_pair(np.ldexp(a, exponent - 3), np.ldexp(b, exponent - 3), test=test, samples=200)
    assert large[8:15] == pytest.approx(pair[8:15], rel=1e-9)
    for field in ("mean_a", "mean_b", "difference", "low", "high"):
        expected = math.ldexp(getattr(pair, field), exponent - 3)
        assert getattr(large, field) == pytest.approx(expected, rel=1e-9, abs=1e-322)


def test_notes_of_the_runs_are_passed_on():
    runs = {"a": RUNS["one"], "b": {"q0": ["good"]}}
    notes = {note.kind: note.text for note in assay.compare({**QRELS, "q9": {"d": 0}}, runs, "rr").notes}
    assert notes["no_relevant"].startswith("1 query has no relevant document")
    texts = [note.text for note in assay.compare({**QRELS, "q9": {"d": 0}}, runs, "rr").notes if note.kind == "missing"]
    assert [text.split(" ")[0] for text in texts] == ["a:", "b:"]


def test_where_less_is_better_a_win_is_a_lower_score():
    comparison, pair = one_pair([5, 4, 6, 3, 7, 9, 5, 8], [1, 2, 1, 4, 1, 2, 1, 1], "first_rank")
    assert pair.difference == pytest.approx(-4.25)
    assert (pair.wins, pair.ties, pair.losses) == (7, 0, 1)
    assert comparison.is_significant(pair)
    assert comparison.winner(pair) == "b"
    row_a, row_b = comparison.to_latex().splitlines()[-5:-3]
    assert row_a.strip() == r"a & a & \underline{5.8750} \\"
    assert row_b.strip() == r"b & b & \textbf{1.6250}$^{a}$ \\"


def test_a_geometric_mean_is_tested_by_its_logarithms():
    a, b = np.random.default_rng(2).beta([[1], [2]], 3, size=(2, 30))
    _, pair = one_pair(a, b, "gm_ap", test="t")
    assert pair.p == pytest.approx(scipy.stats.ttest_rel(np.log(b), np.log(a)).pvalue)
    assert pair.mean_b == pytest.approx(np.exp(np.log(b).mean()))
    assert pair.low < pair.difference < pair.high
    logarithms = one_pair(np.log(a), np.log(b), test="t")[1]
    assert pair.cohen_d == pytest.approx(logarithms.cohen_d)
    assert pair.detectable == pytest.approx(pair.mean_a * (np.exp(logarithms.detectable) - 1))


def test_a_sum_is_bounded_as_a_sum():
    a, b = np.random.default_rng(3).integers(0, 9, size=(2, 20))
    _, total = one_pair(a, b, "num_rel_ret")
    _, mean = one_pair(a, b)
    assert total[5:8] == pytest.approx([20 * value for value in mean[5:8]])
    assert total.detectable == pytest.approx(20 * mean.detectable)
    assert total[8:12] == mean[8:12]


def test_a_rank_test_that_contradicts_the_means_calls_neither_better():
    a = [0.5] * 12
    b = [0.51] * 11 + [0.0]
    comparison, pair = one_pair(a, b, test="sign")
    assert pair.difference < 0
    assert comparison.is_significant(pair)
    assert comparison.winner(pair) is None
    assert [note.kind for note in comparison.notes] == ["split"]
    # The randomization test looks at the mean, so there is nothing to contradict.
    assert one_pair(a, b)[0].notes == ()


# Differences of 50 queries, and which run Wilcoxon's test calls better.
BY_RANKS = {
    "fewer wins, larger ones": ([*(0.2 + 0.01 * np.arange(22)), *(-0.01 - 0.001 * np.arange(28))], "b"),
    "as many wins as losses": ([*(0.2 + 0.01 * np.arange(25)), *(-0.01 - 0.001 * np.arange(25))], "b"),
    "one win makes the mean": ([*(0.001 + 0.00001 * np.arange(25)), 5.0, *(-0.05 - 0.0001 * np.arange(24))], None),
}


@pytest.mark.parametrize(("moved", "winner"), BY_RANKS.values(), ids=BY_RANKS)
@pytest.mark.parametrize("direction", [1, -1])
def test_wilcoxon_points_where_the_sum_of_ranks_does(moved, winner, direction):
    a = np.full(50, 6.0)
    comparison, pair = one_pair(a, a + direction * np.array(moved), test="wilcoxon")
    assert comparison.is_significant(pair)
    assert comparison.winner(pair) == (winner and {1: "b", -1: "a"}[direction])
    assert [note.kind for note in comparison.notes] == ([] if winner else ["split"])


def test_wilcoxon_of_shares_is_that_of_their_counts():
    generator = np.random.default_rng(1)
    for _ in range(20):
        a = generator.integers(0, 11, 25)
        b = np.clip(a + generator.integers(-2, 4, 25), 0, 10)
        shares, counts = (one_pair(a / size, b / size, test="wilcoxon")[1] for size in (10, 1))
        assert shares.p == counts.p


def test_a_difference_is_what_both_runs_have():
    policies = {"no_results": "nan"}
    runs = {"a": RUNS["one"], "b": {**RUNS["two"], "q2": []}}
    comparison = assay.compare(QRELS, runs, "rr", **policies)
    (pair,) = comparison.pairs
    assert pair.wins + pair.ties + pair.losses == 7
    assert pair.low <= pair.difference <= pair.high
    assert "no_results=nan" in comparison.signature


def test_the_same_seed_gives_the_same_numbers():
    generator = np.random.default_rng(4)
    scores = {name: generator.random(30) for name in "abc"}
    for test in ("randomization", "bootstrap", "tukey_randomized"):
        one, again, other = (
            assay.compare(None, results_of(**scores), test=test, seed=seed, samples=3000) for seed in (1, 1, 2)
        )
        assert one.to_json() == again.to_json()
        assert [pair.p for pair in one.pairs] != [pair.p for pair in other.pairs]
        assert [pair.low for pair in one.pairs] != [pair.low for pair in other.pairs]


THREADS = """
import hashlib, sys, numpy, assay
generator = numpy.random.default_rng(0)
queries = [f"q{number}" for number in range(700)]
qrels = {query: {f"d{number}": 1 for number in range(9)} for query in queries}
runs = {
    str(run): {query: [f"d{number}" for number in generator.permutation(20)] for query in queries} for run in range(4)
}
for test in ("randomization", "bootstrap", "tukey_randomized"):
    found = assay.compare(qrels, runs, ["ap", "ndcg@10"], test=test, samples=700, threads=int(sys.argv[1]))
    print(test, found.to_json())
    print({name: result.interval("ap") for name, result in found.results.items()})
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
