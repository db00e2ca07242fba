"""What the gate takes as run, baseline and limits, and what it refuses."""

import json
import math

import numpy as np
import pytest

import assay
from assay.tasks.compare.ranks import document_lines
from gates import MIXED, NOISY, OLD, QRELS, QUERIES, WORSE, one, ranks
from tables import for_each


def of_scores(*scores):
    queries = [f"q{number}" for number in range(len(scores))]
    measures = {"rr": assay.parse_measure("rr")}
    return assay.Result(measures, queries, {"rr": np.array(scores)}, "assay", assay.Policies())


@for_each("scores", [(math.inf, 0.5), (-math.inf, 0.5), (math.inf, -math.inf)])
def test_a_value_that_is_not_finite_is_an_error(scores):
    fine = of_scores(0.5, 0.5)
    with np.errstate(all="ignore"):
        for run, baseline, side in ((of_scores(*scores), fine, "run"), (fine, of_scores(*scores), "baseline")):
            with pytest.raises(
                assay.errors.DataError, match=f"rr of the {side} is .*; only finite values can be checked"
            ):
                assay.gate(None, run, baseline=baseline, max_drop={"rr": 0.1})
        with pytest.raises(assay.errors.DataError, match="rr of the run is"):
            assay.gate(None, of_scores(*scores), {"rr": 0.1})


def test_values_on_no_query_together_are_an_error():
    old, new = ["a"], ["x", "a"]
    with pytest.raises(assay.errors.DataError, match="no query has a value of auc on both sides"):
        assay.gate({"p": ["a"], "q": ["a"]}, {"p": old, "q": new}, baseline={"p": new, "q": old}, max_drop={"auc": 0.5})


def test_the_baseline_may_be_a_result_or_a_file_of_one(tmp_path):
    asked = {"rr": 0.1}
    expected = assay.gate(QRELS, MIXED, baseline=OLD, max_drop=asked)
    result = assay.evaluate(QRELS, OLD, ["ndcg@10", "recip_rank"])
    result.save(tmp_path / "baseline.json")
    (tmp_path / "old.json").write_text(json.dumps(OLD))
    for baseline in (result, tmp_path / "baseline.json", str(tmp_path / "baseline.json"), tmp_path / "old.json"):
        report = assay.gate(QRELS, MIXED, baseline=baseline, max_drop=asked)
        assert one(report).reason == one(expected).reason
        assert one(report).p == one(expected).p
    ranked, stored = (assay.gate(QRELS, MIXED, baseline=each, max_drop=asked) for each in (OLD, result))
    assert document_lines(one(ranked).worst[0], 3) == ["d (grade 1): rank 1 → 2 (-0.5000)"]
    assert document_lines(one(stored).worst[0], 3) == ["d (grade 1): rank 2 (-0.5000)"]


def test_finished_results_need_no_judgments(tmp_path):
    new, old = (assay.evaluate(QRELS, run, ["rr"]) for run in (WORSE, OLD))
    report = assay.gate(None, new, {"rr": 0.4}, baseline=old, max_drop={"rr": 0.1})
    assert [check.passed for check in report.checks] == [True, False]
    assert report.checks[1].worst[0].documents == ()
    new.save(tmp_path / "new.json.gz")
    assert assay.gate(None, tmp_path / "new.json.gz", {"rr": 0.4}).passed
    with pytest.raises(assay.errors.DataError, match="a run needs judgments: they come first"):
        assay.gate(None, WORSE, {"rr": 0.4})


@for_each("option", [{"depth": 3}, {"convention": "assay"}, {"format": "trec"}, {"ties": "input"}])
def test_what_would_change_nothing_is_refused(option):
    new, old = (assay.evaluate(QRELS, run, ["rr"]) for run in (OLD, OLD))
    (name,) = option
    with pytest.raises(assay.errors.PolicyError, match=f"finished results are not scored again; leave out {name}"):
        assay.gate(None, new, baseline=old, max_drop={"rr": 0.1}, **option)
    with pytest.raises(assay.errors.PolicyError, match=f"finished results are not scored again; leave out {name}"):
        assay.gate(None, new, {"rr": 0.1}, **option)
    if name not in ("format", "depth", "ties"):
        assert assay.gate(QRELS, OLD, baseline=old, max_drop={"rr": 0.1}, **option).passed


def test_an_export_is_no_stored_result_and_the_message_says_so(tmp_path):
    (tmp_path / "export.json").write_text(assay.evaluate(QRELS, OLD, ["rr"]).to_json())
    for options in ({"minimum": {"rr": 0.1}, "run": tmp_path / "export.json"},
                    {"run": OLD, "baseline": tmp_path / "export.json", "max_drop": {"rr": 0.1}}):  # fmt: skip
        with pytest.raises(
            assay.errors.FormatError,
            match=r"the output of `--format json` or `to_json`.* store the result with `--save FILE`",
        ):
            assay.gate(QRELS, **options)


def test_queries_in_another_order_are_paired():
    backwards = dict(reversed(QRELS.items()))
    old = assay.evaluate(backwards, ranks(1, 2, 3), ["rr"])
    expected = assay.gate(QRELS, ranks(2, 1, 1), baseline=ranks(1, 2, 3), max_drop={"rr": 0.0})
    report = assay.gate(QRELS, ranks(2, 1, 1), baseline=old, max_drop={"rr": 0.0})
    assert one(report).p == one(expected).p
    assert [worst[:3] for worst in one(report).worst] == [worst[:3] for worst in one(expected).worst]


def test_another_spelling_finds_the_measure_of_the_baseline():
    old = assay.evaluate(QRELS, OLD, ["recip_rank"])
    assert not assay.gate(QRELS, WORSE, baseline=old, max_drop={"RR": 0.1}).passed


MISMATCHES = [
    (assay.evaluate({"q00": ["d"]}, {"q00": ["d"]}, ["rr"]), "39 queries missing from the baseline: 'q01', 'q02'"),
    (assay.evaluate({**QRELS, "new": ["d"]}, OLD, ["rr"]), "1 query missing from the run: 'new'; score both with the same judgments"),
    (assay.evaluate({"p": ["d"]}, {"p": ["d"]}, ["rr"]), "run and baseline have no query in common: the run has 'q00'"),
    (assay.evaluate(QRELS, OLD, ["rr"], ties="input"), "run and baseline cannot be compared: rr was not computed alike: ties=docid_desc in one result, ties=input in the other"),
]  # fmt: skip


@for_each("baseline, message", MISMATCHES)
def test_a_baseline_of_something_else_is_refused(baseline, message):
    with pytest.raises(assay.errors.MismatchError) as caught:
        assay.gate(QRELS, WORSE, baseline=baseline, max_drop={"rr": 0.1})
    assert message in str(caught.value)


def test_a_baseline_without_the_measure_is_refused():
    with pytest.raises(
        assay.errors.MeasureError,
        match="a measure is missing from the baseline: 'rr' was not computed; the result has ap",
    ):
        assay.gate(QRELS, WORSE, baseline=assay.evaluate(QRELS, OLD, ["ap"]), max_drop={"rr": 0.1})


def test_runs_that_lack_queries():
    short = {query: OLD[query] for query in QUERIES[:30]}
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"rr": 0.1}))
    assert check.drop == 0.25
    with pytest.raises(assay.errors.MismatchError, match="10 queries missing from the run"):
        assay.gate(QRELS, short, baseline=OLD, max_drop={"rr": 0.1}, missing="skip")
    with pytest.raises(assay.errors.MismatchError, match="judgments and run have no query in common"):
        assay.gate(QRELS, {"p": ["d"]}, {"rr": 0.1})


WRONG = [
    ({}, "nothing to check; set minimum="),
    ({"minimum": {}}, "nothing to check; set minimum="),
    ({"max_drop": {"rr": 0.1}}, "max_drop needs a baseline"),
    ({"baseline": OLD}, "a baseline needs max_drop"),
    ({"minimum": 0.5}, 'minimum must be a dict such as {"ndcg@10": 0.1}'),
    ({"minimum": {"rr": "high"}}, "minimum of 'rr' must be a number, not 'high'"),
    ({"minimum": {"rr": True}}, "minimum of 'rr' must be a number, not 'True'"),
    ({"minimum": {"rr": math.nan}}, "minimum of 'rr' must be a number, not 'nan'"),
    ({"minimum": {"rr": 10**400}}, "minimum of 'rr' must be a number"),
    ({"baseline": OLD, "max_drop": {"rr": -0.1}}, "max_drop of 'rr' must be a number of at least 0, not '-0.1'"),
    ({"minimum": {"rr": 0.1}, "alpha": 0}, "alpha must be a number between 0 and 1"),
    ({"minimum": {"rr": 0.1}, "alpha": 0.5}, "alpha must be below 0.5"),
    ({"minimum": {"rr": 0.1}, "alpha": "low"}, "alpha must be a number"),
    ({"minimum": {"rr": 0.1}, "test": "wilcoxon"}, "test must be 'randomization' or 't' or 'bootstrap', not 'wilcoxon'"),
    ({"minimum": {"rr": 0.1}, "strict": "yes"}, "strict must be True or False, not 'yes'"),
    ({"minimum": {"rr": 0.1}, "seed": -1}, "seed must be"),
    ({"minimum": {"rr": 0.1}, "samples": 0}, "samples must be"),
    ({"minimum": {"rr": 0.1}, "tie": "input"}, "unknown option 'tie'"),
]  # fmt: skip


@for_each("options, message", WRONG)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(assay.errors.PolicyError) as caught:
        assay.gate(QRELS, OLD, **options)
    assert message in str(caught.value)


SPELLINGS = [
    ({"minimum": {"rr": 0.1, "RR": 0.2}}, "minimum: 'rr' and 'RR' are the same measure; give it one limit"),
    ({"minimum": {"ap": 0.1, assay.parse_measure("ap"): 0.2}}, "minimum: 'ap' has two limits"),
    ({"max_drop": {"ndcg@10": 0.1, "nDCG@10": 0.1}}, "max_drop: 'ndcg@10' and 'nDCG@10' are the same measure"),
    ({"max_drop": {"ap": 0.1, "map": 0.1}, "convention": "trec_eval"}, "'ap' and 'map' are the same measure"),
]


@for_each("options, message", SPELLINGS)
def test_two_limits_for_one_measure_are_refused(options, message):
    baseline = OLD if "max_drop" in options else None
    with pytest.raises(assay.errors.PolicyError) as caught:
        assay.gate(QRELS, WORSE, baseline=baseline, **options)
    assert message in str(caught.value)


def test_two_limits_for_one_measure_of_finished_results_are_refused():
    new, old = (assay.evaluate(QRELS, run, ["rr", "recip_rank"]) for run in (WORSE, OLD))
    with pytest.raises(assay.errors.PolicyError, match="'rr' and 'recip_rank' are the same measure"):
        assay.gate(None, new, baseline=old, max_drop={"rr": 0.1, "recip_rank": 0.1})


def test_a_measure_may_have_a_minimum_and_a_drop_under_two_spellings():
    assert len(assay.gate(QRELS, OLD, {"rr": 0.5}, baseline=OLD, max_drop={"RR": 0.1}).checks) == 2


def test_the_baseline_needs_no_measure_that_has_a_minimum_only():
    old = assay.evaluate(QRELS, OLD, ["rr"])
    report = assay.gate(QRELS, WORSE, {"ndcg@10": 0.1, "rr": 0.1}, baseline=old, max_drop={"rr": 0.6})
    assert [check.passed for check in report.checks] == [True, True, True]
    new = assay.evaluate(QRELS, WORSE, ["rr", "ap"])
    assert assay.gate(None, new, {"ap": 0.1}, baseline=old, max_drop={"rr": 0.6}).passed


def test_names_that_are_no_measure_or_several():
    with pytest.raises(assay.errors.MeasureError, match="unknown measure 'nonsense'"):
        assay.gate(QRELS, OLD, {"nonsense": 0.1})
    with pytest.raises(
        assay.errors.MeasureError, match=r"'P.5,10' names several measures; set a limit for each: P_5, P_10"
    ):
        assay.gate(QRELS, OLD, {"P.5,10": 0.1}, convention="trec_eval")


def test_numpy_numbers_and_measures_are_taken():
    report = assay.gate(QRELS, WORSE, {assay.parse_measure("rr"): np.float32(0.5)})
    assert one(report).measure == "rr"
    assert report.passed


def test_policies_and_the_convention_hold_for_both():
    qrels = {**QRELS, "missing": ["d"]}
    report = assay.gate(qrels, WORSE, {"recip_rank": 0.5}, convention="trec_eval")
    assert one(report).value == 0.5
    assert "convention=trec_eval" in str(report.signature)
    assert str(report.signature).endswith("gate: test=randomization seed=0 correction=holm alpha=0.05")
    assert not assay.gate(qrels, WORSE, {"recip_rank": 0.5}).passed


@for_each("test", ["randomization", "t", "bootstrap"])
def test_the_same_seed_gives_the_same_numbers(test):
    reports = [assay.gate(QRELS, NOISY, baseline=MIXED, max_drop={"rr": 0.1}, test=test, seed=3) for _ in range(2)]
    assert reports[0].to_json() == reports[1].to_json()
    assert 0.001 < one(reports[0]).p < 0.5


def test_lists_must_pair_up():
    with pytest.raises(assay.errors.MismatchError, match="lists must have the same length"):
        assay.gate([["a"], ["b"]], [["a"]], {"rr": 0.1})
