"""`agreement`: tables by hand, every form of data, the edges, and what is said of them."""

import json
import math
from io import BytesIO

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import assay
from assay.stats.anchored import corrected_shares
from tables import for_each

HUMAN = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}, "q3": {"f": 0, "g": 2}}
JUDGE = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"d": 1, "e": 0}, "q3": {"f": 0, "g": 1}}
BINARY = {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}, "q3": {"f": 0, "g": 1}}
VERDICTS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"d": 1, "e": 1}, "q3": {"f": 0, "g": 1, "x": 1}, "q4": {"y": 0}}


def values(found):
    return {each.statistic: each.value for each in found.figures}


def test_judgments_by_hand_and_those_of_one_side_only():
    found = assay.agree(HUMAN, JUDGE)
    # Five of seven are the same; by chance 3·2 + 2·4 + 2·1 = 16 of 49.
    assert found["kappa"].value == pytest.approx(1 - (2 / 7) / (33 / 49))
    assert found["same"].value == pytest.approx(5 / 7)
    assert (found.grades, found.matrix) == ((0, 1, 2), ((2, 1, 0), (0, 2, 0), (0, 1, 1)))
    assert found.counts == (3, 7, 0, 0)
    assert [tuple(each) for each in found.disagreements] == [("q1", "b", 0, 1, ""), ("q3", "g", 2, 1, "")]
    assert found.notes == ()
    found = assay.agree({**HUMAN, "q9": {"z": 1}}, {**JUDGE, "q1": {"a": 2, "x": 1, "y": 0}})
    assert found.counts == (3, 5, 3, 2)
    assert [str(note) for note in found.notes if note.kind == "one_sided"] == [
        "3 documents judged by a only; left out",
        "2 documents judged by b only; left out",
    ]
    assert found.verdict[-1] == "5 documents of 3 queries judged by both; 3 by a only, 2 by b only"


def test_the_oracles():
    generator = np.random.default_rng(7)
    documents = {f"q{q}": [f"d{d}" for d in range(8)] for q in range(30)}
    a = {query: {each: float(generator.integers(0, 4)) for each in ids} for query, ids in documents.items()}

    def changed(grade):
        return grade if generator.random() < 0.7 else float(generator.integers(0, 4))

    b = {query: {each: changed(grade) for each, grade in grades.items()} for query, grades in a.items()}
    first, second = (np.array([each for grades in side.values() for each in grades.values()]) for side in (a, b))
    found = assay.agree(a, b, weights="linear", metric="interval")
    assert found["kappa"].value == pytest.approx(cohen_kappa_score(first, second))
    assert found["weighted_kappa"].value == pytest.approx(cohen_kappa_score(first, second, weights="linear"))
    alpha = krippendorff.alpha(np.stack([first, second]), level_of_measurement="interval")
    assert found["alpha"].value == pytest.approx(alpha)
    for each in found.figures:
        assert each.low < each.value < each.high


def test_intervals_are_over_queries():
    """Copies of a document in its query tell nothing about other queries: the interval stays as wide."""
    many = [
        {query: {f"{name}{n}": grades[name] for name in grades for n in range(10)} for query, grades in side.items()}
        for side in (HUMAN, JUDGE)
    ]
    few, more = assay.agree(HUMAN, JUDGE), assay.agree(*many)
    assert few["kappa"][1:4] == pytest.approx(more["kappa"][1:4])


def test_two_grades_are_verdicts():
    found = assay.agree(BINARY, VERDICTS)
    # Of four positives three are found, of three negatives two; the judge calls 5 of its 9 positive.
    expected = {"share_a": 4 / 7, "share_b": 5 / 9, "sensitivity": 3 / 4, "specificity": 2 / 3}
    expected["corrected_share"] = (5 / 9 + 2 / 3 - 1) / (3 / 4 + 2 / 3 - 1)
    assert {name: values(found)[name] for name in expected} == pytest.approx(expected)
    assert "kappa_at_threshold" not in values(found)
    assert found.settings.threshold == 1
    known = corrected_shares(*map(np.asarray, (5 / 9, 3 / 4, 2 / 3)))
    assert expected["corrected_share"] == pytest.approx(float(known))


TWO = {"q": {"a": 1, "b": 0}, "r": {"c": 1, "d": 0}}
CHANCE = (TWO, {"q": {"a": 0, "b": 1}, "r": {"c": 1, "d": 0}})
ONE_QUERY = ({"q": HUMAN["q1"]}, {"q": JUDGE["q1"]})
ANY = [{"q": {"a": first, "b": -1}, "r": {"c": 0.5}} for first in (0.25, 0.5)]
# Judgments, the names of what is undefined, and what is said.
EDGES = [
    (CHANCE, ["corrected_share"], "no better than chance; the share cannot be corrected"),
    (ONE_QUERY, [], "moderate agreement (Landis and Koch 1977): kappa 0.50\n"),
    (ANY, [], "-1"),
]


@for_each("sides, undefined, said", EDGES)
def test_edges(sides, undefined, said):
    found = assay.agree(*sides)
    assert [each.statistic for each in found.figures if math.isnan(each.value)] == undefined
    assert said in str(found)
    assert math.isnan(found["kappa"].low) == (sides is ONE_QUERY) == ("few" in [note.kind for note in found.notes])
    if sides is ANY:
        assert found.grades == (-1, 0.25, 0.5)


def test_a_single_grade_leaves_kappa_undefined_and_many_need_a_threshold():
    many = {"q": {f"d{n}": n / 100 for n in range(100)}, "r": {"x": 0.99}}
    said = r"the grades have 100 different values; kappa is for .* threshold=0.49"
    with pytest.raises(assay.errors.DataError, match=said):
        assay.agree(many, many)
    found = assay.agree(many, many, threshold=0.5)
    assert found["kappa_at_threshold"].value == 1
    assert found.verdict[0].startswith("almost perfect agreement (Landis and Koch 1977): kappa 1.00")
    assert (found.grades, found.matrix) == ((0, 1), ((50, 0), (0, 51)))
    found = assay.agree(HUMAN, JUDGE, threshold=2)
    assert found["kappa_at_threshold"].value == pytest.approx(1 - (1 / 7) / (1 - (5 * 6 + 2 * 1) / 49))
    assert (found["sensitivity"].value, found["specificity"].value) == (0.5, 1)
    found = assay.agree({"q": ["a", "b"], "r": ["c"]}, {"q": ["a", "b"], "r": ["c"]})
    assert math.isnan(found["kappa"].value)
    assert found["same"].value == 1
    assert found.verdict[0] == "a and b give every document the same grade; kappa is undefined"
    said = "every grade is the same, and chance alone agrees as often; kappa and weighted_kappa and alpha undefined"
    assert said in map(str, found.notes)
    assert json.loads(found.to_json())["figures"][0]["value"] is None


def test_every_form_of_judgments_and_files_name_the_sides(tmp_path):
    expected, frame = values(assay.agree(HUMAN, JUDGE)), assay.Qrels(HUMAN).to_polars()
    for form in ("txt", "json", "jsonl", "parquet", "csv"):
        assay.Qrels(HUMAN).write(tmp_path / f"human.{form}")
        assert values(assay.agree(tmp_path / f"human.{form}", JUDGE)) == expected, form
    for data in (assay.Qrels(HUMAN), frame, BytesIO((tmp_path / "human.txt").read_bytes())):
        assert values(assay.agree(data, JUDGE)) == expected
    assay.Qrels(HUMAN).write(tmp_path / "people.txt")
    assay.Qrels(JUDGE).write(tmp_path / "model.txt")
    assert assay.agree(tmp_path / "people.txt", tmp_path / "model.txt").names == ("people", "model")
    assert assay.agree(HUMAN, JUDGE, names=["x", "y"]).names == ("x", "y")


RUNS = {"one": {"q1": ["a", "b"], "q2": ["d"], "q3": ["g"]}, "two": {"q1": ["b", "a"], "q2": ["e"], "q3": ["f"]}}
RUNS["three"] = {"q1": ["c"], "q2": ["e", "d"], "q3": ["f", "g"]}


def test_the_order_of_systems_turned_round_and_none():
    found = assay.agree(HUMAN, JUDGE, ["rr", "ndcg@10"], runs=RUNS)
    means = [assay.evaluate_many(side, RUNS, ["rr", "ndcg@10"]) for side in (HUMAN, JUDGE)]
    assert [tuple(each) for each in found.systems[:3]] == [
        (run, "rr", means[0][run]["rr"], means[1][run]["rr"]) for run in RUNS
    ]
    assert found.figure("tau", "ndcg@10").value == 1
    assert found.verdict[2].startswith("ndcg@10 orders the 3 runs with tau 1.00 and tau_AP 1.00")
    assert "convention=assay" in found.signature
    turned = {query: {document: 2 - grade for document, grade in grades.items()} for query, grades in HUMAN.items()}
    found = assay.agree(HUMAN, turned, "rr", runs={"up": RUNS["one"], "down": RUNS["two"]}, rel=2)
    assert (found["tau"].value, found["tau_ap"].value) == (-1, -1)
    found = assay.agree(HUMAN, {query: dict.fromkeys(grades, 0) for query, grades in HUMAN.items()}, runs=RUNS)
    assert math.isnan(found["tau"].value)
    assert found.verdict[1] == "ndcg@10 is the same for every run on one side; tau is undefined"
    assert "b: 3 queries have no relevant documents; scored 0: 'q1', 'q2', 'q3'" in map(str, found.notes)


def test_runs_are_scored_on_the_queries_of_both_and_read_once(tmp_path):
    found = assay.agree({**HUMAN, "q9": {"z": 1}}, JUDGE, runs=RUNS)
    means = assay.evaluate_many(HUMAN, RUNS, "ndcg@10")
    assert [each.a for each in found.systems] == [means[run]["ndcg@10"] for run in RUNS]
    assert "runs are scored on the queries of both; 1 is left out: 'q9'" in map(str, found.notes)
    assay.Run(RUNS["one"]).write(tmp_path / "one.json")
    runs = {"one": BytesIO((tmp_path / "one.json").read_bytes()), "two": RUNS["two"]}
    found = assay.agree(HUMAN, JUDGE, runs=runs)
    assert found.systems == assay.agree(HUMAN, JUDGE, runs={**RUNS, "three": RUNS["two"]}).systems[:2]


SCORES = {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 0.75}
OTHERS = {"q1": 0.9, "q2": 0.5, "q3": 0.3, "q5": 1.0}
RECORDS = [{"query_id": query, "scores": {"faithfulness": value}} for query, value in OTHERS.items()]


def test_scores_by_hand():
    found = assay.agree(SCORES, OTHERS, threshold=0.5)
    assert found["pearson"].value == pytest.approx(np.corrcoef([1, 0.5, 0], [0.9, 0.5, 0.3])[0, 1])
    assert (found["spearman"].value, found["kendall"].value) == (1, 1)
    assert found["mean_difference"].value == pytest.approx(0.2 / 3)
    assert (found["kappa_at_threshold"].value, found.matrix) == (1, ((1, 0), (0, 2)))
    # Three of the judge's four are positive, one of them judged by it only.
    assert found["share_b"].value == 0.75
    assert found.counts == (3, 3, 1, 1)
    assert [each[:4] for each in found.disagreements] == [("q3", None, 0.0, 0.3), ("q1", None, 1.0, 0.9)]
    assert [str(note) for note in found.notes] == [
        "1 query has a value in a only; left out: 'q4'",
        "1 query has a value in b only; left out: 'q5'",
    ]


def test_every_form_of_scores_by_every_measure(tmp_path):
    result = assay.evaluate_rag(RECORDS, "score:faithfulness")
    result.save(tmp_path / "stored.json")
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in RECORDS))
    for data in (RECORDS, result, tmp_path / "stored.json", tmp_path / "records.jsonl"):
        for measures in (None, "score:faithfulness"):
            found = assay.agree(SCORES, data, measures)
            assert values(found) == values(assay.agree(SCORES, OTHERS))
            assert {each.measure for each in found.figures} == {"score:faithfulness"}
    rows = [{"query_id": query, "mine": value} for query, value in OTHERS.items()]
    assert assay.agree(SCORES, rows, "score:mine")["spearman"].value == 1
    first, second = (assay.evaluate(side, RUNS["one"], ["rr", "ndcg@10"]) for side in (HUMAN, JUDGE))
    found = assay.agree(first, second)
    assert list(dict.fromkeys(each.measure for each in found.figures)) == ["rr", "ndcg@10"]
    one = assay.agree(first, second, "nDCG@10")
    assert one["pearson"][1:4] == pytest.approx(found.figure("pearson", "ndcg@10")[1:4], nan_ok=True)


# What is wrong, and the error.
BOTH = (HUMAN, JUDGE)
RESULT = assay.evaluate(HUMAN, RUNS["one"], ["rr"])
OTHER_SCORES = [{"query_id": "q1", "scores": {"f": 1, "g": 2}}]
ERRORS = [
    ((HUMAN, {"x": {"a": 1}}), {}, "no query was judged by both a and b: a has 'q1', 'q2', 'q3', b has 'x'; no"),
    ((HUMAN, {"q1": {"z": 1}}), {}, "no document was judged by both a and b; nothing to compare"),
    (({"q": 1}, {"r": 1}), {}, "score: no query has a value in both a and b: a has 'q', b has 'r'; nothing"),
    ((HUMAN, {"q": 1}), {}, "'a' has judgments of documents and 'b' has scores of queries; pass two of a"),
    ((*BOTH, "rr"), {}, "measures are for runs and scores, and these are judgments; leave them out"),
    (BOTH, {"rel": 2}, "rel is for scoring runs, and there are none; leave it out, or add runs"),
    (BOTH, {"runs": {"a": RUNS["one"]}}, "need at least two runs to compare their order, got 1"),
    (({"q": 1}, {"q": 1}), {"runs": RUNS}, "runs are scored under two sets of judgments, and these"),
    (BOTH, {"weights": "cubic"}, "weights must be 'quadratic' or 'linear', not 'cubic'"),
    (BOTH, {"metric": "ratio"}, "metric must be 'nominal' or 'ordinal' or 'interval', not 'ratio'"),
    (BOTH, {"threshold": "x"}, "threshold must be a finite number, such as 1, not 'x'"),
    (BOTH, {"threshold": math.inf}, "threshold must be a finite number, such as 1, not 'inf'"),
    (BOTH, {"level": 1}, "level must be a number between 0 and 1, such as 0.95, not '1'"),
    (BOTH, {"samples": 0}, "samples must be a whole number from 1 to 100000, not '0'"),
    (BOTH, {"top": -1}, "top must be a whole number at least 0, not '-1'"),
    (BOTH, {"names": "ab"}, r"names must be two names, such as \['people', 'judge'\], not 'ab'"),
    (BOTH, {"names": ["x", "x"]}, "both sides are called 'x'; give each a name of its own"),
    (BOTH, None, "no 'pearson'; the agreement has kappa, weighted_kappa, alpha, same"),
    ((RESULT, RESULT, "ndcg@10"), {}, "a has no ndcg@10; it has rr"),
    ((RESULT, OTHER_SCORES), {}, "no measure in common: a has rr, b has score:f, score:g; name one"),
]


@for_each("data, options, message", ERRORS)
def test_errors(data, options, message):
    with pytest.raises(assay.AssayError, match=message):
        _ = assay.agree(*data)["pearson"] if options is None else assay.agree(*data, **options)


def test_the_same_seed_gives_the_same_numbers_and_undefined_resamples_are_counted():
    one, same, other = (assay.agree(HUMAN, JUDGE, seed=seed, samples=50).to_json() for seed in (1, 1, 2))
    assert one == same != other
    found = assay.agree({"q": ["a"], "r": {"b": 0}}, {"q": ["a"], "r": {"b": 0}})
    (note,) = found.notes
    assert (str(note.kind), note.count) == ("undefined", pytest.approx(500, abs=60))


def test_no_text_can_break_the_output_and_no_line_is_wider_than_the_terminal():
    evil = "<script>\x1b[31m|_"
    found = assay.agree({evil: {evil: 1, "b": 0}}, {evil: {evil: 0, "b": 0}}, names=[evil, "b"])
    assert "<script>" not in found.to_html()
    assert "\x1b" not in str(found) + found.to_latex() + found.to_markdown() + repr(found)
    assert "\\|\\_" in found.to_markdown()
    for width in (40, 60, 100):
        text = assay.agree(HUMAN, JUDGE, runs=RUNS, names=["people", "judge"]).to_text(width=width)
        assert max(map(len, text.splitlines())) <= width
