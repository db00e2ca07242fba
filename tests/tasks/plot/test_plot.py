"""`assay.plot` and the methods: every kind from data, and what cannot be drawn."""

import numpy as np
import pytest

import assay
from assay.core.errors import NeedError
from assay.core.measure import Measure
from assay.measures import TABLE
from assay.render.charts.kinds import KINDS
from assay.tasks.compare import plot as compare_plot
from assay.tasks.compare.plot import material, values_at
from assay.tasks.compare.report import charts_of
from charts import NAMES, RUN_KINDS, collection, records
from tables import for_each

QRELS, RUNS = collection(queries=12)
call = Measure.__call__
PAIR = {"a": "bm25", "b": "dense"}


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(QRELS, RUNS, ["ndcg@10", "ap"], test="t")


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_the_same_from_data_and_from_a_comparison(comparison, kind):
    pair = PAIR if kind in ("queries", "scatter") else {}
    test = {"test": "t"} if kind in ("differences", "critical_difference") else {}
    found = assay.plot(kind, QRELS, RUNS, ["ndcg@10", "ap"], **pair, **test)
    assert found.spec == comparison.plot(kind, **pair).spec


def test_other_kinds_from_data():
    assert assay.plot("blame", records(), None, ["recall", "answer_f1"]).title.startswith("Answers with")
    assert assay.plot("agreement", QRELS, QRELS).title == "Documents by grade"
    assert assay.plot("latency", records()).title == "Latency"


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_one_run_is_enough_or_not(kind):
    run = {"bm25": RUNS["bm25"]}
    if KINDS[kind].fewest_runs == 1:
        assert assay.plot(kind, QRELS, run, ["ndcg@10"]).spec["data"]["values"]
    else:
        with pytest.raises(assay.errors.DataError, match=r"needs at least (two|three) runs, got 1"):
            assay.plot(kind, QRELS, run, ["ndcg@10"])


def test_what_is_broken_is_no_unmet_need(comparison, monkeypatch, tmp_path):
    def broken(*_):
        raise assay.errors.MeasureError("broken")

    monkeypatch.setattr(compare_plot, "draw_scores", broken)
    with pytest.raises(assay.errors.MeasureError, match="broken"):
        comparison.report(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_a_report_says_which_charts_it_has_not_and_what_they_need(comparison):
    stored = assay.compare(None, {name: comparison.results[name] for name in NAMES[:2]}, ["ap"], test="t")
    charts, unmet = charts_of(stored)
    assert [each["title"] for each in charts] == ["Critical differences"]
    assert unmet[0].startswith("By cutoff: the chart 'cutoff' needs the rankings of runs, and a comparison of finished")
    assert unmet[4] == "Agreement of measures: the chart 'measures' needs at least three runs, got 2"
    headings = [each.heading for each in KINDS.values() if each.heading]
    assert [each["title"] for each in charts_of(comparison)[0]] == headings


def test_all_cutoffs_at_once_are_what_each_gives(comparison):
    judged = material(comparison)["rankings"].ranks.judged["dense", "ap"]
    assert 4 * len(judged.hits.rank) < compare_plot.MOST_HITS
    at_once = []
    for definition in TABLE.values():
        if definition.of != "rankings" or "k" not in definition.parameters:
            continue
        try:
            expected = {k: definition(k=k)(judged) for k in (1, 2, 5, 20)}
        except (assay.AssayError, TypeError):
            continue
        found = values_at(definition(k=3), judged, list(expected))
        for k, values in zip(expected, found, strict=True):
            np.testing.assert_array_equal(values, expected[k], err_msg=f"{definition.name}@{k}")
        at_once.append(definition.name)
    assert {"ndcg", "ap", "rr", "recall", "precision", "judged", "hit_rate", "rbp"} <= {*at_once}


def test_a_curve_of_few_hits_is_one_call(monkeypatch):
    calls = []
    comparison = assay.compare(*collection(queries=2), ["ndcg@10", "ap"], test="t")
    monkeypatch.setattr(Measure, "__call__", lambda self, subject: calls.append(1) or call(self, subject))
    for kind in ("cutoff", "judged"):
        comparison.plot(kind, measure="ndcg@10")
    # The first cutoff, the last and all at once, of each run.
    assert len(calls) == 2 * 3 * len(RUNS)


def test_stored_results(tmp_path, comparison):
    comparison.results.save(tmp_path)
    files = [tmp_path / f"{name}.json" for name in NAMES]
    assert assay.plot("means", None, files).spec == comparison.results.plot().spec
    assert assay.plot("differences", None, files, test="t").spec == comparison.plot().spec
    needed = "'cutoff' needs the rankings of runs, and a"
    with pytest.raises(assay.errors.DataError, match=f"{needed} stored result has none"):
        assay.plot("cutoff", None, files)
    with pytest.raises(assay.errors.DataError, match=f"{needed} comparison of finished results has none"):
        assay.compare(None, comparison.results).plot("cutoff")


def test_probe_has_latency_and_means():
    run = assay.Run({"q1": ["a"]})
    result = assay.evaluate({"q1": ["a"]}, run, ["rr"])
    probe = assay.Probe(result, run, {}, {"q1": 0.25}, asked=1, elapsed=1.0)
    assert probe.plot().caption == "1 successful call; mean 250.0 ms."
    assert probe.plot("means").spec["data"]["values"][0]["mean"] == 1
    with pytest.raises(assay.errors.DataError, match="the chart 'blame' needs answers, and a probe has none; use rag"):
        probe.plot("blame")


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_an_object_lacks_names_the_calls_that_have_it(comparison, kind):
    results = comparison.results
    agreement = assay.agree(QRELS, QRELS)
    rag = assay.evaluate_rag(records(), ["recall", "answer_f1"])
    for made in (results["bm25"], results, comparison, agreement, rag):
        try:
            made.plot(kind, **(PAIR if kind in ("queries", "scatter") and made in (results, comparison) else {}))
        except NeedError as error:
            assert f"the chart '{kind}' needs " in str(error)
            assert ".plot(" in str(error)


SCORES = {"q1": {"mine": 0.5}, "q2": {"mine": 0.7}}
REFUSED = [
    (lambda _: assay.plot("mean", QRELS, RUNS), r"unknown kind of chart 'mean'; did you mean 'means'\? assay.plot has means, diff"),
    (lambda _: assay.evaluate(QRELS, RUNS["bm25"]).plot("<b>"), r"unknown kind of chart '<b>'; a result has means"),
    (lambda made: made.plot("queries"), "there are 3 runs; name two of them with a and b, such as 'bm25' and 'dense'"),
    (lambda made: made.plot("queries", a="x", b="dense"), "unknown run 'x'"),
    (lambda made: made.plot("scatter", a="dense", b="dense"), "need two different runs"),
    (lambda made: made.plot("differences", a="x"), "unknown run 'x'"),
    (lambda _: assay.plot("cutoff", QRELS, RUNS, ["bpref"]), "bpref has no cutoff"),
    (lambda _: assay.plot("critical_difference", QRELS, RUNS, ["ap"], baseline="bm25", test="t"), "compare without a baseline"),
    (lambda _: assay.plot("runs", QRELS, {name: iter(run.items()) for name, run in RUNS.items()}, ["ap"]), "a frame or a file, not dict_itemiterator"),
    (lambda _: assay.agree(SCORES, SCORES, ["score:mine"]).plot(), r"set threshold=0\.5"),
]  # fmt: skip


@for_each("draw, message", REFUSED)
def test_what_cannot_be_drawn(comparison, draw, message):
    with pytest.raises(assay.AssayError, match=message):
        draw(comparison)


def test_many_runs_show_the_pairs_of_the_best():
    qrels, runs = collection([f"run {number:02}" for number in range(14)], 10)
    chart = assay.plot("differences", qrels, runs, ["ap"], test="t")
    assert len(chart.spec["data"]["values"]) == 13
    assert "Of 91 pairs, those with 'run 00', the best run, are shown." in chart.caption
    # Long names that begin alike stay apart.
    qrels, runs = collection([f"{'a long name of a system ' * 3}{number}" for number in range(3)], 8)
    rows = assay.plot("differences", qrels, runs, ["ap"], test="t").spec["data"]["values"]
    assert len({row["pair"] for row in rows}) == 3


def test_one_query():
    qrels, runs = {"q1": {"a": 1, "b": 0}}, {"x": {"q1": ["a", "b"]}, "y": {"q1": ["b", "a"]}}
    for kind in RUN_KINDS:
        if kind != "measures":
            assert assay.plot(kind, qrels, runs, ["rr@10"]).draw("svg")
