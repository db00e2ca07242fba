"""The gate: what passes and what fails."""

import math

import numpy as np
import pytest

import assay
from assay.stats.intervals import detectable_difference, deviation
from gates import MIXED, NOISY, OLD, QRELS, QUERIES, WORSE, one, ranks
from tables import for_each


@pytest.fixture
def costs():
    """A measure where lower is better: the rank of the document."""

    @assay.extend.measure("rank_found", formula="rank", higher_is_better=False, range=(0, math.inf))
    def rank_found(judged):
        hits = judged.relevant(1)
        return hits.sum(hits.rank.astype(float))

    yield "rank_found"
    assay.extend.remove_measure("rank_found")


MINIMA = [
    (OLD, 1.0, True, "1.0000 (minimum 1.0000)"),
    (WORSE, 0.5, True, "0.5000 (minimum 0.5000)"),
    (WORSE, 0.5001, False, "0.5000 (minimum 0.5001), 0.0001 too low"),
    (WORSE, 0.500004, False, "0.500000 (minimum 0.500004), 0.000004 too low"),
    (WORSE, 0.5 + 1e-12, True, "0.5000 (minimum 0.5000)"),
    (MIXED, 0.9, False, "0.8750 (minimum 0.9000), 0.0250 too low"),
    (MIXED, -1, True, "0.8750 (minimum -1.0000)"),
]


@for_each("run, least, passed, reason", MINIMA)
def test_a_minimum(run, least, passed, reason):
    report = assay.gate(QRELS, run, {"rr": least})
    check = one(report)
    assert (report.passed, check.passed, bool(report)) == (passed, passed, passed)
    assert check.reason == reason
    assert (check.check, check.measure, check.limit, check.queries) == ("minimum", "rr", least, 40)
    assert check.baseline is check.drop is check.p is check.detectable is None


def test_a_minimum_of_a_measure_where_lower_is_better_is_the_most_it_may_be(costs):
    assert one(assay.gate(QRELS, WORSE, {costs: 2.0})).reason == "2.0000 (maximum 2.0000)"
    check = one(assay.gate(QRELS, NOISY, {costs: 1.2}))
    assert not check.passed
    assert check.reason == "1.5000 (maximum 1.2000), 0.3000 too high"
    assert [worst.after for worst in check.worst] == [2.0] * 5


def test_the_worst_queries_of_a_minimum_stand_with_their_documents():
    check = one(assay.gate(QRELS, ranks(3, 1, 1, 1, 1, 1, 1, 1), {"rr": 0.99}))
    assert [worst.query for worst in check.worst] == ["q00", "q08", "q16", "q24", "q32"]
    assert check.worst[0] == ("q00", None, 1 / 3, (("d", 1, None, 3, pytest.approx(-2 / 3), None),), False, None)
    missing = {**OLD, "q07": ["x"]}
    worst = one(assay.gate(QRELS, missing, {"rr": 0.99})).worst[0]
    assert worst == ("q07", None, 0.0, (("d", 1, None, None, -1.0, None),), False, None)


# A row: run, most that may be lost, passes, passes strictly, the reason after both means.
DROPS = [
    (OLD, 0.0, True, True, "unchanged"),
    (WORSE, 0.1, False, False, "dropped 0.5000 (limit 0.1000); significant, p < 0.0001"),
    (WORSE, 0.5, True, True, "dropped 0.5000 (limit 0.5000)"),
    (WORSE, 0.6, True, True, "dropped 0.5000 (limit 0.6000)"),
    (MIXED, 0.01, False, False, "dropped 0.1250 (limit 0.0100); significant, p = 0.00"),
    (ranks(2, *[1] * 39), 0.01, True, False, "dropped 0.0125 (limit 0.0100); not significant, p = 0.5000; too few queries to tell"),
]  # fmt: skip


@for_each("run, most, passes, strictly, reason", DROPS)
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
    assert check.reason == "0.5000 → 1.0000, improved by 0.5000"
    assert check.p == pytest.approx(1, abs=1e-5)
    assert check.worst == ()


# A row: run, baseline, most that may be lost; the drop, what is detectable, whether the queries are too few, the reason.
OPEN = [
    (ranks(2, 1, 1, 1), ranks(1, 2, 1, 1), 0.01, 0.0, 0.1533, True, "0.8750 → 0.8750, unchanged; too few queries to tell: 40 queries only detect drops of 0.1533 or more"),
    # A drop larger than allowed that may be chance is never passed without a word.
    (ranks(2, 2, 1, 1), OLD, 0.22, 0.25, 0.3213, True, "(limit 0.2200); not significant, p = 0."),
    (ranks(2, 2, 1, 1), OLD, 0.22, 0.25, 0.3213, True, "; too few queries to tell: 40 queries only detect drops of 0.3"),
    # A small drop that is left open is not worth a word.
    (ranks(2, 2, 1, 1), OLD, 0.28, 0.25, 0.3813, False, "dropped 0.2500 (limit 0.2800)"),
]  # fmt: skip


@for_each("case", OPEN)
def test_a_drop_that_the_queries_leave_open_passes_and_the_reason_says_so(case):
    run, old, most, drop, detected, too_few, reason = case
    check = one(assay.gate(QRELS, run, baseline=old, max_drop={"rr": most}))
    assert (check.passed, check.drop, check.too_few, check.p < 0.95) == (True, drop, too_few, True)
    assert check.detectable == pytest.approx(detected, abs=1e-4)
    assert reason in check.reason


def test_many_queries_tell_and_nothing_is_said():
    qrels = {f"q{number}": ["d"] for number in range(4000)}
    old, new = ({query: ["d"] if n % 9 > most else ["x", "d"] for n, query in enumerate(qrels)} for most in (0, 1))
    check = one(assay.gate(qrels, new, baseline=old, max_drop={"rr": 0.07}, test="t"))
    assert not check.too_few
    assert check.reason.endswith("dropped 0.0556 (limit 0.0700)")


def test_several_drops_are_corrected_together():
    report = assay.gate(QRELS, MIXED, baseline=OLD, max_drop={"rr": 0.05, "ap": 0.05, "recall@1": 0.1})
    raw = [check.p for check in report.checks]
    assert raw[0] == raw[1]
    holm = [max((3 - rank) * p for rank, p in enumerate(sorted(raw)) if p <= each) for each in raw]
    assert [check.p_corrected for check in report.checks] == pytest.approx(holm, rel=1e-9)


def test_a_drop_of_a_measure_where_lower_is_better(costs):
    check = one(assay.gate(QRELS, WORSE, baseline=OLD, max_drop={costs: 0.5}))
    assert not check.passed
    assert check.drop == 1.0
    assert check.reason.startswith("1.0000 → 2.0000, rose 1.0000 (limit 0.5000)")
    assert check.worst[0][:3] == ("q00", 1.0, 2.0)
    assert one(assay.gate(QRELS, OLD, baseline=WORSE, max_drop={costs: 0})).reason.endswith("improved by 1.0000")


def test_a_limit_of_a_sum_is_one_of_the_sum():
    short = {query: ["d"] if number >= 10 else ["x"] for number, query in enumerate(QUERIES)}
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"num_rel_ret": 10}))
    assert (check.drop, check.passed, check.value) == (10.0, True, 30.0)
    check = one(assay.gate(QRELS, short, baseline=OLD, max_drop={"num_rel_ret": 1}))
    assert not check.passed
    spread = deviation(np.array([-1.0] * 10 + [0.0] * 30))
    assert check.detectable == pytest.approx(1 + 40 * detectable_difference(40, 2 * 0.05, spread))


def test_what_is_no_mean_of_its_queries_is_tested_only_strictly():
    assert assay.gate(QRELS, WORSE, {"gm_ap": 0.4}).passed
    untested = "is not a mean over queries, so its drop cannot be tested"
    with pytest.raises(assay.errors.MeasureError, match=f"gm_ap {untested}"):
        assay.gate(QRELS, WORSE, baseline=OLD, max_drop={"gm_ap": 0.1})
    check = one(assay.gate(QRELS, WORSE, baseline=OLD, max_drop={"gm_ap": 0.1}, strict=True))
    assert not check.passed
    assert check.reason == "1.0000 → 0.5000, dropped 0.5000 (limit 0.1000)"
    good, bad = (assay.evaluate_answers(["a b c d e"] * 9, [each] * 9, "bleu") for each in ("a b c d e", "a b c d f"))
    with pytest.raises(assay.errors.MeasureError, match=f"bleu {untested}"):
        assay.gate(None, bad, baseline=good, max_drop={"bleu": 1})
    check = one(assay.gate(None, bad, baseline=good, max_drop={"bleu": 1}, strict=True))
    assert (check.passed, check.value) == (False, bad["bleu"])


def test_queries_without_a_value_are_left_out_with_a_note():
    qrels = {**QRELS, "none": {"d": 0}}
    run, old = {**WORSE, "none": ["d"]}, {**OLD, "none": ["d"]}
    report = assay.gate(qrels, run, baseline=old, max_drop={"rr": 0.1}, no_relevant="nan")
    assert one(report).queries == 40
    assert "rr: 1 query left out of the drop; no value on one side" in [str(note) for note in report.notes]
    assert one(assay.gate(qrels, run, {"rr": 0.5}, no_relevant="nan")).queries == 40


@for_each("test", ["t", "bootstrap", "randomization"])
@for_each("queries, passed", [(1, True), (3, True), (4, True), (5, False), (20, False)])
def test_a_drop_that_is_the_same_on_every_query_takes_five_of_them(test, queries, passed):
    qrels = {f"q{number}": ["d"] for number in range(queries)}
    runs = [dict.fromkeys(qrels, order) for order in (["x", "d"], ["d"])]
    gate = assay.gate(qrels, runs[0], baseline=runs[1], max_drop={"rr": 0.1}, test=test)
    check = gate.checks[0]
    assert (check.passed, check.too_few) == (passed, passed)
    assert math.isnan(check.detectable)
    assert ("too few queries to tell: " in check.reason and "cannot detect any drop" in check.reason) is passed
