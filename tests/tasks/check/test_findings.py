"""What the doctor finds in judgments and runs."""

import pytest

from assay import Qrels, Run
from assay.tasks.check.findings import check_qrels, check_run
from assay.tasks.check.result import CheckFinding

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
FULL = {query: {f"d{place}": 100.0 - place for place in range(1, 13)} for query in JUDGED}


def finding(report, kind):
    (found,) = [each for each in report.findings if each.kind == kind]
    return found


def of_qrels(data, kind, **options):
    return finding(check_qrels(Qrels(data, duplicates="first"), "qrels", **options), kind)


def of_run(data, kind, qrels=JUDGED):
    return finding(check_run(Run(data), "run", Qrels(qrels)), kind)


def test_facts_of_judgments():
    report = check_qrels(Qrels({"q1": {"d1": 3, "d2": 0, "d3": -1}, "q2": {"d1": 0.5}}), "qrels")
    assert report.facts == {
        "queries": 2,
        "judgments": 4,
        "documents": 3,
        "groups": False,
        "grades": {"-1": 1, "0": 1, "0.5": 1, "3": 1},
    }


def test_good_judgments_are_ok():
    assert [each.level for each in check_qrels(Qrels(JUDGED), "qrels").findings] == ["ok", "ok", "ok"]


@pytest.mark.parametrize(
    ("data", "kind", "level", "text"),
    [
        ({"q1": {"d1": 1}, "q2": {"d1": 0}}, "relevant", "warn", "1 query has no relevant document: 'q2'"),
        ({"q1": {}, "q2": {"d1": 1}}, "relevant", "warn", "1 query has no relevant document: 'q1'"),
        ({"q1": {"d1": 0.9}}, "relevant", "bad", "no grade reaches 1, so no document counts as relevant"),
        ({"q1": {"d1": 1, "d2": -2, "d3": -1}}, "negative", "warn", "2 grades are below 0"),
    ],
)
def test_findings_in_judgments(data, kind, level, text):
    found = of_qrels(data, kind)
    assert (found.level, found.text) == (level, text)
    assert found.advice


def test_the_lowest_relevant_grade_can_be_set():
    assert of_qrels({"q1": {"d1": 0.9}}, "relevant", rel=0.5).level == "ok"


def test_documents_judged_twice(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 1\nq2 0 d3 0\nq2 0 d3 1\n")
    found = of_qrels(tmp_path / "qrels", "duplicates")
    assert found == CheckFinding(
        "bad",
        "duplicates",
        "2 duplicate judgments, such as document 'd3' of query 'q2'",
        'remove them, or set duplicates="first" or duplicates="last"',
        "qrels",
    )


def test_a_document_in_two_groups_is_not_judged_twice():
    assert of_qrels({"q1": [["d1", "d2"], ["d1"]]}, "duplicates").level == "ok"


def test_facts_of_a_run():
    report = check_run(Run({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}, tag="bm25"), "run", None)
    assert report.facts == {"queries": 2, "documents": 3, "shortest": 1, "longest": 2, "tag": "bm25"}


def test_a_good_run_is_ok():
    levels = {each.kind: each.level for each in check_run(Run(FULL), "run", Qrels(JUDGED)).findings}
    assert levels.pop("judged") == "warn"
    assert set(levels) == {"missing", "unjudged", "documents", "duplicates", "short", "ties", "direction"}
    assert set(levels.values()) == {"ok"}


def test_without_judgments_a_run_is_looked_at_by_itself():
    report = check_run(Run(FULL), "run", None)
    assert [each.kind for each in report.findings] == ["duplicates", "short", "ties", "direction"]


@pytest.mark.parametrize(
    ("queries", "kind", "level", "text"),
    [
        (["q1"], "missing", "warn", "1 judged query is missing from the run: 'q2'"),
        (["q1", "q2", "x", "y"], "unjudged", "warn", "2 queries in the run have no judgments: 'x', 'y'"),
        (["1", "2"], "queries", "bad", "2 queries have a different id in the run: 'q1' vs. '1' (the prefix 'q' in the"),
        (["q1", "Q2"], "queries", "bad", "1 query has a different id in the run: 'q2' vs. 'Q2' (letter case)"),
        (
            ["x", "y"],
            "queries",
            "bad",
            "judgments and run have no query in common: the judgments have 'q1', 'q2', the run 'x', 'y'",
        ),
    ],
)
def test_queries_that_do_not_meet(queries, kind, level, text):
    found = of_run(dict.fromkeys(queries, FULL["q1"]), kind)
    assert found.level == level
    assert found.text.startswith(text)
    assert found.advice


@pytest.mark.parametrize(
    ("documents", "level", "text"),
    [
        (["d1", "d2", "d3"], "ok", "100 % of the judged documents are in the run"),
        (["d1", "x"], "ok", "33.3 % of the judged documents are in the run"),
        (["D1", "D2", "D3"], "bad", "3 judged documents have a different id in the run: 'd1' vs. 'D1' (letter case)"),
        (["d1", "d2", "D3"], "warn", "1 judged document has a different id in the run: 'd3' vs. 'D3' (letter case)"),
        (["x_d1", "x_d2", "x_d3"], "bad", "3 judged documents have a different id in the run: 'd1' vs. 'x_d1' (the"),
        (["x"], "bad", "no judged document is in the run: the judgments have 'd1', 'd2', 'd3', the run 'x'"),
    ],
)
def test_documents_that_do_not_meet(documents, level, text):
    found = of_run({"q1": documents, "q2": documents}, "documents")
    assert (found.level, bool(found.advice)) == (level, level != "ok")
    assert found.text.startswith(text)


def test_documents_listed_twice():
    found = of_run({"q1": [("d1", 2.0), ("d2", 1.0), ("d1", 0.5)], "q2": [("d3", 1.0)]}, "duplicates")
    assert (found.level, found.text) == (
        "bad",
        "1 duplicate document, such as document 'd1' of query 'q1'",
    )


def test_share_judged():
    run = {"q1": {f"d{place}": -place for place in range(1, 41)}}
    found = of_run(run, "judged", qrels={"q1": {f"d{place}": 1 for place in range(1, 9)}})
    assert (found.level, found.text) == ("ok", "80 % of the top 10 documents are judged, 20 % of the top 100")


@pytest.mark.parametrize(
    ("lengths", "level", "text"),
    [
        ((1000, 2000), "ok", "every query has at least 1,000 documents"),
        ((999, 10), "ok", "queries with few documents: 0 fewer than 10, 1 fewer than 100, 2 fewer than 1,000 (of 2)"),
        ((9, 1000), "warn", "queries with few documents: 1 fewer than 10, 1 fewer than 100, 1 fewer than 1,000 (of 2)"),
    ],
)
def test_short_rankings(lengths, level, text):
    run = {f"q{number}": [f"d{place}" for place in range(length)] for number, length in enumerate(lengths, 1)}
    found = of_run(run, "short")
    assert (found.level, found.text) == (level, text)


@pytest.mark.parametrize(
    ("scores", "level", "text"),
    [
        ([3, 2, 1], "ok", "no scores tie"),
        ([3, 3, 1, 0], "warn", "50 % of the documents tie with another of the same query"),
        ([1, 3, 1], "warn", "66.7 % of the documents tie with another of the same query"),
        ([*range(98), 0.5, 0.5], "ok", "2 % of the documents tie with another of the same query"),
    ],
)
def test_ties(scores, level, text):
    found = of_run({"q1": {f"d{place}": float(score) for place, score in enumerate(scores)}}, "ties")
    assert (found.level, found.text) == (level, text)


def test_equal_scores_of_different_queries_do_not_tie():
    assert of_run({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "ties").text == "no scores tie"


def test_orders_without_scores_do_not_tie():
    found = of_run({"q1": ["d1", "d2"]}, "ties")
    assert (found.level, found.text) == ("ok", "the rankings have no scores, so nothing ties")


@pytest.mark.parametrize(
    ("rankings", "level"),
    [
        ([[0.1, 0.2, 0.3], [0.1, 0.1, 0.5]], "warn"),
        ([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]], "ok"),
        ([[0.5, 0.5], [0.5]], "ok"),
    ],
)
def test_scores_that_rise_down_the_list(rankings, level):
    run = {
        f"q{number}": {f"d{place}": score for place, score in enumerate(scores)}
        for number, scores in enumerate(rankings, 1)
    }
    assert of_run(run, "direction").level == level
