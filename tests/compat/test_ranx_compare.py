"""`compare` of the ranx drop-in: the report's shape is ranx's, the tests are assay's."""

import json

import numpy as np
import pytest
from scipy import stats

import assay
from assay.compat import ranx as ours
from assay.compat.ranx import Qrels, Run, compare
from real_ranx import ranx as real

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("ranx")]  # one worker, so that ranx compiles once

GENERATOR = np.random.default_rng(3)
QUERIES = [f"q{number:02}" for number in range(30)]
# As long as those of the other files, so that ranx compiles nothing twice.
DOCUMENTS = [f"d{number:02}" for number in range(10)]
JUDGED = {query: {each: int(GENERATOR.integers(0, 3)) for each in DOCUMENTS[:6]} | {"d06": 1} for query in QUERIES}
RANKED = {
    name: {
        query: {each: float(GENERATOR.normal() + bonus * JUDGED[query].get(each, 0)) for each in DOCUMENTS}
        for query in QUERIES
    }
    for name, bonus in {"low": 0.0, "mid": 0.4, "high": 2.0}.items()
}
METRICS = ["map", "ndcg@5", "mrr"]


def runs(module=ours):
    return [module.Run(rankings, name=name) for name, rankings in RANKED.items()]


@pytest.fixture(scope="module")
def reports():
    theirs = real.compare(real.Qrels(JUDGED), runs(real), METRICS, max_p=0.05)
    return compare(Qrels(JUDGED), runs(), METRICS, max_p=0.05), theirs


def test_the_report_holds_what_ranxs_holds(reports):
    mine, theirs = reports
    found, expected = mine.to_dict(), theirs.to_dict()
    assert list(found) == list(expected)
    for model in RANKED:
        assert found[model]["win_tie_loss"] == expected[model]["win_tie_loss"]
        assert found[model]["scores"] == pytest.approx(expected[model]["scores"])
        for other, values in expected[model]["comparisons"].items():
            assert found[model]["comparisons"][other] == pytest.approx(values)
    assert mine.comparisons["low", "high"] == mine.comparisons[{"high", "low"}]
    assert mine.comparisons[{"low", "high"}]["map"]["significant"] is True
    assert mine.to_dataframe().columns.tolist() == ["model_names", *METRICS]


def test_the_tests_are_assays():
    low, mid = (assay.evaluate(JUDGED, RANKED[name], "map", convention="ranx").scores["map"] for name in ("low", "mid"))
    fisher = compare(Qrels(JUDGED), runs(), "map", "fisher", 20_000)
    how = {"permutation_type": "samples", "n_resamples": 20_000, "rng": 1}
    expected = stats.permutation_test((low, mid), lambda a, b: np.mean(a - b), **how)
    assert fisher.comparisons["low", "mid"]["map"]["p_value"] == pytest.approx(expected.pvalue, abs=0.02)
    again = compare(Qrels(JUDGED), runs(), "map", "fisher", 20_000)
    assert fisher.to_dict() == again.to_dict()
    tukey = compare(Qrels(JUDGED), runs(), "map", "tukey")
    pairs = assay.compare(JUDGED, RANKED, "ranx:map", test="tukey").pairs
    for pair in pairs:
        assert tukey.comparisons[pair.a, pair.b]["map"]["p_value"] == pytest.approx(pair.p)


def test_it_is_written_as_asked(reports, tmp_path):
    found, _ = reports
    lines = found.to_table().splitlines()
    assert lines[0].split() == ["run", *METRICS]
    assert lines[4].split()[:2] == ["c", "high"]
    assert lines[4].split()[3] == "ab"
    assert r"\textbf{" in found.to_latex()
    found.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == found.to_dict()
    percent = compare(Qrels(JUDGED), runs(), "map", rounding_digits=4, show_percentages=True)
    mean = percent.results["high"]["map"]
    assert f"{100 * mean:.2f}" in percent.to_table()
    many = [Run(RANKED["mid"], name=f"run {number}") for number in range(30)]
    assert "ad  run 29" in compare(Qrels(JUDGED), many, "map").to_table()


def test_bad_arguments():
    one = Run(RANKED["mid"], name="one")
    said = "stat_test must be 'student' or 'fisher' or 'tukey', not 'anova'"
    with pytest.raises(assay.errors.PolicyError, match=said):
        compare(Qrels(JUDGED), [one, Run(RANKED["low"], name="two")], "map", "anova")
    with pytest.raises(assay.errors.DataError, match="two runs are named 'one'"):
        compare(Qrels(JUDGED), [one, one], "map")
