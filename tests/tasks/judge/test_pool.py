"""Judgments, preferences and questions from a judge, with replies that are known."""

import json
import math
import statistics

import pytest

import assay
from judges import Script
from tables import for_each

QUERIES = {"q1": "What is the capital of France?", "q2": "Who wrote Faust?"}
CORPUS = {"d1": "Paris is the capital.", "d2": "Lyon is a city.", "d3": "Goethe wrote Faust.", "d4": ""}
RUNS = {"a": {"q1": ["d1", "d2"], "q2": ["d3", "d4"]}, "b": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": ["d2", "d3"]}}
GRADES = {"Paris": 3, "Goethe": 3, "Lyon": 1}


def grade(messages):
    passage = messages[1]["content"].split("<passage")[1]
    value = next(grade for word, grade in GRADES.items() if word in passage)
    return json.dumps({"intent": f"because {value}", "fit": value, "trust": 3, "grade": value})


def judge_of(function, **options):
    return assay.Judge(function, cache=False, **options)


def test_the_pool_of_the_runs_is_graded_and_scores_them():
    found = assay.judges.judge_relevance(QUERIES, RUNS, CORPUS, judge=judge_of(grade))
    assert found.qrels.to_dict() == {"q1": {"d1": 3.0, "d2": 1.0}, "q2": {"d3": 3.0, "d2": 1.0}}
    assert str(found.notes[0]).startswith("relevance: the judge failed") is False
    assert [ruling.detail for ruling in found.rulings if not ruling.is_ok] == ["no text of the document"]
    assert assay.evaluate(found.qrels, RUNS["a"], "rr(rel=3)")["rr(rel=3)"] == 1.0
    assert "because 3" in [row[4] for row in found.reasons().rows]
    first = assay.judges.judge_relevance(QUERIES, RUNS, CORPUS, judge=judge_of(grade), depth=1)
    assert [tuple(pair) for pair in first.pairs] == [("q1", "d1"), ("q2", "d3"), ("q1", "d2"), ("q2", "d2")]


def test_what_people_judged_is_left_alone():
    asked = []

    def remembering(messages):
        asked.append(messages[1]["content"])
        return grade(messages)

    human = {"q1": {"d1": 0, "d9": 2}}
    found = assay.judges.judge_relevance(QUERIES, RUNS, CORPUS, judge=judge_of(remembering), human=human)
    assert (found.qrels["q1"], found.left_out) == ({"d1": 0.0, "d9": 2.0, "d2": 1.0}, 1)
    assert "note: 1 pair judged by people already; not asked about" in str(found)
    assert not any("Paris" in text for text in asked)


def test_a_grade_that_is_not_given_is_not_zero():
    judge = judge_of(lambda said: "no" if "Lyon" in said[1]["content"] else grade(said), retries=0)
    found = assay.judges.judge_relevance(QUERIES, RUNS, CORPUS, judge=judge)
    assert found.qrels.to_dict() == {"q1": {"d1": 3.0}, "q2": {"d3": 3.0}}
    said = "relevance: the judge failed on 2 of 5 questions (2 unparsable: it is not JSON)"
    assert str(found.notes[0]).startswith(said)


def records_of(**answers):
    return [{"query_id": query, "question": f"{query}?", "answer": answer} for query, answer in answers.items()]


NOTHING = [
    (assay.judges.judge_relevance, ({"x": "?"}, RUNS, CORPUS), "no query of the runs has a question: 'q1', 'q2'"),
    (assay.judges.pairwise, ({"a": records_of(q1="x"), "b": records_of(q2="y")},), "no two systems answer the same"),
    (assay.judges.pairwise, ({"a": records_of(q1="x")},), "at least two systems"),
]


@for_each("ask, data, said", NOTHING)
def test_nothing_to_judge_is_an_error(ask, data, said):
    with pytest.raises(assay.errors.DataError, match=said):
        ask(*data, judge=judge_of(grade))


def prefers_first(_):
    return '{"reason": "It comes first.", "better": "A"}'


def prefers_right(messages):
    text = messages[1]["content"]
    places = {word: text.find(word) for word in ("right", "wrong")}
    if min(places.values()) < 0:
        return '{"reason": "Both the same.", "better": "tie"}'
    return json.dumps({"reason": "It is right.", "better": "A" if places["right"] < places["wrong"] else "B"})


def test_a_judge_that_favours_a_place_finds_no_winner():
    systems = {"one": records_of(q1="right", q2="right"), "two": records_of(q1="wrong", q2="wrong")}
    found = assay.judges.pairwise(systems, judge=judge_of(prefers_first))
    assert found.games.score.tolist() == [0.5, 0.5]
    assert found.flip_rate == 1.0
    assert found.strengths == {"one": pytest.approx(0.0), "two": pytest.approx(0.0)}
    assert "flip rate 1.00, correlation of winning and length undefined" in str(found)


@for_each("straight, turned, score", [("A", "B", 1), ("B", "A", 0), ("A", "tie", 0.5), ("tie", "B", 0.5)])
def test_only_a_win_in_both_orders_counts(straight, turned, score):
    script = Script(*(json.dumps({"reason": "", "better": each}) for each in (straight, turned)))
    found = assay.judges.pairwise({"one": records_of(q1="x"), "two": records_of(q1="y")}, judge=judge_of(script))
    assert found.games.score.tolist() == [score]


def test_the_better_system_is_the_stronger_one():
    answers = {"bad": "wrong wrong wrong right", "good": "right " * 4, "fair": "right wrong right right"}
    systems = {name: records_of(**dict(zip("abcd", each.split(), strict=True))) for name, each in answers.items()}
    found = assay.judges.pairwise(systems, judge=judge_of(prefers_right))
    assert len(found.duels) == 12
    assert found.flip_rate == 0.0
    assert [row[0] for row in found.table().rows] == ["good", "fair", "bad"]
    assert [row[5:] for row in found.table().rows] == [(4, 4, 0), (2, 5, 1), (0, 3, 5)]
    assert found.elo["good"] > found.elo["fair"] > found.elo["bad"]
    duel = {"query": "a", "first": "bad", "second": "good", "outcome": "ok", "score": 0.0}
    assert found.to_dict()["duels"][0] == {**duel, "reasons": ["It is right.", "It is right."]}


def test_a_length_that_wins_is_seen():
    systems = {
        "long": records_of(q1="right " * 9, q2="right " * 2, q3="same", q4="wrong"),
        "short": records_of(q1="wrong", q2="wrong", q3="same", q4="right " * 7),
    }
    # Scores 1, 1, 0.5, 0; the first is 49, 7, 0 and -37 characters longer.
    known = statistics.correlation([1, 1, 0.5, 0], [49, 7, 0, -37])
    assert assay.judges.pairwise(systems, judge=judge_of(prefers_right)).length_correlation == pytest.approx(known)
    even = {"a": records_of(q1="right"), "b": records_of(q1="wrong")}
    assert math.isnan(assay.judges.pairwise(even, judge=judge_of(prefers_right)).length_correlation)


def ask_of_passage(messages):
    text = messages[1]["content"]
    if messages[0]["content"].startswith("Write one question"):
        if "empty" in text:
            return '{"question": "", "answer": ""}'
        name = text.split("named ")[1].split(".")[0]
        return json.dumps({"question": f"Who is {name}?", "answer": name})
    return json.dumps({"reason": "checked", "verdict": "Zoe" not in text})


PEOPLE = {f"p{at}": f"A person named {name}." for at, name in enumerate(("Ann", "Zoe", "Bob", "Ann"))} | {"p9": "empty"}


def test_questions_are_made_checked_and_deduplicated():
    made = assay.judges.make_questions(PEOPLE, 5, judge=judge_of(ask_of_passage))
    assert sorted(each.question for each in made.questions) == ["Who is Ann?", "Who is Bob?"]
    reasons = ("the passage has nothing to ask about", "the passage alone does not answer it", "nearly a duplicate")
    assert made.rejected == dict.fromkeys(reasons, 1)
    record = made.records[0]
    assert record["gold_texts"] == [PEOPLE[record["gold"][0]]]
    answered = [{**each, "retrieved": each["gold"], "answer": each["references"][0]} for each in made.records]
    assert assay.evaluate_rag(answered, ["recall", "em"]).mean == {"recall": 1.0, "em": 1.0}


def test_a_dry_run_asks_nothing_and_knows_what_the_cache_has(tmp_path):
    asked = []
    judge = assay.Judge(lambda said: asked.append(said) or grade(said), cache=tmp_path / "c", prices=(1.0, 2.0))
    for calls, kept in ((4, 0), (3, 1)):
        with judge.dry_run() as estimate:
            assay.judges.judge_relevance(QUERIES, RUNS, CORPUS, judge=judge)
        assert (estimate.calls, estimate.kept, len(asked)) == (calls, kept, kept)
        assert estimate.cost == pytest.approx((estimate.sent_tokens + 2 * estimate.reply_tokens) / 1e6)
        assay.judges.judge_relevance(QUERIES, {"a": {"q1": ["d1"]}}, CORPUS, judge=judge)
