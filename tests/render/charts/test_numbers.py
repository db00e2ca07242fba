"""Every number in a chart is that of the table, or of the call that gives it."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

import assay
from assay.render.charts.queries import MOST_POINTS, queries, scatter
from assay.render.charts.systems import cliques
from assay.stats.agreement import common_tau, rank_biased_overlap
from charts import MEASURES, NAMES, collection, records, rows_of
from tables import for_each

QRELS, RUNS = collection()


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(QRELS, RUNS, MEASURES, test="t")


def test_means_are_those_of_the_tables(comparison):
    for chart in (comparison.plot("means"), comparison.results.plot()):
        rows = {(row["run"], row["measure"]): row for row in chart.spec["data"]["values"]}
        assert len(rows) == len(RUNS) * len(MEASURES)
        for (run, measure), row in rows.items():
            result = comparison.results[run]
            assert (row["mean"], row["low"], row["high"]) == (result[measure], *result.interval(measure))
    alone = comparison.results["bm25"].plot().spec["data"]["values"]
    assert [row["mean"] for row in alone] == list(comparison.results["bm25"].mean.values())


def test_means_of_a_comparison_are_over_the_shared_queries():
    numbers = {"a": {"q1": 1.0, "q2": 0.5, "q3": 0.0}, "b": {"q1": 0.5, "q2": 0.25, "q3": float("nan")}}
    records = {
        name: [{"query_id": query, "mine": value} for query, value in each.items()] for name, each in numbers.items()
    }
    given = {name: assay.evaluate_rag(each, ["score:mine"]) for name, each in records.items()}
    rows = assay.compare(None, given).plot("means").spec["data"]["values"]
    assert [row["mean"] for row in rows] == [0.75, 0.375]


def test_differences_are_those_of_the_pairs(comparison):
    rows = comparison.plot("differences").spec["data"]["values"]
    assert len(rows) == len(comparison.pairs)
    for row, pair in zip(rows, comparison.pairs, strict=True):
        assert (row["a"], row["b"], row["measure"]) == (pair.a, pair.b, pair.measure)
        assert (row["difference"], row["low"], row["high"]) == (pair.difference, pair.low, pair.high)
        assert row["p"] == pair.p_corrected
        assert row["wide_low"] < pair.low <= pair.difference <= pair.high < row["wide_high"]
        assert row["outcome"] == {None: "same", pair.a: "worse", pair.b: "better"}[comparison.winner(pair)]


def test_differences_from_the_side_of_one_run(comparison):
    rows = comparison.plot(measure="ap", a="dense").spec["data"]["values"]
    assert [(row["a"], row["b"]) for row in rows] == [("dense", "bm25"), ("dense", "hybrid")]
    pair = comparison.pair("ap", "bm25", "dense")
    assert (rows[0]["difference"], rows[0]["low"], rows[0]["high"]) == (-pair.difference, -pair.high, -pair.low)
    assert -rows[0]["wide_high"] < pair.low < pair.high < -rows[0]["wide_low"]
    # The interval is widened as by Bonferroni.
    row = comparison.plot(measure="ap").spec["data"]["values"][0]
    factor = 2.3939797998185104 / 1.959963984540054  # normal quantiles of 1 - 0.05/6 and 1 - 0.05/2
    assert row["wide_high"] - row["difference"] == pytest.approx(factor * (pair.high - pair.difference))
    assert row["difference"] - row["wide_low"] == pytest.approx(factor * (pair.difference - pair.low))
    for settings in ({"correction": "none"}, {"baseline": "bm25"}):
        runs = RUNS if "correction" in settings else {name: RUNS[name] for name in NAMES[:2]}
        rows = assay.compare(QRELS, runs, ["ap"], test="t", **settings).plot().spec["data"]["values"]
        assert [row["wide_low"] for row in rows] == [None] * len(rows)


def test_bars_are_the_differences_of_the_queries(comparison):
    chart = comparison.plot("queries", measure="ap", a="bm25", b="hybrid")
    before, after = (comparison.results[name].per_query() for name in ("bm25", "hybrid"))
    rows = chart.spec["data"]["values"]
    moved = {query: after[query]["ap"] - before[query]["ap"] for query in before}
    assert {row["query"]: row["difference"] for row in rows} == moved
    assert [row["difference"] for row in rows] == sorted(moved.values(), reverse=True)
    pair = comparison.pair("ap", "bm25", "hybrid")
    counts = [sum(row["outcome"] == each for row in rows) for each in ("better", "same", "worse")]
    assert counts == [pair.wins, pair.ties, pair.losses]
    assert f"better on {pair.wins} of 30 queries, worse on {pair.losses}, the same on {pair.ties}" in chart.caption
    # Of a measure that should be low.
    values = np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 3.0])
    rows = queries(["a", "b", "c"], *values, ("x", "y"), "first_rank", sign=-1).spec["data"]["values"]
    assert [(row["query"], row["outcome"]) for row in rows] == [("b", "better"), ("c", "same"), ("a", "worse")]


def test_points_are_the_values_of_the_queries(comparison):
    rows = rows_of(comparison.plot("scatter", measure="rr@10", a="bm25", b="dense").spec)
    found = [(row["before"], row["after"]) for row in rows if "queries" in row for _ in range(row["queries"])]
    scores = [comparison.results[name].scores["rr@10"].tolist() for name in ("bm25", "dense")]
    assert sorted(found) == sorted(zip(*scores, strict=True))
    # Many points are counted in cells.
    values = np.random.default_rng(0).random((2, MOST_POINTS + 500))
    chart = scatter([str(each) for each in range(values.shape[1])], *values, ("x", "y"), "ap")
    cells = [row for row in rows_of(chart.spec) if "queries" in row]
    assert sum(row["queries"] for row in cells) == values.shape[1]
    assert "counted in 40 × 40 cells" in chart.caption
    for row in cells[:20]:
        inside = (values[0] >= row["before"]) & (values[0] < row["before_end"]) & (values[1] >= row["after"])
        assert row["queries"] == (inside & (values[1] < row["after_end"])).sum()


CURVES = [
    ("cutoff", "ndcg@10", "ndcg@{}"),
    ("cutoff", "recall@5", "recall@{}"),
    ("judged", None, "judged@{}"),
    ("precision_recall", None, "iprec@{}"),
]


@for_each("kind, measure, name", CURVES)
def test_curves_are_what_evaluate_gives(comparison, kind, measure, name):
    rows = comparison.plot(kind, measure=measure).spec["data"]["values"]
    places = [row["x"] for row in rows if row["run"] == "dense"]
    assert places == ([each / 10 for each in range(11)] if kind == "precision_recall" else list(range(1, 101)))
    chosen = places if kind == "precision_recall" else [1, 3, 10, 50, 100]
    for run in NAMES:
        found = {row["x"]: row["y"] for row in rows if row["run"] == run}
        result = assay.evaluate(QRELS, RUNS[run], [name.format(f"{each:g}") for each in chosen])
        assert [found[each] for each in chosen] == list(result.mean.values())


POLICIES = [{"missing": "skip"}, {"no_relevant": "skip"}, {"rel": 2}, {"no_relevant": "nan"}, {"ties": "docid_asc"}]


@for_each("policies", POLICIES)
def test_curves_hold_under_policies(policies):
    qrels = {**QRELS, "none": {"d1": 0}, "absent": {"d1": 2}}
    runs = {name: {**run, "none": {"d1": 1.0}} for name, run in RUNS.items()}
    rows = assay.plot("cutoff", qrels, runs, ["ap@10"], **policies).spec["data"]["values"]
    result = assay.evaluate(qrels, runs["dense"], ["ap@10", "ap@7"], **policies)
    found = {row["x"]: row["y"] for row in rows if row["run"] == "dense"}
    assert [found[10], found[7]] == [result["ap@10"], result["ap@7"]]
    levels = assay.plot("precision_recall", qrels, runs, ["ap@10"], **policies).spec["data"]["values"]
    found = {row["x"]: row["y"] for row in levels if row["run"] == "dense"}
    assert found[0.3] == assay.evaluate(qrels, runs["dense"], ["iprec@0.3"], **policies)["iprec@0.3"]


def test_scores_by_grade(comparison):
    rows = comparison.plot("scores").spec["data"]["values"]
    for row in rows:
        ranked = [(QRELS[query], *each) for query, run in RUNS[row["run"]].items() for each in run.items()]
        scores = [score for judged, document, score in ranked if judged.get(document) == int(row["grade"])]
        expected = np.quantile(scores, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist()
        assert [row[name] for name in ("low", "lower", "median", "upper", "high")] == pytest.approx(expected)
        assert row["documents"] == len(scores)
    assert sum(row["documents"] for row in rows) == 3 * 30 * 8


def test_mean_ranks_and_bars(comparison):
    rows = rows_of(comparison.plot("critical_difference", measure="ndcg@10").spec)
    scores = np.stack([comparison.results[name].scores["ndcg@10"] for name in NAMES], axis=1)
    expected = dict(zip(NAMES, rankdata(-scores, axis=1).mean(axis=0).tolist(), strict=True))
    assert {row["run"]: row["rank"] for row in rows if "run" in row} == expected
    pairs = [pair for pair in comparison.pairs if pair.measure == "ndcg@10"]
    (close,) = [pair for pair in pairs if not comparison.is_significant(pair)]
    assert [{row["rank"], row["last"]} for row in rows if "last" in row] == [{expected[close.a], expected[close.b]}]


CLIQUES = [
    ((), [("a", "b", "c", "d")]),
    (("ad",), [("a", "b", "c"), ("b", "c", "d")]),
    (("ab", "ac", "ad"), [("b", "c", "d")]),
    (("ab", "ac", "ad", "bc", "bd", "cd"), []),
    (("ac", "ad", "bd"), [("a", "b"), ("b", "c"), ("c", "d")]),
]


@for_each("different, expected", CLIQUES)
def test_cliques(different, expected):
    assert cliques("abcd", {frozenset(each) for each in different}) == expected


def test_agreement_of_measures_and_of_runs(comparison):
    rows = comparison.results.plot("measures").spec["data"]["values"]
    for row in rows:
        one, other = ([comparison.results[run][row[side]] for run in NAMES] for side in ("row", "column"))
        assert row["value"] == pytest.approx(kendalltau(one, other).statistic)
    overlap, tau = (grid["data"]["values"] for grid in comparison.plot("runs").spec["hconcat"])

    def order(ranking):
        return sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)

    tops = {name: [order(run[query]) for query in QRELS] for name, run in RUNS.items()}
    for row, other in zip(overlap, tau, strict=True):
        couples = list(zip(tops[row["row"]], tops[row["column"]], strict=True))
        assert row["value"] == pytest.approx(np.mean([rank_biased_overlap(*each) for each in couples]))
        assert other["value"] == pytest.approx(np.nanmean([common_tau(*each) for each in couples]))
        assert (row["value"] == pytest.approx(1)) == (row["row"] == row["column"])


def test_blame_counts_the_faults():
    result = assay.evaluate_rag(records(), ["recall", "answer_f1"])
    counts = {(row["gold"], row["answer"]): row["questions"] for row in result.plot("blame").spec["data"]["values"]}
    faults = result.faults()
    assert counts["retrieved", "wrong"] == len(faults["generator"])
    assert counts["not retrieved", "wrong"] == len(faults["retriever"])
    assert sum(counts.values()) == len(result.queries)
    assert counts["retrieved", "correct"] + counts["retrieved", "wrong"] == int(result.found.sum())


def test_latency_is_that_of_the_probe():
    chart = assay.plot("latency", records())
    seconds = [each["latency"] for each in records()]
    rows = rows_of(chart.spec)
    named = {row["name"]: row["start"] for row in rows if "name" in row}
    assert list(named.values()) == pytest.approx(np.quantile(seconds, [0.5, 0.95, 0.99]) * 1000)
    assert sum(row["calls"] for row in rows if "calls" in row) == len(seconds)


def test_the_confusion_matrix():
    other = {query: dict.fromkeys(judged, 1) for query, judged in QRELS.items()}
    found = assay.agree(QRELS, other)
    rows = found.plot().spec["data"]["values"]
    grades = [f"{grade:g}" for grade in found.grades]
    for row in rows:
        assert row["value"] == found.matrix[grades.index(row["row"])][grades.index(row["column"])]
    assert sum(row["value"] for row in rows) == found.counts.pairs


def test_large_data_stay_small():
    size = 6980
    values, ids = np.random.default_rng(0).random((2, size)), [f"query{number}" for number in range(size)]
    assert len(str(queries(ids, *values, ("x", "y"), "ap").spec)) < 100 * size
    assert len(str(scatter(ids, *values, ("x", "y"), "ap").spec)) < 200_000
