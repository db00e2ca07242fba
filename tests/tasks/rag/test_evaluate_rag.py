"""Retrieval and answers in one result: the same numbers as apart, what is left out, and what joins them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from tables import for_each

ROWS = [
    {"query_id": "a", "question": "A?", "gold": ["d1"], "retrieved": ["d1"], "answer": "x y", "references": ["x y"]},
    {"query_id": "b", "question": "B?", "gold": ["d2"], "retrieved": ["d2"], "answer": "z", "references": ["x", "z q"]},
    {"query_id": "c", "question": "C?", "gold": ["d3"], "retrieved": ["d9"], "answer": "no", "references": ["w"]},
    {"query_id": "d", "question": "D?", "gold": ["d4"], "retrieved": ["d8"], "answer": "", "references": ["w"]},
]
MEASURES = ["recall", "rr", "em", "answer_f1", "bleu", "rouge_l"]


def without(part, *queries):
    return [{k: v for k, v in row.items() if k != part or row["query_id"] not in queries} for row in ROWS]


def test_the_numbers_are_those_of_each_part_alone():
    whole = assay.evaluate_rag(ROWS, MEASURES)
    parts = [{row["query_id"]: row[name] for row in ROWS} for name in ("gold", "retrieved", "references", "answer")]
    for part in (assay.evaluate(*parts[:2], MEASURES[:2]), assay.evaluate_answers(*parts[2:], MEASURES[2:])):
        for name in part:
            np.testing.assert_array_equal(whole.scores[name], part.scores[name])
            assert (whole[name], whole.interval(name)) == (part[name], part.interval(name))
    assert (list(whole), whole.queries) == (MEASURES, ["a", "b", "c", "d"])


def test_names_of_measures():
    result = assay.evaluate_rag(ROWS, ["precision", "recall", "f1", "em", "answer_recall"])
    assert [each.definition.of for each in result.measures.values()] == ["rankings"] * 3 + ["answers"] * 2
    assert list(assay.evaluate_rag(ROWS)) == ["recall", "ndcg", "rr", "answer_em", "answer_f1"]
    row = {"answer": "The x", "references": "x"}
    assert assay.evaluate_rag([row], ["em(normalize=none)", "em"]).mean == {"em(normalize=none)": 0, "em": 1}


LEFT_OUT = [
    ("answer", ["recall", "rr"], "em, answer_f1, bleu, rouge_l: left out; the records have no answers"),
    ("references", ["recall", "rr"], "left out; the records have no reference answers"),
    ("gold", MEASURES[2:], "recall, rr: left out; the records have no gold documents"),
    ("retrieved", MEASURES[2:], "recall, rr: left out; the records have no retrieved documents"),
]


@for_each("part, left, words", LEFT_OUT)
def test_measures_whose_part_is_missing_are_left_out(part, left, words):
    result = assay.evaluate_rag(without(part, "a", "b", "c", "d"), MEASURES)
    assert list(result) == left
    assert any(words in str(note) for note in result.notes)


# A part that question a does not have, and what becomes of a measure.
LACKING = [
    ("gold", "recall", [np.nan, 1, 0, 0], "1 question has no gold documents"),
    ("gold", "answer_f1", [1, 2 / 3, 0, 0], "1 question has no gold documents"),
    ("retrieved", "recall", [0, 1, 0, 0], "missing"),
    ("answer", "answer_f1", [0, 2 / 3, 0, 0], "1 question has no answer; counted as empty: 'a'"),
    ("references", "answer_f1", [np.nan, 2 / 3, 0, 0], ""),
    ("references", "em", [np.nan, 0, 0, 0], ""),
]


@for_each("part, name, scores, said", LACKING)
def test_a_question_that_lacks_a_part(part, name, scores, said):
    result = assay.evaluate_rag(without(part, "a"), MEASURES)
    assert result.scores[name].tolist() == pytest.approx(scores, nan_ok=True)
    assert result.counted(name) == np.isfinite(scores).sum()
    assert any(said in str(note) for note in result.notes)


def test_the_order_counts_where_scores_do_not_fall_in_it():
    row = {"query_id": "a", "gold": ["d1"], "retrieved": [("d2", 0.1), ("d1", 0.2)]}
    result = assay.evaluate_rag([row], ["rr"])
    assert result["rr"] == 0.5
    assert "scores of 1 question do not decrease; the order retrieved counts: 'a'" in map(str, result.notes)


def test_scores_count_where_there_is_no_order():
    asked = {"query_id": "a", "gold": ["d1"]}
    by_id = asked | {"retrieved": {"d2": 0.1, "d1": 0.2}}
    for record, outputs in ((by_id, None), (asked, {"a": [("d2", 0.1), ("d1", 0.2)]})):
        result = assay.evaluate_rag([record], ["rr"], outputs=outputs)
        assert (result["rr"], "order" in [note.kind for note in result.notes]) == (1, False)
    row = {"gold": ["a"], "retrieved": [{"id": name, "score": 0} for name in "abc"]}
    assert assay.evaluate_rag([row], ["rr"])["rr"] == 1


def test_a_level_of_grades_counts_everywhere():
    row = {"gold": {"d1": 1, "d2": 3}, "retrieved": ["d1"], "answer": "x", "references": "x"}
    assert assay.evaluate_rag([row], ["recall"]).found.tolist() == [True]
    alone, strict = (assay.evaluate_rag([row], names, rel=2) for names in (["em"], ["em", "recall"]))
    assert (strict["recall"], strict.found.tolist(), alone.found.tolist()) == (0, [False], [False])
    assert "rel=2" in str(alone.signature)
    row, names = {"gold": {"d1": 2, "d2": -1, "d3": 1}, "retrieved": ["d2"]}, ["retrieval_token_f1", "recall"]
    corpus = {"d1": "alpha", "d2": "beta", "d3": "beta"}
    assert assay.evaluate_rag([row], names, corpus=corpus)["retrieval_token_f1"] == 1
    assert assay.evaluate_rag([row], names, corpus=corpus, rel=2).mean == {"retrieval_token_f1": 0, "recall": 0}


@given(st.lists(st.lists(st.sampled_from(["d1", "d2", "é", 7]), max_size=4), min_size=1, max_size=5))
def test_one_of_the_gold_documents_was_found(golds):
    records = [{"query_id": f"q{n}", "gold": gold, "retrieved": ["d1", "é"]} for n, gold in enumerate(golds)]
    others = [{"gold": ["d1"], "retrieved": ["d2"]}, {"retrieved": ["d1"]}, {"gold": ["d1"]}]
    records += [{"query_id": f"other {n}", **row} for n, row in enumerate(others)]
    result = assay.evaluate_rag(records, "rr", duplicates="first")
    assert result.found.tolist() == [not {"d1", "é"}.isdisjoint(gold) for gold in golds] + [False] * 3
    assert result.has_gold.tolist() == [bool(gold) for gold in golds] + [True, False, True]


def test_nothing_to_find_is_no_gold():
    rows = [*ROWS, {"query_id": "e", "gold": [], "retrieved": ["d1"], "answer": "x", "references": ["x"]}]
    result = assay.evaluate_rag(rows, MEASURES)
    assert result.has_gold.tolist() == [True] * 4 + [False]
    assert result.blame().to_polars()["gold passage"].to_list() == ["retrieved", "not retrieved", "no gold passage"]


TWO_SEMANTICS = [assay.judges.semantic(lambda texts, n=n: [[1.0, n] for _ in texts]) for n in (1.0, 2.0)]
ONE_NAME = r"two different measures are called 'semantic': .* rename one"
# Records, measures, what is done with the result, and what is said.
ERRORS = [
    (ROWS, ["answer_f2"], None, "answer_f1"),
    (ROWS, [], None, "no measure to compute"),
    ([{"answer": "x"}], ["em"], None, "nothing to compute: .* no reference answers"),
    ([ROWS[0] | {"gold": None}], ["f1"], None, "f1: left out; .* gold .*; for answers write answer_f1"),
    (ROWS, TWO_SEMANTICS, None, ONE_NAME),
    (ROWS, ["em"], lambda _: assay.evaluate_answers(["x"], ["x"], TWO_SEMANTICS), ONE_NAME),
    (ROWS, ["recall"], lambda result: result.blame(), "nothing to join"),
    (ROWS, ["recall", "em"], lambda result: result.blame("recall"), "recall is not .* of answers; this result has em"),
    (ROWS, ["em"], lambda result: result.blame(right="high"), "right must be a number"),
    (ROWS, ["recall", "ter"], lambda result: result.faults(), "ter has no maximum"),
    (ROWS, ["recall"], lambda result: result.worst(-1), "whole number at least 0"),
]


@for_each("records, measures, act, message", ERRORS)
def test_errors(records, measures, act, message):
    with pytest.raises((assay.errors.DataError, assay.errors.MeasureError, assay.errors.PolicyError), match=message):
        (act or str)(assay.evaluate_rag(records, measures))


def test_measures_that_are_objects():
    same = assay.judges.semantic(lambda texts: np.array([[float(len(text)), 1.0] for text in texts]))
    result = assay.evaluate_rag(ROWS, [same, assay.parse_measure("rr")])
    assert list(result) == ["semantic", "rr"]
    assert result.scores["semantic"][0] == pytest.approx(1)


def test_many_questions_are_scored_in_parts(monkeypatch):
    rows = [{"answer": f"x {n % 7}", "references": [f"x {n % 5}"]} for n in range(100)]
    measures = ["answer_f1", "bleu", "rouge_2", "meteor", "ter"]
    whole = assay.evaluate_rag(rows, measures)
    monkeypatch.setattr("assay.tasks.evaluate.answers.PART", 7)
    parts = assay.evaluate_rag(rows, measures)
    assert whole.mean == parts.mean
    for name in whole:
        np.testing.assert_array_equal(whole.scores[name], parts.scores[name])


class TestJoined:
    def test_blame(self):
        view = assay.evaluate_rag(ROWS, MEASURES).blame()
        frame = view.to_polars().select("gold passage", "questions", "em")
        assert frame.rows() == [("retrieved", 2, 0.5), ("not retrieved", 2, 0)]
        assert view.to_polars()["answer_f1"].to_list() == pytest.approx([(1 + 2 / 3) / 2, 0])
        said = "of 2 answers with answer_f1 below 0.5, 0 had a gold passage", "and 2 had none (the retriever's)"
        gain = "answer_f1 is 0.8333 higher where a gold passage was retrieved (95 % interval of the difference"
        assert [each in str(view) for each in (*said, gain)] == [True] * 3

    def test_scores_of_sums_are_those_of_each_part_and_have_no_gain(self):
        view = assay.evaluate_rag(ROWS, ["bleu"]).blame()
        references, answers = ([row[part] for row in ROWS[:2]] for part in ("references", "answer"))
        assert view.to_polars()["bleu"][0] == assay.evaluate_answers(references, answers, "bleu")["bleu"]
        assert "higher where" not in str(view)

    def test_faults(self):
        wrong = {"generator": ["b"], "retriever": ["c", "d"]}
        result = assay.evaluate_rag(ROWS, MEASURES)
        assert result.faults() == {**wrong, "generator": []}
        assert result.faults(right=0.9) == result.faults("em") == result.only(["em"]).faults() == wrong

    def test_where_lower_is_better_and_without_a_highest_value(self):
        result = assay.evaluate_rag(ROWS, ["recall", "ter"])
        assert result.faults(right=50)["retriever"] == ["c", "d"]
        assert "above 50" in str(result.blame(right=50))
        assert result.worst(2, by="ter").to_polars()["query"].to_list() == ["c", "d"]
        # Nobody is accused, nor where nothing was retrieved.
        assert ["fault" in str(result), "not retrieved" in str(result)] == [False, True]
        assert "faults" not in json.loads(result.to_json())["runs"][0]
        result = assay.evaluate_rag(without("retrieved", "a", "b", "c", "d"), MEASURES)
        assert (result.is_joined, "fault" in str(result)) == (False, False)

    def test_worst(self):
        frame = assay.evaluate_rag(ROWS, MEASURES).worst(3).to_polars()
        rows = [("c", "not retrieved", "C?", "no", "w"), ("d", "not retrieved", "D?", "", "w")]
        rows += [("b", "retrieved", "B?", "z", "x")]
        assert frame.select("query", "gold passage", "question", "answer", "reference").rows() == rows

    def test_long_and_hostile_texts(self):
        rows = [{"gold": ["x"], "retrieved": [], "question": "word " * 50}, {"gold": ["x"], "retrieved": ["x"]}]
        result = assay.evaluate_rag(rows, ["recall"])
        short, whole = (result.worst(1, **how).to_polars()["question"][0] for how in ({}, {"width": None}))
        assert (len(short) <= 100, whole) == (True, ("word " * 50).strip())
        row = {"question": "<b>", "answer": "<script>", "references": ["&"], "gold": ["x"], "retrieved": []}
        page = assay.evaluate_rag([row], ["em"]).worst().to_html()
        assert ("<script>" in page, "&lt;script&gt;" in page) == (False, True)

    def test_json_holds_what_joins(self):
        (plain,) = json.loads(assay.evaluate_rag(ROWS, MEASURES).to_json())["runs"]
        assert plain["found"] == {"a": True, "b": True, "c": False, "d": False}
        assert plain["faults"] == {"measure": "answer_f1", "right": 0.5, "generator": [], "retriever": ["c", "d"]}
        assert [row["questions"] for row in plain["blame"]] == [2, 2]
        pages = [assay.evaluate_rag(ROWS, names)._repr_html_() for names in (MEASURES, ["recall"])]
        assert [page.count("<table>") for page in pages] == [2, 1]


def test_results_can_be_compared():
    better = [{**row, "answer": row["references"][0]} for row in ROWS]
    results = {"old": assay.evaluate_rag(ROWS, MEASURES), "new": assay.evaluate_rag(better, MEASURES)}
    pair = assay.compare(None, results, ["answer_f1"]).pairs[0]
    assert pair.difference == pytest.approx(1 - (1 + 2 / 3) / 4)
    assert pair.wins == 3


@for_each("how", [{}, {"rel": 2}])
def test_a_kept_result_has_the_same_signature(tmp_path, how):
    result = assay.evaluate_rag(ROWS, ["bleu", "em"], **how)
    result.save(tmp_path / "kept.json")
    assert assay.load_result(tmp_path / "kept.json").signature == result.signature


def test_no_question_counts():
    records = [{"query_id": "a", "gold": {"d1": 0}, "retrieved": ["d1"]}]
    result = assay.evaluate_rag(records, ["recall"], no_relevant="skip")
    assert result.queries == ["a"]
    assert np.isnan([result["recall"], *result.scores["recall"]]).all()


def test_statistics_have_a_row_for_each_question():
    right, said = "it rains a lot", "it rains a lot today"
    ranked = {"query_id": "a", "gold": ["d1"], "retrieved": ["d1"]}
    records = [ranked, {"query_id": "b", "answer": said, "references": [right]}]
    result = assay.evaluate_rag(records, ["recall", "bleu"])
    alone = assay.evaluate_answers({"b": [right]}, {"b": said}, ["bleu"])
    assert [len(rows) for rows in result.statistics.values()] == [2]
    assert (result["bleu"], result.interval("bleu")) == (alone["bleu"], alone.interval("bleu"))


def test_no_wrong_answer_is_nobodys_fault():
    wrong = {"query_id": "2", "retrieved": ["a"], "answer": "x", "references": ["y"]}
    for more, which in (([], ""), ([wrong], " to a question with gold passages")):
        blame = assay.evaluate_rag([ROWS[0], *more], "answer_f1").blame()
        assert blame.table().notes == (f"no answer{which} has answer_f1 below 0.5",)


def test_fields_of_a_record_are_its_own_also_one_named_query_id():
    rows = [{"qid": str(number), "query_id": "group-a", "gold": ["d1"], "retrieved": ["d1"]} for number in range(2)]
    result = assay.evaluate_rag(rows, ["rr"], columns={"query_id": "qid"})
    [record] = assay.evaluate_rag([{"query_id": "q1", "gold": ["d1"], "retrieved": ["d1"], "kind": "x"}]).records
    assert (record["query_id"], record["kind"]) == ("q1", "x")
    assert [(record.query_id, record["query_id"]) for record in result.records] == [("0", "group-a"), ("1", "group-a")]
