"""The gate: what passes, what fails, what is said, and what is refused."""

import json
import math

import numpy as np
import pytest

import assay

QUERIES = [f"q{number:02}" for number in range(40)]
QRELS = {query: {"d": 1} for query in QUERIES}


def ranks(*places):
    """A run whose reciprocal ranks are these, over and over."""
    return {
        query: [*(f"x{n}" for n in range(places[number % len(places)] - 1)), "d"]
        for number, query in enumerate(QUERIES)
    }


OLD = ranks(1)
WORSE = ranks(2)
MIXED = ranks(1, 1, 1, 2)  # 0.875 in the mean
NOISY = ranks(2, 1)


@pytest.fixture
def costs():
    """A measure where lower is better: the rank of the document."""

    @assay.measure("rank_found", formula="rank", higher_is_better=False, range=(0, math.inf))
    def rank_found(judged):
        hits = judged.relevant(1)
        return hits.sum(hits.rank.astype(float))

    yield "rank_found"
    assay.remove_measure("rank_found")


def one(report):
    (check,) = report.checks
    return check


MINIMA = [
    (OLD, 1.0, True, "1.0000, at least 1.0000 is asked"),
    (WORSE, 0.5, True, "0.5000, at least 0.5000 is asked"),
    (WORSE, 0.5001, False, "0.5000 is below the 0.5001 that is asked"),
    (WORSE, 0.500004, False, "0.500000 is below the 0.500004 that is asked"),
    (WORSE, 0.5 + 1e-12, True, "0.5000, at least 0.5000 is asked"),
    (MIXED, 0.9, False, "0.8750 is below the 0.9000 that is asked"),
    (MIXED, -1, True, "0.8750, at least -1.0000 is asked"),
]


@pytest.mark.parametrize(("run", "least", "passed", "reason"), MINIMA)
def test_a_minimum(run, least, passed, reason):
    report = assay.gate(QRELS, run, {"rr": least})
    check = one(report)
    assert (report.passed, check.passed, bool(report)) == (passed, passed, passed)
    assert check.reason == reason
    assert (check.check, check.measure, check.limit, check.queries) == ("minimum", "rr", least, 40)
    assert check.baseline is check.drop is check.p is check.detectable is None


def test_a_minimum_of_a_measure_where_lower_is_better_is_the_most_it_may_be(costs):
    assert one(assay.gate(QRELS, WORSE, {costs: 2.0})).reason == "2.0000, at most 2.0000 is asked"
    check = one(assay.gate(QRELS, NOISY, {costs: 1.2}))
    assert not check.passed
    assert check.reason == "1.5000 is above the 1.2000 that is asked"
    assert [worst.value for worst in check.worst] == [2.0] * 5


def test_the_worst_queries_of_a_minimum_stand_with_their_documents():
    check = one(assay.gate(QRELS, ranks(3, 1, 1, 1, 1, 1, 1, 1), {"rr": 0.99}))
    assert [worst.query for worst in check.worst] == ["q00", "q08", "q16", "q24", "q32"]
    assert check.worst[0] == ("q00", 1 / 3, None, ("d (grade 1): rank 3",))
    missing = {**OLD, "q07": ["x"]}
    assert one(assay.gate(QRELS, missing, {"rr": 0.99})).worst[0] == ("q07", 0.0, None, ("d (grade 1): not retrieved",))


# A row: run, most that may be lost, passes, passes strictly, the reason after both means.
DROPS = [
    (OLD, 0.0, True, True, "the same"),
    (WORSE, 0.1, False, False, "worse by 0.5000 where 0.1000 is allowed; chance does not explain it (p < 0.0001)"),
    (WORSE, 0.5, True, True, "worse by 0.5000 where 0.5000 is allowed"),
    (WORSE, 0.6, True, True, "worse by 0.5000 where 0.6000 is allowed"),
    (MIXED, 0.01, False, False, "worse by 0.1250 where 0.0100 is allowed; chance does not explain it (p = 0.00"),
    (
        ranks(2, *[1] * 39),
        0.01,
        True,
        False,
        "worse by 0.0125 where 0.0100 is allowed; chance may explain it (p = 0.5000); too few queries to tell",
    ),
]


@pytest.mark.parametrize(("run", "most", "passes", "strictly", "reason"), DROPS)
def test_a_drop(run, most, passes, strictly, reason):
    report = assay.gate(QRELS, run, baseline=OLD, max_drop={"rr": most})
    check = one(report)
    assert report.passed == passes
    assert reason in check.reason
    assert (check.baseline, check.limit) == (1.0, most)
    assert check.drop == pytest.approx(1 - check.value)
    assert assay.gate(QRELS, run, baseline=OLD, max_drop={"rr": most}, strict=True).passed == strictly


def test_a_run_that_is_better_passes_and_the_reason_says_so():
    check = one(assay.gate(QRELS, OLD, baseline=WORSE, max_drop={"rr": 0.0}))
    assert check.reason == "1.0000 after 0.5000: better by 0.5000"
    assert check.p == pytest.approx(1, abs=1e-5)
    assert check.worst == ()


def test_where_the_queries_are_too_few_it_passes_and_says_what_they_could_show():
    check = one(assay.gate(QRELS, ranks(2, 1, 1, 1), baseline=ranks(1, 2, 1, 1), max_drop={"rr": 0.01}))
    assert check.passed
    assert check.too_few
    assert check.drop == 0
    assert check.detectable == pytest.approx(0.1533, abs=1e-4)
    assert check.reason == (
        "0.8750 after 0.8750: the same; too few queries to tell: with 40 of them only a drop of 0.1533 or more would "
        "be found"
    )


def test_many_queries_tell_and_nothing_is_said():
    queries = [f"q{number}" for number in range(4000)]
    qrels = {query: ["d"] for query in queries}
    old = {query: ["d"] if number % 9 else ["x", "d"] for number, query in enumerate(queries)}
    new = {query: ["d"] if number % 9 > 1 else ["x", "d"] for number, query in enumerate(queries)}
    check = one(assay.gate(qrels, new, baseline=old, max_drop={"rr": 0.07}, test="t"))
    assert not check.too_few
    assert check.reason.endswith("worse by 0.0556 where 0.0700 is allowed")


def test_a_drop_larger_than_allowed_that_may_be_chance_is_never_passed_without_a_word():
    check = one(assay.gate(QRELS, ranks(2, 2, 1, 1), baseline=OLD, max_drop={"rr": 0.22}))
    assert check.passed
    assert check.drop == 0.25
    assert check.detectable < 2 * check.limit
    assert check.too_few
    assert "where 0.2200 is allowed; chance may explain it (p = 0." in check.reason
    assert "; too few queries to tell: with 40 of them only a drop of 0.3" in check.reason


def test_a_small_drop_that_is_left_open_is_not_worth_a_word():
    check = one(assay.gate(QRELS, ranks(2, 2, 1, 1), baseline=OLD, max_drop={"rr": 0.28}))
    assert check.passed
    assert check.p < 0.95
    assert not check.too_few


@pytest.mark.parametrize("count", [1, 3])
def test_a_few_queries_can_show_nothing(count):
    qrels = {query: QRELS[query] for query in QUERIES[:count]}
    old, new = ({query: run[query] for query in qrels} for run in (OLD, WORSE))
    check = one(assay.gate(qrels, new, baseline=old, max_drop={"rr": 0.1}))
    assert check.passed
    assert check.too_few
    assert math.isnan(check.detectable)
    assert check.reason.endswith(f"too few queries to tell: with {count} of them no drop can be found")
    assert not assay.gate(qrels, new, baseline=old, max_drop={"rr": 0.1}, strict=True).passed


def test_several_drops_are_corrected_together():
    report = assay.gate(QRELS, MIXED, baseline=OLD, max_drop={"rr": 0.05, "ap": 0.05, "recall@1": 0.1})
    raw = [check.p for check in report.checks]
    assert raw[0] == raw[1]
    ordered = sorted(raw)
    assert [check.p_corrected for check in report.checks] == pytest.approx(
        [max((3 - rank) * p for rank, p in enumerate(ordered) if p <= each) for each in raw], rel=1e-9
    )


def test_a_drop_of_a_measure_where_lower_is_better(costs):
    check = one(assay.gate(QRELS, WORSE, baseline=OLD, max_drop={costs: 0.5}))
    assert not check.passed
    assert check.drop == 1.0
    assert check.reason.startswith("2.0000 after 1.0000: worse by 1.0000 where 0.5000 is allowed")
    assert check.worst[0][:3] == ("q00", 2.0, 1.0)
    assert one(assay.gate(QRELS, OLD, baseline=WORSE, max_drop={costs: 0})).reason.endswith("better by 1.0000")


def test_a_limit_of_a_sum_is_one_of_the_sum():
    short = {query: ["d"] if number >= 10 else ["x"] for number, query in enumerate(QUERIES)}
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"num_rel_ret": 10}))
    assert (check.drop, check.passed, check.value) == (10.0, True, 30.0)
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"num_rel_ret": 1}))
    assert not check.passed
    assert check.detectable == pytest.approx(
        1 + 40 * assay.stats.drop.detectable_drop(np.array([-1.0] * 10 + [0.0] * 30), 0.05)
    )


def test_what_is_no_mean_of_its_queries_is_tested_only_strictly():
    assert assay.gate(QRELS, WORSE, {"gm_ap": 0.4}).passed
    with pytest.raises(assay.MeasureError, match="gm_ap is no mean of its queries, so its drop cannot be tested"):
        assay.gate(QRELS, WORSE, baseline=OLD, max_drop={"gm_ap": 0.1})
    check = one(assay.gate(QRELS, WORSE, baseline=OLD, max_drop={"gm_ap": 0.1}, strict=True))
    assert not check.passed
    assert check.reason == "0.5000 after 1.0000: worse by 0.5000 where 0.1000 is allowed"


def test_queries_without_a_value_are_left_out_with_a_note():
    qrels = {**QRELS, "none": {"d": 0}}
    run, old = {**WORSE, "none": ["d"]}, {**OLD, "none": ["d"]}
    report = assay.gate(qrels, run, baseline=old, max_drop={"rr": 0.1}, no_relevant="nan")
    assert one(report).queries == 40
    assert "rr: 1 query left out of the drop, without a value on one side" in [str(note) for note in report.notes]
    assert one(assay.gate(qrels, run, {"rr": 0.5}, no_relevant="nan")).queries == 40


def test_a_measure_without_any_value_is_an_error():
    with pytest.raises(assay.DataError, match="the run has no value of auc for any query"):
        assay.gate({"q": ["a"]}, {"q": ["a"]}, {"auc": 0.5})
    with pytest.raises(assay.DataError, match="the baseline has no value of auc"):
        assay.gate({"q": ["a"]}, {"q": ["a", "b"]}, baseline={"q": ["a"]}, max_drop={"auc": 0.5})


def of_scores(*scores):
    queries = [f"q{number}" for number in range(len(scores))]
    measures = {"rr": assay.parse_measure("rr")}
    return assay.Result(measures, queries, {"rr": np.array(scores)}, "assay", assay.Policies())


@pytest.mark.parametrize("scores", [(math.inf, 0.5), (-math.inf, 0.5), (math.inf, -math.inf)])
def test_a_value_that_is_not_finite_is_an_error(scores):
    fine = of_scores(0.5, 0.5)
    with np.errstate(all="ignore"):
        for run, baseline, side in ((of_scores(*scores), fine, "run"), (fine, of_scores(*scores), "baseline")):
            with pytest.raises(assay.DataError, match=f"rr of the {side} is .*, which no limit can be held against"):
                assay.gate(None, run, baseline=baseline, max_drop={"rr": 0.1})
        with pytest.raises(assay.DataError, match="rr of the run is"):
            assay.gate(None, of_scores(*scores), {"rr": 0.1})


def test_worst_queries_that_are_not_finite_are_null_in_json():
    measures, scores = {"gm_ap": assay.parse_measure("gm_ap")}, {"gm_ap": np.array([0.0, math.inf])}
    result = assay.Result(measures, ["q0", "q1"], scores, "assay", assay.Policies(), _means={"gm_ap": 0.5})
    (check,) = json.loads(assay.gate(None, result, {"gm_ap": 0.9}).to_json())["checks"]
    assert [each["value"] for each in check["worst"]] == [0.0, None]


def test_values_on_no_query_together_are_an_error():
    old, new = ["a"], ["x", "a"]
    with pytest.raises(assay.DataError, match="no query has a value of auc on both sides"):
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
    assert one(ranked).worst[0].documents == ("d (grade 1): rank 1 → 2",)
    assert one(stored).worst[0].documents == ("d (grade 1): rank 2",)


def test_finished_results_need_no_judgments(tmp_path):
    new, old = (assay.evaluate(QRELS, run, ["rr"]) for run in (WORSE, OLD))
    report = assay.gate(None, new, {"rr": 0.4}, baseline=old, max_drop={"rr": 0.1})
    assert [check.passed for check in report.checks] == [True, False]
    assert report.checks[1].worst[0].documents == ()
    new.save(tmp_path / "new.json.gz")
    assert assay.gate(None, tmp_path / "new.json.gz", {"rr": 0.4}).passed
    with pytest.raises(assay.DataError, match="without judgments only finished results can be checked"):
        assay.gate(None, WORSE, {"rr": 0.4})


@pytest.mark.parametrize("option", [{"depth": 3}, {"convention": "assay"}, {"format": "trec"}, {"ties": "input"}])
def test_what_would_change_nothing_is_refused(option):
    new, old = (assay.evaluate(QRELS, run, ["rr"]) for run in (OLD, OLD))
    (name,) = option
    with pytest.raises(assay.PolicyError, match=f"{name} cannot be set here: both sides are finished results"):
        assay.gate(None, new, baseline=old, max_drop={"rr": 0.1}, **option)
    with pytest.raises(assay.PolicyError, match=f"{name} cannot be set here: the run is a finished result"):
        assay.gate(None, new, {"rr": 0.1}, **option)
    if name not in ("format", "depth", "ties"):
        assert assay.gate(QRELS, OLD, baseline=old, max_drop={"rr": 0.1}, **option).passed


def test_an_export_is_no_stored_result_and_the_message_says_so(tmp_path):
    (tmp_path / "export.json").write_text(assay.evaluate(QRELS, OLD, ["rr"]).to_json())
    for options in ({"minimum": {"rr": 0.1}, "run": tmp_path / "export.json"},
                    {"run": OLD, "baseline": tmp_path / "export.json", "max_drop": {"rr": 0.1}}):  # fmt: skip
        with pytest.raises(assay.FormatError, match="it looks like what `to_json` gives, which cannot be read back"):
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
    (
        assay.evaluate({"q00": ["d"]}, {"q00": ["d"]}, ["rr"]),
        "the baseline lacks 39 queries of the other side: 'q01', 'q02'",
    ),
    (
        assay.evaluate({**QRELS, "new": ["d"]}, OLD, ["rr"]),
        "the run lacks 1 query of the other side: 'new'; score both with the same judgments",
    ),
    (assay.evaluate({"p": ["d"]}, {"p": ["d"]}, ["rr"]), "run and baseline have no query in common: the run has 'q00'"),
    (
        assay.evaluate(QRELS, OLD, ["rr"], ties="input"),
        "run and baseline cannot be compared: the results do not mean the same by rr: ties=docid_desc and ties=input",
    ),
]


@pytest.mark.parametrize(("baseline", "message"), MISMATCHES)
def test_a_baseline_of_something_else_is_refused(baseline, message):
    with pytest.raises(assay.MismatchError) as caught:
        assay.gate(QRELS, WORSE, baseline=baseline, max_drop={"rr": 0.1})
    assert message in str(caught.value)


def test_a_baseline_without_the_measure_is_refused():
    with pytest.raises(
        assay.MeasureError, match="the baseline lacks a measure: 'rr' was not computed; this result has ap"
    ):
        assay.gate(QRELS, WORSE, baseline=assay.evaluate(QRELS, OLD, ["ap"]), max_drop={"rr": 0.1})


def test_runs_that_lack_queries():
    short = {query: OLD[query] for query in QUERIES[:30]}
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"rr": 0.1}))
    assert check.drop == 0.25
    with pytest.raises(assay.MismatchError, match="the run lacks 10 queries of the other side"):
        assay.gate(QRELS, short, baseline=OLD, max_drop={"rr": 0.1}, missing="skip")
    with pytest.raises(assay.MismatchError, match="judgments and run have no query in common"):
        assay.gate(QRELS, {"p": ["d"]}, {"rr": 0.1})


WRONG = [
    ({}, "there is nothing to check"),
    ({"minimum": {}}, "there is nothing to check"),
    ({"max_drop": {"rr": 0.1}}, "max_drop needs a baseline"),
    ({"baseline": OLD}, "a baseline needs max_drop"),
    ({"minimum": 0.5}, 'minimum must be a dict such as {"ndcg@10": 0.1}'),
    ({"minimum": {"rr": "high"}}, "minimum of 'rr' must be a number, not 'high'"),
    ({"minimum": {"rr": True}}, "minimum of 'rr' must be a number, not 'True'"),
    ({"minimum": {"rr": math.nan}}, "minimum of 'rr' must be a number, not 'nan'"),
    ({"minimum": {"rr": 10**400}}, "minimum of 'rr' must be a number"),
    ({"baseline": OLD, "max_drop": {"rr": -0.1}}, "max_drop of 'rr' must be a number from 0, not '-0.1'"),
    ({"minimum": {"rr": 0.1}, "alpha": 0}, "alpha must be a number between 0 and 1"),
    ({"minimum": {"rr": 0.1}, "alpha": 0.5}, "alpha must be below 0.5"),
    ({"minimum": {"rr": 0.1}, "alpha": "low"}, "alpha must be a number"),
    (
        {"minimum": {"rr": 0.1}, "test": "wilcoxon"},
        "test must be 'randomization' or 't' or 'bootstrap', not 'wilcoxon'",
    ),
    ({"minimum": {"rr": 0.1}, "strict": "yes"}, "strict must be True or False, not 'yes'"),
    ({"minimum": {"rr": 0.1}, "seed": -1}, "seed must be"),
    ({"minimum": {"rr": 0.1}, "samples": 0}, "samples must be"),
    ({"minimum": {"rr": 0.1}, "tie": "input"}, "there is no option 'tie'"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(assay.PolicyError) as caught:
        assay.gate(QRELS, OLD, **options)
    assert message in str(caught.value)


SPELLINGS = [
    ({"minimum": {"rr": 0.1, "RR": 0.2}}, "minimum: 'rr' and 'RR' are the same measure; give it one limit"),
    ({"minimum": {"ap": 0.1, assay.parse_measure("ap"): 0.2}}, "minimum: 'ap' has two limits"),
    ({"max_drop": {"ndcg@10": 0.1, "nDCG@10": 0.1}}, "max_drop: 'ndcg@10' and 'nDCG@10' are the same measure"),
    ({"max_drop": {"ap": 0.1, "map": 0.1}, "convention": "trec_eval"}, "'ap' and 'map' are the same measure"),
]


@pytest.mark.parametrize(("options", "message"), SPELLINGS)
def test_two_limits_for_one_measure_are_refused(options, message):
    baseline = OLD if "max_drop" in options else None
    with pytest.raises(assay.PolicyError) as caught:
        assay.gate(QRELS, WORSE, baseline=baseline, **options)
    assert message in str(caught.value)


def test_two_limits_for_one_measure_of_finished_results_are_refused():
    new, old = (assay.evaluate(QRELS, run, ["rr", "recip_rank"]) for run in (WORSE, OLD))
    with pytest.raises(assay.PolicyError, match="'rr' and 'recip_rank' are the same measure"):
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
    with pytest.raises(assay.MeasureError, match="there is no measure 'nonsense'"):
        assay.gate(QRELS, OLD, {"nonsense": 0.1})
    with pytest.raises(
        assay.MeasureError, match=r"'P.5,10' stands for several measures; set a limit for each of P_5, P_10"
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
    assert "convention=trec_eval" in report.signature
    assert report.signature.endswith("gate: test=randomization seed=0 correction=holm alpha=0.05")
    assert not assay.gate(qrels, WORSE, {"recip_rank": 0.5}).passed


@pytest.mark.parametrize("test", ["randomization", "t", "bootstrap"])
def test_the_same_seed_gives_the_same_numbers(test):
    reports = [assay.gate(QRELS, NOISY, baseline=MIXED, max_drop={"rr": 0.1}, test=test, seed=3) for _ in range(2)]
    assert reports[0].to_json() == reports[1].to_json()
    assert 0.001 < one(reports[0]).p < 0.5


PRINTED = """\
gate failed, 2 of 3 checks

FAIL  rr   0.5000 is below the 0.6000 that is asked
pass  P@1  0.0000, at least 0.0000 is asked
FAIL  rr   0.5000 after 1.0000: worse by 0.5000 where 0.1000 is allowed; chance does not explain it (p < 0.0001)

worst queries by rr
  q00  0.5000
      d (grade 1): rank 2
"""


def test_print_is_short_and_shows_the_worst_queries():
    text = str(assay.gate(QRELS, WORSE, {"rr": 0.6, "P@1": 0.0}, baseline=OLD, max_drop={"rr": 0.1}))
    assert text.startswith(PRINTED)
    assert (
        "worst queries by rr, from the baseline to the run\n  q00  1.0000 → 0.5000  (-0.5000)\n      d (grade 1): rank 1 → 2\n"
        in text
    )
    passed = assay.gate(QRELS, OLD, {"rr": 0.6})
    assert str(passed) == "gate passed, 1 check\n\npass  rr  1.0000, at least 0.6000 is asked"
    assert repr(passed) == "<GateReport: passed, 1 check>"


def test_many_documents_are_cut_short():
    qrels = {"q": {f"d{n}": 1 for n in range(6)}}
    assert one(assay.gate(qrels, {"q": ["d3"]}, {"ap": 1.0})).worst[0].documents == (
        "d0 (grade 1): not retrieved",
        "d1 (grade 1): not retrieved",
        "d2 (grade 1): not retrieved",
        "and 3 more",
    )


def test_json_has_every_field_and_no_nan():
    report = assay.gate({"q": ["d"]}, {"q": ["x", "d"]}, baseline={"q": ["d"]}, max_drop={"rr": 0.1})
    content = json.loads(report.to_json())
    assert content["passed"] is True
    assert list(content) == ["passed", "checks", "signature", "alpha", "strict", "test", "samples", "seed", "notes"]
    (check,) = content["checks"]
    assert check["detectable"] is None
    assert check["too_few"] is True
    assert check["worst"] == [{"query": "q", "value": 0.5, "baseline": 1.0, "documents": ["d (grade 1): rank 1 → 2"]}]
    assert content["samples"] == 100_000
    assert "NaN" not in report.to_json()


def test_tables_have_a_row_for_each_check():
    report = assay.gate(QRELS, WORSE, {"rr": 0.6}, baseline=OLD, max_drop={"rr": 0.1})
    assert report.to_csv().splitlines()[0] == (
        "result,measure,check,value,limit,baseline,drop,p,p_corrected,detectable,queries,reason"
    )
    assert report.to_csv().splitlines()[1].startswith("FAIL,rr,minimum,0.5,0.6,,,,,,40,")
    assert report.to_polars()["drop"].to_list() == [None, 0.5]
    assert report.to_pandas().shape == (2, 13)
    assert "<td" in report.to_html()
    assert "\\toprule" in report.to_latex()


def test_markdown_is_what_a_build_shows():
    query = "a|b <i>"
    text = assay.gate({query: ["d"]}, {query: ["x", "d"]}, {"rr": 0.6}).to_markdown()
    assert text.startswith(
        "## assay gate: failed, 1 of 1 check\n\n| result | measure | reason |\n| --- | --- | --- |\n"
        "| FAIL | rr | 0.5000 is below the 0.6000 that is asked |\n\n"
        "| worst queries by rr | run | relevant documents |\n| --- | ---: | --- |\n"
        "| a\\|b &lt;i&gt; | 0.5000 | d (grade 1): rank 2 |\n\nassay "
    )


def test_a_terminal_is_sent_no_commands():
    red = "\x1b[31mred"
    text = str(assay.gate({red: [red]}, {red: ["x", red]}, {"rr": 0.6}))
    assert "\\x1b[31mred" in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_lists_must_pair_up():
    with pytest.raises(assay.MismatchError, match="lists must pair up"):
        assay.gate([["a"], ["b"]], [["a"]], {"rr": 0.1})


def test_a_stored_measure_that_is_not_defined_can_be_gated(costs, tmp_path):
    for name, run in (("old", OLD), ("new", WORSE)):
        assay.evaluate(QRELS, run, [costs]).save(tmp_path / name)
    assay.remove_measure(costs)
    report = assay.gate(None, tmp_path / "new", baseline=tmp_path / "old", max_drop={costs: 0.5})
    assert not report.passed
    assay.measure(costs, formula="x")(lambda judged: judged.retrieved)


@pytest.mark.parametrize("test", ["t", "bootstrap", "randomization"])
@pytest.mark.parametrize(("queries", "passed"), [(2, True), (4, True), (5, False), (20, False)])
def test_a_drop_that_is_the_same_on_every_query_takes_five_of_them(test, queries, passed):
    qrels = {f"q{number}": ["d"] for number in range(queries)}
    runs = [dict.fromkeys(qrels, order) for order in (["x", "d"], ["d"])]
    gate = assay.gate(qrels, runs[0], baseline=runs[1], max_drop={"rr": 0.1}, test=test)
    assert gate.checks[0].passed is passed
    assert gate.checks[0].too_few is passed
    assert ("no drop can be found" in gate.checks[0].reason) is passed
