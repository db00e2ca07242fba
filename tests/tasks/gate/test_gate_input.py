"""What the gate takes as run, baseline and limits, and what it refuses."""

import json
import math

import numpy as np
import pytest

import assay
from assay.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.tasks.compare.ranks import document_lines
from gates import MIXED, OLD, QRELS, QUERIES, WORSE, one, ranks
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
            with pytest.raises(DataError, match=f"rr of the {side} is .*; only finite values can be checked"):
                assay.gate(None, run, baseline=baseline, max_drop={"rr": 0.1})
        with pytest.raises(DataError, match="rr of the run is"):
            assay.gate(None, of_scores(*scores), {"rr": 0.1})


def test_the_baseline_may_be_a_result_or_a_file_of_one(tmp_path):
    asked = {"rr": 0.1}
    expected = assay.gate(QRELS, MIXED, baseline=OLD, max_drop=asked)
    result = assay.evaluate(QRELS, OLD, ["ndcg@10", "recip_rank"])
    result.save(tmp_path / "baseline.json")
    (tmp_path / "old.json").write_text(json.dumps(OLD))
    for baseline in (result, tmp_path / "baseline.json", str(tmp_path / "baseline.json"), tmp_path / "old.json"):
        report = assay.gate(QRELS, MIXED, baseline=baseline, max_drop=asked)
        assert (one(report).reason, one(report).p) == (one(expected).reason, one(expected).p)
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
    with pytest.raises(DataError, match="a run needs judgments: they come first"):
        assay.gate(None, WORSE, {"rr": 0.4})


def test_the_baseline_may_have_another_order_of_queries_and_another_spelling():
    old = assay.evaluate(dict(reversed(QRELS.items())), ranks(1, 2, 3), ["recip_rank"])
    expected = assay.gate(QRELS, ranks(2, 1, 1), baseline=ranks(1, 2, 3), max_drop={"rr": 0.0})
    report = assay.gate(QRELS, ranks(2, 1, 1), baseline=old, max_drop={"RR": 0.0})
    assert one(assay.gate(QRELS, SHORT, baseline=OLD, max_drop={"rr": 0.1})).drop == 0.25
    assert one(report).p == one(expected).p
    assert [worst[:3] for worst in one(report).worst] == [worst[:3] for worst in one(expected).worst]


@for_each("option", [{"depth": 3}, {"convention": "assay"}, {"format": "trec"}, {"ties": "input"}])
def test_what_would_change_nothing_is_refused(option):
    new, old = (assay.evaluate(QRELS, run, ["rr"]) for run in (OLD, OLD))
    (name,) = option
    for asked in ({"baseline": old, "max_drop": {"rr": 0.1}}, {"minimum": {"rr": 0.1}}):
        with pytest.raises(PolicyError, match=f"finished results are not scored again; leave out {name}"):
            assay.gate(None, new, **asked, **option)
    if name not in ("format", "depth", "ties"):
        assert assay.gate(QRELS, OLD, baseline=old, max_drop={"rr": 0.1}, **option).passed


SHORT = {query: OLD[query] for query in QUERIES[:30]}
TWO = {"run": of_scores(0.5, 0.5), "qrels": None}
# A call, its error, and what is said: baselines of something else, names, and limits.
REFUSED = [
    ({"baseline": assay.evaluate({"q00": ["d"]}, {"q00": ["d"]}, ["rr"])}, MismatchError, "39 queries missing from the baseline: 'q01', 'q02'"),
    ({"baseline": assay.evaluate({**QRELS, "new": ["d"]}, OLD, ["rr"])}, MismatchError, "1 query missing from the run: 'new'; score both with the same judgments"),
    ({"baseline": assay.evaluate({"p": ["d"]}, {"p": ["d"]}, ["rr"])}, MismatchError, "run and baseline have no query in common: the run has 'q00'"),
    ({"baseline": assay.evaluate(QRELS, OLD, ["rr"], ties="input")}, MismatchError, "run and baseline cannot be compared: rr was not computed alike: ties=docid_desc in one result, ties=input in the other"),
    ({"baseline": assay.evaluate(QRELS, OLD, ["ap"])}, MeasureError, "a measure is missing from the baseline: 'rr' was not computed; the result has ap"),
    ({"baseline": OLD, "max_drop": {"ndcg@10": 0.1, "nDCG@10": 0.1}}, PolicyError, "max_drop: 'ndcg@10' and 'nDCG@10' are the same measure"),
    ({"baseline": OLD, "max_drop": {"ap": 0.1, "map": 0.1}, "convention": "trec_eval"}, PolicyError, "'ap' and 'map' are the same measure"),
    ({"minimum": {"rr": 0.1, "RR": 0.2}}, PolicyError, "minimum: 'rr' and 'RR' are the same measure; give it one limit"),
    ({"minimum": {"ap": 0.1, assay.parse_measure("ap"): 0.2}}, PolicyError, "minimum: 'ap' has two limits"),
    ({**TWO, "minimum": {"rr": 0.1, "recip_rank": 0.1}}, PolicyError, "'rr' and 'recip_rank' are the same measure"),
    ({"minimum": {"nonsense": 0.1}}, MeasureError, "unknown measure 'nonsense'"),
    ({"minimum": {"P.5,10": 0.1}, "convention": "trec_eval"}, MeasureError, "'P.5,10' names several measures; set a limit for each: P_5, P_10"),
    ({"qrels": [["a"], ["b"]], "run": [["a"]], "minimum": {"rr": 0.1}}, MismatchError, "lists must have the same length"),
    ({"run": SHORT, "baseline": OLD, "missing": "skip"}, MismatchError, "10 queries missing from the run"),
    ({"run": {"p": ["d"]}, "minimum": {"rr": 0.1}}, MismatchError, "judgments and run have no query in common"),
    ({"qrels": {"q": ["a"]}, "run": {"q": ["a"]}, "minimum": {"auc": 0.5}}, DataError, "the run has no value of auc for any query"),
    ({"qrels": {"q": ["a"]}, "run": {"q": ["a", "b"]}, "baseline": {"q": ["a"]}, "max_drop": {"auc": 0.5}}, DataError, "the baseline has no value of auc"),
    ({"qrels": {"p": ["a"], "q": ["a"]}, "run": {"p": ["a"], "q": ["x", "a"]}, "baseline": {"p": ["x", "a"], "q": ["a"]}, "max_drop": {"auc": 0.5}}, DataError, "no query has a value of auc on both sides"),
]  # fmt: skip


@for_each("options, error, message", REFUSED)
def test_what_does_not_fit_together_is_refused(options, error, message):
    usual = {"qrels": QRELS, "run": WORSE} | ({} if {*options} & {"minimum", "max_drop"} else {"max_drop": {"rr": 0.1}})
    with pytest.raises(error) as caught:
        assay.gate(**usual | options)
    assert message in str(caught.value)


WRONG = [
    ({}, "nothing to check; set minimum="),
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
    ({"minimum": {"rr": 0.1}, "test": "wilcoxon"}, "test must be 'randomization' or 't' or 'bootstrap', not 'wilcoxon'"),
    ({"minimum": {"rr": 0.1}, "strict": "yes"}, "strict must be True or False, not 'yes'"),
    ({"minimum": {"rr": 0.1}, "seed": -1}, "seed must be"),
    ({"minimum": {"rr": 0.1}, "samples": 0}, "samples must be"),
    ({"minimum": {"rr": 0.1}, "tie": "input"}, "unknown option 'tie'"),
]  # fmt: skip


@for_each("options, message", WRONG)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(PolicyError) as caught:
        assay.gate(QRELS, OLD, **options)
    assert message in str(caught.value)


def test_the_baseline_needs_no_measure_that_has_a_minimum_only():
    old = assay.evaluate(QRELS, OLD, ["rr"])
    report = assay.gate(QRELS, WORSE, {"ndcg@10": 0.1, "rr": 0.1}, baseline=old, max_drop={"rr": 0.6})
    assert [check.passed for check in report.checks] == [True, True, True]
    # Two spellings of one measure, numbers of numpy and measures as objects are taken.
    two = assay.gate(QRELS, WORSE, {assay.parse_measure("rr"): np.float32(0.5)}, baseline=old, max_drop={"RR": 0.6})
    assert [check.measure for check in two.checks] == ["rr", "RR"]
    assert two.passed
    new = assay.evaluate(QRELS, WORSE, ["rr", "ap"])
    assert assay.gate(None, new, {"ap": 0.1}, baseline=old, max_drop={"rr": 0.6}).passed


def test_policies_and_the_convention_hold_for_both():
    qrels = {**QRELS, "missing": ["d"]}
    report = assay.gate(qrels, WORSE, {"recip_rank": 0.5}, convention="trec_eval")
    assert one(report).value == 0.5
    assert "convention=trec_eval" in str(report.signature)
    assert str(report.signature).endswith("gate: test=randomization seed=0 correction=holm alpha=0.05")
    assert not assay.gate(qrels, WORSE, {"recip_rank": 0.5}).passed
