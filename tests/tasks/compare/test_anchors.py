"""Comparisons that human labels anchor: `human=` of `compare`, anchored results, and what the gate does with them."""

import json
from io import BytesIO

import numpy as np
import pytest

import assay
from assay.stats.anchored import anchored_mean

QUERIES = [f"q{number:03}" for number in range(150)]
GENERATOR = np.random.default_rng(4)
TRUTH = {query: {f"d{GENERATOR.integers(8)}": 1} for query in QUERIES}
OLD = {query: [f"d{each}" for each in GENERATOR.permutation(8)] for query in QUERIES}
# The new run has the relevant document first in half of the queries.
NEW = {query: [*TRUTH[query], *OLD[query]] if GENERATOR.random() < 0.5 else OLD[query] for query in QUERIES}
NEW = {query: list(dict.fromkeys(documents)) for query, documents in NEW.items()}
# The judge prefers what the old run has on top.
JUDGE = {query: {**TRUTH[query], OLD[query][0]: 1} if GENERATOR.random() < 0.3 else TRUTH[query] for query in QUERIES}


def labels(queries):
    return {query: TRUTH[query] for query in queries}


HUMAN = labels(QUERIES[:80])
RUNS = {"old": OLD, "new": NEW}


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(JUDGE, RUNS, ["rr", "ndcg@10"], human=HUMAN)


def test_differences_are_anchored(comparison):
    judge = {name: assay.evaluate(JUDGE, run, "rr").scores["rr"] for name, run in RUNS.items()}
    people = {name: assay.evaluate(HUMAN, run, "rr").scores["rr"] for name, run in RUNS.items()}
    human = np.concatenate([people["new"] - people["old"], np.full(70, np.nan)])
    same = anchored_mean(judge["new"] - judge["old"], human)
    pair = comparison.pair("rr", "old", "new")
    assert (pair.difference, pair.low, pair.high, pair.p) == pytest.approx((same.value, same.low, same.high, same.p))
    assert comparison.anchored(pair).human == 80
    assert pair.difference > judge["new"].mean() - judge["old"].mean()


def test_it_is_shown(comparison):
    pair = comparison.pair("rr", "old", "new")
    anchor = comparison.anchored(pair)
    assert comparison.settings.test == "ppi"
    assert "test=ppi correction=holm family=measure alpha=0.05 interval=ppi" in str(comparison.signature)
    assert "prediction-powered t test" in comparison.caption
    labels = "differences are anchored by human labels, each on its own"
    for said in ("new beats old on rr: +", "detectable  human  lambda    gain", labels):
        assert said in str(comparison)
    record = json.loads(comparison.to_json())["comparisons"][0]
    assert (record["human"], record["lambda"], record["gain"]) == (80, anchor.weight, anchor.gain)
    assert "human" in comparison.to_polars().columns
    assert comparison.to_csv().splitlines()[0].endswith("detectable,human,lambda,gain,signature")
    # The means of two runs differ by the difference.
    (_, _, old, _), (_, _, new, _) = comparison.table().rows
    assert new.value - old.value == pytest.approx(pair.difference)
    plain = assay.compare(TRUTH, RUNS, "rr")
    assert plain.anchored(plain.pairs[0]) is None
    assert "lambda" not in str(plain)
    assert "human" not in json.loads(plain.to_json())["comparisons"][0]


def test_labels_and_runs_in_every_form(comparison, tmp_path):
    names = ["rr", "ndcg@10"]
    anchored = assay.Results({name: assay.evaluate(JUDGE, run, names, human=HUMAN) for name, run in RUNS.items()})
    anchored.save(tmp_path)
    assay.Run(OLD).write(tmp_path / "old.jsonl")
    once = BytesIO((tmp_path / "old.jsonl").read_bytes())
    scored, people = (assay.evaluate_many(qrels, RUNS, names) for qrels in (JUDGE, HUMAN))
    forms = [
        assay.compare(None, anchored),
        assay.compare(None, [tmp_path / "old.json", tmp_path / "new.json"]),
        assay.compare(None, scored, human=people),
        assay.compare(None, scored, human=dict(people.items())),
        assay.compare(JUDGE, {"old": once, "new": NEW}, names, human=HUMAN),
    ]
    for found in forms:
        assert found.pairs == comparison.pairs
    more = assay.compare(JUDGE, {**RUNS, "same": OLD}, "rr", human=HUMAN)
    assert [pair.p_corrected >= pair.p for pair in more.pairs] == [True] * 3
    assert more.pair("rr", "old", "same")[5:9:3] == (0, 1)


def finished(human=None, run=OLD):
    return assay.evaluate(JUDGE, run, "rr", human=human)


ERRORS = {
    "a test": (lambda: assay.compare(JUDGE, RUNS, "rr", human=HUMAN, test="t"), 'leave out test="t"'),
    "no mean": (lambda: assay.compare(JUDGE, RUNS, ["rr", "gm_ap"], human=HUMAN), "gm_ap is not anchored by human labels"),
    "one side": (lambda: assay.compare(None, {"a": finished(HUMAN), "b": finished()}), "'a' has human labels and 'b' has none; anchor all results, or none"),
    "finished": (lambda: assay.compare(None, {"a": finished(), "b": finished()}, human=HUMAN), "a finished result cannot be scored by human judgments"),
    "no common label": (lambda: assay.compare(None, {"a": finished(labels(QUERIES[:50])), "b": finished(labels(QUERIES[50:]))}), "rr: a and b need at least 2 queries with human labels in both, they have 0"),
    "gate": (lambda: assay.gate(None, finished(HUMAN), baseline=finished(), max_drop={"rr": 0.1}), "rr of the baseline has no human labels, and the other side has; anchor both, or none"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    act, message = ERRORS[name]
    with pytest.raises(assay.AssayError, match=message):
        act()


def test_a_gate_takes_anchored_results(comparison):
    old, new = finished(HUMAN), finished(HUMAN, NEW)
    pair = comparison.pair("rr", "old", "new")
    report = assay.gate(None, old, {"rr": 0.1}, baseline=new, max_drop={"rr": 0.01})
    minimum, drop = report.checks
    assert minimum.value == old["rr"]
    assert drop.drop == pytest.approx(pair.difference)
    anchor = comparison.anchored(pair)
    from scipy.stats import t

    assert drop.p == pytest.approx(t.sf((pair.difference - 0.01) / anchor.error, anchor.freedom))
    assert not report.passed
    passed = assay.gate(None, new, baseline=old, max_drop={"rr": 0.01})
    assert passed.passed
    assert passed.checks[0].drop == pytest.approx(-pair.difference)
