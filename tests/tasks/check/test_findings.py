"""What the doctor finds in judgments and runs."""

from assay import Qrels, Run
from assay.tasks.check.api import check_qrels, check_run
from assay.tasks.check.result import CheckFinding
from tables import for_each

JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
FULL = {query: {f"d{place}": 100.0 - place for place in range(1, 13)} for query in JUDGED}


def of_qrels(data, kind, **options):
    report = check_qrels(Qrels(data, duplicates="first"), "qrels", **options)
    (found,) = [each for each in report.findings if each.kind == kind]
    return found


def of_run(data, kind, qrels=JUDGED):
    (found,) = [each for each in check_run(Run(data), "run", Qrels(qrels)).findings if each.kind == kind]
    return found


def test_facts_of_judgments():
    report = check_qrels(Qrels({"q1": {"d1": 3, "d2": 0, "d3": -1}, "q2": {"d1": 0.5}}), "qrels")
    grades = {"-1": 1, "0": 1, "0.5": 1, "3": 1}
    assert report.facts == {"queries": 2, "judgments": 4, "documents": 3, "groups": False, "grades": grades}
    assert [each.level for each in check_qrels(Qrels(JUDGED), "qrels").findings] == ["ok", "ok", "ok"]


def test_findings_in_judgments():
    for data, kind, level, text in (
        ({"q1": {"d1": 1}, "q2": {"d1": 0}}, "relevant", "warn", "1 query has no relevant document: 'q2'"),
        ({"q1": {}, "q2": {"d1": 1}}, "relevant", "warn", "1 query has no relevant document: 'q1'"),
        ({"q1": {"d1": 0.9}}, "relevant", "bad", "no grade reaches 1, so no document counts as relevant"),
        ({"q1": {"d1": 1, "d2": -2, "d3": -1}}, "negative", "warn", "2 grades are below 0"),
    ):
        found = of_qrels(data, kind)
        assert (found.level, found.text, bool(found.advice)) == (level, text, True)
    assert of_qrels({"q1": {"d1": 0.9}}, "relevant", rel=0.5).level == "ok"


def test_documents_judged_twice(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 1\nq2 0 d3 0\nq2 0 d3 1\n")
    said = "2 duplicate judgments, such as document 'd3' of query 'q2'"
    advice = 'remove them, or set duplicates="first" or duplicates="last"'
    found = of_qrels(tmp_path / "qrels", "duplicates")
    assert found == CheckFinding("bad", "duplicates", said, advice, "qrels")
    # A document in two groups is judged once.
    assert of_qrels({"q1": [["d1", "d2"], ["d1"]]}, "duplicates").level == "ok"


def test_facts_of_a_run():
    report = check_run(Run({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}, tag="bm25"), "run", None)
    assert report.facts == {"queries": 2, "documents": 3, "shortest": 1, "longest": 2, "tag": "bm25"}


def test_a_good_run_is_ok():
    levels = {each.kind: each.level for each in check_run(Run(FULL), "run", Qrels(JUDGED)).findings}
    assert levels.pop("judged") == "warn"
    assert set(levels) == {"missing", "unjudged", "documents", "duplicates", "short", "ties", "direction"}
    assert set(levels.values()) == {"ok"}
    # Without judgments a run is looked at by itself.
    alone = check_run(Run(FULL), "run", None)
    assert [each.kind for each in alone.findings] == ["duplicates", "short", "ties", "direction"]


def queries(*names):
    return dict.fromkeys(names, FULL["q1"])


def documents(*names):
    return {"q1": [*names], "q2": [*names]}


def lengths(*sizes):
    return {f"q{number}": [f"d{place}" for place in range(size)] for number, size in enumerate(sizes, 1)}


def scores(*rankings):
    numbered = [{f"d{place}": float(score) for place, score in enumerate(each)} for each in rankings]
    return {f"q{number}": each for number, each in enumerate(numbered, 1)}


NOTHING_COMMON = "judgments and run have no query in common: the judgments have 'q1', 'q2', the run 'x', 'y'"
OTHER_IDS = "judged documents have a different id in the run:"
# A run, the kind of the finding, its level, and how its text begins.
FOUND = [
    (queries("q1"), "missing", "warn", "1 judged query is missing from the run: 'q2'"),
    (queries("q1", "q2", "x", "y"), "unjudged", "warn", "2 queries in the run have no judgments: 'x', 'y'"),
    (queries("1", "2"), "queries", "bad", "2 queries have a different id in the run: 'q1' vs. '1' (the prefix 'q' in the"),
    (queries("q1", "Q2"), "queries", "bad", "1 query has a different id in the run: 'q2' vs. 'Q2' (letter case)"),
    (queries("x", "y"), "queries", "bad", NOTHING_COMMON),
    (documents("d1", "d2", "d3"), "documents", "ok", "100 % of the judged documents are in the run"),
    (documents("d1", "x"), "documents", "ok", "33.3 % of the judged documents are in the run"),
    (documents("D1", "D2", "D3"), "documents", "bad", f"3 {OTHER_IDS} 'd1' vs. 'D1' (letter case)"),
    (documents("d1", "d2", "D3"), "documents", "warn", "1 judged document has a different id in the run: 'd3' vs. 'D3' (let"),
    (documents("x_d1", "x_d2", "x_d3"), "documents", "bad", f"3 {OTHER_IDS} 'd1' vs. 'x_d1' (the"),
    (documents("x"), "documents", "bad", "no judged document is in the run: the judgments have 'd1', 'd2', 'd3', the run 'x'"),
    ({"q1": [("d1", 2.0), ("d2", 1.0), ("d1", 0.5)], "q2": [("d3", 1.0)]}, *("duplicates", "bad", "1 duplicate document, such as document 'd1' of query 'q1'")),
    (lengths(1000, 2000), "short", "ok", "every query has at least 1,000 documents"),
    (lengths(999, 10), "short", "ok", "queries with few documents: 0 fewer than 10, 1 fewer than 100, 2 fewer than 1,000 (of 2)"),
    (lengths(9, 1000), "short", "warn", "queries with few documents: 1 fewer than 10, 1 fewer than 100, 1 fewer than 1,000 (of 2)"),
    (scores([3, 2, 1]), "ties", "ok", "no scores tie"),
    (scores([3, 3, 1, 0]), "ties", "warn", "50 % of the documents tie with another of the same query"),
    (scores([1, 3, 1]), "ties", "warn", "66.7 % of the documents tie with another of the same query"),
    (scores([*range(98), 0.5, 0.5]), "ties", "ok", "2 % of the documents tie with another of the same query"),
    # Equal scores of different queries do not tie, nor do orders without scores.
    (scores([1], [1]), "ties", "ok", "no scores tie"),
    ({"q1": ["d1", "d2"]}, "ties", "ok", "the rankings have no scores, so nothing ties"),
    (scores([0.1, 0.2, 0.3], [0.1, 0.1, 0.5]), "direction", "warn", "scores rise down the list in 2 queries, as distances do"),
    (scores([0.3, 0.2, 0.1], [0.1, 0.2, 0.3]), "direction", "ok", "scores do not rise down the list"),
    (scores([0.5, 0.5], [0.5]), "direction", "ok", "scores do not rise down the list"),
]  # fmt: skip


@for_each("run, kind, level, text", FOUND)
def test_findings_in_a_run(run, kind, level, text):
    found = of_run(run, kind)
    assert found.level == level
    assert found.text.startswith(text)
    assert bool(found.advice) == (level != "ok")


def test_share_judged():
    run = {"q1": {f"d{place}": -place for place in range(1, 41)}}
    found = of_run(run, "judged", qrels={"q1": {f"d{place}": 1 for place in range(1, 9)}})
    assert (found.level, found.text) == ("ok", "80 % of the top 10 documents are judged, 20 % of the top 100")
